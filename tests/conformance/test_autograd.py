"""Gradients against the host: for every OpInfo that has them, and for every other overload with a derivative formula.

`test_every_differentiable_op_was_reached` closes the list: an overload that the device registers, for which PyTorch has
a derivative formula, and that no test above has called while gradients were taken, is a failure.
"""

import fnmatch

import pytest
import torch
from harness import lanes, opinfo
from harness.compare import Mover, assert_tensor, close, same_grads
from harness.derivatives import differentiable
from harness.device import DEV, SELF_CHECK, index, needs_device, needs_two_devices
from torch import nn
from torch.nn import functional as F
from torch.utils import _pytree as pytree

if not SELF_CHECK:
    import torch_fl


@pytest.fixture(scope="module", params=lanes.compared())
def lane(request):
    with lanes.reached.counting(request.param):
        yield request.param


@pytest.fixture(autouse=True)
def _remember(request):
    lanes.reached.tests.add(request.node.originalname)


def _leaves(value):
    return [t for t in pytree.tree_leaves(value) if isinstance(t, torch.Tensor)]


def _gradients(fn, arguments, device):
    """(results, gradients of every argument that wants one), with a fixed, non-uniform cotangent made on the host."""
    args, kwargs = Mover(device).tree(arguments)
    wanted = [t for t in _leaves((args, kwargs)) if t.requires_grad]
    outputs = [t for t in _leaves(fn(*args, **kwargs)) if t.requires_grad]
    if not outputs or not wanted:
        return outputs, []
    cotangents = []
    for t in outputs:
        c = ((torch.arange(t.numel()) % 7) - 2.0).view(t.shape) / 4
        cotangents.append(c.to(t.dtype).to(t.device))
    grads = torch.autograd.grad(outputs, wanted, cotangents, allow_unused=True, materialize_grads=False)
    return outputs, grads


def _assert_same_gradients(fn, arguments, tol=None, values=True):
    try:
        want_outputs, want = _gradients(fn, arguments, "cpu")
    except (RuntimeError, IndexError) as error:
        with pytest.raises(type(error)):
            _gradients(fn, arguments, DEV)
        return
    outputs, got = _gradients(fn, arguments, DEV)
    assert len(outputs) == len(want_outputs)
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        assert (g is None) == (w is None), f"gradient {i} is {g}, on the host {w}"
        if w is not None:
            assert_tensor(g, w, f"gradient {i}", values=values, strides=False, tol=tol)


_CASES = [
    (op, dtype)
    for op in opinfo.all_ops()
    for dtype in (torch.float32, torch.complex64)
    if op.supports_autograd and dtype in op.supported_dtypes("cpu") and dtype in op.supported_backward_dtypes("cpu")
]
_IDS = [f"{opinfo.dtype_name(dtype)}-{opinfo.name(op)}" for op, dtype in _CASES]

# Looser than forward: sums of many products, and differences of close numbers.
_TOLERANCE = (1e-3, 1e-4)


@pytest.mark.parametrize("op,dtype", _CASES, ids=_IDS)
def test_gradients(request, lane, op, dtype):
    quick = (6 if dtype == torch.float32 else 2) if lane == "default" else 1
    limit = None if request.config.getoption("--full") else quick
    tol = opinfo.tolerance(op, dtype) or (0, 0)
    tol = (max(tol[0], _TOLERANCE[0]), max(tol[1], _TOLERANCE[1]))
    values, function = not opinfo.is_random(op, dtype), opinfo.function(op)
    for sample in opinfo.samples(op, dtype, limit, requires_grad=True):
        fn = lambda *a, sample=sample, **k: sample.output_process_fn_grad(function(*a, **k))  # noqa: E731
        _assert_same_gradients(fn, opinfo.arguments(sample), tol, values)


def _x():
    return torch.linspace(0.3, 2.0, 12).view(3, 4)


_I = torch.tensor([0, 2])

