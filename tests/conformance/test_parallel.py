"""torch.nn.parallel: tensors spread over devices and joined again, and what builds on that."""

import copy
import pickle

import pytest
import torch
from harness.device import DEV, TYPE, index, module, needs_device, needs_two_devices
from torch import nn
from torch.nn.parallel import comm

pytestmark = [
    needs_device,
    pytest.mark.filterwarnings("ignore:PyTorch is not compiled with NCCL"),
]


def _same(result, expected):
    torch.testing.assert_close(result.cpu(), expected.cpu(), rtol=0, atol=0)


@needs_two_devices
@pytest.mark.parametrize("source", ["cpu", "device"])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_scatter_and_gather(source, dim):
    x = torch.arange(5 * 4 * 7.0).view(5, 4, 7)
    parts = comm.scatter(x if source == "cpu" else x.to(DEV), [0, 1], dim=dim)
    assert [p.device for p in parts] == [index(0), index(1)]
    for part, expected in zip(parts, x.chunk(2, dim), strict=True):
        _same(part, expected)
    for destination, device in ((0, index(0)), (1, index(1)), ("cpu", torch.device("cpu")), (None, index(0))):
        joined = comm.gather(parts, dim, destination)
        assert joined.device == device
        _same(joined, x)


@needs_two_devices
def test_scatter_takes_chunk_sizes_and_streams():
    x = torch.arange(12.0).view(6, 2)
    streams = [module().Stream(index(i)) for i in range(2)]
    parts = comm.scatter(x, [0, 1], [1, 5], streams=streams)
    for i, (part, stream) in enumerate(zip(parts, streams, strict=True)):
        module().current_stream(i).wait_stream(stream)
        part.record_stream(module().current_stream(i))
    assert [p.shape[0] for p in parts] == [1, 5]
    _same(comm.gather(parts, 0, 0), x)
    assert module().current_device() == 0 and module().current_stream() == module().default_stream()
    assert len(comm.scatter(x[:1], [0, 1])) == 1
    with pytest.raises(RuntimeError, match="associated with the stream at index 0"):
        comm.scatter(x, [0, 1], streams=streams[::-1])
    with pytest.raises(RuntimeError, match="same length"):
        comm.scatter(x, [0, 1], [6])
    with pytest.raises(RuntimeError, match="at least one device"):
        comm.scatter(x, [])
    with pytest.raises(IndexError):
        comm.scatter(x, [0, 1], dim=2)


@needs_two_devices
def test_out_arguments():
    x = torch.arange(12.0).view(2, 6)
    out = [torch.empty(2, 2, device=index(0)), torch.empty(2, 4, device=index(1))]
    assert comm.scatter(x, out=out, dim=1)[1] is out[1]
    _same(out[1], x[:, 2:])
    joined = torch.empty(2, 6, device=index(1))
    assert comm.gather(out, 1, out=joined) is joined
    _same(joined, x)
    copies = [torch.empty(2, 6, device=index(i)) for i in range(2)]
    comm.broadcast(x, out=copies)
    for c in copies:
        _same(c, x)
    with pytest.raises(RuntimeError, match="same shape"):
        comm.broadcast(x, out=[torch.empty(3, device=DEV)])
    with pytest.raises(RuntimeError, match="Total size"):
        comm.scatter(x, out=out[:1], dim=1)
    with pytest.raises(RuntimeError, match="incorrect shape"):
        comm.scatter(x, out=out, dim=0)
    with pytest.raises(RuntimeError, match="has device 'cpu'"):
        comm.scatter(x, out=[torch.empty(2, 6)], dim=1)
    with pytest.raises(RuntimeError, match="to have shape"):
        comm.gather(out, 1, out=x.to(DEV)[:1])


@needs_two_devices
def test_gather_checks_and_keeps_the_memory_format():
    images = [torch.ones(1, 2, 3, 3, device=index(i)).to(memory_format=torch.channels_last) for i in range(2)]
    assert comm.gather(images, 0, 0).is_contiguous(memory_format=torch.channels_last)
    images[1] = images[1].contiguous()
    assert comm.gather(images, 0, 0).is_contiguous()
    with pytest.raises(RuntimeError, match="invalid shape"):
        comm.gather([torch.ones(2, 2, device=DEV), torch.ones(2, 3, device=DEV)], 0, 0)
    with pytest.raises(RuntimeError, match="number of dimensions"):
        comm.gather([torch.ones(2, 2, device=DEV), torch.ones(2, device=DEV)], 0, 0)
    with pytest.raises(RuntimeError, match="has device 'cpu'"):
        comm.gather([torch.ones(2)], 0, 0)
    with pytest.raises(RuntimeError, match="at least one tensor"):
        comm.gather([], 0, 0)


