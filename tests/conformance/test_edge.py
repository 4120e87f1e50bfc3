"""The edge of compiled graphs: what is shared, what is kept, what is freed, and what autograd sees."""

import gc
import threading

import pytest
import torch
from harness.compare import close
from harness.device import DEV, SELF_CHECK, device_count, index, needs_device, needs_two_devices
from torch import nn
from torch.nn import functional as F

if not SELF_CHECK:
    import torch_fl
    from torch_fl import _native, compile

pytestmark = [
    needs_device,
    pytest.mark.skipif(
        SELF_CHECK or device_count() == 0 or compile.why_not() is not None, reason="the vendor has no boxing key here"
    ),
]


@pytest.fixture(autouse=True)
def _fresh():
    from torch._functorch import config as functorch_config
    from torch._inductor import config

    torch._dynamo.reset()
    written = config.patch(fx_graph_cache=False, compile_threads=1)
    with written, functorch_config.patch(enable_autograd_cache=False):
        yield
    torch._dynamo.reset()


@pytest.fixture
def ran(monkeypatch):
    """The arguments of each compiled graph that ran: (id, address) of what the graph was given."""
    calls = []
    native = _native.module()
    edge = native.Edge

    def recording(graph, *facts):
        def record(args):
            calls.append([(id(a), a.data_ptr()) for a in args if isinstance(a, torch.Tensor)])
            return graph(args)

        return edge(record, *facts)

    monkeypatch.setattr(native, "Edge", recording)
    return calls


def allocated() -> int:
    gc.collect()
    torch.accelerator.synchronize()
    return torch.accelerator.memory_allocated()


def test_results_are_memory_of_the_device():
    """They are counted, freed, resized and written as any other tensor's."""
    compiled = torch.compile(lambda x: (x * 2 + 1, x.sum()))
    x = torch.ones(1 << 16, device=DEV)
    compiled(x)
    before = allocated()
    big, total = compiled(x)
    assert allocated() - before >= big.nbytes
    assert torch_fl.as_key(total).untyped_storage().data_ptr() == total.data_ptr()
    big.add_(1)
    close(big[:3], [4.0, 4.0, 4.0])
    big.resize_(1 << 17)
    assert big.untyped_storage().nbytes() == 4 << 17 and big[0].item() == 4
    close(total, torch.tensor(float(1 << 16)))
    del big, total
    assert allocated() == before


def test_parameters_are_the_same_aliases_from_call_to_call(ran):
    net = nn.Linear(8, 8).to(DEV)
    compiled = torch.compile(net)
    x = torch.randn(3, 8)
    with torch.no_grad():
        for _ in range(4):
            close(compiled(x.to(DEV)), net(x.to(DEV)).cpu(), rtol=1e-5, atol=1e-5)
    addresses = {net.weight.data_ptr(), net.bias.data_ptr()}
    parameters = [[pair for pair in call if pair[1] in addresses] for call in ran]
    assert len(parameters) == 4 and all(len(call) == 2 for call in parameters)
    assert parameters[2] == parameters[3], "an alias was made anew"


def test_other_memory_behind_a_parameter_is_seen():
    net = nn.Linear(4, 4, bias=False).to(DEV)
    compiled = torch.compile(net)
    x = torch.eye(4, device=DEV)
    with torch.no_grad():
        for value in range(6):
            if value % 2:
                net.weight.data = torch.full((4, 4), float(value), device=DEV)
            else:
                net.weight.fill_(float(value))
            close(compiled(x), torch.full((4, 4), float(value)))


def test_memory_dies_with_its_tensors():
    """The compiled function keeps neither parameters nor activations."""
    fn = lambda x, w: (x @ w).relu() @ w  # noqa: E731
    compiled = torch.compile(fn)

    def steps():
        w = torch.randn(64, 64, device=DEV, requires_grad=True)
        for _ in range(4):
            compiled(torch.randn(64, 64, device=DEV), w).sum().backward()
            w.grad = None
        return allocated()

    start = steps()  # libraries take their workspaces at the first call
    for _ in range(3):
        steps()
    assert allocated() <= start


