"""When torch_fl_cuda says that a device can be used; it looks, and starts nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "torch_fl_cuda/__init__.py"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The package on a machine without devices, driver and torch."""
    spec = importlib.util.spec_from_file_location("torch_fl_cuda_of_the_test", PACKAGE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "dev").mkdir()
    monkeypatch.setattr(module, "DEVICE_NODES", str(tmp_path / "dev"))
    monkeypatch.setattr(module, "LIBRARY", "libcuda_of_no_machine.so.1")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    return module


def library(folder: Path, source: str) -> str:
    """A library that the compiler makes of a line of C."""
    (folder / "made.c").write_text(source)
    path = folder / f"lib{abs(hash(source))}.so"
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, folder / "made.c"], check=True)
    return str(path)


# A driver that must not be started.
DRIVER = "int cuInit(unsigned flags) { __builtin_trap(); return (int)flags; }\n"
STANDIN = 'const char* flCudaStandin(void) { return ""; }\n'


@pytest.mark.parametrize("node", ["nvidia0", "nvidia12", "dxg"])
def test_a_node_and_a_driver(package, tmp_path, monkeypatch, node):
    assert not package.is_available()
    (tmp_path / "dev" / node).touch()
    assert not package.is_available()
    monkeypatch.setattr(package, "LIBRARY", library(tmp_path, DRIVER))
    assert package.is_available() and not package.on_standin()


def test_no_node(package, tmp_path, monkeypatch):
    monkeypatch.setattr(package, "LIBRARY", library(tmp_path, DRIVER))
    (tmp_path / "dev/nvidiactl").touch()
    assert not package.is_available()


@pytest.mark.parametrize("cuda, usable", [("13.0", True), (None, False)])
def test_the_torch_in_use(package, tmp_path, monkeypatch, cuda, usable):
    (tmp_path / "dev/nvidia0").touch()
    monkeypatch.setattr(package, "LIBRARY", library(tmp_path, DRIVER))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(version=SimpleNamespace(cuda=cuda)))
    assert package.is_available() is usable


def test_torch_while_it_is_imported(package, tmp_path, monkeypatch):
    (tmp_path / "dev/nvidia0").touch()
    monkeypatch.setattr(package, "LIBRARY", library(tmp_path, DRIVER))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert package.is_available()


def test_the_standin_needs_neither(package, tmp_path, monkeypatch):
    monkeypatch.setattr(package, "LIBRARY", library(tmp_path, STANDIN))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(version=SimpleNamespace(cuda=None)))
    assert package.on_standin() and package.is_available()


def test_nothing_heavy_is_imported():
    code = f"import runpy, sys; runpy.run_path({str(PACKAGE)!r}); print(*{{'ctypes', 'torch'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
