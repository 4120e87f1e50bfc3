"""Devices as users write them, and the class of contexts that change the current one."""

from __future__ import annotations

import torch

from torch_fl import _native

Device = int | str | torch.device | None


def index_of(device: Device) -> int:
    """The index of a device: of an int, ``"flagos:1"``, a `torch.device`; None and ``"flagos"`` mean the current one.

    Raises:
        ValueError: it is a device of another type.
    """
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != "flagos":
            raise ValueError(f"torch.flagos: expected a flagos device, got {device}")
        device = device.index
    return _native.module().current_device() if device is None else device


class device:
    """Makes a device current for the ``with`` block, on this thread.

    Args:
        device: the device; a negative index changes nothing.
    """

    def __init__(self, device: Device):
        self.idx = index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx >= 0:
            native = _native.module()
            self.prev_idx = native.current_device()
            if self.prev_idx != self.idx:
                native.set_device(self.idx)

    def __exit__(self, *exc: object) -> bool:
        if self.idx >= 0 and self.prev_idx != _native.module().current_device():
            _native.module().set_device(self.prev_idx)
        return False


class device_of(device):
    """Makes the device of a tensor or storage current; changes nothing where that is not a flagos device."""

    def __init__(self, obj: torch.Tensor | torch.UntypedStorage):
        super().__init__(obj.device.index if obj.device.type == "flagos" else -1)


class _DeviceGuard(device):
    """The same for an index only; code that inductor and Triton libraries write names it."""

    def __init__(self, index: int):
        self.idx = index
        self.prev_idx = -1
