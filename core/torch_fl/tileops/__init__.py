"""The lane ``tileops``: TileOps' operators over TileLang, as they are installed.

The package is detected and its operators are recorded from its own manifest, without importing it. No part of it was
run on a device by this project, so the lane is off until a line that the user wrote names it.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from torch_fl import _packages
from torch_fl._lanes import LANES
from torch_fl.tileops import source

LANE = "tileops"
UNVERIFIED = "unverified: its ops were run on no device by this project"

_lock = threading.Lock()
_native: ModuleType | None = None
_operators: dict[str, source.Operator] = {}


def install(native: ModuleType) -> None:
    """Offers TileOps' ops where a line of the user's routes names the lane."""
    global _native
    _native = native
    from torch_fl import _routes

    if not _routes.names(LANE):
        return
    if why := source.supported():
        native.set_lane_off(LANES.index(LANE), why)
    else:
        offer()


def why_off() -> str:
    """Why the lane serves nothing, with what mends it after a colon; "" where it can be named."""
    return source.supported()


def offer() -> None:
    """Offers what the installed TileOps has of PyTorch's ops. Nothing happens where it cannot be used."""
    with _lock:
        if _native is None or source.supported():
            return
        _operators.clear()
        for operator in source.recorded():
            for op in source.overloads(operator):
                _operators.setdefault(op, operator)
        _packages.offer(LANE, list(_operators), _resolve)


def _resolve(op: str) -> Callable[..., Any]:
    operator = _operators[op]
    return function(operator, op, getattr(importlib.import_module(operator.module), operator.name))


def function(operator: source.Operator, op: str, made: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an op: an operator of TileOps' takes numbers when it is made, and tensors when it is called.

    Args:
        op: the overload whose arguments the function takes.
        made: the operator's class.
    """
    base, _, overload = op.partition(".")
    arguments = getattr(getattr(torch.ops.aten, base), overload or "default")._schema.arguments
    instances: dict[str, Callable[..., Any]] = {}

    def call(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip((a.name for a in arguments), args)) | kwargs
        values = [(a, given.get(a.name, a.default_value)) for a in arguments]
        tensors = [value for a, value in values if source.is_tensor(a)]
        numbers = {a.name: value for a, value in values if not source.is_tensor(a)}
        key = repr(sorted(numbers.items()))
        if key not in instances:
            instances[key] = made(**numbers)
        return instances[key](*tensors)

    return call
