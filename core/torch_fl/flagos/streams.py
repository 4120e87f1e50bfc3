"""Streams and events. A stream belongs to one device; which one is current is a matter of each thread."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from torch_fl import _native
from torch_fl.flagos._device import Device, index_of


class Stream(torch.Stream):
    """A queue of work of one device.

    Args:
        device: the device; None means the current one.
        priority: 0 is normal, a negative number is more urgent; numbers out of the vendor's range are moved into it.
    """

    def __new__(cls, device: Device = None, priority: int = 0, **ids: Any) -> Stream:
        if ids:  # stream_id, device_index, device_type: a stream that exists
            return super().__new__(cls, **ids)
        index = index_of(device)
        least, most = _native.module().stream_priority_range(index)
        return super().__new__(cls, torch.device("flagos", index), priority=max(most, min(least, priority)))

    def wait_event(self, event: torch.Event) -> None:
        """Work enqueued from now on waits for an event."""
        event.wait(self)

    def wait_stream(self, stream: torch.Stream) -> None:
        """Work enqueued from now on waits for what another stream has been given so far."""
        self.wait_event(stream.record_event())

    def record_event(self, event: torch.Event | None = None) -> torch.Event:
        """Records an event, or a new one, after the work enqueued so far."""
        if event is None:
            event = Event()
        event.record(self)
        return event

    def query(self) -> bool:
        """True when all work enqueued so far is done."""
        return super().query()

    def synchronize(self) -> None:
        """Waits on the host until all work enqueued so far is done."""
        super().synchronize()

    @property
    def priority(self) -> int:
        """0 is normal, a negative number is more urgent."""
        return _native.module().stream_priority(self)

    @property
    def native_handle(self) -> int:
        """The vendor SDK's own handle, as an address."""
        return _native.module().stream_native_handle(self)

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.native_handle)

    @staticmethod
    def priority_range(device: Device = None) -> tuple[int, int]:
        """(least urgent, most urgent) of a device."""
        return _native.module().stream_priority_range(index_of(device))

    def __repr__(self) -> str:
        return f"<torch.flagos.Stream device=flagos:{self.device_index} id={self.stream_id}>"


class _EventType(type(torch.Event)):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, torch.Event) and instance.device.type == "flagos"


class Event(torch.Event, metaclass=_EventType):
    """A mark in a stream's work: a `torch.Event` of the device.

    `record` and `wait` take a stream, or None for the current one; `query`, `synchronize` and `elapsed_time`
    (milliseconds between two recorded events, both made with ``enable_timing=True``, else RuntimeError) are
    `torch.Event`'s.

    Args:
        enable_timing: `elapsed_time` works on it.
        blocking: `synchronize` gives the processor away while it waits.
        interprocess: it can be shared with another process.
    """

    # PyTorch's own functions refuse an event of a subclass as an argument, so this makes plain ones.
    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> torch.Event:
        return torch.Event(
            torch.device("flagos"), enable_timing=enable_timing, blocking=blocking, interprocess=interprocess
        )


def _as_ours(stream: torch.Stream) -> Stream:
    return Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)


def current_stream(device: Device = None) -> Stream:
    """The stream that this thread uses on a device."""
    return _as_ours(torch._C._accelerator_getStream(index_of(device)))


def default_stream(device: Device = None) -> Stream:
    """The stream that each thread starts with on a device."""
    index = index_of(device)
    device_type = torch._C._accelerator_getStream(index).device_type
    return Stream(stream_id=0, device_index=index, device_type=device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Makes a stream, and its device, current on this thread; None changes nothing."""
    if stream is not None:
        torch._C._accelerator_setStream(stream)


def is_current_stream_capturing() -> bool:
    """True while calls are captured into a graph, by the key's own module where the device shares a key's runtime."""
    native = _native.module()
    key = native.shared_key() if native.vendor_info() is not None else None
    return key is not None and torch.get_device_module(key).is_current_stream_capturing()


class StreamContext:
    """Makes a stream, and its device, current for the ``with`` block; None changes nothing."""

    def __init__(self, stream: torch.Stream | None):
        self.stream = stream

    def __enter__(self) -> torch.Stream | None:
        if self.stream is not None:
            native = _native.module()
            self._device = native.current_device()
            self._on_device = current_stream(self.stream.device_index)
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *exc: object) -> bool:
        if self.stream is not None:
            set_stream(self._on_device)
            _native.module().set_device(self._device)
        return False


def stream(stream: torch.Stream | None) -> StreamContext:
    """``with torch.flagos.stream(s):`` makes ``s``, and its device, current."""
    return StreamContext(stream)
