"""Graphs of launches: calls of the device that the boxing key's own module captures, and those of torch.compile.

Only where the device shares the runtime of a key that has such graphs.
"""

import pytest
import torch
from harness.compare import close
from harness.device import DEV, REFERENCE, SELF_CHECK, module, needs_device
from torch import nn
from torch.nn import functional as F

if not SELF_CHECK:
    import torch_fl

KEY = torch.get_device_module(REFERENCE.type) if REFERENCE.type != "cpu" else None
pytestmark = [
    needs_device,
    pytest.mark.skipif(
        not hasattr(KEY, "CUDAGraph"), reason="the device shares no runtime with a PyTorch device that captures graphs"
    ),
]


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def replays(monkeypatch):
    """The graphs that were replayed."""
    done = []
    replay = KEY.CUDAGraph.replay

    def counting(graph):
        done.append(graph)
        return replay(graph)

    monkeypatch.setattr(KEY.CUDAGraph, "replay", counting)
    return done


def warm_up(fn, times=3):
    """As PyTorch asks for it before a capture: on another stream than the default one."""
    side = KEY.Stream()
    side.wait_stream(KEY.current_stream())
    with KEY.stream(side):
        for _ in range(times):
            fn()
    KEY.current_stream().wait_stream(side)


# ---- calls of flagos, captured by the key's module


def test_a_region_is_captured_and_replayed():
    x, w = torch.zeros(8, 64, device=DEV), torch.randn(64, 64, device=DEV)
    fn = lambda: F.layer_norm((x @ w).relu() + 1, (64,)).sum(0)  # noqa: E731
    warm_up(fn)
    graph = KEY.CUDAGraph()
    assert not module().is_current_stream_capturing()
    with KEY.graph(graph):
        assert module().is_current_stream_capturing()
        y = fn()
    assert not module().is_current_stream_capturing() and y.device == DEV
    for seed in range(3):
        new = torch.randn(8, 64, generator=torch.Generator().manual_seed(seed))
        x.copy_(new)
        graph.replay()
        close(y, F.layer_norm((new @ w.cpu()).relu() + 1, (64,)).sum(0), rtol=1e-3, atol=1e-3)


def test_memory_of_a_capture_is_the_graphs():
    """What is allocated in the capture comes from the graph's pool, and nothing else is given its addresses."""
    x = torch.ones(1 << 16, device=DEV)
    warm_up(lambda: (x * 2).exp())
    graph = KEY.CUDAGraph()
    with KEY.graph(graph):
        temporary = x * 2
        y = temporary.exp()
        del temporary
    others = [torch.full((1 << 16,), 5.0, device=DEV) for _ in range(8)]
    graph.replay()
    close(y[:4], torch.full((4,), 2.0).exp(), rtol=1e-4, atol=1e-4)
    assert all((other == 5).all().item() for other in others)


def test_random_numbers_are_new_in_each_replay():
    graph = KEY.CUDAGraph()
    warm_up(lambda: torch.rand(1000, device=DEV))
    with KEY.graph(graph):
        y = F.dropout(torch.rand(1000, device=DEV), 0.5)
    torch.manual_seed(3)
    graph.replay()
    first = y.cpu()
    graph.replay()
    second = y.cpu()
    torch.manual_seed(3)
    graph.replay()
    assert torch.equal(y.cpu(), first) and not torch.equal(first, second)


def test_a_training_step_is_captured():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4))
    twin = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4))
    twin.load_state_dict(net.state_dict())
    net.to(DEV)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.zeros(8, 16, device=DEV)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    warm_up(step)
    graph = KEY.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with KEY.graph(graph):
        loss = step()
    net.load_state_dict(twin.state_dict())
    reference = torch.optim.SGD(twin.parameters(), lr=0.1)
    for seed in range(4):
        batch = torch.randn(8, 16, generator=torch.Generator().manual_seed(seed))
        x.copy_(batch)
        graph.replay()
        reference.zero_grad()
        want = twin(batch).square().mean()
        want.backward()
        reference.step()
        close(loss.detach(), want.detach(), rtol=1e-3, atol=1e-4)
    for got, want in zip(net.parameters(), twin.parameters(), strict=True):
        close(got.detach(), want.detach(), rtol=1e-3, atol=1e-4)


def test_tensors_of_both_in_one_capture():
    t = torch.ones(64, device=REFERENCE)
    x = torch_fl.from_key(t)
    warm_up(lambda: torch_fl.as_key(x + 1) * 2)
    graph = KEY.CUDAGraph()
    with KEY.graph(graph):
        y = torch_fl.as_key(x + 1) * 2
    t.fill_(5)
    graph.replay()
    assert (y == 12).all().item()


# ---- torch.compile(mode="reduce-overhead")


def _net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 8))


