"""Printing, the same for every verb."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.status import Status
from rich.table import Table

console = Console(soft_wrap=True, highlight=False)
errors = Console(stderr=True, soft_wrap=True, highlight=False)


def print_json(value: Any) -> None:
    json.dump(value, sys.stdout, indent=1, default=str)
    sys.stdout.write("\n")


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """A table whose columns named in ``right`` hold numbers."""
    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


def working(on: str) -> Status:
    """``with working("..."):`` shows on a terminal that something takes its time."""
    return errors.status(f"{on} ...")


@contextmanager
def counting(total: int) -> Iterator[Callable[[], None]]:
    """Shows a bar on stderr; the function that it gives counts one of ``total`` as done."""
    with Progress(*Progress.get_default_columns(), console=errors, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


# Seconds beyond which the clocks of the system's calls overflow, or nearly: eleven days.
LONGEST = 1e6


def require_seconds(**options: float) -> None:
    """Ends the command unless each option (``budget=3.0`` is --budget) is a number of seconds to wait."""
    for name, seconds in options.items():
        if not 0 < seconds <= LONGEST:  # false for nan as well
            fail(f"--{name} is a number of seconds above 0 and up to {LONGEST:.0f}, not {seconds}", 2)


def require_writable(*paths: Path | None) -> None:
    """Ends the command, before it has worked for it, where a file cannot be written."""
    for path in paths:
        if path is None:
            continue
        folder = path.absolute().parent
        if not folder.is_dir():
            fail(f"cannot write {path}: there is no folder {folder}", 2)
        try:
            there = path.exists()
            if not there or path.is_file():
                path.open("ab").close()
            elif path.is_dir():
                fail(f"cannot write {path}: it is a folder; name a file in it", 2)
            if not there:
                path.unlink()
        except OSError as error:
            fail(f"cannot write {path}: {error.strerror}", 2)


def write(path: Path, text: str) -> None:
    """Writes a file; where that fails, what would have been in it is printed, and the command ends."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        console.print(text, markup=False, end="")
        fail(f"cannot write {path}: {error.strerror}; what it would hold is printed")


def fail(text: str, code: int = 1) -> None:
    """Prints what is wrong on stderr and ends the command."""
    errors.print(f"torch-fl: {text.removeprefix('torch_fl: ')}", style="red", markup=False)
    raise SystemExit(code)
