"""Which ops explain() sees, on meta copies."""

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


def test_composites_are_followed(device):
    linear = torch.nn.Linear(4, 2, device="meta")
    assert [s.op for s in torch_fl.explain(linear, meta(3, 4)).steps] == ["t", "addmm"]


def test_strides_are_kept(device):
    (step,) = torch_fl.explain(torch.relu, meta(2, 3).t()).steps
    assert step.call == "float32[3, 2] strides [1, 3]"


def test_factories(device):
    steps = torch_fl.explain(torch.ones, 3, device="meta").steps
    assert steps and steps[-1].op in ("ones", "fill_.Scalar")


def test_ops_that_depend_on_values_end_the_list(device):
    result = torch_fl.explain(lambda x: torch.relu(x.nonzero().float()), meta(4))
    assert [s.op for s in result.steps] == ["nonzero"]
    assert "depends on values" in result.ended and result.ended in str(result)


def test_wrong_calls_raise_as_ever(device):
    with pytest.raises(RuntimeError, match="broadcast"):
        torch_fl.explain(torch.add, meta(2), meta(3))


def test_host_tensors_are_not_the_devices(device):
    assert torch_fl.explain(torch.relu, torch.ones(2)).steps == []
    (step,) = torch_fl.explain(torch.mul, meta(2), torch.tensor(2.0)).steps
    assert step.call == "float32[2], float32[] on cpu"


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
