"""The torch releases that core supports, read from core/include/torch_fl/version.h.

Standard library only, and readable by old Pythons: `./dev` uses it before anything is installed.
"""

from __future__ import annotations

import re
from pathlib import Path

VERSION_H = Path(__file__).resolve().parents[1] / "core/include/torch_fl/version.h"


def torch_range() -> tuple[str, str]:
    """The minors that core supports, from the first one to the second one, which is excluded: ("2.10", "2.14")."""
    text = VERSION_H.read_text(encoding="utf-8")
    bounds = dict(re.findall(r'#define TORCH_FL_TORCH_(MIN|END) "([\d.]+)"', text))
    return bounds["MIN"], bounds["END"]


def minor_of(version: str) -> list[int]:
    """``"2.13.0+cpu"`` -> ``[2, 13]``."""
    return [int(number) for number in re.findall(r"\d+", version)[:2]]


def in_range(version: str) -> bool:
    """Whether core supports a version of torch."""
    low, end = map(minor_of, torch_range())
    return low <= minor_of(version) < end
