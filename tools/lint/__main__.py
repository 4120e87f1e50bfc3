"""The repository's own rules: ``python tools/lint [rule ...]``. Prints ``file:line: what is wrong`` and exits with 1.

A rule is a module of this folder with a docstring and ``check(files) -> iterable of findings``.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def tracked() -> list[Path]:
    """Files that git has or would take, relative to the root."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted({Path(n) for n in names if (ROOT / n).is_file()})


def main(rules: list[str]) -> int:
    known = sorted(p.stem for p in HERE.glob("*.py") if p.stem not in ("__main__", "text"))
    unknown = set(rules) - set(known)
    if unknown:
        print(f"no such rule: {', '.join(sorted(unknown))}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    files, found = tracked(), 0
    for rule in rules or known:
        for finding in importlib.import_module(rule).check(files):
            print(f"{finding} [{rule}]")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(HERE))
    sys.exit(main(sys.argv[1:]))
