"""Automatic mixed precision: policies, caches, gradients, the scaler."""

import pytest
import torch
from harness.compare import close
from harness.device import DEV, TYPE, module, needs_device
from torch import nn
from torch.nn import functional as F

HALVES = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)


def _a():
    return torch.rand(4, 4).to(DEV)


LOW = {
    "matmul": lambda a: a @ a,
    "mm": lambda a: torch.mm(a, a),
    "bmm": lambda a: torch.bmm(a[None], a[None]),
    "addmm": lambda a: torch.addmm(a, a, a),
    "baddbmm": lambda a: torch.baddbmm(a[None], a[None], a[None]),
    "linear": lambda a: F.linear(a, a),
    "conv1d": lambda a: F.conv1d(a[None], a[:, :, None]),
    "conv2d": lambda a: F.conv2d(a[None, None], a[None, None]),
    "conv_transpose1d": lambda a: F.conv_transpose1d(a[None], a[:, :, None]),
    "scaled_dot_product_attention": lambda a: F.scaled_dot_product_attention(a[None], a[None], a[None]),
}
HIGH = {
    "softmax": lambda a: a.softmax(-1),
    "log_softmax": lambda a: a.log_softmax(-1),
    "layer_norm": lambda a: F.layer_norm(a, (4,)),
    "cross_entropy": lambda a: F.cross_entropy(a, torch.zeros(4, dtype=torch.int64, device=a.device)),
    "mse_loss": lambda a: F.mse_loss(a, a),
    "exp": lambda a: a.exp(),
    "pow": lambda a: a.pow(2),
    "sum": lambda a: a.sum(),
    "prod": lambda a: a.prod(),
    "norm": lambda a: a.norm(),
    "cumsum": lambda a: a.cumsum(0),
    "binary_cross_entropy_with_logits": lambda a: F.binary_cross_entropy_with_logits(a, a),
}
SAME = {"relu": F.relu, "add": lambda a: a + a, "tanh": torch.tanh, "view": lambda a: a.view(2, 8), "gelu": F.gelu}


@needs_device
@HALVES
@pytest.mark.parametrize("fn", LOW.values(), ids=LOW)
def test_goes_low(fn, dtype):
    with torch.autocast(TYPE, dtype=dtype):
        assert fn(_a()).dtype == dtype
    assert fn(_a()).dtype == torch.float32


@needs_device
@HALVES
@pytest.mark.parametrize("fn", HIGH.values(), ids=HIGH)
def test_goes_high(fn, dtype):
    with torch.autocast(TYPE, dtype=dtype):
        assert fn(_a().to(dtype)).dtype == torch.float32


@HALVES
@pytest.mark.parametrize("fn", SAME.values(), ids=SAME)
def test_stays(fn, dtype):
    with torch.autocast(TYPE, dtype=dtype):
        assert fn(_a()).dtype == torch.float32 and fn(_a().to(dtype)).dtype == dtype


@HALVES
def test_widest_type_wins(dtype):
    a = _a()
    with torch.autocast(TYPE, dtype=dtype):
        assert torch.cat([a, a.to(dtype)]).dtype == torch.float32
        assert torch.stack([a.to(dtype), a]).dtype == torch.float32
        assert torch.addcmul(a, a.to(dtype), a).dtype == torch.float32


@HALVES
def test_nesting_and_state(dtype):
    a = _a()
    with torch.autocast(TYPE, dtype=dtype):
        assert torch.is_autocast_enabled(TYPE) and torch.get_autocast_dtype(TYPE) == dtype
        with torch.autocast(TYPE, enabled=False):
            assert (a @ a).dtype == torch.float32
        assert (a @ a).dtype == dtype
    assert not torch.is_autocast_enabled(TYPE)


@needs_device
def test_defaults():
    assert set(module().get_amp_supported_dtype()) >= {torch.float16, torch.bfloat16}
    assert module().is_bf16_supported() is True
    with torch.autocast(TYPE):
        assert (_a() @ _a()).dtype in (torch.float16, torch.bfloat16)


@needs_device
def test_unknown_dtype_is_refused_or_ignored():
    with pytest.warns(UserWarning), torch.autocast(TYPE, dtype=torch.int32):
        assert (_a() @ _a()).dtype == torch.float32


