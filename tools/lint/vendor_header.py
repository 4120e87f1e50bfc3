"""vendor.h is plain C and includes <stddef.h> and <stdint.h> only: a vendor needs nothing else to build. vendor_kit.h
includes it and C++'s standard library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from text import matches

FOLDER = Path("core/include/torch_fl")
# Header -> what it may include, and how that is said.
MAY = {
    "vendor.h": (r"<(?:stddef|stdint)\.h>", "only <stddef.h> and <stdint.h> may be there"),
    "vendor_kit.h": (r"<[a-z_]+>|\"torch_fl/vendor\.h\"", "only vendor.h and C++'s standard library may be there"),
}


def check(files: Iterable[Path]) -> Iterator[str]:
    for header, (may, said) in MAY.items():
        pattern = re.compile(rf"^\s*#\s*include\s*(?!{may})(\S+)")
        for path, line, match in matches([p for p in files if p == FOLDER / header], pattern):
            yield f"{path}:{line}: includes {match.group(1)}; {said}"
