"""Faults that users of other accelerator backends reported: empty and 0-d tensors."""

import math
import warnings

import numpy as np
import pytest
import torch
from harness.compare import close
from harness.device import DEV, TYPE, on_device


def test_all_any_empty():
    """ZeroDivisionError -> all()=True, any()=False.

    Report: flagos-ai/FlagGems#6074 (all/any of nothing)
    """
    e = torch.empty(0, dtype=torch.bool).to(DEV)
    assert torch.all(e).item() is True and torch.any(e).item() is False
    close(torch.all(torch.empty(2, 0).to(DEV), dim=1), [True, True])
    close(torch.any(torch.empty(2, 0).to(DEV), 1), [False, False])


def test_mean_empty():
    """ZeroDivisionError -> NaN (mean, mean.dim, var, std).

    Report: flagos-ai/Torch-FL#296, flagos-ai/FlagGems#6333 (mean of nothing)
    """
    for r in (
        torch.empty(0).to(DEV).mean(),
        torch.empty(2, 0).to(DEV).mean(1),
        torch.empty(2, 0, 3).to(DEV).mean((1, 2)),
    ):
        assert torch.isnan(r.cpu()).all() and r.numel() > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(torch.empty(0).to(DEV).var().item()) and math.isnan(on_device([4.0]).std().item())


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4, 2)])
def test_ops_on_zero_elements(shape):
    """Kernel launch with 0 blocks aborted -> every op on 0 elements is a no-op.

    Report: flagos-ai/FlagGems#5298 (grid size 0)
    """
    for mk in (torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn):
        x = mk(shape, device=DEV)
        for r in (
            x + 1,
            x * x,
            x.exp(),
            x.clone(),
            x.to(torch.float16),
            x.masked_fill(x > 0, 1.0),
            torch.where(x > 0, x, 0.0),
            x.flip(0),
            x.softmax(0),
            x.relu_(),
            x.normal_(),
        ):
            assert r.shape == torch.Size(shape) and r.device.type == TYPE
    assert torch.full(shape, 2, device=DEV).tolist() == torch.full(shape, 2).tolist()


def test_repeat_interleave_empty():
    """IndexError -> empty result of the right shape.

    Report: flagos-ai/FlagGems#1979 (repeat_interleave with no repeats)
    """
    g = torch.empty(0, 3, dtype=torch.int64).to(DEV)
    assert torch.repeat_interleave(g, g[:, 0], dim=0).shape == (0, 3)
    close(torch.repeat_interleave(on_device([[1], [2]]), on_device([0, 2]), dim=0), [[2], [2]])
    assert torch.repeat_interleave(on_device([5, 6]), on_device([0, 0])).numel() == 0


@pytest.mark.parametrize("dim", [0, -1])
def test_zero_dim_with_dim(dim):
    """Dim=0/-1 on a 0-d tensor raised -> treated as one element.

    Report: pytorch/xla#3061 (0-d tensor with a dim argument)
    """
    s = on_device(3.0)
    for r in (
        s.sum(dim),
        s.mean(dim),
        s.cumsum(dim),
        s.sort(dim)[0],
        s.topk(1, dim)[0],
        s.max(dim)[0],
        s.min(dim)[0],
        s.amax(dim),
        s.prod(dim),
        s.unsqueeze(dim)[0],
        s.logsumexp(dim),
        s.index_select(dim, on_device([0])).reshape(()),
        s.gather(dim, on_device(0)),
    ):
        close(r, torch.tensor(3.0))
    close(s.softmax(dim), torch.tensor(1.0))
    assert s.argmax(dim).item() == 0 and s.max(dim)[1].item() == 0 and s.sort(dim)[1].item() == 0


@pytest.mark.parametrize("c", [0, 1, 2])
def test_std_correction(c):
    """Std/var with a correction raised -> numpy ddof semantics.

    Report: MooreThreads/torch_musa#72 (std.correction missing)
    """
    n = np.array([[1.0, 4.0, 2.0, 8.0], [3.0, 3.0, 9.0, 1.0]])
    t = torch.from_numpy(n).float().to(DEV)
    close(t.std(1, correction=c), torch.from_numpy(n.std(1, ddof=c)).float())
    close(t.var(correction=c), torch.tensor(n.var(ddof=c)).float())
    v, m = torch.var_mean(t, 0, correction=0, keepdim=True)
    close(v, torch.from_numpy(n.var(0, keepdims=True)).float())
    close(m, torch.from_numpy(n.mean(0, keepdims=True)).float())
    assert on_device([4.0]).std(unbiased=False).item() == 0.0