# Overloads that no OpInfo reaches: a function of a (3, 4) tensor of positive numbers.
EXTRA = {
    "_foreach_div.List": lambda x: torch._foreach_div([x], [x + 2])[0],
    "_foreach_maximum.Scalar": lambda x: torch._foreach_maximum([x], 1.0)[0],
    "_foreach_maximum.ScalarList": lambda x: torch._foreach_maximum([x], [1.0])[0],
    "_foreach_minimum.Scalar": lambda x: torch._foreach_minimum([x], 1.0)[0],
    "_foreach_minimum.ScalarList": lambda x: torch._foreach_minimum([x], [1.0])[0],
    "_foreach_norm.Scalar": lambda x: torch._foreach_norm([x])[0],
    "_foreach_pow.List": lambda x: torch._foreach_pow([x], [x])[0],
    "_foreach_pow.ScalarAndTensor": lambda x: torch._foreach_pow(2.0, [x])[0],
    "_foreach_pow.ScalarList": lambda x: torch._foreach_pow([x], [2.0])[0],
    "_fused_rms_norm": lambda x: F.rms_norm(x, (4,), torch.ones_like(x[0]), 1e-5),
    "_index_put_impl_": lambda x: torch.ops.aten._index_put_impl_(x * 1, [_I.to(x.device)], x[:2] * 3, True),
    "_masked_softmax": lambda x: torch.ops.aten._masked_softmax(x, x > 1, 1, 2),
    "_native_batch_norm_legit_no_training": lambda x: torch.ops.aten._native_batch_norm_legit_no_training(
        x, x[0], x[1], x[2].detach(), x[0].detach() + 1, 0.1, 1e-5
    )[0],
    # Attention picks it on some devices only.
    "_scaled_dot_product_flash_attention_for_cpu": lambda x: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        *[x.view(1, 1, 3, 4) * n for n in (1, 2, 3)]
    )[0],
    "_unsafe_index.Tensor": lambda x: torch.ops.aten._unsafe_index(x, [_I.to(x.device)]),
    "_unsafe_index_put": lambda x: torch.ops.aten._unsafe_index_put(x, [_I.to(x.device)], x[:2], True),
    "_upsample_bicubic2d_aa": lambda x: F.interpolate(x[None, None], (2, 3), mode="bicubic", antialias=True),
    "_weight_norm_interface": lambda x: torch._weight_norm(x, x[:, :1] + 1, 0),
    "affine_grid_generator": lambda x: F.affine_grid(x[None, :2, :3], (1, 1, 2, 2), align_corners=False),
    "as_strided_": lambda x: (x * 1).as_strided_((2, 2), (4, 1), 1),
    "celu_": lambda x: F.celu_(x - 1, 2.0),
    "elu_": lambda x: F.elu_(x - 1),
    "leaky_relu_": lambda x: F.leaky_relu_(x - 1),
    "threshold_": lambda x: F.threshold_(x * 1, 1.0, 0.5),
    "rrelu_with_noise_": lambda x: F.rrelu_(x - 1, training=False),
    "polygamma_": lambda x: (x * 1).polygamma_(1),
    "clamp_max": lambda x: torch.clamp_max(x, 1.0),
    "conv_tbc": lambda x: torch.conv_tbc(x.view(3, 2, 2), x.view(3, 2, 2), x[0, :2], 1),
    "convolution": lambda x: F.conv1d(x.view(1, 2, 6), x.view(3, 2, 2), x[:, 0], padding=1),
    "convolution 2d": lambda x: F.conv2d(x.view(1, 1, 3, 4), x.view(3, 1, 2, 2), stride=2, padding=1, dilation=1),
    "convolution 3d": lambda x: F.conv3d(x.view(1, 1, 3, 2, 2), x.view(3, 1, 1, 2, 2)),
    "convolution dilated": lambda x: F.conv2d(x.view(1, 1, 3, 4), x[:1, :2].view(1, 1, 1, 2), dilation=2),
    "convolution transposed": lambda x: F.conv_transpose2d(x.view(1, 2, 2, 3), x.view(2, 1, 2, 3), stride=2),
    "convolution grouped": lambda x: F.conv1d(x.view(1, 4, 3), x.view(4, 1, 3), groups=4, padding=1),
    "div.Scalar_mode": lambda x: torch.ops.aten.div.Scalar_mode(x, 2.0, rounding_mode=None),
    "fmod.Scalar": lambda x: torch.fmod(x, 0.7),
    "fill.Tensor": lambda x: torch.ops.aten.fill.Tensor(x, x.sum()),
    "fill_.Tensor": lambda x: torch.zeros_like(x).fill_(x.sum()),
    "igamma": lambda x: torch.igamma(x.detach() + 1, x),
    "igammac": lambda x: torch.igammac(x.detach() + 1, x),
    "lift": lambda x: torch.ops.aten.lift(x * 1),
    "native_dropout": lambda x: torch.native_dropout(x, 0.0, True)[0],
    "norm.Scalar": lambda x: torch.ops.aten.norm.Scalar(x, 3),
    "norm.ScalarOpt_dtype": lambda x: torch.ops.aten.norm.ScalarOpt_dtype(x, 3, dtype=torch.float32),
    "norm.ScalarOpt_dim_dtype": lambda x: torch.ops.aten.norm.ScalarOpt_dim_dtype(
        x, 3, [0], False, dtype=torch.float32
    ),
    "special_xlog1py.other_scalar": lambda x: torch.special.xlog1py(x, 2.0),
    "special_xlog1py.self_scalar": lambda x: torch.special.xlog1py(2.0, x),
    "special_zeta": lambda x: torch.special.zeta(x.detach() + 2, x),
    "special_zeta.self_scalar": lambda x: torch.special.zeta(3.0, x),
    "xlogy.Scalar_Other": lambda x: torch.xlogy(x, 2.0),
    "xlogy.Scalar_Self": lambda x: torch.xlogy(2.0, x),
    "squeeze_": lambda x: (x.unsqueeze(1) * 1).squeeze_(),
    "squeeze_.dims": lambda x: (x.unsqueeze(1) * 1).squeeze_((1,)),
    "t_": lambda x: (x * 1).t_(),
    "unsafe_split_with_sizes": lambda x: torch.unsafe_split_with_sizes(x, [1, 3], 1)[1],
    "_neg_view": lambda x: torch._neg_view(x) * 1,
    "_reshape_alias": lambda x: torch.ops.aten._reshape_alias(x, [4, 3], [3, 1]) * 1,
    "_reshape_copy": lambda x: torch.ops.aten._reshape_copy(x, [4, 3]),
    "_lazy_clone": lambda x: torch._lazy_clone(x) * 1,
    "lstm cell": lambda x: torch.lstm_cell(
        x[:, :2], (x[:, :1], x[:, 1:2]), x.view(6, 2)[:4], x.view(12, 1)[:4], x.view(12)[:4], x.view(12)[4:8]
    )[0],
    "gru cell": lambda x: torch.gru_cell(
        x[:, :2], x[:, :1], x.view(6, 2)[:3], x.view(12, 1)[:3], x.view(12)[:3], x.view(12)[3:6]
    ),
    "scaled_dot_product_attention": lambda x: F.scaled_dot_product_attention(x[None], x[None] + 1, x[None] - 1),
    "batch_norm": lambda x: F.batch_norm(x, None, None, x[0], x[1], True),
    "copy_": lambda x: torch.zeros_like(x).copy_(x.double().to(x)),
    "_to_copy": lambda x: x.double() * 2,
    "_ctc_loss.Tensor": lambda x: torch.ops.aten._ctc_loss.Tensor(
        x.view(3, 1, 4).log_softmax(-1), *(torch.tensor(v, device=x.device) for v in ([[1, 2]], [3], [2]))
    )[0],
    "_grouped_mm": lambda x: torch._grouped_mm(
        F.pad(x, (0, 4)).bfloat16(),
        F.pad(x[:2].reshape(2, 4, 1), (0, 15, 0, 4)).bfloat16(),
        offs=torch.tensor([1, 3], dtype=torch.int32, device=x.device),
    ),
    "_native_batch_norm_legit.no_stats": lambda x: torch.ops.aten._native_batch_norm_legit.no_stats(
        x, x[0], x[1], True, 0.1, 1e-5
    )[0],
    "_upsample_nearest_exact3d": lambda x: F.interpolate(x.view(1, 1, 3, 2, 2), (4, 3, 3), mode="nearest-exact"),
    "reflection_pad3d": lambda x: F.pad(x.view(1, 1, 3, 2, 2), (1, 1, 1, 0, 2, 1), mode="reflect"),
    "replication_pad3d": lambda x: F.pad(x.view(1, 1, 3, 2, 2), (1, 1, 1, 0, 2, 1), mode="replicate"),
    "masked_fill": lambda x: x.masked_fill(x > 1, 0.0),
}
if hasattr(torch.ops.aten, "_upsample_lanczos2d_aa"):  # not in every supported torch
    EXTRA["_upsample_lanczos2d_aa"] = lambda x: F.interpolate(x[None, None], (2, 3), mode="lanczos", antialias=True)
