"""torch.compile with backends that need no code generator, fake tensors, export."""

import pytest
import torch
from harness.compare import close, same
from harness.device import DEV, SELF_CHECK, TYPE
from torch import nn
from torch.nn import functional as F

BACKENDS = pytest.mark.parametrize("backend", ["eager", "aot_eager", "aot_eager_decomp_partition"])


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))


@BACKENDS
def test_forward_and_backward(backend):
    host, net = _model(), _model().to(DEV)
    compiled = torch.compile(net, backend=backend, fullgraph=True)
    x = torch.randn(5, 6)
    for _ in range(2):
        got, want = compiled(x.to(DEV)), host(x)
        close(got, want, rtol=1e-4, atol=1e-5)
        got.square().sum().backward()
        want.square().sum().backward()
    for p, q in zip(net.parameters(), host.parameters()):
        close(p.grad, q.grad, rtol=1e-3, atol=1e-4)


@BACKENDS
def test_dynamic_shapes(backend):
    f = lambda t: (t.softmax(-1) @ t.transpose(-1, -2)).sum(0)  # noqa: E731
    compiled = torch.compile(f, backend=backend, dynamic=True)
    for n in (3, 4, 7):
        x = torch.randn(n, n + 1)
        close(compiled(x.to(DEV)), f(x), rtol=1e-4, atol=1e-5)


@BACKENDS
def test_in_place_views_and_factories(backend):
    def f(x):
        y = torch.zeros(3, 4, device=x.device)
        y[1:].add_(x[1:])
        y.t()[0].mul_(2)
        z = torch.arange(4, device=x.device) + torch.ones_like(y).long()
        return y, z, x.add_(1)

    compiled = torch.compile(f, backend=backend, fullgraph=True)
    x = torch.arange(12.0).view(3, 4)
    got = compiled(x.clone().to(DEV))
    for g, w in zip(got, f(x.clone())):
        close(g, w)


@BACKENDS
def test_training_step(backend):
    """Forward, loss, backward and the optimizer, compiled, give the parameters that eager steps on the host give."""

    def train(device, compiled):
        net = _model().to(device)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        forward = torch.compile(net, backend=backend) if compiled else net
        x, y = torch.linspace(-1, 1, 30).reshape(5, 6).to(device), torch.arange(5).remainder(3).to(device)
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(forward(x), y).backward()
            optimizer.step()
        return list(net.parameters())

    for got, want in zip(train(DEV, True), train("cpu", False)):
        close(got, want, rtol=1e-3, atol=1e-4)


@BACKENDS
def test_convolution_and_pooling(backend):
    torch.manual_seed(1)
    host = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 2))
    x = torch.randn(3, 2, 4, 4)
    want = host(x).detach()
    compiled = torch.compile(host.to(DEV), backend=backend, fullgraph=True)
    close(compiled(x.to(DEV)), want, rtol=1e-4, atol=1e-5)


@BACKENDS
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64], ids=str)
def test_other_dtypes(backend, dtype):
    f = lambda x, y: (x * y + x.clamp(min=1)).sum(0)  # noqa: E731
    x, y = torch.arange(12).view(3, 4).to(dtype), torch.arange(4).to(dtype)
    got = torch.compile(f, backend=backend, fullgraph=True)(x.to(DEV), y.to(DEV))
    assert got.dtype == dtype
    close(got, f(x, y), rtol=1e-2, atol=1e-2)


@BACKENDS
def test_attention(backend):
    q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))
    compiled = torch.compile(F.scaled_dot_product_attention, backend=backend)
    got = compiled(q.to(DEV), k.to(DEV), v.to(DEV), is_causal=True)
    close(got, F.scaled_dot_product_attention(q, k, v, is_causal=True), rtol=1e-4, atol=1e-5)


