"""Printing, the same for every verb."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def fail(text: str, code: int = 1) -> None:
    """Prints what is wrong on stderr and ends the command."""
    errors.print(f"torch-fl: {text.removeprefix('torch_fl: ')}", style="red", markup=False)
    raise SystemExit(code)
