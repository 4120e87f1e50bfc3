"""./dev on machines that lack something: each gap is named with the command that closes it, and nothing is made."""

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

DEV = Path(__file__).resolve().parents[2] / "dev"


@pytest.fixture
def dev():
    loader = SourceFileLoader("dev_script", str(DEV))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("dev_script", loader))
    loader.exec_module(module)
    return module


def test_without_words_it_explains_itself():
    result = subprocess.run([sys.executable, str(DEV)], capture_output=True, text=True)
    assert result.returncode == 2
    assert "./dev demo" in result.stdout and "./dev tests" in result.stdout


def test_old_python(dev, monkeypatch):
    monkeypatch.setattr(dev.sys, "version_info", (3, 9, 2))
    with pytest.raises(dev.Problem, match=r"This is Python 3\.9; 3\.\d+ or newer is needed\.\n  \S"):
        dev.check_python()


def test_no_venv_module(dev, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else real(name))
    with pytest.raises(dev.Problem, match=r"ensurepip are missing.*\n  .*(python3|venv)"):
        dev.check_venv_module()


def test_no_compiler(dev, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(dev.Problem, match=r"no C\+\+ compiler .*\n  .*(g\+\+|gcc-c\+\+)"):
        dev.check_compiler()


def test_old_compiler(dev, monkeypatch, tmp_path):
    compiler = tmp_path / "old-g++"
    compiler.write_text("#!/bin/sh\necho 'error: unrecognized option -std=c++20' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CXX", "old-g++")
    with pytest.raises(dev.Problem, match=r"old-g\+\+ does not compile C\+\+20(.|\n)*CXX="):
        dev.check_compiler()


def test_no_python_headers_and_no_way_to_get_them(dev, monkeypatch, tmp_path):
    monkeypatch.setattr(dev, "STATE", tmp_path)
    monkeypatch.setattr(dev.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    monkeypatch.setattr(dev.shutil, "which", lambda name: None)
    with pytest.raises(dev.Problem, match=r"Python\.h\) are missing.*\n  .*python3-devel"):
        dev.python_headers()


def test_full_disk(dev, monkeypatch, tmp_path):
    monkeypatch.setattr(dev, "STATE", tmp_path)
    monkeypatch.setattr(dev.shutil, "disk_usage", lambda path: type("usage", (), {"free": 2**30}))
    with pytest.raises(dev.Problem, match=r"1\.0 GB are free .* 8 GB are needed"):
        dev.check_room()


def test_little_memory(dev, monkeypatch):
    monkeypatch.setattr(dev, "memory_gb", lambda: 0.5)
    with pytest.raises(dev.Problem, match=r"0\.5 GB of memory are free"):
        dev.check_room()


@pytest.mark.parametrize(
    ("version", "good"), [("2.9.1", False), ("2.10.0", True), ("2.13.0+cpu", True), ("2.14.0", False)]
)
def test_range_of_torch(dev, version, good):
    assert dev.in_range(version) is good


def torch_wanted(dev, monkeypatch, tmp_path, plan):
    """install_torch where nothing is installed; gives the pip commands that it runs."""
    commands = []
    monkeypatch.setattr(dev, "STATE", tmp_path)
    monkeypatch.setattr(dev, "torch_of", lambda python: None)
    monkeypatch.setattr(dev, "has_nvidia_device", lambda: False)
    monkeypatch.setattr(dev, "planned_packages", lambda requirement, index: plan(requirement))
    monkeypatch.setattr(dev, "pip", lambda title, *arguments: commands.append(arguments))
    return commands


def test_gigabytes_are_explained_first(dev, monkeypatch, tmp_path):
    commands = torch_wanted(dev, monkeypatch, tmp_path, lambda r: ["torch==2.13.0", "nvidia-cublas==13.1"])
    with pytest.raises(dev.Problem, match=r"no NVIDIA device(.|\n)*FLAGOS_TORCH_INDEX=(.|\n)*--accept-large"):
        dev.install_torch("[2/4] torch", False, "demo")
    assert not commands
    dev.install_torch("[2/4] torch", True, "demo")
    assert len(commands) == 1


def test_no_torch_anywhere(dev, monkeypatch, tmp_path):
    torch_wanted(dev, monkeypatch, tmp_path, lambda r: None)
    with pytest.raises(dev.Problem, match="pip finds no torch"):
        dev.install_torch("[2/4] torch", False, "demo")


def test_index_is_used(dev, monkeypatch, tmp_path):
    commands = torch_wanted(dev, monkeypatch, tmp_path, lambda r: ["torch==2.13.0"])
    monkeypatch.setenv("FLAGOS_TORCH_INDEX", "file:///wheels")
    dev.install_torch("[2/4] torch", False, "demo")
    assert commands[0][:3] == ("install", "--index-url", "file:///wheels")
