"""evidence.yaml: what shows that an accelerated route is right, and where that was seen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from codegen.gaps import MEASURED
from codegen.schemas import Schemas
from codegen.source import Entry, Source, did_you_mean
from codegen.vendor import Vendor

KEYS = ("ops", "lane", "seen", "evidence", "command")
# Best first. reference: somebody else measured it on the device and published that.
PLACES = {
    "device": "measured on a device",
    "stand-in": "on a stand-in",
    "reference": "by the reference only",
    "": "unverified",
}


@dataclass
class Evidence:
    """seen: (op, lane) -> the best place, a key of PLACES. measured: what surveys were made with, "flag-gems 5.0.2"."""

    source: Source
    measured: set[str] = field(default_factory=set)
    seen: dict[tuple[str, str], str] = field(default_factory=dict)

    def counts(self, plain: dict[str, str]) -> dict[str, int]:
        """Place -> how many of the routes (op -> lane) that are not to the CPU rest on it."""
        counted = dict.fromkeys(PLACES, 0)
        for op, lane in plain.items():
            if lane != "none":
                counted[self.seen.get((op, lane), "")] += 1
        return counted


def load(vendor: Vendor, schemas: Schemas, kernels: dict[str, frozenset[str]]) -> Evidence:
    """The evidence of a vendor; problems are left in the source. `ops` may be patterns: `*`, `_foreach_*`; `but` names
    those of them that were not run."""
    found = Evidence(Source(vendor.folder / "evidence.yaml", vendor.root))
    if not found.source.path.exists():
        return found
    for entry in found.source.entries():
        found.source.unknown_keys(entry, (*KEYS, "but", "measured"))
        for key in KEYS:
            if not entry.values.get(key):
                found.source.complain(entry.at(key), f"`{key}` is missing")
        if measured := str(entry.values.get("measured") or ""):
            if not re.fullmatch(MEASURED, measured):
                found.source.complain(entry.at("measured"), f"`measured: {measured}` is no `flag-gems VERSION`")
            found.measured.add(measured)
        place, lane = str(entry.values.get("seen", "")), str(entry.values.get("lane", ""))
        if place and place not in PLACES:
            known = [place for place in PLACES if place]
            found.source.complain(entry.at("seen"), f"`{place}` is none of {', '.join(known)}")
        elif lane and lane not in vendor.lanes:
            text = f"`{lane}` is not a lane of {vendor.name}{did_you_mean(lane, vendor.lanes)}"
            found.source.complain(entry.at("lane"), text)
        elif place and lane:
            known = kernels.get(lane, frozenset())
            but = set(_matched(entry, "but", found.source, schemas, known))
            for op in set(_matched(entry, "ops", found.source, schemas, known)) - but:
                before = found.seen.get((op, lane), "")
                found.seen[op, lane] = min(place, before, key=list(PLACES).index)
    return found


def _matched(entry: Entry, key: str, source: Source, schemas: Schemas, ops: frozenset[str]) -> Iterable[str]:
    for pattern in source.names(entry, key):
        hits = [op for op in ops if fnmatchcase(op, pattern)] if "*" in pattern else {pattern} & ops
        if not hits:
            near = "" if pattern in schemas.functions else did_you_mean(pattern, schemas.functions)
            source.complain(entry.at(key), f"the lane has no kernel for `{pattern}`{near}")
        yield from hits