@needs_two_devices
def test_broadcast():
    x = torch.arange(6.0, device=DEV)
    here, there = comm.broadcast(x, [0, 1])
    assert here is x and there.device == index(1)
    _same(there, x)
    assert comm.broadcast(torch.ones(2), [1])[0].device == index(1)


@needs_two_devices
@pytest.mark.parametrize("buffer_size", [1, 64, 1 << 20])
def test_broadcast_and_reduce_coalesced(buffer_size):
    host = [torch.arange(n, dtype=d) for n in (1, 7, 0, 30) for d in (torch.float32, torch.int64, torch.float64)]
    tensors = [t.to(DEV) for t in host]
    here, there = comm.broadcast_coalesced(tensors, [0, 1], buffer_size)
    assert all(a is b for a, b in zip(here, tensors, strict=True))
    for t, expected in zip(there, host, strict=True):
        assert t.device == index(1) and t.dtype == expected.dtype
        _same(t, expected)
    version = there[0]._version
    there[3].add_(1)  # of the same dtype, so perhaps in the same buffer
    assert there[0]._version == version
    there[3].sub_(1)
    for t, expected in zip(comm.reduce_add_coalesced([here, there], 0, buffer_size), host, strict=True):
        assert t.device == DEV
        _same(t, expected * 2)
    with pytest.raises(RuntimeError, match=r"devices\[0\]"):
        comm.broadcast_coalesced(there, [0, 1])


@needs_two_devices
def test_gradients_flow_back():
    from torch.nn.parallel._functions import Broadcast, Gather, Scatter

    x = torch.arange(6.0).requires_grad_()
    parts = Scatter.apply([0, 1], None, 0, x)
    y = Gather.apply(0, 0, *(p * (i + 2) for i, p in enumerate(parts)))
    y.sum().backward()
    _same(x.grad, torch.tensor([2.0, 2, 2, 3, 3, 3]))
    w = torch.ones(3, device=DEV, requires_grad=True)
    a, b = Broadcast.apply([0, 1], w)
    (a.sum() + (b * 4).sum().to(DEV)).backward()
    _same(w.grad, torch.full((3,), 5.0))


@needs_two_devices
@pytest.mark.parametrize("source", ["cpu", "device"])
def test_data_parallel(source):
    net = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(36, 2)).to(DEV).eval()
    single = copy.deepcopy(net)
    x = torch.randn(5, 2, 5, 5)
    parallel = nn.DataParallel(net)
    assert parallel.src_device_obj == DEV
    result = parallel(x if source == "cpu" else x.to(DEV))
    assert result.device == DEV
    expected = single(x.to(DEV))
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5)
    result.square().sum().backward()
    expected.square().sum().backward()
    for p, q in zip(net.parameters(), single.parameters(), strict=True):
        torch.testing.assert_close(p.grad, q.grad, rtol=1e-3, atol=1e-4)
    with torch.no_grad():
        torch.testing.assert_close(parallel(x.to(DEV)), expected, rtol=1e-4, atol=1e-5)


def test_data_parallel_on_one_device():
    net = nn.Linear(3, 2).to(DEV)
    x = torch.randn(4, 3, device=DEV)
    torch.testing.assert_close(nn.DataParallel(net, [0])(x), net(x))


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("name", ["Stream", "Event"])
def test_streams_and_events_are_not_copied(name, copier):
    with pytest.raises(TypeError, match="cannot pickle"):
        copier(getattr(module(), name)())


def test_generic_streams_and_events_interchange():
    ours, generic = module().Stream(), torch.Stream(TYPE)
    a, b = torch.Event(TYPE, enable_timing=True), module().Event(enable_timing=True)
    a.record(ours)
    b.record(generic)
    generic.wait_event(b)
    ours.wait_event(a)
    generic.wait_stream(ours)
    ours.wait_stream(generic)
    a.synchronize()
    b.synchronize()
    a.elapsed_time(b)
    b.elapsed_time(a)
    assert isinstance(a, module().Event) and isinstance(generic.record_event(), module().Event)
    for s in (ours, generic):
        torch.accelerator.set_stream(s)
        assert torch.accelerator.current_stream() == s and module().current_stream() == s
        torch.accelerator.set_stream(module().default_stream())
        with module().stream(s):
            assert torch.accelerator.current_stream() == s


def test_functions_of_a_cuda_build_keep_their_devices(monkeypatch):
    from torch_fl.flagos import parallel

    function = parallel._by_device(lambda *a, **k: "ours", lambda *a, **k: "theirs")
    for cuda, host in ((True, "theirs"), (False, "ours")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda cuda=cuda: cuda)
        assert function(torch.ones(2), [0, 1]) == host
        assert function(torch.ones(2, device=DEV), [0, 1]) == function([torch.ones(2, device=DEV)], 0) == "ours"
        assert function(torch.ones(2), out_tensors=[torch.ones(2, device=DEV)]) == "ours"
