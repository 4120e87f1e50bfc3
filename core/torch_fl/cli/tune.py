"""``torch-fl tune``: routes for what a census has seen, by measurement."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from torch_fl.cli.ab import Device, Repeat, Runs, Setup, Timeout, Warmup, check_device, of_census
from torch_fl.cli.output import console, counting, fail, print_json, require_seconds, require_writable, working, write


def tune(
    census: Annotated[
        Path, typer.Argument(help="A census, as `torch-fl census --json` writes it.", show_default=False)
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the conf to this file; else it is printed.")
    ] = None,
    lanes: Annotated[str | None, typer.Option(help="Only these lanes, with commas between.")] = None,
    device: Device = "flagos:0",
    warmup: Warmup = 30,
    repeat: Repeat = 200,
    timeout: Timeout = 900.0,
    runs: Runs = 2,
    setup: Setup = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the measurements as JSON.")] = False,
) -> None:
    """Time the calls of a census on each lane that has a kernel, and write a conf with what is faster.

    The conf includes the one in force, and can be given as FLAGOS_BACKEND_CONFIG. Each of its lines has its measurement
    as a comment. A lane whose result is wrong is never chosen, ops that have guarded lines stay as they are, and a
    difference inside the spread gives no line.
    """
    from torch_fl.timing import conf, pairs

    require_seconds(timeout=timeout)
    require_writable(output)
    options = pairs.Options(device, warmup, repeat, timeout, runs, setup)
    try:
        with working("reading the census"):
            from torch_fl.survey import measure

            measure.set_up(setup)
            specs, left = of_census(census)
            plan, more = _plan(specs, lanes)
    except (ImportError, AttributeError, OSError, RuntimeError, ValueError) as error:
        fail(str(error), 2)
    check_device(device)
    left = [*left, *more]
    with counting(sum(len(of) for _, _, of in plan) * runs) as step:
        measured = [(routed, pairs.compare(spec, of, options, step)) for spec, routed, of in plan]
    left += [f"{r.spec.name}: {error}" for _, r in measured for error in r.errors]
    found = conf.lines(measured)
    text = conf.written(found, _base(), _about(device), left)
    if output is not None:
        write(output, text)
    if as_json:
        print_json(
            {
                "lines": [{**vars(line), "text": line.text} for line in found],
                "left": left,
                "saved": conf.saved(measured, found),
                "measured": [{"routed": routed, **result.to_json(routed)} for routed, result in measured],
            }
        )
    elif output is None:
        console.print(text, markup=False, end="")
    else:
        for line in found:
            console.print(f"{line.text}    {line.ratio:.3f} of {line.routed}", markup=False)
        console.print(
            f"{len(found)} lines in {output}; of the measured time they save {conf.saved(measured, found):.1%}",
            markup=False,
        )


def _plan(specs: list[Any], wanted: str | None) -> tuple[list[tuple[Any, str, list[str]]], list[str]]:
    """Per call: the lane that serves it now, and the lanes to time; and what is left out, with the reason."""
    import torch_fl
    from torch_fl import _ops, _routes
    from torch_fl.survey.cases import function_of
    from torch_fl.survey.moving import move
    from torch_fl.timing.specs import built

    kernels = {op.name: op.lanes for op in _ops.ops()}
    guarded = {rule.op for rule in _routes.current().effective() if rule.guard}
    chosen = [lane.strip() for lane in wanted.split(",") if lane.strip()] if wanted else None
    known = {lane for lanes in kernels.values() for lane in lanes}
    for lane in chosen or ():
        if lane not in known:
            raise ValueError(f"there is no lane {lane!r} (there are {', '.join(sorted(known))})")
    plan, left = [], []
    for spec in specs:
        if spec.op in guarded:
            left.append(f"{spec.name}: the routes have guarded lines for {spec.op}")
            continue
        args, kwargs = move(built(spec), "meta")
        steps = torch_fl.explain(function_of(spec.op), *args, **kwargs).steps
        routed = next((step.lane for step in steps if step.op == spec.op), "")
        lanes = [
            lane for lane in kernels[spec.op] if lane == routed or lane in (chosen or set(kernels[spec.op]) - {"none"})
        ]
        if len(lanes) < 2 or routed not in lanes:
            left.append(f"{spec.name}: {', '.join(lanes) or 'no lane'} is all that serves it")
            continue
        plan.append((spec, routed, lanes))
    return plan, left


def _base() -> Path | None:
    from torch_fl import _routes

    return next((Path(file).absolute() for file in _routes.current().conf.files), None)


def _about(device: str) -> str:
    import torch

    from torch_fl import _native
    from torch_fl.survey import record

    versions = record.versions(_native.module().vendor_info())
    kept = ("torch", "torch-fl-core", "vendor", "flag-gems", "triton", "flagtree", "tileops")
    model = torch.flagos.get_device_properties(torch.device(device).index or 0).name
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"{today}, {model}, " + ", ".join(f"{name} {versions[name]}" for name in kept if name in versions)
