"""The kernels that rows name are there: in the vendor's own sources, or as functions of its SDK."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from codegen.rows import Row, Rows
from codegen.source import Problem, did_you_mean
from codegen.vendor import Vendor

_SOURCES = (".h", ".hpp", ".cuh", ".cpp", ".cc", ".cu", ".yaml")
_WORD = re.compile(r"[A-Za-z_]\w*")


def called(vendor: Vendor, function: str) -> list[str]:
    """The functions of the SDK that the C++ of a row calls, sorted; none where vendor.toml does not say how to tell."""
    if not vendor.calls:
        return []
    return sorted({name for text in re.findall(vendor.calls, function) for name in text.split()})


def check(rows: Rows, functions: dict[str, str]) -> list[Problem]:
    """What is named and not there. A compiler would find it too, but only beside the SDK, and in generated code.

    Nothing is known of a vendor without sources, and of an SDK without a stand-in.

    Args:
        functions: symbol of a row -> its C++.
    """
    vendor = rows.vendor
    own, sdk = _words(vendor.folder / "src", vendor.generated), _words(vendor.folder / "sdk")
    problems = []
    for row in rows.rows:
        calls = called(vendor, functions[row.symbol])
        wrong = _kernel(row, own, calls) if own else ""
        if not wrong and sdk:
            wrong = next((_missing(row, name, sdk) for name in calls if name not in own | sdk), "")
        if wrong:
            problems.append(Problem(rows.ops.file, row.line, wrong))
    return problems


def _kernel(row: Row, own: set[str], calls: Iterable[str]) -> str:
    # Of an expression, what it begins with.
    name = _WORD.match(row.kernel)
    if name is None or name[0] in own or any(name[0].lower() in function.lower() for function in calls):
        return ""
    return f"no kernel `{name[0]}` in the vendor's sources{did_you_mean(name[0], own)}: {row.schema}"


def _missing(row: Row, name: str, sdk: set[str]) -> str:
    return f"the stand-in SDK has no function `{name}`{did_you_mean(name, sdk)}: {row.schema}"


def _words(folder: Path, but: Path | None = None) -> set[str]:
    files = (path for path in sorted(folder.rglob("*")) if path.suffix in _SOURCES)
    return {
        word
        for path in files
        if but is None or but not in path.parents
        for word in _WORD.findall(path.read_text(encoding="utf-8"))
    }
