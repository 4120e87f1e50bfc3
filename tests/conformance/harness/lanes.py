"""Which lane served a call, and calls with every op forced to one lane."""

import contextlib
import functools
import os
import pathlib

import yaml

from harness.device import SELF_CHECK, vendor_name

if not SELF_CHECK:
    import torch_fl


@functools.cache
def lanes() -> tuple[str, ...]:
    """The lanes of the vendor under test that serve anything here, best first; ("default",) in the self-check.

    A lane whose kernels are not installed is left out: forced on it, calls would take the default routes once more.
    """
    if SELF_CHECK:
        return ("default",)
    return tuple(lane for lane in torch_fl.lanes() if any(serves(op, lane) for op in _ops()))


# Another package's functions. Each op of such a lane is judged by `torch-fl survey`, in a process of its own, with
# OpInfo's samples among others: one that writes past its memory takes no other along.
PACKAGES = ("flaggems", "tileops")


def compared() -> list[str]:
    """ "default", and the lanes that are compared with the host op by op in this process.

    The first lane of the vendor's order is what the default routes use wherever it has a kernel.
    """
    return ["default"] if SELF_CHECK else ["default", *(lane for lane in lanes()[1:] if lane not in PACKAGES)]


@functools.cache
def closed(lane: str) -> frozenset[str]:
    """The ops that the vendor's gaps.yaml keeps from the lane, for some calls or all."""
    path = pathlib.Path(__file__).resolve().parents[3] / "vendors" / vendor_name() / "gaps.yaml"
    gaps = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
    return frozenset(op for gap in gaps or () if gap["lane"] == lane for op in gap["ops"])


@functools.cache
def _ops() -> dict:
    return {op.name: op for op in torch_fl.ops()}


def serves(op: str, lane: str) -> bool:
    """The lane can be routed to for the op: it has a kernel, or is the fallback."""
    return op in _ops() and not _ops()[op].primitive and (lane == "none" or lane in _ops()[op].lanes)


def serving(op: str) -> tuple[str, ...]:
    """The lanes that serve the op, best first; "none" is the last."""
    return tuple(lane for lane in lanes() if serves(op, lane))


@contextlib.contextmanager
def forced(lane: str):
    """Every op that ``lane`` serves, and no gap closes, goes there ("default": nothing is changed)."""
    if SELF_CHECK or lane == "default":
        yield
        return
    lane = vendor_name() if lane == "vendor" else lane
    with torch_fl.routes({name: lane for name in _ops() if serves(name, lane) and name not in closed(lane)}):
        yield


@contextlib.contextmanager
def served_by(lane: str, *ops: str):
    """The calls inside must reach ``ops`` and be served by ``lane`` alone.

    With "vendor" the vendor's own lane is meant. Without ``ops`` any op will do, as long as none went elsewhere
    although the lane has a kernel for it.
    """
    if SELF_CHECK:
        yield
        return
    lane = vendor_name() if lane == "vendor" else lane
    with torch_fl.census() as census:
        yield
    seen = {}
    for row in census.rows():
        seen.setdefault(row.op, set()).add(row.lane)
    for op in ops:
        assert op in seen, f"{op} was not called; called were {sorted(seen)}"
        assert seen[op] == {lane}, f"{op} was served by {sorted(seen[op])}, not by {lane}"
    if not ops:
        astray = {op: sorted(used) for op, used in seen.items() if used != {lane} and serves(op, lane)}
        assert not astray, f"not served by {lane}: {astray}"


class Reached:
    """Which ops were served by which lanes in a group of tests."""

    def __init__(self):
        self.tests: set[str] = set()
        self._counts = []

    @contextlib.contextmanager
    def counting(self, lane: str):
        """As forced(lane), and what is called inside is remembered."""
        with forced(lane):
            if SELF_CHECK:
                yield
                return
            with torch_fl.census() as census:
                self._counts.append(census)
                yield

    def all_of(self, tests: set[str]) -> bool:
        """Whether all cases of these tests ran in this process; never where pytest-xdist deals them out to several."""
        return tests <= self.tests and "PYTEST_XDIST_WORKER" not in os.environ

    def pairs(self) -> set[tuple[str, str]]:
        """(op, lane) of all calls so far."""
        return {(row.op, row.lane) for census in self._counts for row in census.rows()}


reached = Reached()


def not_interpreted() -> str:
    """Why FlagGems' kernels are not interpreted here, "" where they are. Tells FlagGems nothing."""
    if SELF_CHECK:
        return "the host has no such lane"
    from torch_fl import discovery, flaggems

    vendor = discovery.chosen().vendor
    if vendor is None or flaggems.LANE not in vendor.facts.get("lanes", ()):
        return "the vendor has no such lane"
    if not vendor.facts.get("flaggems", {}).get("interpreter"):
        # FlagGems is told once per process what it runs on: to interpret it would take the lane from other tests.
        return "they are compiled"
    return flaggems.why_off()
