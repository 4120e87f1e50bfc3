"""The PyTorch whose kernels stand under the key that a vendor boxes to: the one in use, or another build's libraries.

`[boxing]` of vendor.toml says what such a PyTorch is built for and which libraries of it hold the kernels. Standard
library only, and without torch: doctor looks where neither may be loaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def told(version_py: Path) -> dict[str, str]:
    """What torch/version.py says: ``{"__version__": "2.10.0", "hip": "6.3.26113"}``; without what is None."""
    try:
        text = version_py.read_text(encoding="utf-8")
    except OSError:
        return {}
    return dict(re.findall(r"^(\w+)(?:: [^=\n]+)? = ['\"]([^'\"]+)['\"]", text, re.MULTILINE))


def release(version: str) -> str:
    """``"2.10.0+das.opt1"`` -> ``"2.10.0"``"""
    return version.partition("+")[0]


def lacking(about: Mapping[str, Any], lib: Path) -> list[str]:
    """The libraries of `[boxing]` that a torch/lib does not have."""
    return [name for name in about["libraries"] if not (lib / name).is_file()]


def refused(about: Mapping[str, Any], lib: Path, version: str) -> str:
    """Why another build's torch/lib cannot serve the PyTorch `version`, or ""."""
    if missing := lacking(about, lib):
        return f"{lib} has no {', '.join(missing)}"
    theirs = told(lib.parent / "version.py").get("__version__", "")
    if release(theirs) == release(version):
        return ""
    what = f"is of torch {theirs}" if theirs else f"is of no torch that is known: there is no {lib.parent}/version.py"
    return f"{lib} {what}, and torch {version} is in use: libraries of two releases do not fit together"


def load(facts: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Loads another build's kernels where the vendor's variable names its torch/lib and the torch in use has none.

    Returns:
        Why they were not loaded, "" where they were or nobody asked for them.
    """
    about = facts.get("boxing")
    folder = environ.get(about["variable"], "") if about else ""
    if not folder:
        return ""
    import ctypes

    import torch

    if getattr(torch.version, about["built_for"], None):
        return ""
    if problem := refused(about, Path(folder), torch.__version__):
        return f"{about['variable']}: {problem}"
    for name in about["libraries"]:
        try:
            ctypes.CDLL(str(Path(folder) / name), mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            return f"{about['variable']}: {error}"
    return ""
