"""Faults that users of other accelerator backends reported: automatic mixed precision."""

import pytest
import torch
from harness.compare import close
from harness.device import DEV, TYPE, on_device
from torch import nn
from torch.nn import functional as F


@pytest.mark.parametrize("dt", [torch.bfloat16, torch.float16])
def test_autocast_policy(dt):
    """No Autocast kernel for the device -> matmul/conv/linear go low, softmax/loss/norm-type ops go fp32, cat
    promotes; nested off works.

    Report: flagos-ai/Torch-FL#127, pytorch/pytorch#101509 (autocast policy lists)
    """
    a = torch.rand(4, 4).to(DEV)
    with torch.autocast(TYPE, dtype=dt):
        assert torch.is_autocast_enabled(TYPE) and torch.get_autocast_dtype(TYPE) == dt
        assert (
            (a @ a).dtype == dt
            and F.linear(a, a).dtype == dt
            and torch.bmm(a[None], a[None]).dtype == dt
            and F.conv1d(a[None], a[:, :, None]).dtype == dt
        )
        h = a @ a
        assert (
            F.mse_loss(h, h).dtype == torch.float32
            and (h + a).dtype == torch.float32
            and torch.cat([h, a]).dtype == torch.float32
        )
        with torch.autocast(TYPE, enabled=False):
            assert (a @ a).dtype == torch.float32
    assert (a @ a).dtype == torch.float32 and not torch.is_autocast_enabled(TYPE)
    w = torch.rand(4, 4).to(DEV).requires_grad_()
    with torch.autocast(TYPE, dtype=dt):
        y = (a @ w).float().sum()
    y.backward()
    assert w.grad.dtype == torch.float32


def test_grad_scaler():
    """Found_inf on another device -> inf grads skip the step and halve the scale; finite grads step with unscaled
    values.

    Report: flagos-ai/Torch-FL#117 (GradScaler non-finite check crashed)
    """
    p = nn.Parameter(on_device([1.0, 2.0]))
    opt = torch.optim.SGD([p], lr=0.5)
    sc = torch.amp.GradScaler(TYPE, init_scale=8.0, growth_interval=1)
    sc.scale((p * on_device([1.0, 3.0])).sum()).backward()
    close(p.grad, [8.0, 24.0])
    sc.step(opt)
    sc.update()
    close(p, [0.5, 0.5])
    assert sc.get_scale() == 16.0
    opt.zero_grad()
    sc.scale((p * on_device([float("inf"), 1.0])).sum()).backward()
    sc.unscale_(opt)
    sc.step(opt)
    sc.update()
    close(p, [0.5, 0.5])
    assert sc.get_scale() == 8.0
    s2 = torch.amp.GradScaler(TYPE)
    s2.load_state_dict(sc.state_dict())
    assert s2.get_scale() == 8.0
