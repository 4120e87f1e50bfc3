"""Routes that follow from times: a conf with a measurement beside each line."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from torch_fl.timing.pairs import Result
from torch_fl.timing.specs import promoted


@dataclass(frozen=True)
class Line:
    """A route that a measurement suggests.

    ratio: time of the lane over that of the routed one, both weighted by how often a call was seen. spread: how far off
    it may be, as a part of it. calls: what was measured, in words.
    """

    op: str
    dtype: str
    lane: str
    routed: str
    ratio: float
    spread: float
    calls: list[str]

    @property
    def text(self) -> str:
        guard = f" [dtype = {self.dtype}]" if self.dtype else ""
        return f"{self.op}{guard} = {self.lane}"


def lines(measured: list[tuple[str, Result]]) -> list[Line]:
    """The lines for ops whose best lane is faster than the routed one by more than the spread.

    Args:
        measured: the lane that serves a call by the routes in force, with its times on all lanes.
    """
    groups: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for routed, result in measured:
        groups[result.spec.op, promoted(result.spec), routed].append(result)
    found = []
    for (op, dtype, routed), results in sorted(groups.items()):
        if any(routed not in r.lanes or r.lanes[routed].error for r in results):
            continue
        # A lane counts that serves every one of these calls.
        lanes = [lane for lane in results[0].lanes if all(lane in r.lanes and not r.lanes[lane].error for r in results)]
        sums = {lane: sum(r.lanes[lane].median * r.spec.calls for r in results) for lane in lanes}
        best = min(sums, key=lambda lane: (sums[lane], lane != routed))
        ratio = sums[best] / sums[routed]
        spread = max(r.spread(best, routed) for r in results)
        if best != routed and 1 / ratio - 1 > spread:
            found.append(Line(op, dtype, best, routed, ratio, spread, [_words(r, best, routed) for r in results]))
    return found


def _words(result: Result, lane: str, routed: str) -> str:
    guessed = f", taking {result.spec.guessed}" if result.spec.guessed else ""
    return (
        f"{result.spec.name} x {result.spec.calls}{guessed}: {lane} {result.lanes[lane].median:.2f} us, "
        f"{routed} {result.lanes[routed].median:.2f} us"
    )


def written(found: list[Line], base: Path | None, about: str, left: list[str]) -> str:
    """The text of a conf.

    Args:
        base: the conf that it starts from, and so includes.
        about: versions, device and date of the measurements, for each line.
        left: what was not measured or gets no line, with the reason, for the head.
    """
    text = [f"# Measured by torch-fl tune: {about}", "# Give it as FLAGOS_BACKEND_CONFIG."]
    text += [f"# Left as it is: {reason}" for reason in left]
    if base is not None:
        text += ["", f"include {base}"]
    for line in found:
        text += ["", *(f"# {words}" for words in line.calls)]
        spread = f"ratio {line.ratio:.3f}, spread {line.spread:.1%}"
        text += [f"# {line.lane} / {line.routed}: {spread}; {about}", line.text]
    return "\n".join(text) + "\n"


def saved(measured: list[tuple[str, Result]], found: list[Line]) -> float:
    """The part of the measured time, weighted by calls, that the lines save."""
    by_call = {(line.op, line.dtype): line for line in found}
    before, after = [], []
    for routed, result in measured:
        if routed not in result.lanes or result.lanes[routed].error:
            continue
        line = by_call.get((result.spec.op, promoted(result.spec)))
        chosen = line.lane if line else routed
        before.append(result.lanes[routed].median * result.spec.calls)
        after.append(result.lanes[chosen].median * result.spec.calls)
    return 1 - sum(after) / sum(before) if before and statistics.fsum(before) else 0.0
