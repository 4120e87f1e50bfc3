"""gaps.yaml: measured reasons that a lane may not serve an op, or a part of its calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from codegen import guards
from codegen.schemas import Schemas
from codegen.source import Entry, Source, did_you_mean
from codegen.vendor import Vendor

KEYS = ("ops", "lane", "guard", "family", "measured", "evidence", "command")
EVERY = "*"
# The library of the one lane that has a version pinned, and a version of it.
MEASURED = r"flag-gems \d+(\.\d+)*([.+-]?\w+)*"


@dataclass(frozen=True)
class Gap:
    """`lane` may not serve `op`; with a guard, only the calls that the guard accepts.

    named: not one of `*`. elsewhere: measured with another version of the lane's library than the pinned one.
    """

    op: str
    lane: str
    guard: str
    line: int
    named: bool = True
    elsewhere: bool = False


@dataclass
class Gaps:
    """waiting: (op, lane) of gaps that say nothing yet: they were measured with another version of the lane's library,
    and the pinned one lacks the op or has it closed altogether."""

    source: Source
    found: list[Gap] = field(default_factory=list)
    waiting: set[tuple[str, str]] = field(default_factory=set)


def load(vendor: Vendor, schemas: Schemas, kernels: dict[str, frozenset[str]]) -> Gaps:
    """The gaps of a vendor; problems are left in the source.

    Args:
        kernels: lane -> the ops that it has a kernel for.
    """
    gaps = Gaps(Source(vendor.folder / "gaps.yaml", vendor.root))
    if not gaps.source.path.exists():
        return gaps
    entries = gaps.source.entries()
    ops: list[list[str]] = []
    named: dict[tuple[str, str], set[str]] = {}
    for entry in entries:
        gaps.source.unknown_keys(entry, KEYS)
        key = (str(entry.values.get("lane", "")), str(entry.values.get("family", "")))
        ops.append(gaps.source.names(entry, "ops"))
        named.setdefault(key, set()).update(ops[-1])
    for entry, names in zip(entries, ops, strict=True):
        _read(entry, names, gaps, vendor, schemas, kernels, named)
    # A guard on a closed op would be inert: `*` leaves such ops out.
    closed = {(gap.op, gap.lane) for gap in gaps.found if gap.named and not gap.guard}
    spare = {
        gap for gap in gaps.found if gap.guard and (gap.op, gap.lane) in closed and (gap.elsewhere or not gap.named)
    }
    gaps.waiting |= {(gap.op, gap.lane) for gap in spare if gap.named}
    gaps.found = [gap for gap in gaps.found if gap not in spare]
    return gaps


def _read(
    entry: Entry,
    ops: list[str],
    gaps: Gaps,
    vendor: Vendor,
    schemas: Schemas,
    kernels: dict[str, frozenset[str]],
    named: dict[tuple[str, str], set[str]],
) -> None:
    source, values = gaps.source, entry.values
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
        return
    every = ops == [EVERY]
    if every:
        ops = sorted(kernels.get(lane, frozenset()) - named[lane, str(values.get("family", ""))])
    guard = str(values.get("guard") or "")
    other = _elsewhere(entry, lane, source, vendor)
    for op in ops:
        if op not in schemas.functions:
            source.complain(entry.at("ops"), f"no op `{op}`{did_you_mean(op, schemas.functions)}")
        elif guard and (wrong := guards.wrong(guard, schemas, op)):
            source.complain(entry.at("guard"), f"{wrong} ({schemas.functions[op].func})")
        elif other and op not in kernels.get(lane, frozenset()):
            gaps.waiting.add((op, lane))
        else:
            gaps.found.append(Gap(op, lane, guard, entry.line, not every, other))


def _elsewhere(entry: Entry, lane: str, source: Source, vendor: Vendor) -> bool:
    """Whether a gap was measured with another version of the lane's library than the pinned one."""
    measured = entry.values.get("measured")
    if measured is None:
        return False
    if lane != "flaggems":
        source.complain(entry.at("measured"), "`measured` is for the lane flaggems, whose library is pinned; drop it")
        return False
    if not re.fullmatch(MEASURED, str(measured)):
        what = f"`measured: {measured}` is no `flag-gems VERSION` (the pinned one is flag-gems {vendor.flaggems})"
        source.complain(entry.at("measured"), what)
    return str(measured) != f"flag-gems {vendor.flaggems}"
