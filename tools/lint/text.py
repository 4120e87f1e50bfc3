"""Reading files line by line, for the rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def matches(files: Iterable[Path], pattern: re.Pattern[str]) -> Iterator[tuple[Path, int, re.Match[str]]]:
    """The first match of every line of the files that are text."""
    for path in files:
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            match = pattern.search(line)
            if match:
                yield path, number, match


def under(files: Iterable[Path], *folders: str) -> list[Path]:
    """The files below one of the folders."""
    return [p for p in files if any(p.is_relative_to(f) for f in folders)]
