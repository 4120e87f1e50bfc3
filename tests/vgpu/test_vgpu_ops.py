"""FlagGems' real kernels, compiled for a GPU and launched by Triton and by replays, against the CPU."""

import cases
import pytest
import torch
from harness.compare import TOLERANCES

import torch_fl
from torch_fl import _C

TURNS = 7  # three of them in Python: one that may search for the best kernel, two that are compared


def op_of(name):
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def moved(value):
    if isinstance(value, torch.Tensor):
        made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="flagos")
        return made.copy_(value)
    if isinstance(value, list):
        return [moved(v) for v in value]
    return value


def tensors(value):
    return [value] if isinstance(value, torch.Tensor) else list(value)


def same(got, want):
    for g, w in zip(tensors(got), tensors(want), strict=True):
        assert g.device.type == "flagos" and g.dtype == w.dtype
        rtol, atol = TOLERANCES.get(w.dtype, (0, 0))
        torch.testing.assert_close(g.cpu(), w, rtol=rtol, atol=max(atol, rtol), equal_nan=True)


class Calls:
    """Calls of one op with fresh arguments, each compared with the CPU; all stay alive, so that places differ."""

    def __init__(self, name, make):
        self.name, self.make, self.kept = name, make, []

    def __call__(self):
        *args, last = (*self.make(), {})
        if args and isinstance(args[-1], dict):
            last = args.pop()
        on_device = [moved(a) for a in args], {k: moved(v) for k, v in last.items()}
        got = op_of(self.name)(*on_device[0], **on_device[1])
        want = op_of(self.name)(*args, **last)
        same(got, want)
        for before, after in zip(args, on_device[0]):
            if isinstance(before, torch.Tensor):
                same(after, before)  # in place: both have changed alike
        self.kept.append((on_device, got))


def each_case():
    return [
        pytest.param(op, make, id=op + (f"-{i}" if i else ""))
        for op, makers in cases.REPLAYED.items()
        for i, make in enumerate(makers)
    ]


@pytest.mark.parametrize(("op", "make"), each_case())
def test_an_op_is_replayed(gpu, op, make):
    call = Calls(op, make)
    before = torch_fl.replay_stats().get(op)
    with torch_fl.routes({op: "flaggems"}), torch_fl.census() as census:
        by_triton = []
        for _ in range(TURNS):
            done = torch_fl.replay_stats().get(op).replays
            call()
            launches = gpu.taken()
            if torch_fl.replay_stats().get(op).replays == done:
                by_triton = [launch.shape() for launch in launches if launch.by_triton]
            else:
                # The function, the grid, the block, the memory and each byte that is no pointer are Triton's.
                assert not any(launch.by_triton for launch in launches)
                assert [launch.shape() for launch in launches] == by_triton
        after = torch_fl.replay_stats()[op]
        assert after.replays - before.replays >= TURNS - 3, after
        _C.set_replay_audit(1)
        for _ in range(2):
            call()
        audited = torch_fl.replay_stats()[op]
    assert {row.lane for row in census.rows() if row.op == op} == {"flaggems"}
    assert audited.audits - after.audits == 2 and audited.mismatches == before.mismatches
    assert audited.replays == after.replays and audited.refused == before.refused


def test_a_python_number_does_not_widen_bfloat16(gpu):
    with torch_fl.routes({"add.Tensor": "flaggems", "div.Tensor": "flaggems"}):
        x = torch.randn(33).bfloat16()
        for number in (0.3, 2):
            for f in (torch.add, torch.div):
                same(f(x.to("flagos"), number), f(x, number))
    launches = gpu.taken()
    types = [str(kind) for launch in launches for kind in gpu.kernels[launch.function].src.signature.values()]
    assert len(launches) == 4 and "*bf16" in types and not any("64" in kind for kind in types if kind[0] != "i")


def test_gradients(gpu):
    ops = ("mul.Tensor", "silu", "silu_backward", "sum.dim_IntList", "add.Tensor")
    for _ in range(6):
        x, y = torch.randn(4, 8), torch.randn(4, 8)

        def loss(a, b):
            return (torch.nn.functional.silu(a * b) + b).sum([1]).sum([0])

        host = [t.clone().requires_grad_() for t in (x, y)]
        loss(*host).backward()
        with torch_fl.routes(dict.fromkeys(ops, "flaggems")), torch_fl.census() as census:
            device = [t.to("flagos").requires_grad_() for t in (x, y)]
            loss(*device).backward()
        for d, h in zip(device, host):
            torch.testing.assert_close(d.grad.cpu(), h.grad, rtol=1e-5, atol=1e-5)
    assert {r.lane for r in census.rows() if r.op in ops} == {"flaggems"}
    assert any(not launch.by_triton for launch in gpu.taken())
