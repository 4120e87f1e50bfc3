"""Where calls go on GCU: the published cases of an S60, by `torch-fl routes explain` on shapes without memory.

FlagGems need not be installed: explain names the lane that the routes choose, `routed`, as well as the one that serves.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import torch
import yaml
from typer.testing import CliRunner

import torch_fl
from torch_fl.cli import app

FOLDER = Path(__file__).resolve().parents[1]
CONF = (FOLDER / "routes.conf").read_text(encoding="utf-8").splitlines()
PLAIN = dict(line.split(" = ") for line in CONF if " = " in line and "[" not in line and not line.startswith("#"))
GAPS = yaml.safe_load((FOLDER / "gaps.yaml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(torch_fl.vendor_name() != "gcu", reason="FLAGOS_ACCELERATOR=gcu")


def explain(op: str, dtype: str, shape: str, *arguments: str) -> dict:
    words = ["routes", "explain", op, "--dtype", dtype, "--shape", shape, "--json"]
    result = CliRunner().invoke(app, [*words, *(word for text in arguments for word in ("--arg", text))])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["steps"][-1]


@pytest.mark.parametrize(
    ("shape", "dim", "lane"),
    [
        ("1,24,2729,2729", -1, "flaggems"),  # 65496 rows: the grid takes 65535
        ("1,24,2731,2731", -1, "gcu"),  # 65544
        ("1,24,4114,4114", -1, "gcu"),  # Qwen-Image's attention
        ("24,4114,4114", 0, "gcu"),  # 2067 tiles in y: it takes 255
    ],
)
def test_softmax(shape, dim, lane):
    step = explain("_softmax", "bfloat16", shape, f"dim={dim}", "half_to_float=False")
    assert step["routed"] == lane
    assert step["lane"] in ("flaggems", "gcu") if lane == "flaggems" else step["lane"] == "gcu"


@pytest.mark.parametrize(
    ("shape", "dim", "lane"), [("1,128,1,1024,1024", 1, "gcu"), ("8,128,16", 1, "flaggems"), ("64,1024", 1, "flaggems")]
)
def test_vector_norm(shape, dim, lane):
    step = explain("linalg_vector_norm", "float32", shape, f"dim=[{dim}]")
    assert step["routed"] == lane
    if lane == "gcu":
        assert step["lane"] == "gcu"


def family(name: str) -> list[dict]:
    return [gap for gap in GAPS if gap["family"] == name]


def test_the_overloads_that_raised_for_int64_do_not_any_more():
    """76 went to FlagGems whatever their dtype; each has a guard now, and those here keep their float path."""
    first, second, rest = family("64-bit types")
    assert len(first["ops"]) == len(set(first["ops"])) == 76 and rest["ops"] == ["*"]
    guarded = [op for op in first["ops"] + second["ops"] if PLAIN.get(op) == "flaggems"]
    assert len(guarded) >= 60
    for op in guarded:
        lines = [line for line in CONF if line.startswith(f"{op} [")]
        assert any("int64" in line and not line.endswith("= flaggems") for line in lines), op


@pytest.mark.parametrize(
    ("op", "dtype", "routed"),
    [
        ("abs", "float32", "flaggems"),
        ("neg", "float16", "flaggems"),
        ("add.Tensor", "bfloat16", "flaggems"),
        ("add.Tensor", "int32", "flaggems"),
        ("tanh_", "float32", "flaggems"),
        ("relu_", "int32", "flaggems"),
        ("relu_", "float32", "gcu"),  # NaN is lost
        ("silu", "float32", "flaggems"),
        ("elu", "float32", "gcu"),
        ("triu", "float32", "gcu"),
        ("cumsum", "float32", "gcu"),
    ],
)
def test_where_floats_go(op, dtype, routed):
    words = {"cumsum": ["dim=0"], "add.Tensor": []}.get(op, [])
    step = explain(op, dtype, "32,32", *words)
    assert step["routed"] == routed
    assert step["lane"] in ("flaggems", "gcu"), step


@pytest.mark.parametrize("op", ["abs", "neg", "add.Tensor", "mul.Tensor", "sum", "eq.Tensor", "pow.Tensor_Scalar"])
def test_int64_never_reaches_a_kernel_that_would_narrow_it(op):
    words = ["exponent=2"] if op.startswith("pow") else []
    step = explain(op, "int64", "32,32", *words)
    assert step["lane"] != "flaggems" and step["routed"] != "flaggems"
    x = torch.tensor([2**40 + 1, -(2**35)], device="flagos")
    assert (x + x).tolist() == [2**41 + 2, -(2**36)]
    assert x.abs().tolist() == [2**40 + 1, 2**35]


def test_more_is_accelerated_than_the_reference_had():
    counts = Counter(PLAIN.values())
    assert counts["flaggems"] + counts["gcu"] >= 431
    served = (FOLDER / "calls.txt").read_text(encoding="utf-8").count("\n") - 1
    assert served >= 183, "native overloads"
