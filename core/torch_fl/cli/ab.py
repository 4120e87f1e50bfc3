"""``torch-fl ab``: the same call on two lanes, and the ratio of their times."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from torch_fl.cli.output import console, counting, errors, fail, print_json, require_seconds, table, working

FORMAT = 1
ISSUE = "issue-252"

Device = Annotated[str, typer.Option(help="The device.")]
Warmup = Annotated[int, typer.Option(help="Calls before the clock starts.", min=1)]
Repeat = Annotated[int, typer.Option(help="Calls that are timed, in ten synchronised batches.", min=1)]
Timeout = Annotated[float, typer.Option(help="Seconds after which a process is ended.")]
Runs = Annotated[int, typer.Option(help="Processes for each call and lane.", min=1)]
Setup = Annotated[str, typer.Option(help="module:function, called in each process first.")]


def ab(
    ops: Annotated[str | None, typer.Option(help="A plain call of each of these ops: add.Tensor,mm")] = None,
    cases: Annotated[
        str | None, typer.Option(help=f"A YAML file of cases, or {ISSUE} (the default where nothing else is given).")
    ] = None,
    census: Annotated[Path | None, typer.Option(help="The calls of this census.")] = None,
    lanes: Annotated[
        str | None, typer.Option(help="Two lanes; `routed` is what the routes say, `cuda` PyTorch's own device.")
    ] = None,
    device: Device = "flagos:0",
    warmup: Warmup = 30,
    repeat: Repeat = 200,
    timeout: Timeout = 900.0,
    runs: Runs = 2,
    fail_above: Annotated[float, typer.Option(help="Exit status 1 where a ratio is above this.")] = 2.0,
    setup: Setup = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Time the same call on two lanes, each in a process of its own, and say the ratio.

    Arguments are made on the host from a fixed seed. The lane that served is confirmed by a census: a call that another
    lane served, or whose result is wrong, is an error and no number. Exit status 1 where the first lane takes more than
    --fail-above times as long as the second one, or where there is an error.
    """
    from torch_fl.timing import pairs

    require_seconds(timeout=timeout)
    if not 0 < fail_above < math.inf:
        fail(f"--fail-above is a ratio above 0, such as 2, not {fail_above}", 2)
    specs, skipped = _specs(ops, cases, census)
    first, second = two = _lanes(lanes)
    check_device(device)
    options = pairs.Options(device, warmup, repeat, timeout, runs, setup)
    with counting(len(specs) * len(two) * runs) as step:
        results = [pairs.compare(spec, two, options, step) for spec in specs]
    if as_json:
        print_json(_document(results, two, options, skipped))
    else:
        _show(results, first, second, skipped)
    slow = [r for r in results if not r.errors and r.ratio(first, second) > fail_above]
    for result in slow:
        errors.print(
            f"torch-fl: {result.spec.name}: {result.ratio(first, second):.2f}x is above {fail_above:g}x",
            style="red",
            markup=False,
        )
    raise SystemExit(1 if slow or any(r.errors for r in results) else 0)


def check_device(device: str) -> None:
    """Ends the command where there is no such device."""
    import torch

    try:
        with working("loading the vendor"):
            if torch.device(device).type != "flagos":
                fail(f"--device is one of flagos, such as flagos:0, not {device}", 2)
            torch.flagos.get_device_properties(device)
    except (AssertionError, RuntimeError, ValueError) as error:
        fail(str(error), 2)


def _specs(ops: str | None, cases: str | None, census: Path | None) -> tuple[list[Any], list[str]]:
    from torch_fl.timing import specs

    found, skipped = [], []
    try:
        with working("making the arguments"):
            if ops:
                found += [specs.of_op(op.strip()) for op in ops.split(",") if op.strip()]
            if cases and cases != ISSUE:
                found += specs.from_file(Path(cases))
            if cases == ISSUE or not (ops or cases or census):
                found += specs.issue_252()
            if census:
                more, skipped = of_census(census)
                found += more
    except (OSError, ValueError) as error:
        fail(str(error), 2)
    if not found:
        fail("there is no call to time" + "".join(f"\n  {why}" for why in skipped), 2)
    return found, skipped


