"""The caching allocator and pinned host memory: reuse, statistics, limits, messages."""

import gc

import pytest
import torch
from harness import child
from harness.device import DEV, TYPE, index, module, needs_device, needs_two_devices, synchronize

pytestmark = needs_device

MiB = 1 << 20


@pytest.fixture(autouse=True)
def _empty():
    gc.collect()
    synchronize()
    module().empty_cache()
    yield


def _allocated():
    return module().memory_allocated()


def test_allocated_and_reserved():
    base = _allocated()
    x = torch.empty(4 * MiB, dtype=torch.uint8, device=DEV)
    assert _allocated() - base >= 4 * MiB and module().memory_reserved() >= _allocated()
    del x
    assert _allocated() == base
    module().empty_cache()
    assert module().memory_reserved() >= _allocated()


def test_results_of_ops_are_counted():
    """Also where another key's kernel allocated the result."""
    x = torch.ones(MiB, device=DEV)
    for make in (lambda: x + 1, lambda: x.sort()[0], lambda: torch.fft.fft(x).real.clone(), lambda: x.cumsum(0)):
        base = _allocated()
        y = make()
        assert _allocated() - base >= 4 * MiB, "the result is not in memory_allocated()"
        del y
        assert _allocated() == base, "memory is counted after it was freed"


def test_views_and_copies():
    base = _allocated()
    x = torch.empty(MiB, device=DEV)
    used = _allocated()
    views = [x[1:], x.view(2, -1), x.t(), x.detach(), x.as_strided((2,), (1,), 5)]
    assert _allocated() == used
    del x
    assert _allocated() == used  # the views hold it
    del views
    assert _allocated() == base


def test_block_is_reused_on_its_stream():
    x = torch.empty(3 * MiB, dtype=torch.uint8, device=DEV)
    p = x.data_ptr()
    del x
    assert torch.empty(3 * MiB, dtype=torch.uint8, device=DEV).data_ptr() == p


def test_block_of_one_stream_is_not_given_to_another():
    x = torch.empty(3 * MiB, dtype=torch.uint8, device=DEV)
    p = x.data_ptr()
    del x
    with module().stream(module().Stream()):
        assert torch.empty(3 * MiB, dtype=torch.uint8, device=DEV).data_ptr() != p


def test_split_and_merge():
    """Small blocks are cut from one segment, and are one again when freed."""
    gc.collect()
    module().empty_cache()
    before = module().memory_reserved()  # of what other tests keep
    blocks = [torch.empty(256 * 1024, dtype=torch.uint8, device=DEV) for _ in range(8)]
    reserved = module().memory_reserved()
    assert before < reserved <= before + 4 * MiB, "eight blocks of 256 KiB took more than two segments of 2 MiB"
    assert len({b.data_ptr() for b in blocks}) == 8
    del blocks
    module().empty_cache()
    assert module().memory_reserved() == before


def test_blocks_do_not_overlap():
    blocks = [torch.full((n,), i, dtype=torch.int64, device=DEV) for i, n in enumerate([1, 7, 64, 1000, 33, 513] * 20)]
    del blocks[::3]
    more = [torch.full((n,), -1, dtype=torch.int64, device=DEV) for n in (5, 900, 70) * 10]
    for b in blocks:
        assert (b == b[0]).all().item()
    assert all((m == -1).all().item() for m in more)


def test_alignment():
    for n in (1, 3, 511, 513, 70000):
        assert torch.empty(n, dtype=torch.uint8, device=DEV).data_ptr() % 256 == 0


def test_nothing_is_nothing():
    base = _allocated()
    x = torch.empty(0, 3, device=DEV)
    assert x.data_ptr() == 0 and x.untyped_storage().nbytes() == 0 and _allocated() == base


def test_peaks():
    module().reset_peak_memory_stats()
    base = _allocated()
    assert module().max_memory_allocated() == base
    x = torch.empty(8 * MiB, dtype=torch.uint8, device=DEV)
    del x
    assert module().max_memory_allocated() - base >= 8 * MiB and _allocated() == base
    module().reset_peak_memory_stats()
    assert module().max_memory_allocated() == base
    assert module().max_memory_reserved() >= base


def test_stats_agree_with_torch_accelerator():
    x = torch.empty(MiB, device=DEV)
    a, b = torch.accelerator.memory_stats(), module().memory_stats()
    for key in ("allocated_bytes.all.current", "reserved_bytes.all.current", "allocated_bytes.all.peak"):
        assert a[key] == b[key]
    assert a["allocated_bytes.all.current"] == torch.accelerator.memory_allocated() == module().memory_allocated()
    assert torch.accelerator.max_memory_allocated() == module().max_memory_allocated()
    assert torch.accelerator.memory_reserved() == module().memory_reserved()
    for key in ("num_alloc_retries", "num_ooms", "allocation.all.allocated", "segment.all.current"):
        assert key in a, key
    assert x.numel() == MiB
    torch.accelerator.reset_peak_memory_stats()
    torch.accelerator.reset_accumulated_memory_stats()
    assert torch.accelerator.memory_stats()["allocation.all.allocated"] == 0


def test_summary_is_for_people():
    text = module().memory_summary()
    assert "allocated" in text.lower() and "reserved" in text.lower()


def test_empty_cache_gives_memory_back():
    before = module().mem_get_info()[0]
    x = torch.empty(64 * MiB, dtype=torch.uint8, device=DEV)
    assert module().mem_get_info()[0] <= before - 64 * MiB
    del x
    module().empty_cache()
    assert module().mem_get_info()[0] == before


