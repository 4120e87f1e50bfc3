"""What is read out of the installed torch."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from codegen import abi, core, schemas, typed, universe

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("add.Tensor", {"functional": "add.Tensor", "inplace": "add_.Tensor", "out": "add.out"}),
        ("add_.Tensor", {"functional": "add.Tensor", "inplace": "add_.Tensor", "out": "add.out"}),
        ("sum.dim_IntList", {"functional": "sum.dim_IntList", "out": "sum.IntList_out"}),
        ("where.self", {"functional": "where.self", "out": "where.self_out"}),
        # PyTorch has _foreach_add.List_out as well, which torchgen derives.
        ("_foreach_add.List", {"functional": "_foreach_add.List", "inplace": "_foreach_add_.List"}),
        ("arange.start_out", {"out": "arange.start_out"}),
        # The overload names differ, so core would not find it.
        ("pow.Tensor_Tensor", {"functional": "pow.Tensor_Tensor", "out": "pow.Tensor_Tensor_out"}),
    ],
)
def test_siblings(op: str, expected: dict[str, str]) -> None:
    assert schemas.load().siblings(op) == expected


def test_siblings_agree() -> None:
    """Each spelling of a function is about the same family."""
    loaded = schemas.load()
    for op in loaded.structured:
        if schemas.spelling(loaded.functions[op]) != schemas.FUNCTIONAL:
            continue
        family = loaded.siblings(op)
        assert op in family.values()
        for kind, other in family.items():
            assert loaded.siblings(other)[kind] == other
            assert loaded.siblings(other)[schemas.FUNCTIONAL] == op


def test_universe() -> None:
    loaded = schemas.load()
    ops = universe.universe(loaded, frozenset({"copy_"}))
    assert {
        "add.Tensor",
        "add_.Tensor",
        "add.out",
        "_foreach_add.List",
        "convolution_overrideable",
        "silu_backward",
    } <= ops
    assert not {"matmul", "copy_", "linear", "_sparse_sum_backward"} & ops
    boxed = universe.boxed(loaded, "CPU")
    assert {"add.Tensor", "add_.Tensor", "_foreach_add.List", "native_layer_norm", "convolution_backward"} <= boxed
    assert not {"_cudnn_rnn", "ones", "matmul"} & boxed


def test_dtypes_and_flags_are_the_header_s() -> None:
    text = abi.HEADER.read_text(encoding="utf-8")
    for name in abi.DTYPES.values():
        assert f"  {name} = " in text
    assert abi.flags()["promote"] == "FL_ROW_PROMOTE"
    assert abi.flags()["nondeterministic"] == "FL_ROW_NONDETERMINISTIC"
    assert abi.DYNAMIC_OUTPUT in abi.flags()


def test_structured_table(tmp_path: Path) -> None:
    for _ in range(2):
        command = [sys.executable, "-m", "codegen.core", "--out", str(tmp_path), "--parts", "3"]
        subprocess.run(command, check=True, cwd=REPOSITORY)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [
        "device_ops.cpp",
        "structured.cpp",
        "structured_0.cpp",
        "structured_1.cpp",
        "structured_2.cpp",
        "structured_parts.h",
        *(f"typed_{part}.cpp" for part in range(core.TYPED_PARTS)),
        "typed_index.cpp",
        "typed_parts.h",
    ]
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    assert 'put(table, "add.out", static_cast<at::Tensor & (*)' in text
    assert "&at::meta::add_outf" in text
    entries = [line.split('"')[1] for line in text.splitlines() if line.startswith("  put(")]
    assert sorted(entries) == sorted(schemas.load().structured)
    listed = (tmp_path / "device_ops.cpp").read_text()
    for op in ("add.Tensor", "_foreach_add.List", "native_layer_norm", "_cudnn_rnn", "silu_backward"):
        assert f'      "{op}",\n' in listed
    assert '"matmul"' not in listed and '"ones"' not in listed
    assert 'table.emplace("_foreach_add_.Scalar", &install<at::_ops::_foreach_add__Scalar>);' in text
    assert "&install<at::_ops::convolution_overrideable, at::_ops::convolution>" in text


def test_typed_ops_have_entries() -> None:
    loaded = schemas.load()
    ops = [*typed.HOST_COPIES.split(), *typed.OPS.split()]
    assert len(set(ops)) == len(ops)
    # PyTorch makes embedding of index_select; an entry is added where a vendor has a row for it.
    entries = universe.universe(loaded, frozenset()) | {"embedding"}
    assert not [op for op in ops if op in loaded.functions and op not in entries]


def test_typed_ops_of_another_torch_are_left_out() -> None:
    loaded = schemas.load()
    less = dataclasses.replace(loaded, functions={k: f for k, f in loaded.functions.items() if k != "mm"})
    texts = "".join(typed.render(less, "", 1).values())
    assert '"bmm"' in texts and '"mm"' not in texts


def test_meta_functions_take_plain_integers() -> None:
    loaded = schemas.load()
    group = next(g for g in loaded.groups if str(g.functional.func.name) == "topk")
    name, pointer = core.meta_function(group.out)
    assert name == "topk_outf"
    assert "SymInt" not in pointer
