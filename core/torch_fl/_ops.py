"""What there is: the ops that core serves on the device, and the lanes of the vendor in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torch_fl import _native
from torch_fl._lanes import display, lane_names


@dataclass(frozen=True)
class Op:
    """An op of the device."""

    name: str  # "add.Tensor"
    schema: str
    primitive: bool  # served by core itself; no route changes that, but that copy_'s casts and strides are for lanes
    lanes: tuple[str, ...]  # lanes that have a kernel for it
    rules: tuple  # its routes as (op, guard, lane, source), in order
    typed: bool = False  # where the lane boxing serves, its arguments are not packed first


def ops() -> list[Op]:
    """The ops that have an entry on the device, with the lanes that can serve them. Loads the vendor.

    Raises:
        RuntimeError: there is no vendor, or it cannot be loaded; says why.
    """
    return [
        Op(
            name,
            schema,
            primitive,
            tuple(display(lane) for lane in lanes),
            tuple((op, guard, display(lane), source) for op, guard, lane, source, _ in rules),
            typed,
        )
        for name, schema, primitive, lanes, rules, typed in _native.module().ops()
    ]


def schema_of(op: str) -> Any:
    """The schema of an aten overload such as ``"add.Tensor"``; None where this torch has no such op."""
    name, _, overload = op.partition(".")
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        if schema.overload_name == overload:
            return schema
    return None


def lanes() -> tuple[str, ...]:
    """The lanes of the vendor in use, best first; the vendor's own lane has the vendor's name."""
    return lane_names()
