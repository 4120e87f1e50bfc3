"""How tensors of the device are printed.

PyTorch looks for the width and the form of numbers with a dozen small operations in float64, on the tensor's device.
Devices have no float64 kernels, or pay a launch for each: the numbers are copied to the host first, as PyTorch itself
does for some devices. They are few: of a large tensor only those that are shown.
"""

from __future__ import annotations

import torch
from torch import _tensor_str


def install() -> None:
    """Makes the formatter of PyTorch's tensors look at host copies."""
    formatter = _tensor_str._Formatter
    if issubclass(formatter, _OnHost):
        return

    _tensor_str._Formatter = type("_Formatter", (_OnHost, formatter), {"__doc__": formatter.__doc__})


class _OnHost:
    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor.cpu() if tensor.device.type == "flagos" else tensor)
