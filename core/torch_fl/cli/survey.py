"""``torch-fl survey``: every op of a lane, called on the device and compared with the host."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from torch_fl.cli.output import console, errors, fail, require_seconds, require_writable, table, working
from torch_fl.cli.output import write as write_file

# Of the time, the writing of results takes at most one part in so many.
WRITING = 10
_COLOURS = {"STRICT": "green", "BASIC_ONLY": "yellow", "FAILED": "red", "UNTESTED": "magenta"}


def survey(
    lane: Annotated[str, typer.Option(help="The lane to measure.")] = "flaggems",
    ops: Annotated[str | None, typer.Option(help="Only these ops, with commas between: add.Tensor,mm")] = None,
    output: Annotated[Path | None, typer.Option("--json", help="Write the survey to this file as well.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the survey in the file of --json.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds: a case that takes as long hangs.")] = 120.0,
    budget: Annotated[
        float | None,
        typer.Option(help="Seconds after which an op begins no further case; those of --timeout if not told."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Ops measured side by side.", min=1)] = 1,
    gaps: Annotated[
        Path | None, typer.Option(help="Write entries for gaps.yaml to this file: the ops and dtypes that failed.")
    ] = None,
    every_wrong: Annotated[
        bool, typer.Option("--every-wrong", help="In --gaps, also what is wrong in other than its plain case.")
    ] = False,
    samples: Annotated[
        int, typer.Option(help="Calls for each op and dtype from PyTorch's OpInfos; 0 for the profiles alone.", min=0)
    ] = 8,
    device: Annotated[str, typer.Option(help="The device to measure.")] = "flagos:0",
    setup: Annotated[
        str, typer.Option(help="module:function, called in each process first: to register kernels, or to set flags.")
    ] = "",
) -> None:
    """Call every op of a lane on the device, a process for each, and compare it with the host.

    The file of --json is written as ops end. An interrupted survey goes on with --resume. Exit status 1 where an
    op failed, 130 after an interrupt.
    """
    from torch_fl.survey import record, run

    budget = timeout if budget is None else budget
    require_seconds(timeout=timeout, budget=budget)
    named = list(dict.fromkeys(op.strip() for op in ops.split(",") if op.strip())) if ops else None
    options = {"timeout": timeout, "budget": budget, "samples": samples, "ops": ",".join(named or [record.ALL])}
    if resume and output is None:
        fail("--resume goes on with a file: say --json FILE", 2)
    if output is not None and output.is_file() and not resume:
        fail(f"{output} is there: --resume goes on with it, or take another name", 2)
    require_writable(output, gaps)
    before = _before(output) if resume and output.exists() else None
    try:
        with working("loading the vendor"):
            from torch_fl.survey import measure

            measure.set_up(setup)
            document = record.head(lane, device, setup, options)
            chosen, document["beside"] = run.ops_of(lane, named)
            document["composed"] = run.composed(lane, chosen)
    except (ImportError, AttributeError, RuntimeError, ValueError) as error:
        fail(str(error), 2)
    if before is not None:
        if changed := record.changed(before, document):
            fail(f"{output} cannot go on, for this has changed: {'; '.join(changed)}. Take another name", 2)
        document = record.continued(before, document)
    code = _measure(document, chosen, output, jobs, {"seconds": timeout, "budget": budget, "samples": samples})
    _show(document, chosen)
    if gaps is not None:
        _write_gaps(gaps, document, output, every_wrong)
    if code:
        raise SystemExit(code)
    raise SystemExit(1 if any(document["ops"][op]["verdict"] == "FAILED" for op in chosen) else 0)


def _before(path: Path) -> dict[str, Any]:
    from torch_fl.survey import record

    try:
        return record.read(path)
    except (OSError, ValueError) as error:
        fail(str(error), 2)


def _measure(
    document: dict[str, Any],
    ops: dict[str, tuple[str, ...]],
    output: Path | None,
    jobs: int,
    limits: dict[str, Any],
) -> int:
    """Runs what is left; gives the exit status, 0 where all ran."""
    from torch_fl.survey import record, run

    written, took = 0.0, 0.0

    def write(finished: bool) -> None:
        nonlocal written, took
        document["finished"] = finished and record.complete(document)
        if output is None:
            return
        begun = time.monotonic()
        record.write(output, document)
        written = time.monotonic()
        took = written - begun

    left = [op for op in ops if op not in document["ops"]]
    counted = Counter(document["ops"][op]["verdict"] for op in ops if op in document["ops"])
    code = 0
    try:
        write(finished=False)
        with _progress() as bar:
            task = bar.add_task("", total=len(ops), completed=len(ops) - len(left), counts=_counts(counted), op="")

            def done(op: str, result: dict[str, Any]) -> None:
                # The whole file is written, and the processes wait meanwhile.
                if time.monotonic() - written >= WRITING * took:
                    write(finished=False)
                counted[result["verdict"]] += 1
                bar.update(task, advance=1, counts=_counts(counted))

            run.survey(
                document,
                ops,
                jobs=jobs,
                **limits,
                done=done,
                begun=lambda op: bar.update(task, op=op),
            )
        write(finished=True)
    except KeyboardInterrupt:
        write(finished=False)
        code = 130
        more = f"; go on with --resume --json {output}" if output else ""
        errors.print(f"torch-fl: interrupted{more}", style="yellow")
    except (OSError, RuntimeError) as error:
        with contextlib.suppress(OSError):
            write(finished=False)
        fail(str(error))
    return code


def _progress() -> Progress:
    return Progress(
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[counts]}"),
        TextColumn("{task.fields[op]}", style="dim"),
        console=errors,
    )


def _counts(counted: Counter[str]) -> str:
    return " ".join(
        f"[{colour}]{counted[name]} {name}[/{colour}]" for name, colour in _COLOURS.items() if counted[name]
    )


def _show(document: dict[str, Any], ops: dict[str, Any]) -> None:
    from torch_fl.survey import record, verdicts

    results = {op: document["ops"][op] for op in ops if op in document["ops"]}
    ordered = sorted(results, key=lambda op: (-verdicts.VERDICTS.index(results[op]["verdict"]), op))
    shown = table(f"Lane {document['lane']}", "op", "verdict", "dtypes", "why")
    for op in ordered:
        result = results[op]
        if result["verdict"] != "STRICT":
            worse = [f"{dtype} {v}" for dtype, v in result["dtypes"].items() if v not in ("STRICT", "UNTESTED")]
            shown.add_row(op, result["verdict"], ", ".join(worse), _escaped(result["why"]))
    if shown.row_count:
        console.print(shown)
    sums = record.totals(results)
    console.print(f"\n{len(results)} of {len(ops)} ops: " + ", ".join(f"{n} {v}" for v, n in sums.items()))
    for why, count in Counter(document["beside"].values()).most_common():
        console.print(f"{count} more that the lane's package has, and no device can be given: {why}", markup=False)
    for verdict, meaning in verdicts.MEANING.items():
        console.print(f"  {verdict}: {meaning}", style="dim")
    for note in sorted({note for r in results.values() for note in r["notes"] if "OpInfo" in note}):
        console.print(note, style="yellow", markup=False)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text if len(text) <= 200 else f"{text[:200]} ...")


def _write_gaps(path: Path, document: dict[str, Any], output: Path | None, every_wrong: bool) -> None:
    from torch_fl.survey import gaps

    named = output.name if output else time.strftime("a survey of %Y-%m-%d")
    write_file(path, gaps.entries(document, named, every_wrong))
    console.print(f"Entries for gaps.yaml are in {path}", markup=False)