# The gradient is zero, whatever the values are.
ZERO = {
    "uniform_": lambda x: (x * 1).uniform_(),
    "normal_": lambda x: (x * 1).normal_(),
    "random_": lambda x: (x * 1).random_(),
    "random_.from": lambda x: (x * 1).random_(2, 9),
    "random_.to": lambda x: (x * 1).random_(9),
    "exponential_": lambda x: (x * 1).exponential_(),
    "cauchy_": lambda x: (x * 1).cauchy_(),
    "geometric_": lambda x: (x * 1).geometric_(0.5),
    "log_normal_": lambda x: (x * 1).log_normal_(),
    "bernoulli_.Tensor": lambda x: (x * 1).bernoulli_(torch.full_like(x, 0.5)),
    "bernoulli_.float": lambda x: (x * 1).bernoulli_(0.5),
    "poisson": lambda x: torch.poisson(x),
    "normal.float_Tensor": lambda x: torch.normal(1.0, x),
    "zero_": lambda x: (x * 1).zero_(),
    "eq_.Scalar": lambda x: (x * 1).eq_(1.0),
    "eq_.Tensor": lambda x: (x * 1).eq_(x),
    "ne_.Scalar": lambda x: (x * 1).ne_(1.0),
    "ne_.Tensor": lambda x: (x * 1).ne_(x),
    "lt_.Scalar": lambda x: (x * 1).lt_(1.0),
    "lt_.Tensor": lambda x: (x * 1).lt_(x),
    "le_.Scalar": lambda x: (x * 1).le_(1.0),
    "le_.Tensor": lambda x: (x * 1).le_(x),
    "gt_.Scalar": lambda x: (x * 1).gt_(1.0),
    "gt_.Tensor": lambda x: (x * 1).gt_(x),
    "ge_.Scalar": lambda x: (x * 1).ge_(1.0),
    "ge_.Tensor": lambda x: (x * 1).ge_(x),
}


