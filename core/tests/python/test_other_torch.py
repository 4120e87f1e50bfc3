"""Kernels of another build of PyTorch: loaded where they fit, refused with the reason where not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
import torch

from torch_fl import other_torch

ABOUT = {"built_for": "acme", "libraries": ["liba.so", "libb.so"], "variable": "ACME_TORCH"}
RELEASE = other_torch.release(torch.__version__)
# In a process of its own: a library that is loaded stays so.
PROGRAM = """
import ctypes, os, sys
sys.path.insert(0, {folder!r})
import other_torch
print(repr(other_torch.load({{"boxing": {about!r}}}, os.environ)))
library = ctypes.CDLL(None)
print(library.fl_loaded() if hasattr(library, "fl_loaded") else 0)
"""


def load(variable: str | None, **about) -> list[str]:
    environ = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"} | ({"ACME_TORCH": variable} if variable else {})
    code = PROGRAM.format(folder=os.path.dirname(other_torch.__file__), about={**ABOUT, **about})
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.fixture
def build(tmp_path):
    """A torch/lib of another build, with liba.so, and a libb.so that takes a function of it."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    lib = tmp_path / "torch/lib"
    lib.mkdir(parents=True)
    (lib.parent / "version.py").write_text(f"__version__ = '{RELEASE}+acme'\nacme: Optional[str] = '6.3'\n")
    (tmp_path / "a.c").write_text("static int count; int fl_count(void) { return ++count; }\n")
    (tmp_path / "b.c").write_text(
        "int fl_count(void); static int n; __attribute__((constructor)) static void start(void) { n = fl_count(); }\n"
        "int fl_loaded(void) { return n; }\n"
    )
    for name in "ab":
        subprocess.run(
            [compiler, "-shared", "-fPIC", f"{name}.c", "-o", lib / f"lib{name}.so"], cwd=tmp_path, check=True
        )
    return lib


def test_loads_in_order(build):
    assert load(str(build)) == ["''", "1"]


def test_nobody_asked(build):
    assert load(None) == ["''", "0"]


def test_a_torch_that_has_them_keeps_its_own(build):
    assert load(str(build), built_for="git_version") == ["''", "0"]


def test_another_release_is_not_loaded(build):
    (build.parent / "version.py").write_text("__version__ = '1.0.0'\n")
    said, loaded = load(str(build))
    assert "is of torch 1.0.0, and torch" in said and loaded == "0"


def test_one_that_is_missing_loads_none(build):
    (build / "liba.so").unlink()
    said, loaded = load(str(build))
    assert said == repr(f"ACME_TORCH: {build} has no liba.so") and loaded == "0"


def test_one_that_does_not_load_is_told(build):
    (build / "libb.so").write_bytes(b"not a library")
    said, loaded = load(str(build))
    assert said.startswith("'ACME_TORCH: ") and "libb.so" in said and loaded == "0"


def test_what_version_py_tells(tmp_path):
    file = tmp_path / "version.py"
    file.write_text("__version__ = \"2.10.0+x\"\nhip: Optional[str] = '6.3'\ncuda: Optional[str] = None\n")
    assert other_torch.told(file) == {"__version__": "2.10.0+x", "hip": "6.3"}
    assert other_torch.told(tmp_path / "nothing.py") == {}
