"""Faults that users of other accelerator backends reported: layers and their backward."""

import math

import pytest
import torch
from harness.compare import close, same_grads
from harness.device import DEV, TYPE, on_device
from torch import nn
from torch.nn import functional as F


@pytest.mark.parametrize(
    "shape,norm",
    [((5, 8), (8,)), ((3, 7, 64), (64,)), ((2, 3, 4, 6), (6,)), ((2, 3, 4, 6), (4, 6)), ((52, 7, 64), (64,))],
)
def test_layer_norm_backward(shape, norm):
    """Gradients wrong and heap corrupted for (batch, seq, hidden) -> equal to host for rank 2..4; later ops healthy.

    Report: flagos-ai/FlagGems#5392, flagos-ai/Torch-FL#90 (layer_norm backward above rank 2)
    """
    n = math.prod(shape)
    same_grads(
        lambda x, w, b: F.layer_norm(x, norm, w, b),
        ((torch.arange(n) * 37 % 101) / 50.0).view(shape),
        torch.linspace(0.5, 1.5, math.prod(norm)).view(norm),
        torch.linspace(-1, 1, math.prod(norm)).view(norm),
        rtol=1e-3,
        atol=1e-3,
    )
    close(torch.ones(4, device=DEV).sum(), torch.tensor(4.0))


@pytest.mark.parametrize("red", ["none", "mean", "sum"])
def test_mse_loss(red):
    """Strided mse_loss wrong; mse_loss_backward missing under autocast -> loss and grads right.

    Report: pytorch/pytorch#125696, flagos-ai/FlagGems#6221 (mse_loss strided and backward)
    """
    a, b = torch.arange(12.0).view(3, 4) % 5, torch.arange(12.0).view(3, 4) % 7
    same_grads(lambda a, b: F.mse_loss(a.t()[1:], b.t()[1:], reduction=red), a, b)
    same_grads(lambda a, b: F.smooth_l1_loss(a, b, reduction=red), a, b)
    same_grads(lambda a, b: F.l1_loss(a, b + 0.5, reduction=red), a, b)
    m = nn.Linear(4, 3).to(DEV)
    with torch.autocast(TYPE, dtype=torch.bfloat16):
        loss = F.mse_loss(m(a.to(DEV)), torch.zeros(3, 3).to(DEV))
    loss.backward()
    assert (
        loss.dtype == torch.float32
        and torch.isfinite(m.weight.grad.cpu()).all()
        and m.weight.grad.dtype == torch.float32
    )


def test_lstm_dropout_gradient():
    """Analytic grad ignored inter-layer dropout -> matches central differences at a fixed seed.

    Report: pytorch/pytorch#190056 (stacked LSTM forgets its dropout mask in backward)
    """
    # valid only where torch.manual_seed also resets the RNN's dropout state (cuDNN caches one of its own)
    torch.manual_seed(0)
    net = nn.LSTM(4, 4, num_layers=2, dropout=0.5).to(DEV).train()
    x = torch.randn(3, 2, 4).to(DEV).requires_grad_()

    def loss(t):
        torch.manual_seed(42)  # seeds every device generator
        return net(t)[0].sum()

    loss(x).backward()
    with torch.no_grad():
        for k in (0, 5, 13):
            e = torch.zeros(24)
            e[k] = 1e-2
            e = e.view(3, 2, 4).to(DEV)
            num = ((loss(x + e) - loss(x - e)) / 2e-2).item()
            assert abs(num - x.grad.flatten()[k].item()) < 5e-3, (k, num, x.grad.flatten()[k].item())


def test_conv_backward_permuted_input():
    """Crash in backward when the input came from permute -> grads equal to host.

    Report: pytorch/pytorch#84511 (conv backward from a permuted input)
    """
    x, w = (torch.arange(2 * 9 * 2.0) % 5).view(2, 9, 2), (torch.arange(12.0) % 3).view(2, 2, 3)
    same_grads(lambda x, w: F.conv1d(x.permute(0, 2, 1), w), x, w)
    same_grads(lambda x, w: F.conv1d(x.permute(0, 2, 1), w, stride=2, padding=1, dilation=2), x, w)
    same_grads(
        lambda x, w: F.conv2d(x.to(memory_format=torch.channels_last), w, groups=2),
        (torch.arange(64.0) % 7).view(1, 4, 4, 4),
        (torch.arange(32.0) % 3).view(4, 2, 2, 2),
    )
    same_grads(lambda x, w: F.conv_transpose1d(x.permute(0, 2, 1), w), x, w)


def test_cross_entropy():
    """nll_loss(ignore_index=-100) failed -> cross_entropy with ignored, weighted, smoothed and all-ignored targets.

    Report: tenstorrent/pytorch2.0_ttnn#676 (nll_loss lowering, ignore_index)
    """
    x, t, w = (
        torch.tensor([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0], [2.0, 2.0, 2.0]]),
        torch.tensor([2, -100, 0]),
        torch.tensor([1.0, 2.0, 3.0]),
    )
    for kw in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"label_smoothing": 0.1}):
        same_grads(
            lambda x, w, kw=kw: F.cross_entropy(x, t.to(x.device), weight=w.detach(), **kw) + 0 * w.sum(),
            x,
            w,
            rtol=1e-4,
            atol=1e-5,
        )
    assert math.isnan(F.cross_entropy(x.to(DEV), on_device([-100] * 3)).item())
    same_grads(
        lambda x: F.nll_loss(x.log_softmax(1), t.clamp_min(0).to(x.device), ignore_index=0, reduction="sum"),
        x,
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize(
    "f", [torch.tanh, F.silu, F.gelu, torch.sigmoid, lambda t: F.dropout(t, 0.0), lambda t: F.softmax(t, -1)]
)
def test_compiled_activation_backward(f):
    """Device autograd override of tanh/silu broke torch.compile -> compiled forward+backward equal eager.

    Report: flagos-ai/FlagGems#249, pytorch/pytorch#139707 (custom autograd kernels under compile)
    """
    x = torch.linspace(-2, 2, 10).view(2, 5)
    torch._dynamo.reset()
    c = torch.compile(f, backend="aot_eager", fullgraph=True)
    a, b = x.clone().to(DEV).requires_grad_(), x.clone().requires_grad_()
    y = c(a)
    y.square().sum().backward()
    z = f(b)
    z.square().sum().backward()
    close(y, z, rtol=1e-4, atol=1e-5)
    close(a.grad, b.grad, rtol=1e-4, atol=1e-5)
