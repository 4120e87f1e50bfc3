"""``torch.backends.flagos``, next to ``torch.backends.cuda``."""

from __future__ import annotations

import sys

import torch


def is_built() -> bool:
    """True: core is there. `torch.flagos.is_available` says whether a device is."""
    return True


def install() -> None:
    """Makes ``import torch.backends.flagos`` find this module."""
    sys.modules["torch.backends.flagos"] = torch.backends.flagos = sys.modules[__name__]
