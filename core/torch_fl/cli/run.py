"""``torch-fl run`` and ``torch-fl census``: the user's own script, in a child process."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer

from torch_fl.cli import child
from torch_fl.cli.output import console, errors, fail, table

# Words after the script's name are the script's own.
PASS_ON = {"allow_interspersed_args": False}
Script = Annotated[Path, typer.Argument(help="The script.", show_default=False)]
Args = Annotated[list[str] | None, typer.Argument(help="Its arguments.", show_default=False)]


def run(
    script: Script,
    args: Args = None,
    default_device: Annotated[
        bool, typer.Option(help="Make flagos PyTorch's default device, as torch.set_default_device does.")
    ] = True,
) -> None:
    """Run a script with flagos as PyTorch's default device, then say which lanes served it.

    The script runs as `python script.py ARGS` would, with torch_fl imported and the default device set before: tensors
    and modules that are made without a device are made on flagos. A script that names "cuda" or "cpu" keeps doing so.
    The exit status is the script's.
    """
    from torch_fl import _census

    code, path = _child(script, args or [], default_device)
    if path is not None:
        document, rows = _census.read_document(path)
        path.unlink()
        _print_lanes(document, rows)
    if code and default_device:
        errors.print(
            "torch-fl: flagos was the script's default device (tensors without a device, also those of samplers and "
            "generators, are made there); --no-default-device runs the script as it is",
            style="yellow",
        )
    raise SystemExit(code)


def census(
    script: Script,
    args: Args = None,
    output: Annotated[Path | None, typer.Option("--json", help="Write the census to this file as well.")] = None,
    limit: Annotated[int, typer.Option(help="Rows per table.", min=1)] = 25,
) -> None:
    """Run a script as it is, count what ran where, and say what to accelerate next.

    The file of --json is rewritten each second, so that a script that is killed leaves what it had counted
    (`finished` is false then). The exit status is the script's.
    """
    from torch_fl import _census

    code, path = _child(script, args or [], default_device=None, output=output)
    if path is None:
        fail("the script ended before torch_fl was imported in it; nothing was counted", code or 1)
    document, rows = _census.read_document(path)
    if output is None:
        path.unlink()
    _print_census(document, rows, limit)
    raise SystemExit(code)


def _child(
    script: Path, args: list[str], default_device: bool | None, output: Path | None = None
) -> tuple[int, Path | None]:
    """Runs the script; gives its exit status and the census' file, or None where nothing was written."""
    from torch_fl._census import temporary_of

    if not script.is_file():
        fail(f"there is no script {script}", 2)
    path = output or Path(tempfile.mkstemp(prefix="torch-fl-census-", suffix=".json")[1])
    if not path.parent.is_dir():
        fail(f"cannot write {path}: there is no folder {path.parent}", 2)
    if path.exists() and not path.is_file():
        fail(f"cannot write {path}: it is {'a folder' if path.is_dir() else 'no regular file'}", 2)
    try:
        path.unlink(missing_ok=True)
        path.touch()
        path.unlink()
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}", 2)
    command = [sys.executable, "-m", "torch_fl._script"]
    if default_device:
        command.append("--default-device")
    try:
        code, pid = child.run([*command, str(script), *args], {**os.environ, "FLAGOS_CENSUS": str(path)})
    except OSError as error:
        fail(f"cannot run {script}: {error}", 2)
    temporary_of(path, pid).unlink(missing_ok=True)  # of a script that was killed while it wrote
    if code < 0:
        errors.print(f"torch-fl: the script was ended by signal {-code}", style="red")
        code = 128 - code
    return code, path if path.is_file() else None


_CUT_SHORT = "The script did not end by itself: its last second is not counted, and this is what was until then."


def _print_lanes(document: dict[str, Any], rows: list[Any]) -> None:
    from torch_fl._census import by_lane

    lanes = by_lane(rows)
    if not document["finished"]:
        errors.print(f"torch-fl: {_CUT_SHORT}", style="yellow")
    elif not lanes:
        errors.print("torch-fl: no op ran on flagos", style="yellow")
    if not lanes:
        return
    errors.print()
    shown = table("What ran on flagos", "lane", "calls", "ms", "MiB", right=("calls", "ms", "MiB"))
    for lane, total in lanes.items():
        shown.add_row(lane, str(total.calls), _ms(total.nanoseconds), _mib(total.bytes))
    errors.print(shown)


def _print_census(document: dict[str, Any], rows: list[Any], limit: int) -> None:
    from torch_fl._census import by_lane

    console.print()
    if not document["finished"]:
        console.print(_CUT_SHORT, style="yellow")
    lanes = table("Lanes", "lane", "calls", "ms", "MiB", right=("calls", "ms", "MiB"))
    for lane, total in by_lane(rows).items():
        lanes.add_row(lane, str(total.calls), _ms(total.nanoseconds), _mib(total.bytes))
    console.print(lanes)
    ops = table(
        "\nOps, most host time first", "op", "lane", "dtypes", "calls", "ms", "MiB", right=("calls", "ms", "MiB")
    )
    for row in sorted(rows, key=lambda r: -r.nanoseconds)[:limit]:
        ops.add_row(row.op, row.lane, row.dtypes, str(row.calls), _ms(row.nanoseconds), _mib(row.bytes))
    console.print(ops)
    slow = _fallbacks(rows)
    if not slow:
        if document["finished"]:
            console.print("\nNothing fell back to the CPU.", style="green")
        return
    columns = ("op", "calls", "ms", "MiB", "reason")
    for title, order in (("by time", lambda t: -t[1]), ("by bytes", lambda t: -t[2])):
        next_ops = table(f"\nWhat to accelerate next, {title}", *columns, right=("calls", "ms", "MiB"))
        for op, (calls, ns, size, reason) in sorted(slow.items(), key=lambda item: order(item[1]))[:10]:
            next_ops.add_row(op, str(calls), _ms(ns), _mib(size), reason)
        console.print(next_ops)


def _fallbacks(rows: list[Any]) -> dict[str, tuple[int, int, int, str]]:
    """op -> calls, nanoseconds, bytes and a reason, of what the CPU served."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        if row.lane == "none":
            groups[row.op].append(row)
    return {
        op: (
            sum(r.calls for r in group),
            sum(r.nanoseconds for r in group),
            sum(r.bytes for r in group),
            max(group, key=lambda r: r.nanoseconds).reason,
        )
        for op, group in groups.items()
    }


def _ms(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:.2f}"


def _mib(size: int) -> str:
    return f"{size / 2**20:.2f}"
