"""The table of routes in a vendor's README, between two marks: numbers in prose would rot."""

from __future__ import annotations

from codegen.evidence import PLACES, Evidence
from codegen.routes import Routes
from codegen.schemas import Schemas
from codegen.vendor import Vendor

BEGIN = "<!-- routes: written by python -m codegen -->\n"
END = "<!-- end of routes -->"


def updated(text: str, table: str) -> str:
    """The README with the table between its marks; as it is where it has none."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}{table}{end}{after}" if begin and end else text


def table(vendor: Vendor, schemas: Schemas, routes: Routes, evidence: Evidence) -> str:
    """Lane, overloads, share and how they were verified, beside what vendor.toml's [reference] says."""
    counts = {lane: sum(1 for chosen in routes.plain.values() if chosen == lane) for lane in vendor.lanes}
    total = sum(counts.values()) + len(routes.composites)
    then = vendor.reference
    rows = [(f"`{lane}`", n, _verified(lane, routes, evidence), then.get(lane)) for lane, n in counts.items() if n]
    accelerated = total - counts["none"] - len(routes.composites)
    rows += [
        ("composites", len(routes.composites), "no route: PyTorch serves them by other ops", None),
        ("accelerated", accelerated, "", sum(then.get(lane, 0) for lane in vendor.lanes if lane != "none") or None),
        (f"torch {schemas.version}", total, "", then.get("total")),
    ]
    head = ["lane", "overloads", "share", "verified", *([then["title"]] if then else [])]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for name, n, how, before in rows:
        cells = [name, str(n), f"{100 * n / total:.1f}%", how]
        if then:
            cells.append("" if before is None else f"{before} ({100 * before / then['total']:.1f}%)")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _verified(lane: str, routes: Routes, evidence: Evidence) -> str:
    if lane == "none":
        return "the CPU"
    counted = evidence.counts({op: chosen for op, chosen in routes.plain.items() if chosen == lane})
    return ", ".join(f"{n} {PLACES[place]}" for place, n in counted.items() if n)