@HALVES
def test_gradients_are_float32_and_right(dtype):
    torch.manual_seed(0)
    host = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
    net = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
    net.load_state_dict(host.state_dict())
    net.to(DEV)
    x, t = torch.randn(5, 8), torch.tensor([0, 1, 2, 3, 0])
    losses = []
    for model, place, kind in ((host, "cpu", "cpu"), (net, DEV, TYPE)):
        with torch.autocast(kind, dtype=dtype):
            loss = F.cross_entropy(model(x.to(place)), t.to(place))
        loss.backward()
        losses.append(loss)
        assert all(p.grad.dtype == torch.float32 for p in model.parameters())
    close(losses[1], losses[0], rtol=2e-2, atol=2e-2)
    for p, q in zip(net.parameters(), host.parameters()):
        close(p.grad, q.grad, rtol=5e-2, atol=2e-2)


def test_weight_is_cast_once():
    """The cache of casts gives one half copy per region, so that its gradient accumulates once."""
    w = torch.ones(4, 4, device=DEV, requires_grad=True)
    with torch.autocast(TYPE, dtype=torch.bfloat16):
        y = (_a() @ w).float().sum() + (_a() @ w).float().sum()
    y.backward()
    assert w.grad.dtype == torch.float32 and w.grad.device == DEV


def test_custom_function():
    class Double(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type=TYPE, cast_inputs=torch.float32)
        def forward(ctx, x):
            assert x.dtype == torch.float32 and not torch.is_autocast_enabled(TYPE)
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type=TYPE)
        def backward(ctx, g):
            return g * 2

    x = torch.ones(3, device=DEV, requires_grad=True)
    with torch.autocast(TYPE, dtype=torch.bfloat16):
        Double.apply(x.to(torch.bfloat16)).sum().backward()
    close(x.grad, [2.0, 2.0, 2.0])


def test_scaler_steps_and_skips():
    p = nn.Parameter(torch.tensor([1.0, 2.0]).to(DEV))
    optimizer = torch.optim.SGD([p], lr=0.5)
    scaler = torch.amp.GradScaler(TYPE, init_scale=8.0, growth_interval=1)
    scaler.scale((p * torch.tensor([1.0, 3.0]).to(DEV)).sum()).backward()
    close(p.grad, [8.0, 24.0])
    scaler.step(optimizer)
    scaler.update()
    close(p, [0.5, 0.5])
    assert scaler.get_scale() == 16.0
    optimizer.zero_grad()
    scaler.scale((p * torch.tensor([float("inf"), 1.0]).to(DEV)).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    close(p, [0.5, 0.5])
    assert scaler.get_scale() == 8.0


@pytest.mark.parametrize("fused", [False, True])
def test_scaler_with_optimizers(fused):
    torch.manual_seed(0)
    p = nn.Parameter(torch.randn(5).to(DEV))
    q = nn.Parameter(p.detach().cpu().clone())
    for w, kind in ((p, TYPE), (q, "cpu")):
        try:
            optimizer = torch.optim.AdamW([w], lr=0.1, fused=fused)
        except RuntimeError:
            pytest.skip("no fused optimizer for this device")
        scaler = torch.amp.GradScaler(kind, init_scale=4.0)
        for _ in range(3):
            optimizer.zero_grad()
            scaler.scale(w.square().sum()).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_([w], 1.0)
            scaler.step(optimizer)
            scaler.update()
    close(p, q)


@needs_device
def test_the_module_as_cudas():
    """`torch.cuda.amp`'s names, with the device given."""
    amp = module().amp
    with amp.autocast(dtype=torch.bfloat16):
        assert (_a() @ _a()).dtype == torch.bfloat16
    with amp.autocast(enabled=False):
        assert (_a() @ _a()).dtype == torch.float32

    @amp.autocast()
    def decorated():
        return _a() @ _a()

    assert decorated().dtype == torch.get_autocast_dtype(TYPE)

    class Double(torch.autograd.Function):
        @staticmethod
        @amp.custom_fwd(cast_inputs=torch.float32)
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @amp.custom_bwd
        def backward(ctx, grad):
            return grad * 2

    x = _a().half().requires_grad_()
    with amp.autocast():
        y = Double.apply(x)
    assert y.dtype == torch.float32
    scaler = amp.GradScaler(init_scale=8.0)
    scaler.scale(y.sum()).backward()
    assert (x.grad == 16).all() and scaler.get_scale() == 8.0
