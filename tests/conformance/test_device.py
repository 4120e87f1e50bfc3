"""Devices: numbering, the current one, properties, names, the first call of a process, threads, forks."""

import threading

import pytest
import torch
from harness import child
from harness.device import DEV, TYPE, device_count, index, module, needs_device, needs_two_devices

import torch_fl

pytestmark = needs_device


def test_counts_agree():
    assert module().device_count() == torch.accelerator.device_count() == device_count()
    assert module().is_available() and torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator().type == TYPE


@needs_two_devices
def test_current_device():
    for i in range(device_count()):
        module().set_device(i)
        assert module().current_device() == torch.accelerator.current_device_index() == i
        assert torch.empty(1, device=TYPE).device == index(i)
    with module().device(1):
        assert module().current_device() == 1
        with module().device(0):
            assert module().current_device() == 0
        assert module().current_device() == 1
    assert module().current_device() == device_count() - 1


@needs_two_devices
def test_guard_is_left_after_an_error():
    module().set_device(0)
    with pytest.raises(ValueError), module().device(1):
        raise ValueError
    assert module().current_device() == 0
    with pytest.raises(RuntimeError):
        torch.ones(2, device=index(1)) @ torch.ones(3, device=index(1))
    assert module().current_device() == 0


@needs_two_devices
def test_work_goes_to_the_tensors_device():
    """The device of the arguments counts, not the current one."""
    module().set_device(0)
    x = torch.arange(6.0, device=index(1)).view(2, 3)
    for r in (x + 1, x @ x.t(), x.sum(), x.softmax(-1), torch.cat([x, x]), x.clone(), x.to(torch.float16), x.nonzero()):
        assert r.device == index(1)
    assert (x * 2).cpu().tolist() == [[0, 2, 4], [6, 8, 10]]


@needs_two_devices
def test_current_device_is_per_thread():
    module().set_device(1)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(module().current_device()))
    thread.start()
    thread.join()
    assert seen == [0] and module().current_device() == 1


@pytest.mark.parametrize("bad", [99, 127])
def test_index_out_of_range(bad):
    for use in (lambda: torch.empty(1, device=f"{TYPE}:{bad}"), lambda: module().set_device(bad)):
        with pytest.raises((RuntimeError, AssertionError), match=rf"{bad}|device") as error:
            use()
        assert str(device_count()) in str(error.value), "the message does not say how many devices there are"
    assert torch.ones(1, device=TYPE).item() == 1


def test_negative_index():
    with pytest.raises(RuntimeError):
        torch.device(TYPE, -2)


@needs_two_devices
def test_tensors_of_two_devices_are_refused():
    a, b = torch.ones(2, device=index(0)), torch.ones(2, device=index(1))
    for use in (
        lambda: a + b,
        lambda: torch.cat([a, b]),
        lambda: torch.add(a, a, out=b),
        lambda: torch.where(a > 0, a, b),
        lambda: a.add_(b),
        lambda: torch.mv(a.view(1, 2), b),
        lambda: torch.nn.functional.linear(a, b.view(1, 2)),
    ):
        with pytest.raises(RuntimeError, match="device"):
            use()
    # The same call on one device is served before and after.
    assert (a + a).tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="device"):
        a + b


def test_host_tensor_with_device_tensor_is_refused():
    a, h = torch.ones(2, device=TYPE), torch.ones(2)
    for use in (lambda: a + h, lambda: torch.cat([a, h]), lambda: torch.mm(a.view(1, 2), h.view(2, 1))):
        with pytest.raises(RuntimeError, match="device"):
            use()
    assert (a + torch.tensor(3.0)).tolist() == [4, 4] and (torch.tensor(3.0) + a).device.type == TYPE


def test_properties():
    for i in range(device_count()):
        p = module().get_device_properties(i)
        assert p.name and p.total_memory > 0 and p.multi_processor_count >= 1
        assert module().get_device_name(i) == p.name
        assert p.name in repr(p)
        free, total = module().mem_get_info(i)
        assert 0 < free <= total and total == p.total_memory


def test_names():
    x = torch.ones(1, device=TYPE)
    assert str(x.device) == f"{TYPE}:0" and f"device='{TYPE}:0'" in repr(x)
    assert torch.device(f"{TYPE}:0") == torch.device(TYPE, 0) == x.device
    assert getattr(x, f"is_{TYPE}") and not getattr(torch.ones(1), f"is_{TYPE}")
    assert "privateuse" not in (repr(x) + repr(x.device) + x.type()).lower()


@needs_two_devices
def test_peer_access_is_answered():
    can = module().can_device_access_peer(0, 1)
    assert isinstance(can, bool)


