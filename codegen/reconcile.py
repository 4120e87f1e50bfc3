"""Routes and kernels agree: every route has a kernel behind it, every kernel a route, no line is inert."""

from __future__ import annotations

from codegen.evidence import Evidence
from codegen.flaggems import Recorded
from codegen.gaps import Gaps
from codegen.routes import Routes, coverage, shown_by
from codegen.rows import ASKED_OF_VENDORS, Rows
from codegen.schemas import Schemas
from codegen.source import Problem
from codegen.vendor import Vendor


def check(vendor: Vendor, schemas: Schemas, rows: Rows, gaps: Gaps, routes: Routes) -> list[Problem]:
    """What does not fit together, with the line that has to change."""
    problems: list[Problem] = []
    source = gaps.source
    for op, lane in routes.plain.items():
        if lane != "none" and op not in routes.kernels[lane]:
            problems.append(Problem(vendor.file(vendor.conf), 1, f"{op} = {lane} has no kernel behind it"))
    closed: dict[tuple[str, str], int] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for gap in gaps.found:
        key = (gap.op, gap.lane, gap.guard)
        if gap.op not in routes.kernels.get(gap.lane, frozenset()):
            text = f"inert gap: {gap.lane} has no kernel for {gap.op} ({schemas.functions[gap.op].func})"
            problems.append(Problem(source.file, gap.line, text))
        elif key in seen:
            problems.append(Problem(source.file, gap.line, f"{gap.op}: line {seen[key]} has this gap already"))
        elif gap.named and gap.guard and gap.lane not in routes.first.get(gap.op, ()):
            text = f"inert gap: {gap.op} goes to {routes.plain.get(gap.op)}, no call of it reaches {gap.lane}"
            problems.append(Problem(source.file, gap.line, text))
        seen.setdefault(key, gap.line)
        if not gap.guard:
            closed[gap.op, gap.lane] = gap.line
    for row in rows.rows:
        dead = [(op, line) for op in row.serves.values() if (line := closed.get((op, vendor.name)))]
        if len(dead) == len(row.serves) and dead:
            where = f"{source.file}:{dead[0][1]}"
            text = f"no call can reach this row: {where} closes it; drop the row or the gap: {row.schema}"
            problems.append(Problem(rows.ops.file, row.line, text))
    if rows.rows and vendor.name not in vendor.lanes:
        text = f"there are rows, but the lane `{vendor.name}` is not among the lanes of vendor.toml"
        problems.append(Problem(rows.ops.file, 1, text))
    return problems


def report(
    vendor: Vendor,
    schemas: Schemas,
    rows: Rows,
    gaps: Gaps,
    evidence: Evidence,
    recorded: Recorded | None,
    routes: Routes,
) -> str:
    """The arithmetic, for people."""
    served = routes.kernels.get(vendor.name, frozenset())
    behind = sum(1 for op in served if routes.plain.get(op) not in (vendor.name, None))
    asked = sum(1 for row in rows.rows for op in row.serves.values() if op in ASKED_OF_VENDORS)
    kinds = len({row.shape for row in rows.rows})
    lines = [
        f"{vendor.name}: {coverage(vendor, schemas, routes)}",
        f"{vendor.name}: {shown_by(routes, evidence)}",
        f"{vendor.name}: {len(rows.rows)} rows of {kinds} shapes serve {len(served) + asked} overloads = "
        f"{len(served) - behind} routed here + {behind} behind another lane"
        + (f" + {asked} that core asks for" if asked else ""),
    ]
    if recorded is not None:
        lines.append(f"{vendor.name}: {_flaggems(recorded, routes, gaps)}")
    return "\n".join(lines)


def _flaggems(recorded: Recorded, routes: Routes, gaps: Gaps) -> str:
    first = sum(1 for lane in routes.plain.values() if lane == "flaggems")
    closed = {gap.op for gap in gaps.found if gap.lane == "flaggems" and not gap.guard} & recorded.ops
    waiting = sum(1 for _, lane in gaps.waiting if lane == "flaggems")
    return (
        f"flag-gems {recorded.version} registers {recorded.size} names = {len(recorded.ops)} ops + "
        f"{len(recorded.composites)} composites of PyTorch (never routed) + {len(recorded.unknown)} that this torch "
        f"lacks + {len(recorded.elsewhere)} that core serves or no device has a kernel for; {len(recorded.ops)} ops = "
        f"{first} routed here + {len(closed)} closed by gaps + {len(recorded.ops) - first - len(closed)} behind "
        f"another lane; gaps of {waiting} ops wait for another version"
    )
