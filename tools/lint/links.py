"""Relative links in Markdown files lead to files, and to headings, that exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from text import ROOT

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Headings as a forge turns them into anchors."""
    titles = (re.sub(r"[^\w\- ]", "", t.lower()) for t in HEADING.findall(FENCE.sub("", text)))
    return {t.strip().replace(" ", "-") for t in titles}


def check(files: Iterable[Path]) -> Iterator[str]:
    for path in (p for p in files if p.suffix == ".md"):
        text = (ROOT / path).read_text(encoding="utf-8")
        for target in LINK.findall(FENCE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            there = (ROOT / path).parent / name if name else ROOT / path
            if not there.exists():
                yield f"{path}: the link to {target} leads nowhere"
            elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8")):
                yield f"{path}: {target} names a heading that is not there"