def _manager():
    from torch._inductor.cudagraph_trees import get_manager

    return get_manager(DEV.index, create_if_none_exists=False)


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune"])
def test_compiled_graphs_are_replayed(replays, mode):
    from torch._dynamo.utils import counters

    counters.clear()
    host, net = _net(), _net().to(DEV)
    compiled = torch.compile(net, mode=mode)
    with torch.no_grad():
        for seed in range(6):
            x = torch.randn(4, 32, generator=torch.Generator().manual_seed(seed))
            got = compiled(x.to(DEV))
            assert got.device == DEV
            close(got, host(x), rtol=1e-2, atol=1e-3)
    assert len(replays) >= 4, "the graph was not replayed"
    assert len(set(replays)) == 1, "it was recorded anew"
    assert counters["inductor"]["cudagraph_skips"] == 0


def test_parameters_are_not_copied(replays):
    """They stay static inputs, at addresses that the graph knows."""
    net = _net().to(DEV)
    compiled = torch.compile(net, mode="reduce-overhead")
    with torch.no_grad():
        for _ in range(4):
            compiled(torch.randn(4, 32, device=DEV))
        held = {pointer for pointer in _manager().current_node.static_input_data_ptrs if pointer is not None}
        assert {p.data_ptr() for p in net.parameters()} <= held
        # Changed in place, they are what the graph reads.
        for p in net.parameters():
            p.mul_(2)
        x = torch.randn(4, 32)
        close(compiled(x.to(DEV)), net.cpu()(x), rtol=1e-2, atol=1e-3)
    assert replays


def test_training_is_replayed(replays):
    """Forward and backward are two graphs; gradients and the optimizer's steps are those of the host."""

    def train(device, compiled):
        net = _net().to(device)
        forward = torch.compile(net, mode="reduce-overhead") if compiled else net
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        for seed in range(6):
            x = torch.randn(4, 32, generator=torch.Generator().manual_seed(seed)).to(device)
            optimizer.zero_grad()
            forward(x).square().mean().backward()
            optimizer.step()
        return list(net.parameters())

    for got, want in zip(train(DEV, True), train("cpu", False), strict=True):
        close(got.detach(), want.detach(), rtol=1e-2, atol=1e-3)
    assert len(set(replays)) >= 2 and len(replays) >= 4


def test_buffers_that_the_graph_changes(replays):
    net = nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16))
    host = nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16))
    host.load_state_dict(net.state_dict())
    compiled = torch.compile(net.to(DEV), mode="reduce-overhead")
    with torch.no_grad():
        for seed in range(5):
            x = torch.randn(32, 16, generator=torch.Generator().manual_seed(seed))
            close(compiled(x.to(DEV)), host(x), rtol=1e-2, atol=1e-2)
    for got, want in zip(net.buffers(), host.buffers(), strict=True):
        close(got, want, rtol=1e-2, atol=1e-3)
    assert replays


def test_an_old_result_is_no_stale_one(replays):
    """The next run takes the memory of a result that was kept; using that is an error that says so.

    PyTorch itself tells it of results from before graphs are replayed alone: later ones are one tensor object.
    """
    compiled = torch.compile(lambda x: x * 2 + 1, mode="reduce-overhead")
    with torch.no_grad():
        old = compiled(torch.ones(64, device=DEV))
        kept = old.clone()
        new = compiled(torch.full((64,), 5.0, device=DEV))
        close(new, torch.full((64,), 11.0))
        close(kept, torch.full((64,), 3.0))
        with pytest.raises(RuntimeError, match="overwritten by a subsequent run"):
            old + 1
        for value in range(4):
            close(compiled(torch.full((64,), float(value), device=DEV)), torch.full((64,), 2.0 * value + 1))
    assert replays


def test_results_as_the_next_graphs_arguments(replays):
    first = torch.compile(lambda x: (x * 2).relu(), mode="reduce-overhead")
    second = torch.compile(lambda y: y.sum(0) + 1, mode="reduce-overhead")
    with torch.no_grad():
        for seed in range(5):
            torch.compiler.cudagraph_mark_step_begin()
            x = torch.randn(16, 16, generator=torch.Generator().manual_seed(seed))
            close(second(first(x.to(DEV))), (x * 2).relu().sum(0) + 1, rtol=1e-4, atol=1e-4)
    assert len(set(replays)) == 2


def test_sizes_that_change(replays):
    """One graph is recorded for each size."""
    compiled = torch.compile(lambda x: x.softmax(-1) @ x.t(), mode="reduce-overhead", dynamic=True)
    with torch.no_grad():
        for n in (4, 8, 4, 8, 4, 8, 4, 8):
            x = torch.randn(n, 16)
            close(compiled(x.to(DEV)), x.softmax(-1) @ x.t(), rtol=1e-2, atol=1e-3)
    assert len(replays) >= 2
