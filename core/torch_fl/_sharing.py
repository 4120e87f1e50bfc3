"""One memory as a tensor of flagos and as one of the vendor's boxing key, the PyTorch device that sees it too."""

from __future__ import annotations

import sys
from typing import Any

import torch

from torch_fl import _native


def as_key(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the boxing key over the memory of ``tensor``, without a copy: ``flagos:1`` as ``cuda:1``.

    Sizes, strides, dtype and what overlaps what are the same, and so is the version counter: a write through either is
    one that autograd sees, and a gradient that needed the old value says so. Each keeps the memory alive. Neither can
    be resized any more, as after `torch.Tensor.numpy`; an alias of a tensor that got other memory (`set_`,
    ``.data =``) keeps the old.

    Where the device shares the key's runtime, both are in the order of one current stream, and
    `torch.Tensor.record_stream` is for ``tensor``. Where the key is the host's, this waits for the device's current
    stream; what is enqueued later has to be waited for before the alias is read.

    Args:
        tensor: of flagos, strided, any dtype; it does not require grad (``tensor.detach()`` shares the version too).

    Raises:
        NotImplementedError: the vendor has no boxing key, or this PyTorch is built without it; says what else copies.
        RuntimeError: ``tensor`` requires grad.
        TypeError: it is no tensor, or sparse, nested, quantized, or of a subclass with a dispatch of its own.
        ValueError: it is not of flagos.
    """
    _require_tensor(tensor, "as_key", "flagos")
    if recorder := _explaining():
        return recorder.as_key(tensor)
    return _native.module().as_key(tensor)


def from_key(tensor: torch.Tensor) -> torch.Tensor:
    """The reverse of `as_key`: a tensor of flagos over the memory of one of the boxing key, ``cuda:1`` as ``flagos:1``.

    Of an alias that `as_key` made, or a view of one, it is a tensor of the original's storage. Everything else is as
    `as_key` says it.

    Args:
        tensor: of the boxing key, in memory of the device; it does not require grad.

    Raises:
        NotImplementedError, RuntimeError, TypeError: as of `as_key`.
        ValueError: it is not of the boxing key, or its memory is the host's own.
    """
    _require_tensor(tensor, "from_key", "the boxing key")
    if recorder := _explaining():
        return recorder.from_key(tensor)
    return _native.module().from_key(tensor)


def _require_tensor(value: object, function: str, of: str) -> None:
    if isinstance(value, torch.Tensor):
        return
    what = "None" if value is None else f"{value!r:.40} of type {type(value).__name__}"
    more = "; of a list give it each tensor" if isinstance(value, list | tuple) else ""
    raise TypeError(f"torch_fl.{function}: expected a tensor of {of}, got {what}{more}")


def _explaining() -> Any:
    """What follows a call of `torch_fl.explain` on this thread; None where nothing does."""
    modes = sys.modules.get("torch_fl._explain_modes")
    return modes and modes.active()
