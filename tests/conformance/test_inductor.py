"""torch.compile's default backend: inductor's code for the vendor's boxing key, run on the device's memory.

What ran is recorded at the edge of each compiled graph, where tensors of the device become the key's; the census says
that nothing of it ran as an op.
"""

import pytest
import torch
from harness import child
from harness.compare import close
from harness.device import DEV, SELF_CHECK, device_count, index, module, needs_device, needs_two_devices
from torch import nn
from torch.nn import functional as F

if not SELF_CHECK:
    import torch_fl
    from torch_fl import _native, compile

pytestmark = needs_device


def _key() -> str | None:
    """The boxing key's device type, where inductor can compile for it."""
    if SELF_CHECK or device_count() == 0 or compile.why_not() is not None:
        return None
    return _native.module().sharing_key()


KEY = _key()
compiles = pytest.mark.skipif(KEY is None, reason="the vendor has no boxing key here (test_refused_without_key)")


@pytest.fixture(autouse=True)
def _fresh():
    from torch._functorch import config as functorch_config
    from torch._inductor import config

    torch._dynamo.reset()
    # The code is written anew in each run; what was compiled of it before is used again.
    written = config.patch(fx_graph_cache=False, compile_threads=1)
    with written, functorch_config.patch(enable_autograd_cache=False):
        yield
    torch._dynamo.reset()


@pytest.fixture
def ran(monkeypatch):
    """The arguments of each compiled graph that ran, as the graph was given them."""
    calls = []
    native = _native.module()
    edge = native.Edge

    def recording(graph, *facts):
        def record(args):
            calls.append(list(args))
            return graph(args)

        return edge(record, *facts)

    monkeypatch.setattr(native, "Edge", recording)
    return calls


def tensors(calls):
    return [a for args in calls for a in args if isinstance(a, torch.Tensor)]


def run(fn, *args, device=DEV, tolerances=None, **options):
    """fn compiled, on copies on the device, does what it does on the host, to its arguments too.

    Returns the census of a second call, and the code that inductor wrote.
    """
    from torch._inductor.utils import run_and_get_code

    copies = lambda to: [a.detach().clone().to(to) if isinstance(a, torch.Tensor) else a for a in args]  # noqa: E731
    compiled = torch.compile(fn, fullgraph=True, **options)
    on_device, on_host = copies(device), copies("cpu")
    got, code = run_and_get_code(compiled, *on_device)
    want = fn(*on_host)
    leaves = torch.utils._pytree.tree_leaves
    for g, w in zip(leaves((got, on_device)), leaves((want, on_host)), strict=True):
        if isinstance(w, torch.Tensor):
            assert g.device == device
            close(g, w, **(tolerances or {}))
    again = copies(device)
    with torch_fl.census() as census:
        compiled(*again)
    return [row.op for row in census.rows()], "\n".join(code)


@compiles
def test_a_fused_kernel_runs_on_the_devices_memory(ran):
    x, y = torch.randn(5, 70, device=DEV), torch.randn(70, device=DEV)
    fn = lambda x, y: (x * y + 1).relu().sum(-1)  # noqa: E731
    ops, code = run(fn, x.cpu(), y.cpu())
    assert ("cpp_fused" in code or "triton_" in code) and ops == [], "all of it is one kernel"
    assert len(ran) == 2, "one for each call"
    ran.clear()
    close(torch.compile(fn)(x, y), fn(x.cpu(), y.cpu()))
    given = tensors(ran)
    assert {t.device.type for t in given} == {KEY}
    assert {t.data_ptr() for t in given} == {x.data_ptr(), y.data_ptr()}, "the graph is given other memory"


@compiles
def test_dtypes(ran):
    def fn(x, n):
        half = x.to(torch.bfloat16)
        return half.exp().sum(-1), half + n, n // 3 - n % 4, (n > 3) & (x > 0).any(1, keepdim=True), n.sum(), n.amax(0)

    ops, _ = run(fn, torch.randn(4, 40), torch.arange(160).view(4, 40), tolerances={"rtol": 2e-2, "atol": 2e-2})
    assert ops == [] and ran


@compiles
def test_mutation_of_arguments_and_views(ran):
    def fn(x, y):
        x[1:].add_(y)
        x.t()[0].mul_(2)
        x.view(-1)[::2].sub_(1)
        return x.sum(), x[:, 1:]

    run(fn, torch.randn(5, 7), torch.randn(7))
    assert ran