@pytest.mark.parametrize("fn", EXTRA.values(), ids=EXTRA)
def test_gradients_of_other_overloads(lane, fn):
    _assert_same_gradients(fn, ((_x().requires_grad_(),), {}), _TOLERANCE)


def test_gradient_of_random_numbers(lane):
    """The gradient belongs to the numbers that were drawn: of the gamma distribution it is positive and finite."""
    _assert_same_gradients(torch._standard_gamma, ((_x().requires_grad_(),), {}), values=False)
    x = _x().to(DEV).requires_grad_()
    torch._standard_gamma(x).sum().backward()
    assert torch.isfinite(x.grad).all().item() and (x.grad > 0).all().item()


@pytest.mark.parametrize("fn", ZERO.values(), ids=ZERO)
def test_zero_gradients(lane, fn):
    _assert_same_gradients(fn, ((_x().requires_grad_(),), {}))


# Registered overloads with a formula that nothing can reach: why not.
UNREACHABLE = {
    "_test_autograd_multiple_dispatch.*": "exists for PyTorch's own tests",
    "_test_*": "exists for PyTorch's own tests",
    "_fake_quantize_*": "quantization-aware training; compared in forward by OpInfo only",
    "fake_quantize_*": "quantization-aware training; compared in forward by OpInfo only",
    "_fused_moving_avg_obs_fq_helper": "quantization-aware training",
    "*mkldnn*": "tensors of oneDNN's own layout do not exist on this device",
    "*sparse*": "of sparse tensors: test_sparse.py",
    "_coalesce": "of sparse tensors: test_sparse.py",
    "_to_dense": "of sparse tensors: test_sparse.py",
    "*nested*": "of nested tensors: test_sparse.py",
    "to_padded_tensor": "of nested tensors: test_sparse.py",
    "linear_backward": "of nested tensors: test_sparse.py",
    "slice_inverse": "made by functionalization only",
    "*slow_conv*": "PyTorch gives every convolution of this device to convolution_overrideable",
    "conv_depthwise*": "PyTorch gives every convolution of this device to convolution_overrideable",
    "convolution_backward_overrideable": "PyTorch takes its derivative by a function of its own, which calls others",
}


@needs_device
def test_every_differentiable_op_was_reached():
    if not lanes.reached.all_of({"test_gradients", "test_gradients_of_other_overloads", "test_zero_gradients"}):
        pytest.skip("not all gradient tests ran before")
    registered = {op.name for op in torch_fl.ops() if op.lanes and not op.primitive}
    missing = registered & differentiable() - {op for op, _ in lanes.reached.pairs()}
    missing = {op for op in missing if not any(fnmatch.fnmatch(op, pattern) for pattern in UNREACHABLE)}
    assert not missing, f"no gradient test called {sorted(missing)}"


# ---- what autograd does around the ops


def test_accumulation_and_hooks():
    x = torch.ones(3, device=DEV, requires_grad=True)
    seen = []
    x.register_hook(lambda g: seen.append(g.device) or g * 2)
    for _ in range(2):
        (x * 3).sum().backward()
    close(x.grad, [12.0, 12.0, 12.0])
    assert seen == [DEV, DEV]


