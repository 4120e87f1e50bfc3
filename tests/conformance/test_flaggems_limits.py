"""Routes of a vendor with limits, tried on a device without them: calls beyond a limit go to the next lane."""

import tomllib
from pathlib import Path

import pytest
import torch
from harness import lanes
from harness.device import DEV, needs_device

if REASON := lanes.not_interpreted():
    pytest.skip(f"FlagGems' kernels cannot be interpreted here: {REASON}", allow_module_level=True)

import torch_fl
from torch_fl.flaggems import limits

pytestmark = [needs_device, pytest.mark.filterwarnings("ignore:torch_fl.*does not support this call")]

GCU = Path(__file__).parents[2] / "vendors/gcu/vendor.toml"
# As gcu's, with a grid that is small enough to interpret what is within it.
LIMITS = limits.Limits(frozenset({"*i64", "*fp64", "i64"}), (), (6, 2))


def told(op, call, limit=LIMITS):
    """(lanes, reasons) of the calls of an op that is routed to FlagGems; the result is compared with the host's."""
    with limits.used(limit), torch_fl.routes({op: "flaggems"}), torch_fl.census() as census:
        for _ in range(2):
            torch.testing.assert_close(call(lambda t: t.to(DEV)).cpu(), call(lambda t: t))
    rows = [row for row in census.rows() if row.op == op]
    return {row.lane for row in rows}, " ".join(row.reason for row in rows)


def test_a_vendors_own_facts():
    found = limits.Limits.of(tomllib.loads(GCU.read_text()))
    assert {"*i64", "*fp64"} <= found.types and found.grid == (65535, 255) and "__nv_asinf" in found.externs
    assert "*i64" in str(found) and "__nv_asinf" in str(found) and "65535 x 255" in str(found)
    assert not limits.Limits.of({"limits": {"max_rank": 8}})


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_within(dtype):
    x = torch.tensor([1, 0, 3], dtype=dtype)
    assert told("neg", lambda to: -to(x))[0] == {"flaggems"}


def test_a_type():
    used, reason = told("neg", lambda to: -to(torch.tensor([1, 2, 3])))
    assert used and "flaggems" not in used
    assert "ParameterTypeError: neg: kernel " in reason and "as *i64" in reason


def test_a_result_of_64_bits():
    """The tensors of the call tell nothing: the kernel's parameters do."""
    x = torch.randn(4)
    used, reason = told("argmax", lambda to: to(x).argmax())
    assert "flaggems" not in used and "as *i64" in reason


def test_a_grid():
    x = torch.randn(6, 4), torch.randn(7, 4)
    assert told("_softmax", lambda to: to(x[0]).softmax(-1))[0] == {"flaggems"}
    used, reason = told("_softmax", lambda to: to(x[1]).softmax(-1))
    assert "flaggems" not in used and "GridError: _softmax: kernel " in reason
    assert "7 programs along x, the device takes 6" in reason


def test_explain_knows_what_was_refused():
    x = torch.arange(3).to(DEV)
    with limits.used(LIMITS), torch_fl.routes({"neg": "flaggems"}):
        before = torch_fl.explain(torch.neg, x).steps[-1]
        assert before.lane == "flaggems" and "may refuse it" in next(v.reason for v in before.lanes if v.chosen)
        torch.neg(x)
        after = torch_fl.explain(torch.neg, x).steps[-1]
    assert after.lane in lanes.serving("neg") and after.lane != "flaggems"
    assert "ParameterTypeError" in next(v.reason for v in after.lanes if v.lane == "flaggems")


def test_without_limits_nothing_is_asked():
    used, _ = told("neg", lambda to: -to(torch.arange(3)), limits.Limits())
    assert used == {"flaggems"}
