"""vendor.h is plain C and includes <stddef.h> and <stdint.h> only: a vendor needs nothing else to build."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from text import matches

HEADER = Path("core/include/torch_fl/vendor.h")


def check(files: Iterable[Path]) -> Iterator[str]:
    pattern = re.compile(r"^\s*#\s*include\s*(?!<(?:stddef|stdint)\.h>)(\S+)")
    for path, line, match in matches([HEADER], pattern):
        yield f"{path}:{line}: includes {match.group(1)}; only <stddef.h> and <stdint.h> may be there"
