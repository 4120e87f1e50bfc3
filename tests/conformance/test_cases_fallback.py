"""Faults that users of other accelerator backends reported: what a fallback must not lose, out= and resize_."""

import pytest
import torch
from harness.compare import close
from harness.device import DEV, SELF_CHECK, TYPE, on_device
from torch import nn
from torch.nn import functional as F


def test_foreach_inplace():
    """_foreach_add_ ran on host copies only -> the device tensors change.

    Report: pytorch/pytorch#105209 (fallback drops TensorList mutations)
    """
    for op, args, w in (
        ("add_", (1.0,), [[2.0, 3.0], [5.0]]),
        ("mul_", ([2.0, 3.0],), [[2.0, 4.0], [12.0]]),
        ("neg_", (), [[-1.0, -2.0], [-4.0]]),
        ("sqrt_", (), [[1.0, 2**0.5], [2.0]]),
        ("zero_", (), [[0.0, 0.0], [0.0]]),
        ("clamp_max_", (1.5,), [[1.0, 1.5], [1.5]]),
    ):
        xs = [on_device([1.0, 2.0]), on_device([4.0, 9.0])[:1]]
        ptr = [x.data_ptr() for x in xs]
        getattr(torch, "_foreach_" + op)(xs, *args)
        for x, v in zip(xs, w):
            close(x, v)
        assert ptr == [x.data_ptr() for x in xs]
    ps = [nn.Parameter(on_device([3.0, 4.0])), nn.Parameter(on_device([0.0]))]
    ps[0].grad, ps[1].grad = on_device([3.0, 4.0]), on_device([12.0])
    close(nn.utils.clip_grad_norm_(ps, 6.5), torch.tensor(13.0))
    close(ps[0].grad, [1.5, 2.0], rtol=1e-4, atol=1e-4)


def test_optional_tensor_list():
    """Index/index_put with None entries saw device indices on host -> works with mixed host/device indices.

    Report: pytorch/pytorch#106449 (optional tensor lists in the fallback)
    """
    x = torch.arange(12).view(3, 4).to(DEV)
    close(x[:, torch.tensor([0, 2])], torch.tensor([[0, 2], [4, 6], [8, 10]]))
    close(x[[0, 2], [1, 3]], torch.tensor([1, 11]))
    close(x[torch.tensor([True, False, True])], torch.tensor([[0, 1, 2, 3], [8, 9, 10, 11]]))
    x.index_put_((torch.tensor([0]),), torch.tensor(5))
    x[1:, torch.tensor([0])] = 7
    close(x[:, 0], torch.tensor([5, 7, 7]))
    if not SELF_CHECK:
        with pytest.raises((RuntimeError, IndexError)):
            torch.arange(3)[on_device([0])]  # host tensor, device index


def test_resize_keeps_data():
    """Host memcpy on device addresses -> growing keeps the old elements, shrinking keeps capacity, views follow.

    Report: flagos-ai/Torch-FL#348 (resize_ on device storage)
    """
    x = on_device([1, 2, 3, 4])
    x.resize_(2, 5)
    assert x.shape == (2, 5) and x.flatten()[:4].cpu().tolist() == [1, 2, 3, 4]
    x.resize_(3)
    close(x, torch.tensor([1, 2, 3]))
    n = x.untyped_storage().nbytes()
    assert n >= 80
    y = on_device([1.0, 2.0, 3.0, 4.0])[2:]
    y.resize_(4)
    assert y.cpu()[:2].tolist() == [3.0, 4.0] and y.storage_offset() == 2
    z = torch.empty(0).to(DEV)
    z.resize_as_(torch.ones(2, 3).to(DEV)).zero_()
    close(z, torch.zeros(2, 3))
    s = z.untyped_storage()
    s.resize_(0)
    assert s.nbytes() == 0
    s.resize_(24)
    z.fill_(1.0)
    close(z, torch.ones(2, 3))


def test_composites_keep_device():
    """Composite ops must not loop or leave the device: a fixed list keeps device, dtype and grad_fn.

    Report: derived: flagos-ai/Torch-FL#218 (composites and helper re-dispatch)
    """
    x = torch.randn(2, 3, 4).to(DEV).requires_grad_()
    for f in (
        lambda t: t[None],
        lambda t: t.flatten(1).unflatten(1, (3, 4)),
        lambda t: torch.einsum("abc->cab", t),
        lambda t: F.normalize(t, dim=-1),
        lambda t: t.narrow(1, 0, 2).expand(2, 2, 4),
        lambda t: torch.atleast_3d(t[0, 0]),
        lambda t: t.chunk(2, -1)[1].tile(1, 2, 1),
        lambda t: t.movedim(0, -1).roll(1, 0),
        lambda t: torch.tensordot(t, t, ([1, 2], [1, 2])),
        lambda t: F.cosine_similarity(t, t.flip(0), -1),
        lambda t: t.diagonal(0, 1, 2).sum(-1),
        lambda t: torch.trapezoid(t),
        lambda t: t.unfold(2, 2, 1),
    ):
        y = f(x)
        assert y.device.type == TYPE and y.dtype == x.dtype and y.grad_fn is not None
        x.grad = None
        y.sum().backward()
        assert x.grad.device.type == TYPE and torch.isfinite(x.grad.cpu()).all()
