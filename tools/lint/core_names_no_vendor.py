"""Core holds nothing of one vendor: no vendor's name and no SDK's, except in the table of names that users may still
have in old route files and variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from text import ROOT, matches, under

# Where the retired names of lanes and variables are translated.
EXEMPT = Path("core/torch_fl/legacy.py")
# Names of PyTorch's own keys, which core has to know.
PYTORCH_KEYS = {"cuda", "cpu", "hip"}
SDK_WORDS = {"topsaten", "topsrt", "aclnn", "aclrt", "mudnn", "gcu", "dcu", "ascend", "musa"}


def check(files: Iterable[Path]) -> Iterator[str]:
    vendors = {p.name for p in (ROOT / "vendors").glob("*") if p.is_dir()}
    words = sorted((vendors | SDK_WORDS) - PYTORCH_KEYS)
    pattern = re.compile(rf"\b({'|'.join(words)})(?=\b|_)", re.IGNORECASE)
    mine = under(files, "core/src", "core/include", "core/torch_fl")
    for path, line, match in matches((p for p in mine if p != EXEMPT), pattern):
        yield f"{path}:{line}: core names {match.group()!r}, and that belongs in the vendor's folder"
