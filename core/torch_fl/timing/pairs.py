"""The same calls on several lanes, a process for each call and lane, and what comes of comparing them."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from torch_fl import _parent
from torch_fl.timing.specs import Spec


@dataclass(frozen=True)
class Options:
    """seconds: after which a process is ended. warmup, repeat: calls. runs: processes per call and lane."""

    device: str = "flagos:0"
    warmup: int = 30
    repeat: int = 200
    seconds: float = 900.0
    runs: int = 2
    setup: str = ""


@dataclass
class Times:
    """What one lane needed for a call, in microseconds.

    runs: the median of each run. readings: of all batches of all runs. error: why there is no number, or "".
    """

    served: str = ""
    runs: list[float] = field(default_factory=list)
    readings: list[float] = field(default_factory=list)
    error: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.readings)

    @property
    def spread(self) -> float:
        """How far readings are apart, as a part of their median: the middle half of them, or the runs' medians."""
        low, _, high = statistics.quantiles(self.readings, n=4) if len(self.readings) > 1 else [self.median] * 3
        return max(high - low, max(self.runs) - min(self.runs)) / self.median


@dataclass
class Result:
    """One call on its lanes."""

    spec: Spec
    lanes: dict[str, Times]

    @property
    def errors(self) -> list[str]:
        return [f"{lane}: {times.error}" for lane, times in self.lanes.items() if times.error]

    def ratio(self, lane: str, base: str) -> float:
        """The time of a lane over that of another."""
        return self.lanes[lane].median / self.lanes[base].median

    def ratios(self, lane: str, base: str) -> list[float]:
        """The same run by run."""
        return [a / b for a, b in zip(self.lanes[lane].runs, self.lanes[base].runs, strict=True)]

    def spread(self, lane: str, base: str) -> float:
        """How far off the ratio may be, as a part of it."""
        return self.lanes[lane].spread + self.lanes[base].spread

    def to_json(self, base: str) -> dict[str, Any]:
        made: dict[str, Any] = {"spec": self.spec.to_json(), "lanes": {}}
        for lane, times in self.lanes.items():
            entry = asdict(times)
            if not times.error:
                entry |= {"microseconds": times.median, "spread": times.spread}
                if lane != base and not self.lanes[base].error:
                    entry |= {"ratio": self.ratio(lane, base), "ratios": self.ratios(lane, base)}
                    entry["ratio_spread"] = self.spread(lane, base)
            made["lanes"][lane] = entry
        return made


def compare(spec: Spec, lanes: list[str], options: Options, step: Callable[[], None] = lambda: None) -> Result:
    """Times a call on each lane, the lanes taking turns; `step` is called after each process.

    A lane that did not serve the call, gave a wrong result, ended or took too long has an error in the place of times.
    """
    result = Result(spec, {lane: Times() for lane in lanes})
    for _ in range(options.runs):
        for lane, times in result.lanes.items():
            if not times.error:
                _run(spec, lane, options, times)
            step()
    return result


def _run(spec: Spec, lane: str, options: Options, times: Times) -> None:
    job = {
        "spec": spec.to_json(),
        "lane": lane,
        "device": options.device,
        "warmup": options.warmup,
        "repeat": options.repeat,
        "setup": options.setup,
        "path": [os.getcwd()],
    }
    try:
        child = subprocess.run(
            [sys.executable, "-m", "torch_fl.timing.child"],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=options.seconds,
            preexec_fn=_parent.die_with_parent(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        times.error = f"no end after {options.seconds:g} seconds"
        return
    for line in child.stdout.splitlines():
        if line.startswith("ERROR "):
            times.error = json.loads(line.removeprefix("ERROR "))
            return
        if line.startswith("RESULT "):
            found = json.loads(line.removeprefix("RESULT "))
            times.served = found["served"]
            if found["wrong"]:
                times.error = f"the result is wrong: {found['wrong']}"
                return
            times.readings += found["microseconds"]
            times.runs.append(statistics.median(found["microseconds"]))
            return
    times.error = f"the process ended with status {child.returncode}: {child.stderr.strip()[-2000:]}"