@compiles
def test_masks_and_loops_as_for_the_host(ran):
    """What inductor writes otherwise for devices that it takes for its GPUs: masks, and loops of another order."""

    def fn(x, y):
        joined = F.pad(torch.cat([x, y + 1], 1).sin(), (1, 2), value=3.0)
        normed = F.layer_norm(x.view(8, 4, 16), (16,)).transpose(1, 2).reshape(8, -1) * F.rms_norm(x, (64,))
        return joined, normed, x.view(4, 2, 64).permute(2, 0, 1).argmax(1)

    ops, _ = run(fn, torch.randn(8, 64), torch.randn(8, 3), tolerances={"rtol": 1e-4, "atol": 1e-5})
    assert ops == [] and ran


@compiles
def test_products_and_convolutions_are_the_keys(ran):
    fn = lambda x, w, m: (F.conv2d(x.relu(), w, padding=1) + 1).flatten(1) @ m  # noqa: E731
    x, w, m = torch.randn(2, 3, 4, 4), torch.randn(5, 3, 3, 3), torch.randn(80, 6)
    for form in (torch.contiguous_format, torch.channels_last):
        a, b = x.contiguous(memory_format=form), w.contiguous(memory_format=form)
        ops, code = run(fn, a, b, m, tolerances={"rtol": 1e-4, "atol": 1e-4})
        assert ops == [] and "convolution" in code
    assert ran


def _net():
    torch.manual_seed(0)
    features = [nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*features, nn.Flatten(), nn.Linear(36, 5), nn.LayerNorm(5))


@compiles
def test_training(ran):
    """Forward, backward, buffers and the optimizer's step give what eager steps on the host give."""

    def train(device, compiled):
        net = _net().to(device)
        forward = torch.compile(net, fullgraph=True) if compiled else net
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        x, y = torch.linspace(-1, 1, 2 * 3 * 64).view(2, 3, 8, 8).to(device), torch.tensor([1, 3]).to(device)
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(forward(x), y).backward()
            optimizer.step()
        return [*net.parameters(), *net.buffers()]

    for got, want in zip(train(DEV, True), train("cpu", False), strict=True):
        close(got, want, rtol=1e-3, atol=1e-4)
    assert ran


@compiles
def test_dynamic_shapes(ran):
    fn = lambda t: (t.softmax(-1) @ t.transpose(-1, -2)).sum(0) + t.shape[0]  # noqa: E731
    compiled = torch.compile(fn, dynamic=True, fullgraph=True)
    for n in (3, 4, 7):
        x = torch.randn(n, n + 1)
        with torch._dynamo.config.patch(error_on_recompile=n > 3):
            close(compiled(x.to(DEV)), fn(x), rtol=1e-4, atol=1e-5)
    assert len(ran) >= 3


@compiles
def test_random_numbers(ran):
    """Kernels draw from the device's generator: reproducible, new in each call, and the host's is left alone."""
    compiled = torch.compile(lambda x: F.dropout(x, 0.25), fullgraph=True)
    x = torch.ones(100, 100, device=DEV)
    torch.manual_seed(3)
    state = torch.get_rng_state()
    first, second = compiled(x).cpu(), compiled(x).cpu()
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(3)
    assert torch.equal(compiled(x).cpu(), first) and not torch.equal(first, second)
    assert first.unique().tolist() == [0, torch.tensor(1 / 0.75).item()]
    assert 0.22 < (first == 0).float().mean() < 0.28
    assert ran


@compiles
def test_order_on_streams(ran):
    """A kernel sees what its stream did before, and what is enqueued behind it sees the kernel's results."""
    flagos = module()
    fn = lambda t: (t * 2 + 1).sum(0)  # noqa: E731
    compiled = torch.compile(fn, fullgraph=True)
    x = torch.randn(64, 64)
    on_device = x.to(DEV)
    want = fn(x @ x) + 1
    side = flagos.Stream()
    for _ in range(10):
        side.wait_stream(flagos.current_stream())
        with flagos.stream(side):
            got = compiled(on_device @ on_device)
        flagos.current_stream().wait_stream(side)
        close(got + 1, want, rtol=1e-4, atol=1e-3)
    assert len(ran) == 10


@compiles
@needs_two_devices
def test_another_device_than_the_current_one(ran):
    assert torch.accelerator.current_device_index() == 0
    before = torch.accelerator.memory_allocated(0)
    fn = lambda x: ((x.sin() @ x).cos() + 1, x.sum())  # noqa: E731
    run(fn, torch.randn(6, 6), device=index(1), tolerances={"rtol": 1e-4, "atol": 1e-5})
    assert torch.accelerator.memory_allocated(0) <= before and ran


