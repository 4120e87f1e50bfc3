"""Which lines an op gets, where lanes may be missing from an installation."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from codegen.gaps import Gap
from codegen.routes import decide

OP = "silu"


def lines(
    *gaps: tuple[str, str], lanes: tuple[str, ...] = ("flaggems", "toy", "none"), boxing_key: str = "CUDA"
) -> list[str]:
    """The lines of an op that each of the lanes has; gaps as (lane, guard)."""
    vendor = SimpleNamespace(name="toy", lanes=lanes, boxing_key=boxing_key)
    kernels = {lane: frozenset({OP} if lane != "none" else ()) for lane in lanes}
    found = [Gap(OP, lane, guard, 1, True, False) for lane, guard in gaps]
    routes = decide(vendor, None, kernels, found, SimpleNamespace(plain={}), frozenset({OP}))
    made = [("", lane) for lane in (*routes.behind.get(OP, []), routes.plain[OP])] + routes.guarded.get(OP, [])
    return [f"{guard or 'any'} = {lane}" for guard, lane in made]


def served(made: list[str], true: set[str], installed: set[str]) -> str:
    """The lane that torch_fl takes: the last line that accepts the call, of those whose lane is there."""
    chosen = ""
    for kind in ("any", "guarded"):
        for line in made:
            guard, lane = line.split(" = ")
            accepts = guard == "any" if kind == "any" else guard != "any" and set(guard.split(", ")) <= true
            if accepts and lane in installed:
                chosen = lane
    return chosen


ALL, APART = {"flaggems", "toy", "none"}, {"toy", "none"}


def test_an_op_without_gaps_has_one_line():
    assert lines() == ["any = flaggems"]


def test_an_op_that_the_vendor_may_not_serve_does_not_go_there_where_the_first_lane_is_missing():
    made = lines(("toy", ""))
    assert served(made, set(), ALL) == "flaggems"
    assert served(made, set(), APART) == "none"


def test_a_guard_of_the_second_lane_counts_where_the_first_is_missing():
    made = lines(("toy", "b"))
    assert [served(made, true, ALL) for true in (set(), {"b"})] == ["flaggems", "flaggems"]
    assert [served(made, true, {*APART}) or "toy" for true in (set(), {"b"})] == ["toy", "none"]


@pytest.mark.parametrize("order", [1, -1])
def test_guards_of_both_lanes(order):
    made = lines(*[("flaggems", "a"), ("toy", "b")][::order])
    want = {(): "flaggems", ("a",): "toy", ("b",): "flaggems", ("a", "b"): "none"}
    assert {true: served(made, set(true), ALL) for true in want} == want
    want = {("b",): "none", ("a", "b"): "none", ("a",): "toy"}
    assert {true: served(made, set(true), APART) for true in want} == want


def test_one_guard_of_both_lanes():
    made = lines(("flaggems", "a"), ("toy", "a"))
    assert served(made, {"a"}, ALL) == served(made, {"a"}, APART) == "none"


def test_a_gap_counts_where_the_torch_in_use_has_no_boxing():
    """Boxing needs a PyTorch that is built for the device; with another one the lane before it would be first again."""
    lanes, everywhere = ("flaggems", "boxing", "toy", "none"), {"flaggems", "boxing", "toy", "none"}
    closed, guarded = lines(("flaggems", ""), lanes=lanes), lines(("flaggems", "a"), lanes=lanes)
    assert closed == ["any = toy", "any = boxing"]
    assert guarded == ["any = flaggems", "a = toy", "a = boxing"]
    for made, rest in ((closed, "boxing"), (guarded, "flaggems")):
        assert served(made, {"a"}, everywhere) == "boxing"
        assert served(made, {"a"}, everywhere - {"boxing"}) == "toy"
        assert served(made, set(), everywhere) == rest


def test_boxing_to_the_host_is_always_there():
    lanes = ("flaggems", "boxing", "toy", "none")
    assert lines(("flaggems", ""), lanes=lanes, boxing_key="CPU") == ["any = boxing"]
    assert lines(("flaggems", "a"), lanes=lanes, boxing_key="CPU") == ["any = flaggems", "a = boxing"]
