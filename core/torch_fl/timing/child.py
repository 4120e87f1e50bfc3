"""``python -m torch_fl.timing.child``: makes one call again and again, and tells how long it took.

Reads a job from standard input: "spec", "lane" ("routed" for what the routes say, the name of a PyTorch key for its own
device), "device", "warmup", "repeat", "setup". Its last line is ``RESULT {"served", "microseconds", "wrong"}``, with a
reading for each synchronised batch.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

ROUTED = "routed"
# A run's calls are timed in this many batches, so that one disturbance spoils one of them.
BATCHES = 10


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Does a job.

    Raises:
        RuntimeError: another lane served the call.
    """
    import contextlib

    import torch

    import torch_fl
    from torch_fl import _native
    from torch_fl.survey import cases
    from torch_fl.survey import measure as survey_measure
    from torch_fl.survey.moving import move
    from torch_fl.timing import specs

    torch.manual_seed(0)
    survey_measure.set_up(job["setup"])
    native = _native.module()
    native.load()
    spec = specs.Spec(**job["spec"])
    lane = job["lane"]
    function = cases.function_of(spec.op)
    case = cases.answer(spec.name, "", spec.op, specs.built(spec))
    if isinstance(case, cases.Refused):
        raise RuntimeError(f"the host refuses this call: {case.text}")
    key = native.shared_key()
    is_native = key is not None and lane == key.lower()
    device = torch.device(job["device"])
    if is_native:
        device = torch.device(key.lower(), device.index or 0)
    args, kwargs = move(case.arguments, device)
    synchronize = getattr(torch, device.type).synchronize
    routes = contextlib.nullcontext() if is_native or lane == ROUTED else torch_fl.routes({spec.op: lane})
    with routes, torch.no_grad():
        given = move(case.arguments, device)
        with torch_fl.census() as census:
            got = function(*given[0], **given[1])
            synchronize(device)
        served = lane if is_native else _served(census.rows(), spec.op, lane)
        wrong = None if is_native else survey_measure.difference(spec.op, got, given, case, None)
        readings = timed(lambda: function(*args, **kwargs), lambda: synchronize(device), job["warmup"], job["repeat"])
        if not is_native:
            # What was demoted meanwhile was timed on another lane.
            with torch_fl.census() as census:
                function(*args, **kwargs)
                synchronize(device)
            _served(census.rows(), spec.op, lane)
    return {"served": served, "microseconds": readings, "wrong": wrong and f"{wrong['wrong']}: {wrong['text']}"}


def _served(rows: list[Any], op: str, lane: str) -> str:
    lanes = [row.lane for row in rows if row.op == op]
    if lane == ROUTED:
        if not lanes:
            raise RuntimeError(f"no lane served {op}")
        return lanes[0]
    if lane not in lanes:
        why = next((row.reason for row in rows if row.op == op and row.reason), "no reason is told")
        raise RuntimeError(f"{lane} did not serve the call, {', '.join(lanes) or 'no lane'} did: {why}")
    return lane


def timed(call: Callable[[], Any], synchronize: Callable[[], None], warmup: int, repeat: int) -> list[float]:
    """Microseconds per call, one reading for each batch."""
    for _ in range(warmup):
        call()
    synchronize()
    count = min(BATCHES, repeat)
    readings = []
    for batch in range(count):
        calls = repeat // count + (batch < repeat % count)
        started = time.perf_counter()
        for _ in range(calls):
            call()
        synchronize()
        readings.append((time.perf_counter() - started) * 1e6 / calls)
    return readings


def _main() -> int:
    job = json.load(sys.stdin)
    sys.path[:0] = job.get("path", [])
    warnings.simplefilter("ignore")
    try:
        result = measure(job)
    except Exception as error:
        print(f"ERROR {json.dumps(f'{type(error).__name__}: {error}')}", flush=True)
        return 1
    print(f"RESULT {json.dumps(result)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
