"""No file carries a path of the machine that it was written on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from text import matches

HERE = Path("tools/lint/no_machine_paths.py")


def check(files: Iterable[Path]) -> Iterator[str]:
    pattern = re.compile(r"(?<![\w.}/$-])/(?:home|root|work|tmp|mnt|Users)/[\w.-]+")
    for path, line, match in matches((p for p in files if p != HERE), pattern):
        yield f"{path}:{line}: {match.group()} is a path of one machine; take it from an argument or a temporary folder"
