"""Lanes whose kernels are another package's Python functions (flaggems, tileops)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from torch_fl import _native, _routes
from torch_fl._lanes import LANES


def offer(
    lane: str, ops: Iterable[str], resolve: Callable[[str], Callable] | None, *, composed: bool = False
) -> list[str]:
    """These ops, and no others, have a function in the package from now on.

    Args:
        lane: ``"flaggems"`` or ``"tileops"``.
        ops: overloads, such as ``"add.Tensor"``.
        resolve: gives the function of an op; asked at its first call. It may raise: the op then goes to its next lane.
            A function takes the arguments of the op's schema as Python writes them, and gives its results. What it
            raises before it has written to an argument, or to no other one than out=, sends the call, and all calls
            like it, to the next lane.
        composed: also ops that PyTorch would otherwise make of others, each of which has its own route.

    Returns:
        The names that cannot be served so: no such op in this PyTorch, core serves it itself, or PyTorch composes it
        of other ops, with its gradient.
    """
    refused = _native.module().offer(LANES.index(lane), list(ops), resolve, composed)
    _routes.kernels_changed()
    return refused


# Why no device is offered an op of a package's.
ABSENT = "this torch has no such op"
CORE = "core serves it itself"
COMPOSED = "PyTorch composes it of others"


def why_refused(ops: Iterable[str]) -> dict[str, str]:
    """Of ops that `offer` gave back, the reason."""
    native = _native.module()
    primitive = {name for name, _, primitive, *_ in native.ops() if primitive}

    def why(op: str) -> str:
        if not native.op_exists(op):
            return ABSENT
        return CORE if op in primitive else COMPOSED

    return {op: why(op) for op in ops}


def by_reason(refused: dict[str, str]) -> dict[str, list[str]]:
    """The same, by the reason."""
    found: dict[str, list[str]] = {}
    for op, why in refused.items():
        found.setdefault(why, []).append(op)
    return found