def test_one_graph_serves_equal_calls():
    graphs = []

    def count(graph, _):
        graphs.append(graph)
        return graph

    compiled = torch.compile(lambda x: (x * 2).relu(), backend=count, fullgraph=True)
    for value in (1.0, 2.0, 3.0):
        close(compiled(torch.full((3,), value).to(DEV)), [2 * value] * 3)
    assert len(graphs) == 1
    compiled(torch.ones(3))
    assert len(graphs) == 2, "the device is part of what a graph is for"


def test_checkpointing_inside():
    from torch.utils.checkpoint import checkpoint

    net = _model()
    x = torch.randn(4, 6)
    want = net(x).detach()
    net = net.to(DEV)
    compiled = torch.compile(lambda t: checkpoint(net, t, use_reentrant=False), backend="aot_eager")
    got = compiled(x.to(DEV).requires_grad_())
    close(got, want, rtol=1e-4, atol=1e-5)
    got.sum().backward()
    assert all(p.grad is not None and p.grad.device == DEV for p in net.parameters())


def test_entry_point_is_registered():
    """`import torch` finds the device by itself: compiled code may be the first to name it."""
    from importlib.metadata import entry_points

    if SELF_CHECK:
        pytest.skip("the host needs none")
    found = {entry.name: entry.value for entry in entry_points(group="torch.backends")}
    assert found.get("torch_fl") == "torch_fl:_autoload"


def test_graph_break_on_values():
    def f(x):
        if x.sum().item() > 0:
            return x.nonzero().flatten()
        return x.long()

    compiled = torch.compile(f, backend="aot_eager")
    for x in (torch.tensor([0.0, 1.0, 2.0]), torch.tensor([-1.0, 0.0])):
        close(compiled(x.clone().to(DEV)), f(x))


def test_random_numbers_match_eager():
    f = lambda x: F.dropout(x, 0.5) + torch.rand_like(x)  # noqa: E731
    x = torch.ones(64, device=DEV)
    torch.manual_seed(3)
    want = f(x)
    torch.manual_seed(3)
    got = torch.compile(f, backend="aot_eager")(x)
    assert torch.equal(got.cpu(), want.cpu())


def test_autocast_inside():
    def f(x, w):
        with torch.autocast(TYPE, dtype=torch.bfloat16):
            return (x @ w).relu()

    x, w = torch.randn(3, 4).to(DEV), torch.randn(4, 5).to(DEV)
    got = torch.compile(f, backend="aot_eager")(x, w)
    assert got.dtype == torch.bfloat16
    close(got, f(x, w).cpu())


def test_device_in_the_graph():
    def f(x):
        return torch.full((2,), 3.0, device=x.device) + x.to(x.device), x.cpu() + 1

    compiled = torch.compile(f, backend="aot_eager", fullgraph=True)
    a, b = compiled(torch.ones(2).to(DEV))
    close(a, [4.0, 4.0])
    assert b.device.type == "cpu" and b.tolist() == [2, 2]


def test_fake_tensors_keep_the_device():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        t = torch.empty(2, 3, device=DEV)
        for r in (
            t + 1,
            t @ t.t(),
            torch.zeros_like(t),
            t.sum(),
            F.layer_norm(t, (3,)),
            t.to("cpu").to(DEV),
            t.sort()[0],
        ):
            assert r.device == DEV
    real = torch.ones(2, device=DEV)
    with mode:
        assert mode.from_tensor(real).device == DEV


def test_export():
    class M(nn.Module):
        def forward(self, x):
            return x.relu() @ x.t() + 1

    x = torch.randn(3, 4)
    program = torch.export.export(M(), (x.to(DEV),))
    close(program.module()(x.to(DEV)), M()(x), rtol=1e-4, atol=1e-5)


def test_functional_transforms():
    f = lambda x: (x.sin() * x).sum()  # noqa: E731
    x = torch.randn(4, 3)
    same(torch.func.grad(f), x)
    same(torch.func.vmap(torch.func.grad(f)), x)
    same(lambda t: torch.func.jacrev(lambda v: v.exp() * v)(t), x[0])
    same(lambda t: torch.func.jvp(f, (t,), (torch.ones_like(t),))[1], x)
    same(lambda t: torch.func.hessian(f)(t), x[0])
