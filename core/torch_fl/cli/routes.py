"""``torch-fl routes``: which lane serves which op, and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from torch_fl.cli.output import console, fail, print_json, table, working

app = typer.Typer(help="Show, explain, check and compare routes.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _state(path: Path | None = None) -> Any:
    """The routes of this process, or of a file; a mistake in them ends the command."""
    from torch_fl import _native, _routes, discovery

    try:
        with working("loading the vendor"):
            native = _native.module()
            native.load()
            return _routes.current() if path is None else _routes.load(native, discovery.chosen(), path)
    except (ImportError, RuntimeError, ValueError) as error:
        fail(str(error))


@app.command()
def show(
    ops: Annotated[list[str] | None, typer.Argument(help="Only these ops; `*` matches any text.")] = None,
    lane: Annotated[str | None, typer.Option(help="Only lines to this lane.")] = None,
    as_json: Json = False,
) -> None:
    """The lines in force: op, guard, lane, and where each comes from."""
    from fnmatch import fnmatchcase

    from torch_fl import _conf
    from torch_fl._lanes import display, number_of
    from torch_fl.env import nearest

    state = _state()
    try:
        for op in ops or []:
            if not set("*?[") & set(op):
                if not state.world.is_op(op):
                    raise ValueError(_conf.unknown_op(op, state.world.op_names()))
            elif not any(fnmatchcase(name, op) for name in state.world.op_names()):
                near = nearest(op.translate(dict.fromkeys(map(ord, "*?[]"))), state.world.op_names())
                raise ValueError(f"{op!r} matches no op{near}")
        if lane is not None:
            _conf.require_lane(lane, state.world)
            lane = display(number_of(lane, state.vendor))
    except ValueError as error:
        fail(str(error), 2)
    rules = [
        rule
        for rule in state.effective()
        if (not ops or any(fnmatchcase(rule.op, pattern) for pattern in ops)) and lane in (None, rule.lane)
    ]
    if as_json:
        print_json({"files": state.conf.files, "rules": [_as_dict(rule) for rule in rules]})
        return
    for rule in rules:
        console.print(f"{rule.text:60}  {_short(rule.source)}", markup=False)
    if ops and not rules:
        fail("no line is for such an op; `torch-fl routes explain OP` says how it is served")
    counts = Counter(rule.lane for rule in rules)
    console.print(", ".join(f"{n} {name}" for name, n in counts.most_common()), style="bold")


@app.command()
def explain(
    op: Annotated[str, typer.Argument(help="The op's full name: add.Tensor, abs.")],
    dtype: Annotated[
        str, typer.Option(help="Of the tensor arguments, or one per tensor argument: float32,int64.")
    ] = "float32",
    shape: Annotated[
        list[str] | None,
        typer.Option(help="Of the tensor arguments: 2,3; again for each further tensor; '' is a 0-d tensor."),
    ] = None,
    arg: Annotated[
        list[str] | None, typer.Option(help="Another argument: dim=1, rounding_mode=floor. Python values.")
    ] = None,
    as_json: Json = False,
) -> None:
    """How one call would be served: the lane, by which line, and why not the others. Nothing runs on the device.

    For an op that PyTorch serves through other ops, those are shown.
    """
    from torch_fl import _native
    from torch_fl._explain import Explanation, explain_op
    from torch_fl._explain import explain as explain_function
    from torch_fl.cli import calls

    state = _state()
    try:
        args, kwargs = calls.build(op, dtype, shape or ["2,3"], arg or [])
    except (RuntimeError, ValueError) as error:
        fail(str(error), 2)
    try:
        with working(f"following {op} through PyTorch"):
            if state.reaches_device(op):
                result = Explanation([explain_op(_native.module(), op, args, kwargs)])
            else:
                result = explain_function(calls.function_of(op), *args, **kwargs)
    except Exception as error:  # of the op itself, which refuses the call as it would on a device
        why = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
        fail(
            f"{op}: {why}. {calls.describe(args, kwargs)}; "
            "to change that, give --dtype float32,int64 and --shape per tensor"
        )
    if as_json:
        print_json(result.to_json())
    else:
        console.print(str(result), markup=False)


@app.command()
def check(
    conf: Annotated[Path | None, typer.Argument(help="A conf; without one, the routes in force.", exists=True)] = None,
    as_json: Json = False,
) -> None:
    """Say what is wrong in a conf: names that do not exist, lines without effect. Exit status 1 where there is such."""
    from torch_fl import _native, _routes, discovery

    problems: list[str] = []
    off: list[str] = []
    idle: Counter[str] = Counter()
    lines = 0
    try:
        with working("loading the vendor"):
            native = _native.module()
            native.load()
        state, problems = _routes.read(native, discovery.chosen(), conf)
        lines = len(state.base) + len(problems)
        off = [f"{rule.source}: {rule.op}" for rule in state.conf.switched_off]
        idle = Counter(why for rule in state.base if (why := state.idle(rule)))
        problems += state.without_effect() + _shadowed(state.base)
    except (ImportError, RuntimeError) as error:
        fail(str(error))
    if as_json:
        print_json({"ok": not problems, "lines": lines, "problems": problems, "switched_off": off, "idle": dict(idle)})
    else:
        for problem in problems:
            console.print(problem, markup=False, style="red")
        if off:
            console.print(f"{len(off)} line(s) are for ops that this torch lacks, and switched off", style="yellow")
        for why, count in idle.items():
            console.print(f"{count} line(s) are {why}", markup=False)
        console.print(f"{lines} lines, {len(problems)} problem(s)")
    raise SystemExit(1 if problems else 0)


@app.command()
def diff(
    left: Annotated[Path, typer.Argument(help="A conf.", exists=True)],
    right: Annotated[
        Path | None, typer.Argument(help="Another conf; without one, the vendor's own.", exists=True)
    ] = None,
    as_json: Json = False,
) -> None:
    """The ops that two confs serve differently. Exit status 1 where there are such."""
    from torch_fl import discovery

    vendor = discovery.chosen().vendor
    old = _by_op(_state(left))
    new = _by_op(_state(right or (vendor.conf if vendor else None)))
    changes = {op: (old.get(op, []), new.get(op, [])) for op in sorted({*old, *new}) if old.get(op) != new.get(op)}
    if as_json:
        print_json({op: {"left": a, "right": b} for op, (a, b) in changes.items()})
    elif changes:
        shown = table(f"{len(changes)} ops differ", "op", str(left), str(right or "the vendor's own"))
        for op, (a, b) in changes.items():
            shown.add_row(op, "; ".join(a) or "-", "; ".join(b) or "-")
        console.print(shown)
    else:
        console.print("The two confs serve every op alike.")
    raise SystemExit(1 if changes else 0)


def _as_dict(rule: Any) -> dict[str, Any]:
    return {"op": rule.op, "guard": [c.text for c in rule.guard], "lane": rule.lane, "source": rule.source}


def _short(source: str) -> str:
    path, colon, line = source.rpartition(":")
    return f"{Path(path).name}:{line}" if colon and "/" in path else source


def _by_op(state: Any) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for rule in state.conf.rules:
        guard = f"[{', '.join(c.text for c in rule.guard)}] " if rule.guard else ""
        if not rule.guard:  # the last plain line wins; keep that one alone
            lines[rule.op] = [line for line in lines.get(rule.op, []) if line.startswith("[")]
        lines.setdefault(rule.op, []).append(guard + rule.lane)
    return lines


def _shadowed(rules: list[Any]) -> list[str]:
    last = {rule.op: rule for rule in rules if not rule.guard}
    return [
        f"{rule.source}: without effect, {_short(last[rule.op].source)} has the last word on {rule.op}"
        for rule in rules
        if not rule.guard and last[rule.op] is not rule
    ]
