"""Vendors cross to PyTorch through vendor.h alone, with vendor_kit.h over it: their sources include no header of
PyTorch or Python.

A stand-in SDK, vendors/<v>/sdk, is no part of a vendor: it may take its arithmetic from PyTorch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from text import matches, under


def check(files: Iterable[Path]) -> Iterator[str]:
    pattern = re.compile(r"^\s*#\s*include\s*[<\"]((?:torch|ATen|c10|pybind11|nanobind)/[^>\"]*|Python\.h)")
    suffixes = {".h", ".hpp", ".cpp", ".cc", ".c", ".cu"}
    sources = [p for p in under(files, "vendors") if p.suffix in suffixes and p.parts[2] != "sdk"]
    for path, line, match in matches(sources, pattern):
        yield f"{path}:{line}: a vendor includes {match.group(1)}; vendor.h is all that it may see of torch-fl"
