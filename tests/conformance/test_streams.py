"""Streams and events: identity, order, memory of other streams, priorities, time."""

import threading
import time

import pytest
import torch
from harness.device import DEV, TYPE, device_count, index, module, needs_device, needs_two_devices, synchronize

pytestmark = needs_device


def _busy(x, times=10):
    """Work that takes a while, in order."""
    for _ in range(times):
        x = (x @ x) * 1e-3 + 1
    return x


def test_default_stream():
    s = module().default_stream()
    assert s == module().current_stream() and s.device == DEV and s.stream_id == 0
    assert torch.accelerator.current_stream().stream_id == s.stream_id


def test_new_streams_differ():
    streams = [module().Stream() for _ in range(4)]
    assert len({s.stream_id for s in streams}) == 4
    assert all(s != module().default_stream() for s in streams)


def test_context_restores():
    s, t = module().Stream(), module().Stream()
    with module().stream(s):
        assert module().current_stream() == s
        with module().stream(t):
            assert module().current_stream() == t
        assert module().current_stream() == s
    assert module().current_stream() == module().default_stream()
    with s:
        assert torch.accelerator.current_stream() == s
    with pytest.raises(KeyError), module().stream(s):
        raise KeyError
    assert module().current_stream() == module().default_stream()


def test_none_is_no_change():
    with module().stream(None):
        assert module().current_stream() == module().default_stream()


@needs_two_devices
def test_stream_of_another_device_switches_it():
    s = module().Stream(device=index(1))
    assert s.device == index(1)
    with module().stream(s):
        assert module().current_device() == 1 and module().current_stream() == s
    assert module().current_device() == 0
    assert module().current_stream(index(1)) == module().default_stream(index(1))


def test_current_stream_is_per_thread():
    s, seen = module().Stream(), []
    with module().stream(s):
        t = threading.Thread(target=lambda: seen.append(module().current_stream()))
        t.start()
        t.join()
    assert seen == [module().default_stream()]


def test_many_streams():
    """More streams than any pool holds still work."""
    streams = [torch.Stream(device=DEV) for _ in range(100)]
    results = []
    for i, s in enumerate(streams):
        with s:
            results.append(torch.full((8,), float(i), device=DEV) + 1)
    synchronize()
    assert [r[0].item() for r in results] == [i + 1.0 for i in range(100)]


def test_priorities():
    least, most = module().Stream.priority_range()
    assert most <= least == 0
    low, high, beyond = (module().Stream(priority=p) for p in (0, most, most - 5))
    assert (low.priority, high.priority, beyond.priority) == (0, most, most)
    for s in (low, high):
        with module().stream(s):
            assert (torch.ones(2, device=DEV) + 1).sum().item() == 4


def test_native_handle():
    assert isinstance(module().default_stream().native_handle, int)


def test_wait_stream_orders_work():
    side = module().Stream()
    for k in range(5):
        x = torch.full((256, 256), 1.0 + k, device=DEV)
        x = _busy(x)
        want = x.cpu()
        y = _busy(torch.full((256, 256), 1.0 + k, device=DEV))
        side.wait_stream(module().current_stream())
        with module().stream(side):
            z = y + 1
        module().current_stream().wait_stream(side)
        y.record_stream(side)
        torch.testing.assert_close(z.cpu(), want + 1)


def test_event_orders_two_streams():
    a, b, event = module().Stream(), module().Stream(), module().Event()
    buffer = torch.zeros(1 << 18, device=DEV)
    synchronize()
    for k in range(10):
        with module().stream(a):
            buffer.fill_(float(k))
            event.record()
        b.wait_event(event)
        with module().stream(b):
            copy = buffer * 2
        a.wait_stream(b)
        b.synchronize()
        assert (copy == 2 * k).all().item()


