"""gaps.yaml: measured reasons that a lane may not serve an op, or a part of its calls."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codegen.schemas import Schemas
from codegen.source import Entry, Source, did_you_mean
from codegen.vendor import Vendor

KEYS = ("ops", "lane", "guard", "family", "evidence", "command")
_FIELD = re.compile(
    r"(?:dtype|out\.dtype|rank|numel|layout|scalar|rows\(-?\d+\)|inner\(-?\d+\)|(?P<arg>[A-Za-z_]\w*)\.(?:dtype|rank))"
)
_CONDITION = re.compile(r"(?P<field>[^=!<>\s]+)\s*(?:=|!=|<=|>=|<|>)\s*(?:\{[^{}]+\}|[^{}=!<>\s]+)")
_COMMA = re.compile(r",(?![^{]*\})")


@dataclass(frozen=True)
class Gap:
    """`lane` may not serve `op`; with a guard, only the calls that the guard accepts."""

    op: str
    lane: str
    guard: str
    line: int


def load(vendor: Vendor, schemas: Schemas) -> tuple[list[Gap], Source]:
    """The gaps of a vendor; problems are left in the source."""
    source = Source(vendor.folder / "gaps.yaml", vendor.root)
    if not source.path.exists():
        return [], source
    found: list[Gap] = []
    for entry in source.entries():
        source.unknown_keys(entry, KEYS)
        found += _gaps(entry, source, vendor, schemas)
    return found, source


def _gaps(entry: Entry, source: Source, vendor: Vendor, schemas: Schemas) -> list[Gap]:
    values = entry.values
    for key in ("ops", "lane", "family", "evidence", "command"):
        if not values.get(key):
            why = {
                "evidence": "a gap needs its evidence: the survey file or public report that shows it",
                "command": "a gap needs the command that measures it again",
            }.get(key, f"`{key}` is missing")
            source.complain(entry.at(key), why)
    lane = str(values.get("lane", ""))
    lanes = [known for known in vendor.lanes if known != "none"]
    if lane and lane not in lanes:
        source.complain(entry.at("lane"), f"`{lane}` is not a lane of {vendor.name}{did_you_mean(lane, lanes)}")
        return []
    ops = values.get("ops") or []
    guard = str(values.get("guard") or "")
    found = []
    for op in ops:
        if op not in schemas.functions:
            source.complain(entry.at("ops"), f"no op `{op}`{did_you_mean(str(op), schemas.functions)}")
            continue
        if guard and (wrong := wrong_guard(guard, schemas, op)):
            source.complain(entry.at("guard"), f"{wrong} ({schemas.functions[op].func})")
            continue
        found.append(Gap(op, lane, guard, entry.line))
    return found


def wrong_guard(guard: str, schemas: Schemas, op: str) -> str:
    """What is wrong with a guard of `op`, or ""."""
    names = {argument.name for argument in schemas.functions[op].func.arguments.flat_all}
    for condition in _COMMA.split(guard):
        match = _CONDITION.fullmatch(condition.strip())
        if match is None:
            return f"`{condition.strip()}` is not a condition: `field = value`, `field != {{a,b}}`, `field < number`"
        field = _FIELD.fullmatch(match["field"])
        if field is None:
            return f"unknown guard `{match['field']}`"
        if field["arg"] and field["arg"] != "out" and field["arg"] not in names:
            return f"`{op}` has no argument `{field['arg']}`{did_you_mean(field['arg'], names)}"
    return ""
