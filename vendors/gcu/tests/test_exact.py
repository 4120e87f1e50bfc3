"""Values that gcu's kernels cannot hold: int64 beyond 32 bits, whatever the op, and fractions that accumulate."""

from __future__ import annotations

import pytest
import torch

import torch_fl

pytestmark = pytest.mark.skipif(torch_fl.vendor_name() != "gcu", reason="FLAGOS_ACCELERATOR=gcu")

LARGE = [2**31 - 1, 2**31, -(2**31) - 1, 2**32 + 5, 2**53 + 1, -(2**62), 2**63 - 1, -1, 0, 7, -(2**40), 2**33]
MASK = torch.tensor([i % 3 == 0 for i in range(12)])
INDEX = torch.tensor([3, 0, 2, 2])

# name -> what is done to a 3 by 4 matrix of large numbers; `to` moves a host tensor beside it.
CALLS = {
    "add": lambda x, to: x + 1,
    "add_": lambda x, to: x.add_(x),
    "sub": lambda x, to: x - x.flip(0),
    "mul": lambda x, to: x * 3,
    "neg": lambda x, to: -x,
    "abs": lambda x, to: x.abs(),
    "floor_divide": lambda x, to: x // 7,
    "remainder": lambda x, to: x % 1000003,
    "div": lambda x, to: x / 3,
    "eq": lambda x, to: x == 2**32 + 5,
    "lt": lambda x, to: x < 2**40,
    "maximum": lambda x, to: torch.maximum(x, x.flip(1)),
    "bitwise_and": lambda x, to: x & 0xFFFF0000FFFF,
    "shift": lambda x, to: x >> 3,
    "clamp": lambda x, to: x.clamp(-(2**40), 2**40),
    "sum": lambda x, to: x.sum(),
    "sum of bool": lambda x, to: (x > 0).sum(),
    "max": lambda x, to: x.max(1),
    "argmax": lambda x, to: x.argmax(1),
    "sort": lambda x, to: x.sort(dim=1, stable=True),
    "cumsum": lambda x, to: x.cumsum(0),
    "unique": lambda x, to: x.unique(),
    "any": lambda x, to: x.any(0),
    "nonzero": lambda x, to: x.nonzero(),
    "cat": lambda x, to: torch.cat([x, x.flip(0)], 1),
    "flip": lambda x, to: x.flip(0, 1),
    "roll": lambda x, to: x.roll(1, 1),
    "t": lambda x, to: x.t().contiguous(),
    "index_select": lambda x, to: x.index_select(1, to(INDEX)),
    "index": lambda x, to: x[:, to(INDEX)],
    "index_put": lambda x, to: x.index_put((to(INDEX[:2] - 1),), to(torch.tensor(2**45))),
    "gather": lambda x, to: x.gather(1, to(INDEX[:3].reshape(3, 1))),
    "scatter": lambda x, to: x.scatter(1, to(INDEX[:3].reshape(3, 1)), 2**50),
    "where": lambda x, to: torch.where(to(MASK.reshape(3, 4)), x, 2**60),
    "masked_fill": lambda x, to: x.masked_fill(to(MASK.reshape(3, 4)), -(2**35)),
    "masked_select": lambda x, to: x[to(MASK.reshape(3, 4))],
    "fill": lambda x, to: x.fill_(2**41 + 3),
    "zero": lambda x, to: x.t().zero_(),
    "arange": lambda x, to: torch.arange(2**33, 2**33 + 5, device=x.device),
    "full": lambda x, to: torch.full((3,), 2**34, device=x.device),
    "tril": lambda x, to: x.tril(),
    "repeat": lambda x, to: x.repeat(2, 1),
    "to int32": lambda x, to: x.to(torch.int32),
    "to uint8": lambda x, to: x.to(torch.uint8),
    "to bool": lambda x, to: (x * 2**32).to(torch.bool),
    "to float32": lambda x, to: x.to(torch.float32),
    "to float64": lambda x, to: x.to(torch.float64),
    "from int32": lambda x, to: to(torch.tensor([-5, 2**31 - 1, 0], dtype=torch.int32)).to(torch.int64),
    "from bool": lambda x, to: to(MASK).to(torch.int64),
    "from float": lambda x, to: to(torch.tensor([2.0**40, -(2.0**33), 1.5])).to(torch.int64),
    "item": lambda x, to: torch.tensor(x[1, 1].item()),
}


@pytest.mark.parametrize("name", CALLS)
def test_int64_is_exact(name):
    host = torch.tensor(LARGE).reshape(3, 4)
    want = CALLS[name](host.clone(), lambda t: t)
    got = CALLS[name](host.to("flagos"), lambda t: t.to("flagos"))
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want)), strict=True):
        assert a.dtype == b.dtype
        assert torch.equal(a.cpu(), b)


@pytest.mark.parametrize(
    "dtype", [torch.int64, torch.float64, torch.complex64, torch.complex128, torch.int16, torch.bool]
)
def test_strided_copies_move_every_bit(dtype):
    bits = torch.randint(-(2**62), 2**62, (3, 4, 5, 2))
    host = (bits > 0)[..., 0] if dtype == torch.bool else bits.view(dtype)
    device = host.to("flagos")
    for change in (lambda t: t.transpose(0, 2), lambda t: t[:, ::2, 1:], lambda t: t[..., :1].expand(*t.shape[:-1], 3)):
        want, got = change(host).contiguous(), change(device).contiguous().cpu()
        assert torch.equal(got.view(torch.uint8), want.view(torch.uint8))


@pytest.mark.parametrize(("start", "end", "step"), [(0, 10, 0.1), (-1, 1, 0.001), (1e4, 1e4 + 10, 0.3), (5, -5, -0.7)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_fractional_arange_is_within_one_ulp_of_the_host(start, end, step, dtype):
    want = torch.arange(start, end, step, dtype=dtype)
    got = torch.arange(start, end, step, dtype=dtype, device="flagos").cpu()
    assert got.shape == want.shape
    low = torch.nextafter(want, torch.full_like(want, -float("inf")))
    high = torch.nextafter(want, torch.full_like(want, float("inf")))
    assert ((low <= got) & (got <= high)).all()
