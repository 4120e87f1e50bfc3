"""Joining wheels of core for several minors of torch."""

import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from merge_wheels import merge

NAME = "torch_fl_core-0.1.0-cp311-cp311-linux_x86_64.whl"
INFO = "torch_fl_core-0.1.0.dist-info"


def make(folder: Path, minor: str, init: str = "x = 1\n") -> Path:
    folder.mkdir()
    with zipfile.ZipFile(folder / NAME, "w") as archive:
        archive.writestr("torch_fl/__init__.py", init)
        archive.writestr(f"torch_fl/lib/torch{minor}/libtorch_fl.so", minor)
        archive.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr(f"{INFO}/RECORD", "")
    return folder / NAME


def test_holds_a_library_per_minor(tmp_path):
    result = merge([make(tmp_path / "a", "2.12"), make(tmp_path / "b", "2.13")], tmp_path / "out")
    with zipfile.ZipFile(result) as archive:
        assert archive.read("torch_fl/lib/torch2.12/libtorch_fl.so") == b"2.12"
        assert archive.read("torch_fl/lib/torch2.13/libtorch_fl.so") == b"2.13"
        recorded = [line.split(",")[0] for line in archive.read(f"{INFO}/RECORD").decode().splitlines()]
        assert sorted(recorded) == sorted(archive.namelist())


def test_refuses_what_would_be_lost(tmp_path):
    first = make(tmp_path / "a", "2.12")
    with pytest.raises(ValueError, match=r"differs from .* in torch_fl/__init__\.py"):
        merge([first, make(tmp_path / "b", "2.13", init="x = 2\n")], tmp_path / "out")
    with pytest.raises(ValueError, match="for a torch that another wheel has"):
        merge([first, make(tmp_path / "c", "2.12")], tmp_path / "out")
