"""Routes and kernels agree: every route has a kernel behind it, every kernel a route, no line is inert."""

from __future__ import annotations

from codegen.gaps import Gap
from codegen.routes import Routes, coverage
from codegen.rows import Rows
from codegen.schemas import Schemas
from codegen.source import Problem, Source
from codegen.vendor import Vendor


def check(
    vendor: Vendor, schemas: Schemas, rows: Rows, gaps: list[Gap], source: Source, routes: Routes
) -> list[Problem]:
    """What does not fit together, with the line that has to change."""
    problems: list[Problem] = []
    for op, lane in routes.plain.items():
        if lane != "none" and op not in routes.kernels[lane]:
            problems.append(Problem(vendor.file(vendor.conf), 1, f"{op} = {lane} has no kernel behind it"))
    closed: dict[tuple[str, str], int] = {}
    for gap in gaps:
        if gap.op not in routes.kernels.get(gap.lane, frozenset()):
            text = f"inert gap: {gap.lane} has no kernel for {gap.op} ({schemas.functions[gap.op].func})"
            problems.append(Problem(source.file, gap.line, text))
        elif gap.guard and routes.plain.get(gap.op) != gap.lane:
            text = f"inert gap: {gap.op} goes to {routes.plain.get(gap.op)}, no call of it reaches {gap.lane}"
            problems.append(Problem(source.file, gap.line, text))
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


def report(vendor: Vendor, schemas: Schemas, rows: Rows, routes: Routes) -> str:
    """The arithmetic, for people."""
    served = routes.kernels.get(vendor.name, frozenset())
    behind = sum(1 for op in served if routes.plain.get(op) not in (vendor.name, None))
    kinds = len({row.shape for row in rows.rows})
    return (
        f"{vendor.name}: {coverage(vendor, schemas, routes)}; {len(rows.rows)} rows of {kinds} shapes serve "
        f"{len(served)} overloads, {behind} of them behind another lane"
    )
