"""Hand-written confs that a generated one includes: their lines have the last word on their ops."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from codegen import guards
from codegen.schemas import Schemas
from codegen.source import Problem, did_you_mean
from codegen.vendor import Vendor

_LINE = re.compile(r"(?P<op>[\w.]+)\s*(?:\[(?P<guard>.*)\])?\s*=\s*(?P<lane>[\w-]+)$")


@dataclass
class Included:
    """plain: op -> lane. lines: how many there are, guarded ones included."""

    plain: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    problems: list[Problem] = field(default_factory=list)


def load(vendor: Vendor, schemas: Schemas, kernels: dict[str, frozenset[str]]) -> Included:
    """The lines of vendor.toml's `include`, each checked as core would, and that its lane has a kernel."""
    found = Included()
    for name in vendor.include:
        path = vendor.folder / name
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = text.partition("#")[0].strip()
            if not text:
                continue
            found.lines += 1
            if problem := _read(text, found, vendor, schemas, kernels):
                found.problems.append(Problem(vendor.file(path), number, problem))
    return found


def _read(text: str, found: Included, vendor: Vendor, schemas: Schemas, kernels: dict[str, frozenset[str]]) -> str:
    match = _LINE.fullmatch(text)
    if match is None:
        return f"`{text}` is no route: `op = lane` or `op [guard] = lane`"
    op, guard, lane = match["op"], match["guard"], match["lane"]
    if op not in schemas.functions:
        return f"no op `{op}`{did_you_mean(op, schemas.functions)}"
    if lane not in vendor.lanes:
        return f"`{lane}` is not a lane of {vendor.name}{did_you_mean(lane, vendor.lanes)}"
    if lane != "none" and op not in kernels[lane]:
        return f"{lane} has no kernel for {op} ({schemas.functions[op].func})"
    if guard is not None:
        return guards.wrong(guard, schemas, op)
    if op in found.plain:
        return f"`{op}` has a line already"
    found.plain[op] = lane
    return ""
