"""Which lines an op gets, where lanes may be missing from an installation."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from codegen.gaps import Gap
from codegen.routes import decide

OP = "silu"


def lines(*gaps: tuple[str, str]) -> list[str]:
    """The lines of an op that both flaggems and toy have; gaps as (lane, guard)."""
    vendor = SimpleNamespace(name="toy", lanes=("flaggems", "toy", "none"))
    kernels = {"flaggems": frozenset({OP}), "toy": frozenset({OP}), "none": frozenset()}
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
