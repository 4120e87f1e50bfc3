"""Memory of the devices. All sizes are bytes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch

from torch_fl import _native
from torch_fl.flagos._device import Device, index_of


def empty_cache() -> None:
    """Gives cached memory that nobody uses back to the devices."""
    torch.accelerator.empty_cache()


def memory_stats(device: Device = None) -> OrderedDict[str, Any]:
    """The allocator's statistics, by the names of `torch.cuda.memory_stats`; empty before the first allocation."""
    return torch.accelerator.memory_stats(index_of(device))


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


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """Limits what this process may reserve of a device.

    Args:
        fraction: of the device's memory, 0 < fraction <= 1. Beyond it an allocation raises `torch.OutOfMemoryError`.

    Raises:
        ValueError: the fraction is out of range.
    """
    if not 0 < fraction <= 1:
        raise ValueError(f"torch.flagos: a memory fraction is above 0 and at most 1, not {fraction}")
    _native.module().set_memory_fraction(index_of(device), float(fraction))


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