def test_a_saved_parameter_that_changes_is_told():
    w = torch.randn(4, 4, device=DEV, requires_grad=True)
    compiled = torch.compile(lambda x: (x * w).sin())
    y = compiled(torch.randn(4, 4, device=DEV, requires_grad=True)).sum()
    with torch.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_arguments_that_are_results():
    def fn(x, y):
        return x, y.view(-1), x[1:], y + 1, x

    x, y = torch.randn(3, 4, device=DEV), torch.randn(3, 4, device=DEV)
    a, b, c, d, e = torch.compile(fn, fullgraph=True)(x, y)
    assert a is x and e is x and b.data_ptr() == y.data_ptr() and c.data_ptr() == x[1:].data_ptr()
    c.zero_()
    close(x[1:], torch.zeros(2, 4))
    close(d, y.cpu() + 1)


def test_results_that_share_a_storage():
    """Two views of one buffer stay two views of one buffer."""
    from torch._inductor.compile_fx import compile_fx_inner
    from torch.fx.experimental.proxy_tensor import make_fx

    def fn(x):
        y = x * 2
        return y, y[1:], x.view(-1)

    x = torch.randn(3, 4, device=DEV)
    graph = make_fx(fn, tracing_mode="fake")(x)
    compiled = compile_fx_inner(graph, [n.meta["val"] for n in graph.graph.nodes if n.op == "placeholder"])
    y, part, flat = compiled([x])
    assert {t.device for t in (y, part, flat)} == {DEV}
    part.zero_()
    close(y[1:], torch.zeros(2, 4))
    flat.fill_(5)
    close(x, torch.full((3, 4), 5.0))


def test_constants_of_the_graph():
    table = torch.tensor([3.0, 1.0, 2.0], device=DEV)
    scale = torch.tensor(4.0, device=DEV)

    def fn(x):
        return x * table + scale + torch.tensor([1.0, 2.0, 3.0], device=x.device)

    x = torch.ones(3, device=DEV)
    for _ in range(2):
        close(torch.compile(fn)(x), [8.0, 7.0, 9.0])
        torch._dynamo.reset()


def test_frozen_parameters():
    from torch._inductor import config

    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU()).eval()
    x = torch.randn(2, 2, 6, 6)
    with torch.no_grad(), config.patch(freezing=True):
        want = net(x)
        close(torch.compile(net.to(DEV))(x.to(DEV)), want, rtol=1e-4, atol=1e-5)


def test_autocast_and_buffers():
    net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    x = torch.randn(16, 6)
    results = []
    for device in (DEV, torch.device("cpu")):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)).to(device)
        forward = torch.compile(net) if device == DEV else net
        with torch.autocast(device.type, dtype=torch.bfloat16):
            out = forward(x.to(device))
        assert out.dtype == torch.bfloat16
        out.float().square().sum().backward()
        results.append([out.float(), *net.buffers(), *(p.grad for p in net.parameters())])
    for got, want in zip(*results, strict=True):
        close(got.detach(), want.detach(), rtol=5e-2, atol=5e-2)


def test_the_optimizers_step():
    def train(device, compiled):
        torch.manual_seed(0)
        net = nn.Linear(5, 3).to(device)
        optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
        step = torch.compile(optimizer.step) if compiled else optimizer.step
        x = torch.linspace(-1, 1, 20).view(4, 5).to(device)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().sum().backward()
            step()
        return list(net.parameters())

    for got, want in zip(train(DEV, True), train("cpu", False), strict=True):
        close(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"])
def test_modes(mode):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 4))
    x = torch.randn(8, 16)
    want = net(x)
    compiled = torch.compile(net.to(DEV), mode=mode)
    for _ in range(3):
        got = compiled(x.to(DEV))
        close(got, want, rtol=1e-2, atol=1e-2)
        got.sum().backward()
        net.zero_grad()  # the next run takes the memory of gradients, too, where graphs are replayed


def test_attention_is_fused():
    """The key's own choice for the call, made while the graph is traced."""
    from torch._inductor.utils import run_and_get_code

    q, k, v = (torch.randn(2, 4, 16, 32, dtype=torch.bfloat16) for _ in range(3))
    fn = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True) + 1  # noqa: E731
    want = fn(q, k, v)
    for grad in (False, True):
        args = [t.to(DEV).requires_grad_(grad) for t in (q, k, v)]
        got, code = run_and_get_code(torch.compile(fn, fullgraph=True), *args)
        close(got, want, rtol=2e-2, atol=2e-2)
        assert "_scaled_dot_product_" in "".join(code) and "overrideable" not in "".join(code)
        if grad:
            got.float().sum().backward()
            assert all(t.grad is not None and t.grad.device == DEV for t in args)