def test_default_device():
    with torch.device(TYPE):
        assert torch.ones(2).device.type == TYPE and torch.nn.Linear(2, 2).weight.device.type == TYPE
    assert torch.ones(2).device.type == "cpu"


@pytest.mark.parametrize(
    "first",
    [
        "torch.empty(1, device=DEV)",
        "torch.ones(1).to(DEV)",
        "torch.Generator(device=DEV)",
        "torch.Stream(device=DEV)",
        "torch.Event(DEV).query()",
        "torch.accelerator.synchronize()",
        "torch.accelerator.memory_stats()",
        "torch.accelerator.current_stream()",
        "torch.accelerator.empty_cache()",
        "torch.manual_seed(3)",
        "torch.empty(1).pin_memory()",
        "torch.load(__import__('io').BytesIO(b''))",
    ],
)
def test_first_call_of_a_process(first):
    child.check(f"""
        try:
            {first}
        except EOFError:
            pass
        assert torch.ones(2, device=DEV).sum().item() == 2
    """)


def test_first_call_on_another_thread():
    child.check("""
        import threading
        out = []
        t = threading.Thread(target=lambda: out.append((torch.ones(3, device=DEV) * 2).sum().item()))
        t.start(); t.join()
        assert out == [6.0], out
        assert torch.ones(1, device=DEV).item() == 1
    """)


def test_first_calls_of_many_threads_at_once():
    child.check("""
        import threading
        gate, out = threading.Barrier(8), []
        def work(i):
            gate.wait()
            out.append((torch.full((4,), float(i), device=DEV) + 1).sum().item())
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        [t.start() for t in threads]; [t.join() for t in threads]
        assert sorted(out) == [4.0 * (i + 1) for i in range(8)], out
    """)


def test_forked_child_is_told():
    """The device cannot be used in a forked child of a process that used it; the host can."""
    child.check("""
        import os, sys
        torch.ones(1, device=DEV)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                assert torch.ones(4).sum().item() == 4
                torch.ones(1, device=DEV)
            except RuntimeError as error:
                code = 0 if "fork" in str(error) and "spawn" in str(error) else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert torch.ones(1, device=DEV).item() == 1
    """)


def test_fork_before_first_use_is_fine():
    child.check("""
        import os
        pid = os.fork()
        if pid == 0:
            try:
                os._exit(0 if torch.ones(2, device=DEV).sum().item() == 2 else 1)
            except BaseException:
                os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    """)


def test_process_ends_well_with_work_pending():
    child.check("""
        x = torch.ones(512, 512, device=DEV)
        s = torch.Stream(device=DEV)
        with s:
            for _ in range(20):
                x = x @ x * 1e-3
    """)


@needs_two_devices
def test_lists_over_devices_are_taken_apart():
    lists = lambda: [torch.arange(3.0, device=index(i)) + 1 for i in range(2)]  # noqa: E731
    for fn in (
        lambda x: torch._foreach_add(x, 1),
        lambda x: torch._foreach_add(x, x, alpha=2),
        lambda x: torch._foreach_mul_(x, [2.0, 3.0]),
        torch._foreach_norm,
        lambda x: torch._foreach_addcdiv(x, x, x, [1.0, 2.0]),
        lambda x: torch._foreach_copy_(x, [torch.zeros(3), torch.ones(3)]) or x,
    ):
        results, expected = fn(lists()), fn([t.cpu() for t in lists()])
        for i, (result, host) in enumerate(zip(results, expected, strict=True)):
            assert result.device == index(i)
            torch.testing.assert_close(result.cpu(), host)
    with pytest.raises(RuntimeError, match="same device"):
        torch._foreach_add([lists()[0]], [lists()[1]])


def test_printing_needs_no_kernels():
    """PyTorch formats numbers in float64; of a tensor here, host copies of the few that are shown."""
    for x in (torch.linspace(-2, 3, 5), torch.arange(3000.0).half(), torch.ones(2, 2, dtype=torch.complex64)):
        y = x.to(DEV)
        with torch_fl.census() as census:
            text = repr(y)
        assert text.replace(f", device='{DEV}'", "").split() == repr(x).split()
        assert not {row.op for row in census.rows()} & {
            "abs",
            "min",
            "max",
            "masked_select",
            "isfinite",
            "gt.Scalar",
            "lt.Scalar",
        }


@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_host_tensor_among_the_devices_is_named(shape):
    x = torch.ones(2, device=DEV)
    for call in (torch.clamp, torch.maximum) if shape else (torch.clamp,):
        with pytest.raises(RuntimeError, match="on the same device") as error:
            call(x, torch.zeros(shape))
        assert "meta" not in str(error.value) and "flagos:0" in str(error.value) and "cpu" in str(error.value)
