"""Memory of the devices. All sizes are bytes."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

import torch

from torch_fl import _native
from torch_fl.flagos._device import Device, index_of
from torch_fl.flagos.streams import StreamContext


def empty_cache() -> None:
    """Gives cached memory that nobody uses back to the devices."""
    torch.accelerator.empty_cache()


def memory_stats(device: Device = None) -> OrderedDict[str, Any]:
    """The allocator's statistics, by the names of `torch.cuda.memory_stats`; empty before the first allocation."""
    return torch.accelerator.memory_stats(index_of(device))


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """`memory_stats` as dictionaries in dictionaries; empty before the first allocation."""
    if not torch._C._accelerator_isAllocatorInitialized():
        return {}
    return torch._C._accelerator_getDeviceStats(index_of(device))


def memory_allocated(device: Device = None) -> int:
    """Bytes of living tensors."""
    return torch.accelerator.memory_allocated(index_of(device))


def max_memory_allocated(device: Device = None) -> int:
    """The peak of `memory_allocated` since the start or `reset_peak_memory_stats`."""
    return torch.accelerator.max_memory_allocated(index_of(device))


def memory_reserved(device: Device = None) -> int:
    """Bytes that the allocator holds of the device, used or cached."""
    return torch.accelerator.memory_reserved(index_of(device))


def max_memory_reserved(device: Device = None) -> int:
    """The peak of `memory_reserved` since the start or `reset_peak_memory_stats`."""
    return torch.accelerator.max_memory_reserved(index_of(device))


def reset_peak_memory_stats(device: Device = None) -> None:
    """Starts the peaks anew from the present values."""
    torch.accelerator.reset_peak_memory_stats(index_of(device))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Starts the counts of all allocations and frees anew from zero."""
    torch.accelerator.reset_accumulated_memory_stats(index_of(device))


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """(free, total) bytes of the device, as the vendor says."""
    return torch._C._accelerator_getMemoryInfo(index_of(device))


def device_memory_used(device: Device = None) -> int:
    """Bytes of the device that are in use, by all processes, as the vendor says."""
    free, total = mem_get_info(device)
    return total - free


def get_allocator_backend() -> str:
    """``"native"``: core's own allocator."""
    return "native"


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """Limits what this process may reserve of a device.

    Args:
        fraction: of the device's memory, 0 < fraction <= 1. Beyond it an allocation raises `torch.OutOfMemoryError`.

    Raises:
        ValueError: the fraction is out of range.
    """
    if not 0 < fraction <= 1:
        raise ValueError(f"torch.flagos: a memory fraction is above 0 and at most 1, not {fraction}")
    index = index_of(device)
    if key := _native.module().shared_key():
        torch.get_device_module(key).set_per_process_memory_fraction(fraction, index)
    else:
        _native.module().set_memory_fraction(index, float(fraction))
    _fractions[index] = float(fraction)


def get_per_process_memory_fraction(device: Device = None) -> float:
    """What `set_per_process_memory_fraction` set; 1.0 where it did not."""
    return _fractions.get(index_of(device), 1.0)


_fractions: dict[int, float] = {}


def caching_allocator_alloc(size: int, device: Device = None, stream: torch.Stream | None = None) -> int:
    """Memory from the allocator, for other software; `caching_allocator_delete` gives it back.

    Args:
        size: bytes.
        stream: that the memory is used on; None is the current one of the device.

    Returns:
        The address.
    """
    if stream is not None and not isinstance(stream, torch.Stream):
        raise TypeError(f"torch.flagos: a stream is a torch.flagos.Stream, not {type(stream).__name__}")
    with StreamContext(stream):
        storage = torch.UntypedStorage(size, device=torch.device("flagos", index_of(device)))
    _lent[storage.data_ptr()] = storage
    return storage.data_ptr()


def caching_allocator_delete(mem_ptr: int) -> None:
    """Gives memory of `caching_allocator_alloc` back.

    Raises:
        RuntimeError: there is none at that address.
    """
    if _lent.pop(mem_ptr, None) is None:
        raise RuntimeError(f"torch.flagos: caching_allocator_alloc() gave no memory at {mem_ptr:#x}")


_lent: dict[int, torch.UntypedStorage] = {}


def _renamed(old: str, new: str) -> None:
    warnings.warn(f"torch.flagos.{old} is deprecated: use torch.flagos.{new}", FutureWarning, stacklevel=3)


def memory_cached(device: Device = None) -> int:
    """Deprecated: `memory_reserved`."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: Device = None) -> int:
    """Deprecated: `max_memory_reserved`."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def reset_max_memory_cached(device: Device = None) -> None:
    """Deprecated: `reset_peak_memory_stats`."""
    _renamed("reset_max_memory_cached", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def reset_max_memory_allocated(device: Device = None) -> None:
    """Deprecated: `reset_peak_memory_stats`."""
    _renamed("reset_max_memory_allocated", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """A table of `memory_stats` for people.

    Args:
        abbreviated: without the rows for large and small blocks.
    """
    index = index_of(device)
    stats = memory_stats(index)
    free, total = mem_get_info(index)
    width = 76
    lines = [
        "=" * width,
        f"torch.flagos memory, device {index}: {_size(free)} of {_size(total)} free".center(width),
        f"retries: {stats.get('num_alloc_retries', 0)}   out of memory: {stats.get('num_ooms', 0)}".center(width),
        "-" * width,
        f"{'':22}{'now':>13}{'peak':>13}{'allocated':>14}{'freed':>14}",
        "-" * width,
    ]
    pools = [("all", ""), ("large_pool", "  from large pool"), ("small_pool", "  from small pool")]
    for key, title, form in _SUMMARY:
        for pool, label in pools[:1] if abbreviated else pools:
            values = [stats.get(f"{key}.{pool}.{part}") for part in ("current", "peak", "allocated", "freed")]
            if values[0] is not None and (pool == "all" or any(values)):
                now, peak, allocated, freed = map(form, values)
                lines.append(f"{label or title:22}{now:>13}{peak:>13}{allocated:>14}{freed:>14}")
    lines.append("=" * width)
    return "\n".join(lines)


def _size(count: int) -> str:
    if abs(count) < 1024:
        return f"{count} B"
    power = min(4, (abs(count).bit_length() - 1) // 10)
    return f"{count / 1024**power:.1f} {'KMGT'[power - 1]}iB"


_SUMMARY = (
    ("allocated_bytes", "allocated memory", _size),
    ("requested_bytes", "requested memory", _size),
    ("active_bytes", "active memory", _size),
    ("reserved_bytes", "reserved memory", _size),
    ("inactive_split_bytes", "unused in splits", _size),
    ("allocation", "allocations", str),
    ("active", "active blocks", str),
    ("segment", "segments", str),
)