def of_census(path: Path) -> tuple[list[Any], list[str]]:
    """The calls of a census that can be made again, and why others cannot; one that is in several rows is there once.

    Raises:
        OSError, ValueError: the file cannot be read.
    """
    from torch_fl import _census, _ops, _packages
    from torch_fl.timing import specs

    _, rows = _census.read_document(path)
    primitive = {op.name: op.primitive for op in _ops.ops()}
    found: dict[str, Any] = {}
    skipped = []
    for row in rows:
        if primitive.get(row.op, True):
            # A library that was imported where the census was taken may be missing here.
            why = _packages.CORE if row.op in primitive else "there is no such op on the device here"
            skipped.append(f"{row.op}: {why}")
            continue
        try:
            spec = specs.from_row(row)
        except ValueError as error:
            skipped.append(str(error))
            continue
        before = found.get(spec.name)
        found[spec.name] = (
            spec if before is None else specs.Spec(**{**spec.to_json(), "calls": spec.calls + before.calls})
        )
    return list(found.values()), list(dict.fromkeys(skipped))


def _lanes(wanted: str | None) -> list[str]:
    from torch_fl import _lanes as known
    from torch_fl import _native
    from torch_fl.env import nearest
    from torch_fl.timing.child import ROUTED

    try:
        with working("loading the vendor"):
            native = _native.module()
            native.load()
    except (ImportError, RuntimeError) as error:
        fail(str(error), 2)
    key = native.shared_key()
    have = [ROUTED, *known.lane_names(), *([key.lower()] if key else [])]
    if "tileops" not in have:
        have.append("tileops")
    if wanted is None:
        if "boxing" not in have:
            fail(f"this vendor has no boxing lane: say --lanes A,B (there are {', '.join(have)})", 2)
        return [ROUTED, "boxing"]
    chosen = [lane.strip() for lane in wanted.split(",") if lane.strip()]
    for lane in chosen:
        if lane not in have:
            fail(f"there is no lane {lane!r}{nearest(lane, have)} (there are {', '.join(have)})", 2)
    if len(set(chosen)) != 2:
        fail("--lanes takes two lanes: --lanes flaggems,boxing", 2)
    return chosen


def _document(results: list[Any], lanes: list[str], options: Any, skipped: list[str]) -> dict[str, Any]:
    from dataclasses import asdict

    from torch_fl import _native
    from torch_fl.survey import record

    return {
        "format": FORMAT,
        "kind": "ab",
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": record.versions(_native.module().vendor_info()),
        "options": asdict(options),
        "lanes": lanes,
        "skipped": skipped,
        "cases": [result.to_json(lanes[1]) for result in results],
    }


def _show(results: list[Any], first: str, second: str, skipped: list[str]) -> None:
    names = [f"{lane} us/call" for lane in (first, second)]
    shown = table("Medians of each run", "case", *names, "ratio", "by run", "spread", right=(*names, "ratio", "spread"))
    for result in results:
        if result.errors:
            continue
        times = [result.lanes[lane] for lane in (first, second)]
        readings = [" / ".join(f"{us:.2f}" for us in t.runs) for t in times]
        served = f" ({times[0].served})" if first == "routed" else ""
        by_run = " / ".join(f"{ratio:.2f}x" for ratio in result.ratios(first, second))
        shown.add_row(
            result.spec.name,
            readings[0] + served,
            readings[1],
            f"{result.ratio(first, second):.2f}x",
            by_run,
            f"{result.spread(first, second):.0%}",
        )
    console.print(shown)
    for result in results:
        if result.spec.guessed:
            console.print(f"{result.spec.name}: taken as {result.spec.guessed}", style="dim", markup=False)
        for error in result.errors:
            console.print(f"{result.spec.name}: {error}", style="red", markup=False)
    for why in skipped:
        console.print(f"left out: {why}", style="yellow", markup=False)
