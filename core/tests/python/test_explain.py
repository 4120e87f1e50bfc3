"""What explain() makes of a decision, and how it waits. tests/conformance/test_explained.py follows real calls."""

import sys
import time

import pytest
import torch

import torch_fl
from torch_fl import _explain


@pytest.fixture
def device(native):
    native.set_vendor({"name": "acme"})
    return native


def meta(*shape, **options):
    return torch.empty(*shape, device="meta", **options)


def test_one_op(device):
    result = torch_fl.explain(torch.add, meta(2, 3), meta(3, dtype=torch.int64))
    (step,) = result.steps
    assert (step.op, step.lane, step.source) == ("add.Tensor", "acme", "routes.conf:7")
    assert step.call == "float32[2, 3], int64[3]"
    assert "* acme" in str(result) and "behind acme" in str(result) and "plan: no conversion" in str(result)


def test_json(device):
    import json

    assert json.loads(json.dumps(torch_fl.explain(torch.relu, meta(1)).to_json()))["steps"][0]["op"] == "relu"


@pytest.mark.parametrize("loaded", [False, True])
def test_a_slow_first_call_says_why(monkeypatch, capsys, loaded):
    monkeypatch.setattr(_explain, "PATIENCE", 0.0)
    if loaded:
        monkeypatch.setitem(sys.modules, "torch._dynamo", None)
    else:
        monkeypatch.delitem(sys.modules, "torch._dynamo", raising=False)
    with _explain._told_if_slow():
        time.sleep(0.2)
    assert ("once per process" in capsys.readouterr().err) is not loaded