def test_event_query_and_synchronize():
    event = module().Event()
    assert event.query()  # never recorded: nothing to wait for
    event.synchronize()
    x = _busy(torch.ones(300, 300, device=DEV))
    event.record()
    event.synchronize()
    assert event.query() and module().current_stream().query()
    event.record()  # an event may be recorded again
    event.synchronize()
    assert torch.isfinite(x).all().item()


def test_elapsed_time():
    start, end = module().Event(enable_timing=True), module().Event(enable_timing=True)
    t0 = time.perf_counter()
    start.record()
    _busy(torch.ones(400, 400, device=DEV))
    end.record()
    end.synchronize()
    host = (time.perf_counter() - t0) * 1e3
    assert 0 < start.elapsed_time(end) <= host


def test_elapsed_time_needs_timing():
    plain, timed = module().Event(), module().Event(enable_timing=True)
    for e in (plain, timed):
        e.record()
        e.synchronize()
    with pytest.raises((RuntimeError, ValueError), match="timing"):
        plain.elapsed_time(timed)


def test_elapsed_time_of_unrecorded_events():
    a, b = module().Event(enable_timing=True), module().Event(enable_timing=True)
    with pytest.raises((RuntimeError, ValueError), match="record"):
        a.elapsed_time(b)


def test_generic_classes():
    s, e = torch.Stream(device=DEV), torch.Event(DEV, enable_timing=True)
    assert s.device == DEV and e.device.type == TYPE
    e.record(s)
    s.wait_event(e)
    s.synchronize()
    assert s.query() and e.query()
    f = s.record_event()
    f.synchronize()
    assert f.query()
    assert s == torch.Stream(stream_id=s.stream_id, device_index=s.device_index, device_type=s.device_type)
    assert len({s, module().default_stream()}) == 2


def test_memory_freed_on_one_stream_is_not_reused_too_early():
    """record_stream keeps a block from reuse until the side stream's work with it is done."""
    side = module().Stream()
    for k in range(20):
        x = torch.full((1 << 16,), float(k), device=DEV)
        side.wait_stream(module().current_stream())
        with module().stream(side):
            slow = _busy(torch.ones(128, 128, device=DEV))
            y = x + slow[0, 0] * 0
        x.record_stream(side)
        del x
        torch.full((1 << 16,), -1.0, device=DEV)
        side.synchronize()
        assert (y == k).all().item()


def test_pinned_source_is_not_reused_too_early():
    side = module().Stream()
    for k in range(20):
        host = torch.full((1 << 16,), float(k)).pin_memory()
        with module().stream(side):
            _busy(torch.ones(128, 128, device=DEV))
            x = host.to(DEV, non_blocking=True)
        del host
        torch.full((1 << 16,), -1.0).pin_memory()
        side.synchronize()
        assert (x == k).all().item()


def test_synchronize_waits_for_all_streams():
    streams = [module().Stream() for _ in range(3)]
    for s in streams:
        with module().stream(s):
            _busy(torch.ones(256, 256, device=DEV))
    module().synchronize()
    assert all(s.query() for s in streams)
    module().synchronize(0)
    module().synchronize(DEV)
    torch.accelerator.synchronize(device_count() - 1)


@needs_two_devices
def test_event_between_devices():
    a, b = index(0), index(1)
    x = _busy(torch.ones(200, 200, device=a))
    event = module().current_stream(a).record_event()
    module().current_stream(b).wait_event(event)
    torch.testing.assert_close(x.to(b).cpu(), x.cpu())


def test_backward_runs_on_the_forward_stream():
    """Autograd's device thread takes over the stream of the forward call."""
    side = module().Stream()
    with module().stream(side):
        x = torch.ones(64, 64, device=DEV, requires_grad=True)
        y = _busy(x, 3).sum()
        y.backward()
        g = x.grad.clone()
    side.synchronize()
    x2 = torch.ones(64, 64, requires_grad=True)
    _busy(x2, 3).sum().backward()
    torch.testing.assert_close(g.cpu(), x2.grad)