def test_double_backward():
    same_grads(lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0].exp(), _x(), rtol=1e-4, atol=1e-4)
    same_grads(lambda x: torch.autograd.grad(F.gelu(x).sum(), x, create_graph=True)[0], _x(), rtol=1e-4, atol=1e-4)


def test_in_place_and_views():
    def f(x):
        y = x * 2
        y[0].mul_(3)
        y.t()[1].add_(x[:, 0])
        z = y.view(-1)
        z[2:5] = x.view(-1)[:3] ** 2
        return y

    same_grads(f, _x())


def test_leaf_in_place_is_refused():
    x = torch.ones(3, device=DEV, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        x.add_(1)
    with torch.no_grad():
        x.add_(1)
    close(x, [2.0, 2.0, 2.0])


def test_no_grad_and_inference_mode():
    x = torch.ones(3, device=DEV, requires_grad=True)
    with torch.no_grad():
        assert not (x * 2).requires_grad
    with torch.inference_mode():
        y = x * 2
        y.add_(1)
        assert y.is_inference() and y.device == DEV
        close(y.view(3)[1:], [3.0, 3.0])
    with pytest.raises(RuntimeError):
        (y * x).sum().backward()


def test_custom_function():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            return 3 * ctx.saved_tensors[0] ** 2 * g

    same_grads(Cube.apply, _x(), rtol=1e-4, atol=1e-4)


def test_checkpointing_repeats_random_numbers():
    from torch.utils.checkpoint import checkpoint

    f = lambda x: F.dropout(x * x, 0.5)  # noqa: E731
    grads = []
    for wrapped in (f, lambda x: checkpoint(f, x, use_reentrant=False), lambda x: checkpoint(f, x, use_reentrant=True)):
        torch.manual_seed(4)
        x = _x().to(DEV).requires_grad_()
        wrapped(x).sum().backward()
        grads.append(x.grad.cpu())
    assert torch.equal(grads[0], grads[1]) and torch.equal(grads[0], grads[2])


def test_saved_tensors_on_the_host():
    x = _x().to(DEV).requires_grad_()
    with torch.autograd.graph.save_on_cpu(pin_memory=not SELF_CHECK):
        y = (x.exp() * x).sum()
    y.backward()
    h = _x().requires_grad_()
    (h.exp() * h).sum().backward()
    close(x.grad, h.grad)


@needs_device
def test_across_host_and_device():
    x = torch.ones(3, requires_grad=True)
    y = (x.to(DEV) * 2).exp().cpu() + x
    y.sum().backward()
    assert x.grad.device.type == "cpu"
    torch.testing.assert_close(x.grad, 2 * torch.full((3,), 2.0).exp() + 1)


@needs_two_devices
def test_across_devices():
    x = torch.ones(3, device=index(0), requires_grad=True)
    (x.to(index(1)) * 3).sum().backward()
    assert x.grad.device == index(0) and x.grad.tolist() == [3, 3, 3]


def test_anomaly_mode():
    x = torch.zeros(2, device=DEV, requires_grad=True)
    with torch.autograd.detect_anomaly(check_nan=True), pytest.raises(RuntimeError, match="nan"):
        (torch.sqrt(x) * 0).sum().backward()


def _train(device, optimizer, **options):
    torch.manual_seed(0)
    # No bias in front of a batch norm: its gradient is zero but for rounding, which Adam makes steps of.
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3)
    )
    x, t = torch.randn(6, 1, 8, 8), torch.tensor([0, 1, 2, 0, 1, 2])
    net.to(device)
    opt = optimizer(net.parameters(), **options)
    losses = []
    for _ in range(4):
        opt.zero_grad()
        loss = F.cross_entropy(net(x.to(device)), t.to(device))
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses, {k: v.cpu() for k, v in net.state_dict().items()}


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam", "Adamax", "ASGD"]
)
def test_training_follows_the_host(name, foreach):
    """Losses, parameters and running statistics after four steps."""
    optimizer = getattr(torch.optim, name)
    options = {"lr": 0.01, "foreach": foreach}
    if name == "SGD":
        options["momentum"] = 0.9
    losses, state = _train(DEV, optimizer, **options)
    want_losses, want = _train("cpu", optimizer, **options)
    assert losses == pytest.approx(want_losses, rel=1e-3, abs=1e-4)
    for key in want:
        torch.testing.assert_close(state[key], want[key], rtol=5e-3, atol=5e-3, msg=lambda m, key=key: f"{key}: {m}")
