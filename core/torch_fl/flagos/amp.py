"""``torch.flagos.amp``: `torch.amp` with its device given, for scripts that were written with `torch.cuda.amp`."""

from __future__ import annotations

import functools
from typing import Any

import torch

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(torch.amp.autocast):
    """``torch.amp.autocast("flagos")``, as a context or a decorator.

    Args:
        enabled: False makes it do nothing.
        dtype: of what is cast; `get_amp_supported_dtype` lists them, None is the default.
        cache_enabled: keep the casts of weights until the block ends.
    """

    def __init__(self, enabled: bool = True, dtype: torch.dtype | None = None, cache_enabled: bool = True):
        super().__init__("flagos", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """``torch.amp.GradScaler("flagos")``; takes its other arguments."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__("flagos", *args, **kwargs)


custom_fwd = functools.partial(torch.amp.custom_fwd, device_type="flagos")
custom_bwd = functools.partial(torch.amp.custom_bwd, device_type="flagos")