@compiles
def test_host_tensors_and_branches_in_the_graph(ran):
    def fn(x, y):
        there = (y.cpu() + 1).sin()  # a kernel for the host
        branch = torch.cond(x.sum() > 0, lambda t: t.sin() + 1, lambda t: t.cos() * 2, (x,))
        return branch + there.to(x.device)

    run(fn, torch.randn(4, 5), torch.randn(4, 5))
    assert tensors(ran) and {t.device.type for t in tensors(ran)} == {KEY}


@compiles
def test_results_on_the_host_are_host_memory(ran):
    """Those that the graph computes there, and copies of what it then changes."""

    def fn(x, h):
        copy = x.cpu()
        x.add_(1)
        return copy, x.sum(-1).cpu(), h + 1, x * h[0, 0]

    x, h = torch.randn(4, 5), torch.randn(4, 5)
    on_device = x.to(DEV)
    got = torch.compile(fn, fullgraph=True)(on_device, h)
    want = (x, (x + 1).sum(-1), h + 1, (x + 1) * h[0, 0])
    for g, w, device in zip(got, want, ("cpu", "cpu", "cpu", DEV), strict=True):
        assert g.device == torch.device(device)
        torch.testing.assert_close(g.cpu(), w)
    close(on_device, x + 1)
    for g in got[:3]:
        with pytest.raises(ValueError, match=r"host's|expected a tensor of"):
            torch_fl.from_key(g)


@compiles
def test_what_a_kernel_finds_wrong_is_raised():
    compiled = torch.compile(lambda x, i: x[i] + 1, fullgraph=True)
    x = torch.randn(4, device=DEV)
    close(compiled(x, torch.tensor([1, 3]).to(DEV)), x.cpu()[[1, 3]] + 1)
    with pytest.raises((RuntimeError, IndexError), match="out of bounds"):
        compiled(x, torch.tensor([1, 4]).to(DEV))
    close(compiled(x, torch.tensor([0, 2]).to(DEV)), x.cpu()[[0, 2]] + 1)


def _failure(compiled, *args) -> str:
    with pytest.raises(Exception) as caught:
        compiled(*args)
    return str(caught.value)


def test_refused_without_key(monkeypatch):
    def refuse():
        raise NotImplementedError("torch_fl[x]: the vendor has no boxing key, so that nothing sees its memory")

    monkeypatch.setattr(_native.module(), "sharing_key", refuse)
    x = torch.ones(3, device=DEV)
    text = _failure(torch.compile(lambda t: t.exp() + 7), x)
    assert 'backend="aot_eager"' in text and "no boxing key, which" in text and "KeyError" not in text
    close(torch.compile(lambda t: t.exp() + 7, backend="aot_eager")(x), torch.ones(3).exp() + 7)


@compiles
def test_the_cpp_wrapper():
    from torch._inductor import config

    with config.patch(cpp_wrapper=True):
        close(torch.compile(lambda t: t.exp() * 2 + 1)(torch.ones(3, device=DEV)), torch.ones(3).exp() * 2 + 1)


@compiles
def test_refused_ahead_of_time():
    from torch._inductor import aoti_compile_and_package

    class Net(nn.Module):
        def forward(self, x):
            return x.exp() - 1

    program = torch.export.export(Net(), (torch.ones(3, device=DEV),))
    assert "AOTInductor" in _failure(aoti_compile_and_package, program)


@pytest.mark.skipif(KEY != "cpu", reason="only code for the host needs a C++ compiler")
def test_without_a_compiler():
    """Inductor's own words: they name the compiler that it looked for."""
    from torch._inductor import config
    from torch._inductor.cpp_builder import get_cpp_compiler

    with config.patch({"cpp.cxx": ("no-such-compiler",)}):
        getattr(get_cpp_compiler, "cache_clear", lambda: None)()
        text = _failure(torch.compile(lambda t: t.exp() * 3 - 11), torch.ones(3, device=DEV))
    assert "no-such-compiler" in text and "compiler" in text.lower()


def test_nothing_is_imported_before_it_is_used():
    child.check(
        """
        import sys
        torch.ones(2, device=DEV).add_(1)
        assert not {"torch._inductor", "torch._dynamo"} & set(sys.modules)
        """
    )


def test_inductor_was_there_first():
    """A device that comes later has to say so itself."""
    child.check(
        """
        import torch
        import torch._inductor.compile_fx
        import torch_fl
        from torch_fl.compile import boundary
        assert hasattr(torch._inductor.compile_fx.compile_fx, boundary.MARK)
        """,
        {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        head=False,
    )
