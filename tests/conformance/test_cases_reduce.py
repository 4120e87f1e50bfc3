"""Faults that users of other accelerator backends reported: reductions, scans, sorting."""

import math

import numpy as np
import pytest
import torch
from harness.compare import close, same
from harness.device import DEV, on_device


def test_cumsum_negative_dim():
    """Dim=-1 rejected -> wraps.

    Report: pytorch/pytorch#92329 (negative dim in cumsum)
    """
    x = on_device([[1.0, 2.0], [3.0, 4.0]])
    close(x.cumsum(-1), [[1.0, 3.0], [3.0, 7.0]])
    close(x.cumsum(-2), [[1.0, 2.0], [4.0, 6.0]])
    close(x.cumsum_(0), [[1.0, 2.0], [4.0, 6.0]])


@pytest.mark.parametrize("dim", [0, 1, 2, 3, 4, 5])
def test_high_rank_scan(dim):
    """Rank>4 with a leading dim killed the process -> same as host on every dim.

    Report: pytorch/pytorch#154881, #154890, #187105 (scan/sort/topk far from the last dims)
    """
    x = ((torch.arange(720.0) * 37) % 101).view(2, 3, 2, 3, 4, 5)
    for f in (
        torch.cumsum,
        torch.cumprod,
        lambda t, d: t.sort(d)[0],
        lambda t, d: t.topk(2, d)[0],
        lambda t, d: t.flip(d),
        lambda t, d: t.cummax(d)[0],
        lambda t, d: t.logcumsumexp(d),
    ):
        same(lambda t, f=f: f(t if f is not torch.cumprod else t % 3, dim), x, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [1, 24, 33, 1000, 4097])
def test_argsort_is_a_permutation(n):
    """Argsort of 24 values returned indices up to 31 -> a permutation that sorts; stable=True keeps ties in order.

    Report: flagos-ai/FlagGems#505 (argsort indices outside the input)
    """
    h = torch.arange(n) % 4 + 16
    p = h.to(DEV).argsort().cpu()
    assert sorted(p.tolist()) == list(range(n)) and torch.equal(h[p], h.sort()[0])
    assert torch.equal(h.to(DEV).argsort(stable=True).cpu(), torch.from_numpy(np.argsort(h.numpy(), kind="stable")))
    assert torch.equal(
        h.to(DEV).argsort(stable=True, descending=True).cpu(), torch.from_numpy(np.argsort(-h.numpy(), kind="stable"))
    )


def test_nan_propagation():
    """Max ignored NaN -> NaN wins in max/min/amax/maximum, argmax points at it; fmax ignores it.

    Report: pytorch/pytorch#130295 (NaN lost in max/argmax)
    """
    x = on_device([[1.0, float("nan"), 3.0], [4.0, 5.0, 6.0]])
    for f in ("max", "min", "amax", "amin"):
        assert math.isnan(getattr(x, f)().item())
    v, i = x.max(1)
    assert (
        math.isnan(v[0].item()) and i.cpu().tolist() == [1, 2] and x.argmax().item() == 1 and x.argmin(1)[0].item() == 1
    )
    close(torch.maximum(x[0], x[1]), [4.0, float("nan"), 6.0])
    close(torch.fmax(x[0], x[1]), [4.0, 5.0, 6.0])
    assert math.isnan(x.cummax(1)[0][0, 2].item()) and x[0].sort()[0].isnan().cpu().tolist() == [False, False, True]


def test_bool_reductions():
    """Unsupported reduce -> int64 0/1; sum of bool counts.

    Report: MooreThreads/torch_musa#42 (prod of bool)
    """
    b = on_device([[True, True], [True, False]])
    close(b.prod(1), [1, 0])
    close(b.prod(), torch.tensor(0))
    close(b.sum(0), [2, 1])
    close(b.cumprod(1), [[1, 1], [1, 0]])
    close(b.max(1)[0], [True, True])
    close(b.amin(1), [True, False])
    close(b.to(torch.uint8).all(1), torch.tensor([1, 0], dtype=torch.uint8))


@pytest.mark.big
def test_cumsum_past_2_32():
    """2-D cumsum wrong once rows*cols passes 2**32 -> last element of the last row is the row sum.

    Report: pytorch/pytorch#143486 (cumsum row offset overflow)
    """
    x = torch.ones(131080, 32767, dtype=torch.uint8, device=DEV)
    r = x.cumsum(1, dtype=torch.int16)
    assert (
        r.numel() > 2**32
        and r[-1, -1].item() == 32767
        and r[-1, 0].item() == 1
        and r[65540, 100].item() == 101
        and r[0, -1].item() == 32767
    )
