"""Reading FlagGems' registration table out of its wheel."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from codegen import flaggems, schemas, universe

TABLE = """
import torch
_FULL_CONFIG = (
    ("add.Tensor", add),
    ("_to_copy", to_copy, lambda: version.parse(torch.__version__) >= version.parse("2.4")),
)
"""
REPOSITORY = Path(__file__).parents[2]


def wheel(folder: Path, table: str = TABLE) -> Path:
    path = folder / "flag_gems-7.8.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("flag_gems/__init__.py", table)
        for vendor, functions in (("acme", '("to_copy",)'), ("none", "()")):
            text = f"raise RuntimeError('never imported')\nCUSTOMIZED_UNUSED_OPS = {functions}\n"
            archive.writestr(f"flag_gems/runtime/backend/_{vendor}/__init__.py", text)
    return path


def test_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flaggems.main([str(wheel(tmp_path))], tmp_path) == 0
    assert capsys.readouterr().out == "codegen/recorded/flag_gems-7.8.9.yaml: 2 ops\n"
    text = (tmp_path / "codegen/recorded/flag_gems-7.8.9.yaml").read_text()
    assert text.splitlines()[-2:] == ["- {op: _to_copy, torch: '2.4', off: [acme]}", "- {op: add.Tensor}"]
    loaded = schemas.load()
    ops = universe.universe(loaded, frozenset())
    here = flaggems.load(tmp_path, "7.8.9", "other", loaded, ops)
    assert here.ops == {"add.Tensor", "_to_copy"}
    there = flaggems.load(tmp_path, "7.8.9", "acme", loaded, ops)
    assert (there.ops, there.elsewhere) == ({"add.Tensor"}, {"_to_copy"})


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("x = 1", "has no tuple _FULL_CONFIG"),
        ('_FULL_CONFIG = (("abs", abs, lambda: is_monday()),)', "abs: a condition that this reader does not know"),
    ],
)
def test_a_table_of_another_form(tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str, expected: str) -> None:
    assert flaggems.main([str(wheel(tmp_path, table))], tmp_path) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "codegen").exists()


def test_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flaggems.main([str(tmp_path / "nothing.whl")], tmp_path) == 2
    assert "usage: " in capsys.readouterr().err
    (tmp_path / "flag_gems-1-py3-none-any.whl").write_text("no archive")
    assert flaggems.main([str(tmp_path / "flag_gems-1-py3-none-any.whl")], tmp_path) == 2


def test_what_the_pinned_one_offers() -> None:
    loaded = schemas.load()
    ops = universe.universe(loaded, frozenset({"copy_"}))
    recorded = flaggems.load(REPOSITORY, "5.0.2", "enflame", loaded, ops)
    assert recorded.size == 433
    assert {"add.Tensor", "silu", "_softmax", "abs_"} <= recorded.ops
    assert {"hstack", "conv2d", "var"} <= recorded.composites, "a kernel of their own would lose the gradient"
    assert {"copy_", "_to_copy"} <= recorded.elsewhere
    assert not recorded.ops & recorded.composites
