"""A survey from end to end: one process per op, some of them side by side, a result written as each ends."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch_fl import _parent, discovery
from torch_fl.survey import verdicts

SERVER = Path(__file__).with_name("server.py")


def ops_of(lane: str, wanted: list[str] | None) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """The ops that a lane has a kernel for, or those of them that are wanted, with all their lanes. Loads the vendor.

    FlagGems' are all that it has, for the rest of the process: also those that PyTorch composes of others here.

    Returns:
        The ops, and those that FlagGems has and no device can be given, with the reason.

    Raises:
        ValueError: there is no such lane here, or a wanted op is not among its ops (names the nearest).
        RuntimeError: there is no vendor, or it cannot be loaded.
    """
    from torch_fl import _native, _ops, flaggems
    from torch_fl.env import nearest

    _native.module().load()
    beside = flaggems.offer_all() if lane == flaggems.LANE and flaggems.installed() else {}
    every = _ops.ops()
    lanes = {name for op in every for name in op.lanes}
    if lane not in lanes:
        raise ValueError(f"the lane {lane!r} has no kernel here (lanes that have some: {', '.join(sorted(lanes))})")
    found = {op.name: op.lanes for op in every if lane in op.lanes and not op.primitive}
    for op in wanted or ():
        if op not in found:
            why = f": {beside[op]}" if op in beside else nearest(op, found)
            raise ValueError(f"the lane {lane} has no kernel for {op!r}{why}")
    return ({op: found[op] for op in wanted}, {}) if wanted else (found, beside)


def composed(lane: str, ops: Iterable[str]) -> list[str]:
    """Those of a lane's ops that PyTorch composes of others here: offered by a survey alone."""
    from torch_fl import flaggems

    return sorted(set(ops) & set(flaggems.refused)) if lane == flaggems.LANE else []


def grid() -> list[int]:
    """The device's largest grid, as vendor.toml states it; [] where it does not."""
    vendor = discovery.chosen().vendor
    return list(vendor.facts.get("limits", {}).get("grid", [])) if vendor else []


class Server:
    """A process of server.py, which does one job at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            start_new_session=True,  # an interrupt from the terminal is ours to handle
            preexec_fn=_parent.die_with_parent(),
        )
        self.op: str | None = None

    def ask(self, job: dict[str, Any]) -> None:
        self.op = job["op"]
        self.process.stdin.write((json.dumps(job) + "\n").encode())
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next line that it says. Raises RuntimeError where it has ended."""
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            raise RuntimeError(f"torch_fl: the process that starts the survey's processes ended with status {status}")
        return json.loads(line)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@contextmanager
def _servers(count: int) -> Iterator[list[Server]]:
    servers: list[Server] = []
    try:
        servers += [Server() for _ in range(count)]
        yield servers
    finally:
        for server in servers:
            server.end()


def survey(
    document: dict[str, Any],
    ops: dict[str, tuple[str, ...]],
    *,
    jobs: int,
    seconds: float,
    budget: float,
    samples: int,
    done: Callable[[str, dict[str, Any]], None],
    begun: Callable[[str], None] = lambda op: None,
) -> None:
    """Measures ops that a document has no result for, and adds their results to it.

    Args:
        document: of `record.head`, with the results of an earlier run, if any.
        ops: with the lanes that have a kernel for each.
        jobs: processes side by side.
        seconds: a case that takes as long hangs.
        budget: seconds after which an op begins no further case.
        samples: OpInfo calls for each op and dtype; 0 for none.
        done: called as each op ends, when its result is in the document.

    Raises:
        RuntimeError: no process could be started.
        KeyboardInterrupt: the caller's; the document holds what had ended.
    """
    waiting = [op for op in ops if op not in document["ops"]]
    common = {
        "lane": document["lane"],
        "device": document["device"]["name"],
        "setup": document["setup"],
        "grid": grid(),
        "samples": samples,
        "skip": [],
        "seconds": seconds,
        "budget": budget,
        # `python script.py` has the folder first that `torch-fl` was started in; --setup names modules there.
        "path": [os.getcwd()],
    }
    with _servers(min(jobs, len(waiting))) as servers, selectors.DefaultSelector() as ready:
        for server in servers:
            ready.register(server.process.stdout, selectors.EVENT_READ, server)
        while ready.get_map():
            for key, _ in ready.select():
                server = key.data
                answer = server.answer()
                if "op" in answer:
                    op = answer["op"]
                    document["ops"][op] = {**verdicts.judged(answer), "lanes": list(ops[op])}
                    done(op, document["ops"][op])
                if waiting:
                    op = waiting.pop(0)
                    begun(op)
                    server.ask({"op": op, **common})
                else:
                    ready.unregister(server.process.stdout)
