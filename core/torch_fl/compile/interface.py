"""What dynamo and inductor ask about devices, as `torch.flagos` answers it."""

from __future__ import annotations

import torch
from torch._dynamo.device_interface import DeviceInterface, register_interface_for_device

from torch_fl import _native, flagos
from torch_fl.flagos._device import Device, index_of


def _raw_stream(device: int) -> int:
    return flagos.current_stream(device).native_handle


def _exchange(device: int) -> int:
    before = flagos.current_device()
    flagos.set_device(device)
    return before


class FlagosInterface(DeviceInterface):
    """The device, in the terms of dynamo."""

    device = flagos.device
    Event = flagos.Event
    Stream = flagos.Stream

    class Worker:
        """For inductor's compile workers, which may not use the device; the C++ ones never ask."""

        set_device = staticmethod(flagos.set_device)
        current_device = staticmethod(flagos.current_device)
        get_device_properties = staticmethod(flagos.get_device_properties)

    current_device = staticmethod(flagos.current_device)
    set_device = staticmethod(flagos.set_device)
    exchange_device = staticmethod(_exchange)
    maybe_exchange_device = staticmethod(_exchange)
    device_count = staticmethod(flagos.device_count)
    stream = staticmethod(flagos.stream)
    current_stream = staticmethod(flagos.current_stream)
    set_stream = staticmethod(flagos.set_stream)
    get_raw_stream = staticmethod(_raw_stream)
    synchronize = staticmethod(flagos.synchronize)
    memory_allocated = staticmethod(flagos.memory_allocated)
    is_bf16_supported = staticmethod(flagos.is_bf16_supported)

    @staticmethod
    def is_available() -> bool:
        # Asked of every device whatever is compiled: a compilation for the host is no reason to load a vendor.
        return flagos.is_initialized()

    @staticmethod
    def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
        flagos.set_stream(torch.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))

    @staticmethod
    def get_compute_capability(device: Device = None) -> str:
        return _native.module().device_properties(index_of(device))["architecture"]


def register() -> None:
    """Makes the interface known under the device's name."""
    register_interface_for_device("flagos", FlagosInterface)
