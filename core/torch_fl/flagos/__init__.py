"""``torch.flagos``: the device module, as `torch.cuda` is CUDA's.

A device is given as an index, as ``"flagos:1"``, as a `torch.device`, or as None for the current one. What a function
cannot do because there is no vendor, no device, or because the process was forked, raises RuntimeError with the reason.
Tensors of the device cannot be sent to another process; RuntimeError says so in the sender, or where a queue is read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torch_fl import _native
from torch_fl.flagos import backends, memory, parallel, printing, random, sharing, streams  # noqa: F401 (torch.flagos.memory and so on)
from torch_fl.flagos._device import Device, _DeviceGuard, device, device_of, index_of  # noqa: F401 (as torch.cuda's)
from torch_fl.flagos.memory import (
    caching_allocator_alloc,
    caching_allocator_delete,
    device_memory_used,
    empty_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from torch_fl.flagos.random import (
    default_generator,
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from torch_fl.flagos.streams import (
    Event,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    is_current_stream_capturing,
    set_stream,
    stream,
)

__all__ = [
    "AcceleratorError",
    "DeviceProperties",
    "Event",
    "OutOfMemoryError",
    "Stream",
    "StreamContext",
    "amp",
    "caching_allocator_alloc",
    "caching_allocator_delete",
    "can_device_access_peer",
    "current_device",
    "current_stream",
    "default_generator",
    "default_generators",
    "default_stream",
    "device",
    "device_count",
    "device_map",
    "device_memory_used",
    "device_of",
    "empty_cache",
    "get_allocator_backend",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_per_process_memory_fraction",
    "get_rng_state",
    "get_rng_state_all",
    "get_sync_debug_mode",
    "init",
    "initial_seed",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_current_stream_capturing",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_per_process_memory_fraction",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "set_sync_debug_mode",
    "stream",
    "synchronize",
]

# fl_dtype_id of bfloat16 in the mask of dtypes that a device's memory may hold.
_BF16 = 10


def __getattr__(name: str) -> Any:
    if name == "default_generators":  # asks for the devices, so not at import
        return random.default_generators()
    if name == "_initialized":  # torch.utils.checkpoint asks before it keeps the generators' states
        return is_initialized()
    if name == "amp":  # few scripts ask for it
        import importlib

        return importlib.import_module("torch_fl.flagos.amp")
    from torch_fl.flagos.absent import why

    raise AttributeError(f"module 'torch.flagos' has no attribute {name!r}{why(name)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


OutOfMemoryError = torch.OutOfMemoryError
AcceleratorError = torch.AcceleratorError


def is_available() -> bool:
    """True where there is a vendor that can be loaded and has a device. Never raises."""
    return _native.module().device_count() > 0


def device_count() -> int:
    """The number of devices; 0 where no vendor can be loaded. Never raises."""
    return _native.module().device_count()


def is_initialized() -> bool:
    """True where the vendor is loaded."""
    return _native.module().vendor_info() is not None


def init() -> None:
    """Loads the vendor now instead of at first use.

    Raises:
        RuntimeError: there is none, or it cannot be loaded; says why and what to do.
    """
    _native.module().load()


def _lazy_init() -> None:
    init()


def _is_in_bad_fork() -> bool:
    return _native.module().in_bad_fork()


def current_device() -> int:
    """The index of the device that is current on this thread."""
    return _native.module().current_device()


def set_device(device: Device) -> None:
    """Makes a device current on this thread; a negative index changes nothing."""
    index = index_of(device)
    if index >= 0:
        _native.module().set_device(index)


def synchronize(device: Device = None) -> None:
    """Waits on the host until all work of a device, on all its streams, is done."""
    _native.module().synchronize(index_of(device))


def ipc_collect() -> None:
    """Does nothing: tensors of the device are never shared with another process, so none is left to collect."""


def get_sync_debug_mode() -> int:
    """0: waits of the host are neither told nor refused."""
    return 0


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Takes 0 or ``"default"``, which changes nothing.

    Raises:
        NotImplementedError: 1, 2, ``"warn"`` or ``"error"``; core does not tell of waits.
        RuntimeError: it is no mode.
    """
    if debug_mode in (1, 2, "warn", "error"):
        raise NotImplementedError(
            "torch.flagos: waits of the host are not told; FLAGOS_LOG=fallback shows the calls that go to the CPU, and "
            "FLAGOS_STRICT=1 refuses them"
        )
    if debug_mode not in (0, "default"):
        raise RuntimeError(f"torch.flagos: a sync debug mode is 'default', 'warn' or 'error', not {debug_mode!r}")


class DeviceProperties(NamedTuple):
    """What a device is."""

    name: str
    architecture: str
    total_memory: int  # bytes
    multi_processor_count: int
    warp_size: int
    major: int
    minor: int
    uuid: str

    @property
    def gcnArchName(self) -> str:
        return self.architecture


def get_device_properties(device: Device = None) -> DeviceProperties:
    """Name, architecture, memory (bytes), processors and identity of a device."""
    index = index_of(device)
    native = _native.module()
    facts = dict(native.device_properties(index))
    del facts["supported_dtypes"]
    return DeviceProperties(uuid=device_map(index)["uuid"], **facts)


def get_device_name(device: Device = None) -> str:
    """The name of a device."""
    return _native.module().device_properties(index_of(device))["name"]


def get_device_capability(device: Device = None) -> tuple[int, int]:
    """(major, minor) of a device's architecture, in the vendor's own counting."""
    facts = _native.module().device_properties(index_of(device))
    return facts["major"], facts["minor"]


def device_map(device: Device = None) -> dict[str, Any]:
    """Which hardware is behind an index, after the vendor SDK's own visible-devices variable.

    Returns:
        ``card`` (int), ``partition`` (int; -1: the whole card) and ``uuid`` (str).
    """
    import uuid

    facts = dict(_native.module().device_map(index_of(device)))
    facts["uuid"] = str(uuid.UUID(bytes=facts["uuid"]))
    return facts


def can_device_access_peer(device: Device, peer_device: Device) -> bool:
    """True where a device can read another one's memory directly."""
    return _native.module().can_access_peer(index_of(device), index_of(peer_device))


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """True where memory of the current device may hold bfloat16.

    Args:
        including_emulation: taken for `torch.cuda`'s sake; which lane computes is a matter of routes.
    """
    return bool(_native.module().device_properties(current_device())["supported_dtypes"] >> _BF16 & 1)


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The dtypes that `torch.autocast("flagos")` takes; the first one is its default."""
    return [torch.float16, torch.bfloat16]