def test_out_of_memory_message():
    total = module().mem_get_info()[1]
    with pytest.raises(torch.OutOfMemoryError) as error:
        torch.empty(2 * total, dtype=torch.uint8, device=DEV)
    text = str(error.value).lower()
    for part in ("tried to allocate", "total", "free", "allocated", "reserved", "gib"):
        assert part in text, f"{part!r} is not in: {text}"
    assert f"{TYPE}" in text
    assert torch.ones(3, device=DEV).sum().item() == 3


def test_cache_is_emptied_before_out_of_memory():
    """A cached block that nobody uses never causes an OutOfMemoryError."""
    child.check("""
        m = torch.get_device_module(DEV)
        m.set_per_process_memory_fraction(min(1.0, (256 << 20) / m.mem_get_info()[1]))
        for n in (200, 120, 220, 60, 240):
            x = torch.empty(n << 20, dtype=torch.uint8, device=DEV)
            del x
        assert m.memory_stats()["num_alloc_retries"] >= 1
        x = torch.empty(200 << 20, dtype=torch.uint8, device=DEV)
        try:
            torch.empty(200 << 20, dtype=torch.uint8, device=DEV)
        except torch.OutOfMemoryError as error:
            assert "tried to allocate" in str(error).lower()
            assert m.memory_stats()["num_ooms"] == 1
        else:
            raise SystemExit("the memory fraction was not kept")
        del x
        assert torch.empty(200 << 20, dtype=torch.uint8, device=DEV).numel() == 200 << 20
    """)


def test_wrong_fraction():
    for bad in (-0.1, 1.5):
        with pytest.raises((ValueError, RuntimeError)):
            module().set_per_process_memory_fraction(bad)


@needs_two_devices
def test_devices_are_counted_apart():
    one = module().memory_allocated(index(1))
    zero = module().memory_allocated(index(0))
    x = torch.empty(MiB, device=index(1))
    assert module().memory_allocated(1) - one >= 4 * MiB and module().memory_allocated(0) == zero
    assert x.device == index(1)


def test_pinned_memory():
    x = torch.arange(1000.0)
    assert not x.is_pinned()
    p = x.pin_memory()
    assert p.is_pinned() and p.device.type == "cpu" and torch.equal(p, x)
    assert p[10:20].is_pinned() and p.pin_memory().data_ptr() == p.data_ptr()
    assert torch.empty(5, pin_memory=True).is_pinned()
    assert torch.equal(p.to(DEV, non_blocking=True).cpu(), x)
    with pytest.raises(RuntimeError):
        x.to(DEV).pin_memory()


def test_pinned_download():
    d = torch.arange(1 << 16, device=DEV)
    host = torch.empty(1 << 16, dtype=torch.int64, pin_memory=True)
    host.copy_(d, non_blocking=True)
    synchronize()
    assert torch.equal(host, torch.arange(1 << 16))


def test_storage_resize():
    x = torch.arange(10, device=DEV)
    s = x.untyped_storage()
    s.resize_(160)
    assert s.nbytes() == 160 and x.cpu().tolist() == list(range(10))
    s.resize_(0)
    assert s.nbytes() == 0


def test_clone_on_write_storage():
    x = torch.arange(4.0, device=DEV)
    y = torch._lazy_clone(x)
    y.add_(1)
    assert x.tolist() == [0, 1, 2, 3] and y.tolist() == [1, 2, 3, 4]


def test_deterministic_fill():
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.empty(5, device=DEV).isnan().all().item()
        assert (torch.empty(3, dtype=torch.int64, device=DEV) == torch.iinfo(torch.int64).max).all().item()
        x = torch.ones(2, device=DEV).resize_(4)
        assert x[:2].tolist() == [1, 1] and x[2:].isnan().all().item()
    finally:
        torch.use_deterministic_algorithms(False)


def test_memory_lent_to_other_software():
    base = _allocated()
    address = module().caching_allocator_alloc(MiB, 0, module().Stream())
    assert address and _allocated() - base >= MiB
    module().caching_allocator_delete(address)
    assert _allocated() == base
    with pytest.raises(RuntimeError, match="gave no memory at 0x"):
        module().caching_allocator_delete(address)
    with pytest.raises(TypeError, match="not int"):
        module().caching_allocator_alloc(16, stream=7)


def test_statistics_as_nested_dictionaries():
    x = torch.empty(MiB, device=DEV)
    nested, flat = module().memory_stats_as_nested_dict(x.device), module().memory_stats(x.device)
    assert nested["allocated_bytes"]["all"]["current"] == flat["allocated_bytes.all.current"] > 0
    free, total = module().mem_get_info()
    assert 0 <= module().device_memory_used() <= total and free <= total


@pytest.mark.parametrize(
    "old,new", [("memory_cached", "memory_reserved"), ("max_memory_cached", "max_memory_reserved")]
)
def test_deprecated_spellings(old, new):
    with pytest.warns(FutureWarning, match=new):
        assert getattr(module(), old)() == getattr(module(), new)()


@pytest.mark.parametrize("old", ["reset_max_memory_cached", "reset_max_memory_allocated"])
def test_deprecated_resets(old):
    torch.empty(4 * MiB, dtype=torch.uint8, device=DEV)
    with pytest.warns(FutureWarning, match="reset_peak_memory_stats"):
        getattr(module(), old)()
    assert module().max_memory_allocated() == _allocated()


def test_the_fraction_that_was_set():
    assert module().get_per_process_memory_fraction() == 1.0
    module().set_per_process_memory_fraction(0.5)
    assert module().get_per_process_memory_fraction() == 0.5
    module().set_per_process_memory_fraction(1.0)