def test_attention_for_unknown_devices_is_the_keys_flash_attention():
    """With what flash attention keeps for the backward; the key's kernels are not needed to say so."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    from torch_fl.compile import graphs

    aten = torch.ops.aten

    def fn(q, k, v, grad):
        out, *kept, _ = aten._scaled_dot_product_fused_attention_overrideable(q, k, v, None, 0.0, True, scale=0.5)
        sums, cum_q, cum_k, max_q, max_k, seed, offset = kept
        mask = [True, True, True, False]
        grads = aten._scaled_dot_product_fused_attention_overrideable_backward(
            grad, q, k, v, None, mask, out, sums, cum_q, cum_k, max_q, max_k, 0.0, True, seed, offset, scale=0.5
        )
        return out, seed, *grads[:3]

    with FakeTensorMode():
        args = [torch.empty(2, 4, 16, 32, dtype=torch.bfloat16, device=DEV) for _ in range(4)]
        graph = make_fx(fn)(*args)
        flash = aten._scaled_dot_product_flash_attention(*args[:3])
        graphs.Rewriter("meta").module(graph)
    called = {node.target: node for node in graph.graph.nodes if node.op == "call_function"}
    forward = called[aten._scaled_dot_product_flash_attention.default]
    backward = called[aten._scaled_dot_product_flash_attention_backward.default]
    assert not any("overrideable" in str(target) for target in called)
    assert forward.args[3:] == (0.0, True) and forward.kwargs == {"scale": 0.5}
    assert backward.args[4].target is backward.args[5].target and backward.args[10:12] == (0.0, True)
    output = next(iter(reversed(graph.graph.nodes))).args[0]
    assert [n.meta["val"].shape for n in output] == [args[0].shape, flash[6].shape, *[args[0].shape] * 3]


@needs_two_devices
def test_two_devices_in_one_graph():
    other = index(1)

    def fn(x, y):
        there = (x + 1).to(other)
        return there * y, x * 2, there.to(DEV) - 1

    x, y = torch.randn(3, 4), torch.randn(3, 4)
    got = torch.compile(fn, fullgraph=True)(x.to(DEV), y.to(other))
    for g, w, device in zip(got, ((x + 1) * y, x * 2, x), (other, DEV, DEV), strict=True):
        assert g.device == device
        close(g, w)


def test_what_was_compiled_before_is_found_again():
    """Caches on disk hold the key's graphs; the edge is put around them anew."""
    from torch._dynamo.utils import counters
    from torch._functorch import config as functorch_config
    from torch._inductor import config
    from torch._inductor.utils import fresh_cache

    x = torch.arange(6.0, device=DEV)
    on = config.patch(fx_graph_cache=True), functorch_config.patch(enable_autograd_cache=True)
    with fresh_cache(), on[0], on[1]:
        for _ in range(2):
            torch._dynamo.reset()
            counters.clear()
            got = torch.compile(lambda t: t.exp() * 3 - 5)(x)
            assert got.device == DEV
            close(got, x.cpu().exp() * 3 - 5, rtol=1e-5, atol=1e-5)
        assert counters["inductor"]["fxgraph_cache_hit"] == 1


def test_threads():
    compiled = torch.compile(lambda x, w: (x @ w).sin().sum(0), dynamic=False)
    w = torch.randn(16, 16)
    on_device = w.to(DEV)
    compiled(torch.zeros(16, 16, device=DEV), on_device)
    failures = []

    def work(seed):
        try:
            for i in range(20):
                x = torch.randn(16, 16, generator=torch.Generator().manual_seed(seed * 100 + i))
                close(compiled(x.to(DEV), on_device), (x @ w).sin().sum(0), rtol=1e-4, atol=1e-4)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_the_hosts_own_graphs_are_left_alone(ran):
    x, y = torch.randn(4, 5), torch.randn(5, 3)
    # A product alone: for most else inductor runs the host's C++ compiler, which takes its time.
    got = torch.compile(lambda a, b: a @ b)(x, y)
    torch.testing.assert_close(got, x @ y)
    assert ran == []
