"""What the benchmarks share: interleaved timing, forced lanes, and one form of result.

A speed is always a ratio of two things that ran alternately in one process, so that a noisy or throttled machine
slows both. The value is the median of the rounds' ratios.
"""

import argparse
import contextlib
import datetime
import gc
import importlib.metadata
import itertools
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

# Where output goes to a file or a log, the width of a terminal is a guess; lines that wrap are hard to read there.
console = Console() if sys.stdout.isatty() else Console(width=140)
notes = Console(stderr=True)


@dataclass
class Result:
    """One measured value. `unit` is "x" for a ratio, else ns, us, ms, s or MB; `bar` is the most that it may be."""

    name: str
    value: float
    unit: str
    bar: float | None = None
    detail: str = ""

    @property
    def holds(self) -> bool:
        return self.bar is None or self.value <= self.bar


def number(value: float, unit: str) -> str:
    """Returns a value as people read it: "0.93x", "3.1 us"."""
    return f"{value:.2f}x" if unit == "x" else f"{value:.3g} {unit}"


def output(text: str) -> Path:
    """Returns a path of the command line that can be written, which is tried: measuring takes minutes."""
    path = Path(text)
    try:
        there = path.exists()
        with path.open("ab"):
            pass
        if not there:
            path.unlink()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot write {path}: {error.strerror}") from error
    return path


def count(text: str) -> int:
    """Returns a number of the command line that is 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 on is expected, not {text!r}")
    return int(text)


def parser(description: str | None, rounds: int | None, device: bool = True) -> argparse.ArgumentParser:
    """Returns the parser that all benchmarks start from. `rounds` is the default of --rounds, None: it depends."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", type=output, metavar="FILE", help="also write the results to FILE")
    made.add_argument(
        "--rounds", type=count, default=rounds, help=f"rounds that are timed (default: {rounds or 'each its own'})"
    )
    if device:
        made.add_argument(
            "--device",
            default="flagos:0",
            help="what is compared with the CPU (default: flagos:0); cpu shows the noise of this machine",
        )
    return made


def open_device(name: str):
    """Returns the torch.device `name`, ready for use, with PyTorch on one thread: the bars are about one. Ends the
    process where there is no such device."""
    import torch

    torch.set_num_threads(1)
    if not name.startswith("cpu"):
        import torch_fl  # noqa: F401  makes the device known

    try:
        device = torch.device(name)
        torch.ones(1, device=device)
    except (AssertionError, RuntimeError) as error:
        sys.stderr.write(f"{Path(sys.argv[0]).name}: --device {name}: {str(error).splitlines()[0]}\n")
        raise SystemExit(2) from None
    return device


def synchronize(device) -> None:
    import torch

    if device.type != "cpu":
        getattr(torch, device.type).synchronize(device)


def vendor_lane() -> str:
    """Returns the name of the vendor in use, which is also the name of its own lane."""
    import torch_fl

    return torch_fl.vendor_name()


# A number of elements that no tensor has, one lower each time: see `forced`.
_nobody = itertools.count(2**62, -1)


def forced(device, lane: str, ops: Iterable[str] | None = None, new: bool = False):
    """Returns a context in which `ops` (default: all that the lane has) are served by `lane`.

    Plans outlive a change of routes: the same routes find them again. With `new`, each op gets a guarded line that no
    call meets, other than any before, so that the routes are new and every call makes its plan.
    """
    if device.type == "cpu":
        return contextlib.nullcontext()
    import torch_fl

    if ops is None:
        ops = [op.name for op in torch_fl.ops() if lane in op.lanes and not op.primitive]
    changes = dict.fromkeys(ops, lane)
    if new:
        guard = f"[numel={next(_nobody)}]"
        changes |= {f"{op} {guard}": lane for op in ops}
    return torch_fl.routes(changes)


def rounds(count: int, what: str) -> Iterator[int]:
    """Yields 0, for a round that warms up, to `count`, with a progress bar and without collections of garbage."""
    gc.collect()
    gc.disable()
    try:
        yield from track(range(count + 1), description=what, console=notes, transient=True)
    finally:
        gc.enable()


def interleave(count: int, contenders: dict[str, Callable[[], float]], what: str) -> dict[str, list[float]]:
    """Lets each contender time itself once per round, in an order that turns from round to round.

    A contender returns what it measured, in any unit. The first round warms up and is dropped. Returns the
    measurements of each contender, one per round.
    """
    names = list(contenders)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for turn in rounds(count, what):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            measured = contenders[name]()
            if turn:
                samples[name].append(measured)
    return samples


def ratio(samples: dict[str, list[float]], of: str, to: str) -> float:
    """Returns the median over the rounds of `of` divided by `to`."""
    return statistics.median(a / b for a, b in zip(samples[of], samples[to], strict=True))


def clock(call: Callable[[], object]) -> float:
    """Returns the nanoseconds that `call` takes."""
    start = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - start


def version_of(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def processor() -> str:
    """Returns the processor's model, as far as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def environment() -> dict[str, object]:
    """Returns what a reader needs to judge a result: date, machine kind and versions."""
    vendors = sorted(
        entry.dist.name for entry in importlib.metadata.entry_points(group="torch_fl.vendors") if entry.dist
    )
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} CPUs",
        "processor": processor(),
        "python": platform.python_version(),
        "torch": version_of("torch"),
        "wheels": {name: version_of(name) for name in ["torch-fl-core", *vendors]},
        "settings": {name: value for name, value in sorted(os.environ.items()) if name.startswith("FLAGOS_")},
    }


def write(title: str, results: list[Result], options: argparse.Namespace) -> None:
    """Writes the results where --json says."""
    if options.json:
        report = {
            "title": title,
            "command": " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *shown_arguments()]),
            "environment": environment(),
            "results": [asdict(result) | {"holds": result.holds} for result in results],
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def finish(title: str, results: list[Result], options: argparse.Namespace) -> int:
    """Prints the results, writes them where --json says, and returns the exit code: 1 if a bar was missed."""
    table = Table(title=title, title_justify="left")
    for heading in ("", "measured", "bar", "", "detail"):
        table.add_column(heading, justify="right" if heading in ("measured", "bar") else "left")
    for result in results:
        mark = "" if result.bar is None else "[green]holds[/]" if result.holds else "[red]missed[/]"
        bar = "" if result.bar is None else f"<= {number(result.bar, result.unit)}"
        table.add_row(result.name, number(result.value, result.unit), bar, mark, result.detail)
    console.print(table)
    write(title, results, options)
    return 0 if all(result.holds for result in results) else 1


def shown_arguments() -> list[str]:
    """Returns the command line's arguments without --json and its file, which say nothing about the measurement."""
    shown, skip = [], False
    for argument in sys.argv[1:]:
        if skip:
            skip = False
        elif argument == "--json":
            skip = True
        elif not argument.startswith("--json="):
            shown.append(argument)
    return shown
