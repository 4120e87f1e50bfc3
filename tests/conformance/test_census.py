"""The census: what it counts, that it costs nothing when off, and that a killed process leaves a readable one."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import torch
from harness import child
from harness.device import DEV, SELF_CHECK, needs_device, vendor_name

if not SELF_CHECK:
    import torch_fl

pytestmark = needs_device


def test_rows_are_calls():
    x = torch.ones(4, device=DEV)
    with torch_fl.census() as census:
        for _ in range(3):
            x + x
        x.exp()
    calls = {r.op: r.calls for r in census.rows()}
    assert calls["add.Tensor"] == 3 and calls["exp"] == 1
    assert census.total().calls == sum(calls.values())
    assert "add.Tensor" in census.table()


def test_outside_is_not_counted():
    x = torch.ones(4, device=DEV)
    x + x
    with torch_fl.census() as census:
        pass
    x + x
    assert census.rows() == []


def test_nested():
    x = torch.ones(4, device=DEV)
    with torch_fl.census() as outer:
        x + x
        with torch_fl.census() as inner:
            x * x
        x + x
    count = lambda c: {r.op: r.calls for r in c.rows()}  # noqa: E731
    assert count(inner) == {"mul.Tensor": 1}
    assert count(outer)["add.Tensor"] == 2 and count(outer)["mul.Tensor"] == 1


def test_bytes_and_dtypes():
    x = torch.ones(1000, dtype=torch.float64, device=DEV)
    with torch_fl.census() as census:
        x + x
    (row,) = [r for r in census.rows() if r.op == "add.Tensor"]
    assert row.bytes == 3 * 8000 and set(row.dtypes.split(",")) == {"float64"} and row.nanoseconds > 0


def test_fallback_has_a_reason():
    x = torch.ones(3, device=DEV)
    with torch_fl.routes({"add.Tensor": "none"}), torch_fl.census() as census:
        x + x
    (row,) = [r for r in census.rows() if r.op == "add.Tensor"]
    assert row.lane == "none" and row.reason


def test_backward_is_counted():
    x = torch.ones(3, device=DEV, requires_grad=True)
    with torch_fl.census() as census:
        (x * x).sum().backward()
    assert sum(r.calls for r in census.rows() if r.op == "mul.Tensor") >= 2


def test_file_at_exit(tmp_path):
    path = tmp_path / "census.json"
    child.check("torch.ones(2, device=DEV) + 1", {"FLAGOS_CENSUS": str(path)})
    content = json.loads(path.read_text())
    assert content["finished"] is True and content["vendor"] == vendor_name()
    assert "add.Tensor" in {row["op"] for row in content["rows"]}


def test_file_of_a_killed_process(tmp_path):
    path = tmp_path / "census.json"
    code = (
        "import torch, torch_fl, time\nx = torch.ones(2, device='flagos')\n"
        "while True:\n    x + 1\n    print('.', flush=True)\n    time.sleep(.01)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "FLAGOS_CENSUS": str(path)}, stdout=subprocess.PIPE
    )
    try:
        process.stdout.readline()
        deadline = time.monotonic() + 60
        while not (path.exists() and "add.Tensor" in path.read_text()):
            assert time.monotonic() < deadline, "no census was written while the process ran"
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    content = json.loads(path.read_text())
    assert content["finished"] is False and "add.Tensor" in {row["op"] for row in content["rows"]}


def test_file_that_cannot_be_written():
    result = child.check(
        "print('RESULT', (torch.ones(2, device=DEV) + 1).sum().item())", {"FLAGOS_CENSUS": "/nowhere/at/all.json"}
    )
    assert "RESULT 4.0" in result.stdout and "/nowhere/at/all.json" in result.stderr


@pytest.mark.parametrize("count", [10_000])
def test_many_signatures_leave_memory_bounded(count):
    """Plans are bounded per op, whatever the number of signatures that a process sees."""
    child.check(f"""
        import resource
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        x = torch.ones({count} + 1, device=DEV)
        def sweep(start, stop):
            for n in range(start, stop):
                y = x[:n]
                y + y
        sweep(1, {count} // 4)
        before = peak()
        sweep({count} // 4, {count})
        stats = torch_fl._C.plan_stats()
        assert stats["evictions"] > 0, stats
        assert peak() - before < 64, (before, peak(), stats)
    """)


def test_ops_tell_which_have_a_typed_entry():
    """With a census this gives the share of boxed calls whose arguments are not packed first."""
    typed = {op.name for op in torch_fl.ops() if op.typed}
    assert {"add.Tensor", "mm", "silu"} <= typed and "linalg_eigh" not in typed


def test_a_row_has_the_arguments_of_its_first_call():
    x = torch.randn(6, 8).to(DEV)
    with torch_fl.census() as census:
        x.t()[2:, 1::2] + 2.5
        torch.cat([x, x[1:]], 0)
        torch.sum(x, [1], dtype=torch.float64)
        torch.clamp(x, min=float("-inf"), max=3)
        torch.nn.functional.gelu(x, approximate="tanh")
    calls = {row.op: json.loads(row.call) for row in census.rows()}
    plain = {"shape": [6, 8], "dtype": "float32"}
    assert calls["add.Tensor"] == [{"shape": [6, 3], "dtype": "float32", "strides": [1, 16], "offset": 10}, 2.5, 1]
    assert calls["cat"] == [[plain, {"shape": [5, 8], "dtype": "float32", "offset": 8}], 0]
    assert calls["sum.dim_IntList"] == [plain, [1], False, {"dtype": "float64"}]
    assert calls["clamp"] == [plain, {"float": "-inf"}, 3]
    assert calls["gelu"] == [plain, "tanh"]


def test_the_calls_of_a_census_are_made_again():
    from torch_fl.timing import specs

    x = torch.randn(4, 6).to(DEV)
    with torch_fl.census() as census:
        x.t() + 1.5
        torch.nn.functional.softmax(x[:, 1:], 1)
    made = {row.op: specs.built(specs.from_row(row)) for row in census.rows()}
    tensor, number = made["add.Tensor"][0]
    assert (tensor.shape, tensor.stride(), number) == ((6, 4), (1, 6), 1.5)
    tensor, *rest = made["_softmax"][0]
    assert (tensor.stride(), tensor.storage_offset(), rest) == ((6, 1), 1, [1, False])
