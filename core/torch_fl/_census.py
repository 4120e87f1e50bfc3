"""Counting what ran where: calls, host time and bytes by op, lane, dtypes and reason."""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from torch_fl import _native

FORMAT = 1


class Row(NamedTuple):
    """One kind of call."""

    op: str  # with its overload, "add.Tensor"
    lane: str
    dtypes: str  # of the tensor arguments, "float32,int64"
    shapes: str  # of the first such call
    reason: str  # of a fallback or demotion; empty otherwise
    calls: int
    nanoseconds: int  # on the host, inside the op
    bytes: int  # of all tensor arguments and results
    # All arguments of the first such call, as JSON: a list in the schema's order, in the form of
    # `torch_fl.timing.specs`; "" in a file of an older version.
    call: str = ""
    replayed: int = 0  # calls of FlagGems' functions that were done again without Python


class Total(NamedTuple):
    """A sum over rows."""

    calls: int
    nanoseconds: int
    bytes: int


def _key(row: Row) -> tuple[str, str, str, str]:
    return row.op, row.lane, row.dtypes, row.reason


def _sum(rows: list[Row]) -> Total:
    return Total(sum(r.calls for r in rows), sum(r.nanoseconds for r in rows), sum(r.bytes for r in rows))


class census:
    """Counts the calls of a ``with`` block, on all threads.

    >>> with torch_fl.census() as counted:
    ...     model(x)
    >>> print(counted.table())

    Blocks nest. While none is open, and FLAGOS_CENSUS is not set, counting is off and costs one branch per call.
    """

    _open = 0
    _lock = threading.Lock()

    def __init__(self) -> None:
        self._before: dict[tuple[str, ...], Row] = {}
        self._rows: list[Row] | None = None

    def __enter__(self) -> census:
        native = _native.module()
        with census._lock:
            if census._open == 0:
                native.reset_census()  # so that the first calls of rows are this block's
            census._open += 1
            native.set_switches(census=True)
        self._rows = None
        self._before = {_key(row): row for row in _snapshot()}
        return self

    def __exit__(self, *exc: object) -> None:
        self._rows = self._counted()
        with census._lock:
            census._open -= 1
            if census._open == 0:
                _native.module().set_switches(census=False)

    def _counted(self) -> list[Row]:
        rows = []
        for row in _snapshot():
            if (before := self._before.get(_key(row))) is not None:
                row = row._replace(
                    calls=row.calls - before.calls,
                    nanoseconds=row.nanoseconds - before.nanoseconds,
                    bytes=row.bytes - before.bytes,
                    replayed=row.replayed - before.replayed,
                )
            if row.calls > 0:
                rows.append(row)
        return sorted(rows, key=lambda r: -r.nanoseconds)

    def rows(self) -> list[Row]:
        """The rows so far (inside the block) or of the block, most host time first."""
        return self._counted() if self._rows is None else list(self._rows)

    def total(self) -> Total:
        """Calls, nanoseconds and bytes of all rows."""
        return _sum(self.rows())

    def by_lane(self) -> dict[str, Total]:
        """The same per lane, most calls first."""
        return by_lane(self.rows())

    def table(self, limit: int = 30) -> str:
        """The rows as plain text, at most ``limit`` of them, and the lanes' sums below."""
        return table(self.rows(), limit)

    def to_json(self) -> dict[str, Any]:
        """The rows as a dictionary that `json` can write, in the format of FLAGOS_CENSUS."""
        return document(self.rows(), finished=self._rows is not None)


def _snapshot() -> list[Row]:
    return [Row(*values) for values in _native.module().census()]


def by_lane(rows: list[Row]) -> dict[str, Total]:
    """Sums per lane, most calls first."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.lane].append(row)
    sums = {lane: _sum(group) for lane, group in groups.items()}
    return dict(sorted(sums.items(), key=lambda item: -item[1].calls))


def table(rows: list[Row], limit: int) -> str:
    """Rows and the lanes' sums as plain text."""
    lines = [f"{'op':36} {'lane':10} {'calls':>8} {'ms':>9} {'MiB':>9}  dtypes and reason"]
    for row in rows[:limit]:
        why = f" ({row.reason})" if row.reason else ""
        why += f" ({row.replayed} replayed)" if row.replayed else ""
        lines.append(
            f"{row.op:36} {row.lane:10} {row.calls:8} {row.nanoseconds / 1e6:9.2f} {row.bytes / 2**20:9.2f}"
            f"  {row.dtypes}{why}"
        )
    if len(rows) > limit:
        lines.append(f"... and {len(rows) - limit} more")
    for lane, total in by_lane(rows).items():
        lines.append(f"{'sum of ' + lane:47} {total.calls:8} {total.nanoseconds / 1e6:9.2f} {total.bytes / 2**20:9.2f}")
    return "\n".join(lines)


def document(rows: list[Row], finished: bool) -> dict[str, Any]:
    """Rows with what is needed to read them later."""
    import torch

    native = _native.module()
    vendor = native.vendor_info() or {}
    return {
        "format": FORMAT,
        "finished": finished,
        "torch": torch.__version__,
        "vendor": vendor.get("name"),
        "vendor_version": vendor.get("version"),
        "plans": native.plan_stats(),
        "rows": [row._asdict() for row in rows],
    }


def read_document(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Row]]:
    """A document from a file, and its rows.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no census, or one of another format.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError(f"it holds a {type(content).__name__}, not an object with rows")
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}, this version reads {FORMAT}")
        return content, [_row(row) for row in content["rows"]]
    except KeyError as error:
        raise ValueError(f"{path} is no census that can be read: it has no {error}") from error
    except (RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no census that can be read: {error}") from error


_NUMBERS = {"calls", "nanoseconds", "bytes", "replayed"}


def _row(content: dict[str, Any]) -> Row:
    row = Row(**content)
    for name, value in zip(Row._fields, row, strict=True):
        if type(value) is not (int if name in _NUMBERS else str):
            raise ValueError(f"{name} of a row is {value!r}")
    return row


def temporary_of(path: Path, process: int) -> Path:
    """Where a process writes a census before it takes the place of ``path``."""
    return path.with_name(f".{path.name}.{process}")


def start_writer(path: str, every_s: float = 1.0) -> None:
    """Counts from now on, and keeps a JSON file up to date: each second, and at exit.

    The file is replaced as a whole, so that a process that is killed leaves a readable one, with ``finished`` false.
    Children do not inherit the variable: two processes would overwrite each other's file.
    """
    import atexit

    os.environ.pop("FLAGOS_CENSUS", None)
    target = Path(path).absolute()
    counting = census().__enter__()
    owner = os.getpid()
    stop = threading.Event()

    def write(finished: bool) -> None:
        temporary = temporary_of(target, owner)
        temporary.write_text(json.dumps(document(counting.rows(), finished), indent=1), encoding="utf-8")
        os.replace(temporary, target)

    def loop() -> None:
        while not stop.wait(every_s):
            write(finished=False)

    def last() -> None:
        if os.getpid() == owner:  # not in a forked child
            stop.set()
            thread.join()
            write(finished=True)

    write(finished=False)  # an unwritable path is told now, not at exit
    thread = threading.Thread(target=loop, name="torch_fl census", daemon=True)
    thread.start()
    atexit.register(last)
