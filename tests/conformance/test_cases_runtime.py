"""Faults that users of other accelerator backends reported: devices, streams, events, memory, processes."""

import pytest
import torch
from harness import child
from harness.compare import close
from harness.device import DEV, TYPE, device_count, module, needs_device, needs_two_devices
from torch import nn


@needs_device
def test_events_and_generic_stream():
    """Segfault / invalid ordinal -> torch.accelerator streams and device streams interchange; elapsed_time >= 0.

    Report: pytorch/pytorch#173792 (Event.record with the generic stream)
    """
    s = torch.accelerator.current_stream()
    a, b = module().Event(enable_timing=True), module().Event(enable_timing=True)
    a.record(s)
    x = torch.ones(256, 256, device=DEV)
    for _ in range(20):
        x = x @ x * 1e-3
    b.record()
    b.synchronize()
    assert b.query() and a.elapsed_time(b) >= 0.0
    t = module().Stream()
    assert t != module().current_stream()
    with module().stream(t):
        assert module().current_stream() == t
    assert module().current_stream().stream_id == s.stream_id and torch.Event(TYPE).device.type == TYPE
    with pytest.raises((RuntimeError, ValueError)):
        module().Event().elapsed_time(b)


@needs_device
def test_side_stream_ordering():
    """Work on a side stream must be visible after wait_stream / event wait, and memory must not be reused early.

    Report: flagos-ai/Torch-FL#348 (side streams)
    """
    S, main = module().Stream(), module().current_stream()
    for k in range(10):
        x = torch.full((1 << 20,), float(k), device=DEV)
        S.wait_stream(main)
        with module().stream(S):
            y = x * 2
            y = y + 1
            e = S.record_event()
        x.record_stream(S)
        del x
        junk = torch.full((1 << 20,), -1.0, device=DEV)
        main.wait_event(e)
        y.record_stream(main)
        assert (y == 2 * k + 1).all().item() and junk[0].item() == -1.0


@needs_device
def test_out_of_memory():
    """An impossible request must raise torch.OutOfMemoryError naming the size, and leave the device usable.

    Report: derived: pytorch/pytorch#170428 (allocation failure)
    """
    with pytest.raises(torch.OutOfMemoryError) as e:
        torch.empty(1 << 50, dtype=torch.uint8, device=DEV)
    assert "memory" in str(e.value).lower()
    close(torch.ones(4, device=DEV) + 1, [2.0, 2.0, 2.0, 2.0])
    with pytest.raises(RuntimeError):
        torch.empty(-3, device=DEV)


@needs_two_devices
@pytest.mark.parametrize(
    "f",
    [
        lambda d: torch.ones(4, device=d),
        lambda d: torch.zeros(4, device=d),
        lambda d: torch.full((4,), 2.0, device=d),
        lambda d: torch.arange(4, device=d),
        lambda d: torch.rand(4, device=d),
        lambda d: torch.randperm(4, device=d),
        lambda d: torch.tensor([1.0], device=d),
        lambda d: torch.linspace(0, 1, 4, device=d),
        lambda d: torch.eye(3, device=d),
        lambda d: torch.ones_like(torch.empty(3, device=d)),
        lambda d: torch.empty(3, device=d).new_zeros(2),
        lambda d: torch.ones_like(torch.empty(3), device=d),
    ],
)
def test_factory_index(f):
    """ones(device='x:1') reported x:0 and launched elsewhere -> index honoured for every factory and *_like.

    Report: flagos-ai/Torch-FL#45 (factories ignore the device index)
    """
    for i in (1, 0, device_count() - 1):
        d = torch.device(TYPE, i)
        x = f(d)
        assert x.device == d and (x + 1).device == d and x.cpu().isfinite().all() and (x * 2.5).sum().device == d
    with pytest.raises((RuntimeError, AssertionError)):
        torch.ones(1, device=f"{TYPE}:{device_count() + 7}")


@needs_two_devices
@pytest.mark.skipif(not hasattr(torch._C, "_scatter"), reason="PyTorch has scatter and gather in its CUDA builds only")
def test_data_parallel():
    """Resolved cuda first, cuda-only scatter/gather -> replicas run on the backend's devices, output equals single
    device.

    Report: flagos-ai/Torch-FL#384 (DataParallel)
    """
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)).to(f"{TYPE}:0")
    x = torch.randn(2 * device_count() + 1, 6).to(f"{TYPE}:0")
    dp = nn.DataParallel(net)
    assert len(dp.device_ids) == device_count() and dp.src_device_obj.type == TYPE
    torch.testing.assert_close(dp(x), net(x), rtol=1e-4, atol=1e-4)
    dp(x).sum().backward()
    assert all(p.grad is not None and p.grad.device.index == 0 for p in net.parameters())


@needs_device
@pytest.mark.parametrize(
    "call",
    [
        "current_stream()",
        "default_stream()",
        "synchronize()",
        "Stream()",
        "Event().record()",
        "get_rng_state()",
        "memory_allocated()",
        "empty_cache()",
        "get_device_properties(0)",
        "mem_get_info()",
        "manual_seed(1)",
        "set_device(0)",
        "current_device()",
    ],
)
def test_first_call_in_process(call):
    """Stream/generator/stat calls before any tensor failed -> each API starts the runtime by itself.

    Report: pytorch/pytorch#167527 (first call of the process is a query)
    """
    r = child.run(
        f"m=torch.get_device_module(DEV)\nm.{call}\nassert torch.ones(2,device=DEV).sum().item()==2\nprint('FINE')"
    )
    assert "FINE" in r.stdout and r.returncode == 0, r.stderr[-600:]


class _Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, i):
        return torch.arange(3) + i


@pytest.mark.parametrize("ctx", ["fork", "spawn"])
def test_dataloader_workers(ctx):
    """Multi-worker DataLoader died once the plugin was loaded -> forked and spawned workers yield host batches after
    device use.

    Report: MooreThreads/torch_musa#87, flagos-ai/FlagGems#301 (loader workers)
    """
    from torch.utils.data import DataLoader

    torch.ones(2).to(DEV).sum().item()  # device is live before the fork
    got = [
        b.to(DEV)[:, 0].tolist() for b in DataLoader(_Rows(), batch_size=5, num_workers=2, multiprocessing_context=ctx)
    ]
    assert got == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


@needs_device
def test_device_naming():
    """Code met 'privateuseone' where the backend name was expected -> one name everywhere, Module/Tensor/dtype helpers
    present.

    Report: microsoft/DirectML#597, open-mmlab/mmengine#1011 (device naming)
    """
    x = torch.ones(2).to(DEV)
    assert (
        str(x.device).split(":")[0] == TYPE
        and x.device.type == TYPE
        and torch.device(TYPE, 0) == torch.device(f"{TYPE}:0")
        and "privateuse" not in repr(x)
    )
    assert (
        getattr(x, f"is_{TYPE}")
        and getattr(torch.ones(1), TYPE)().device.type == TYPE
        and getattr(nn.Linear(1, 1), TYPE)().weight.device.type == TYPE
    )
    assert (
        torch.accelerator.current_accelerator().type == TYPE
        and torch.accelerator.is_available()
        and module().is_available()
        and torch.accelerator.device_count() == module().device_count()
        and x.to(0).device.index == 0
    )
    assert x.type().startswith("torch.")
