"""The calls that a survey makes of one op, the plain ones first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from torch_fl._ops import schema_of
from torch_fl.survey import inputs, opinfos, references
from torch_fl.survey.inputs import Arguments, Profile
from torch_fl.survey.moving import move


@dataclass(frozen=True)
class Case:
    """One call, with host arguments, and what the host answers.

    dtype: as a guard of routes sees it. arguments: that no call has changed. after: the host's arguments after the
    call. want: the host's result.
    """

    name: str
    dtype: str
    arguments: Arguments
    after: Arguments
    want: Any


@dataclass(frozen=True)
class Refused:
    """A case that the host does not take, with its words."""

    name: str
    dtype: str
    text: str


def function_of(op: str) -> Any:
    """The callable overload of an aten op that exists."""
    name, _, overload = op.partition(".")
    return getattr(getattr(torch.ops.aten, name), overload or "default")


def answer(name: str, dtype: str, op: str, arguments: Arguments) -> Case | Refused:
    """Asks the host."""
    try:
        with torch.no_grad():
            after = move(arguments, "cpu")
            torch.default_generator.manual_seed(0)
            want = references.of(op, function_of(op))(*after[0], **after[1])
    except Exception as error:
        return Refused(name, dtype, f"{type(error).__name__}: {error}".splitlines()[0])
    return Case(name, value_dtype(op, arguments) or dtype, arguments, after, want)


def value_dtype(op: str, arguments: Arguments) -> str:
    """The promoted dtype of the tensors that hold values: no indices, no masks, nothing that is only written."""
    args, kwargs = arguments
    schema = schema_of(op).arguments
    named = {**{a.name: v for a, v in zip(schema, args, strict=False)}, **kwargs}
    beside = {*inputs.INDICES, *inputs.MASKS, *(a.name for a in schema if a.is_out)}
    found: torch.Tensor | None = None
    for leaf in tree_leaves({name: value for name, value in named.items() if name not in beside}):
        if isinstance(leaf, torch.Tensor):
            one = torch.empty((1,) * min(leaf.dim(), 1), dtype=leaf.dtype)
            found = (
                one
                if found is None
                else torch.empty((1,) * max(found.dim(), one.dim()), dtype=torch.result_type(found, one))
            )
    return "" if found is None else _dtype(found.dtype)


def of_profile(op: str, profile: Profile) -> Case | Refused:
    """A call of an op with a profile's tensors, as the first way that the host takes."""
    schema = schema_of(op)
    dtype = _dtype(profile.dtype)
    refused: Refused | None = None
    sibling = opinfos.sibling_of(op) if any(a.is_out for a in schema.arguments) else None
    for arguments in inputs.attempts(sibling or op, schema_of(sibling) if sibling else schema, profile):
        given: Arguments | None = arguments
        if sibling is not None:
            given = opinfos.respelt(op, sibling, arguments)
        if given is None:
            continue
        found = answer(profile.name, dtype, op, given)
        if isinstance(found, Case):
            return found
        refused = refused or found
    return refused or Refused(profile.name, dtype, "the host takes no arguments that the schema suggests")


def of_op(
    op: str, *, grid: list[int], samples: int, skip: Iterable[str] = (), announce: Any = None
) -> Iterator[Case | Refused]:
    """Every case of an op: the profiles, those at the limits of the device's grid, and PyTorch's OpInfos.

    Args:
        grid: the device's largest grid, [] where it is not known.
        samples: OpInfo calls for each dtype; 0 for none.
        skip: names of cases, and of dtypes, that are left out.
        announce: called with (name, the dtype by which it may be left out) before the host is asked.
    """
    left_out = set(skip)

    def begun(name: str, dtype: str) -> bool:
        """Announces a case, unless it is left out."""
        if name in left_out or dtype in left_out:
            return False
        if announce:
            announce(name, dtype)
        return True

    plain: Case | None = None
    sibling = opinfos.sibling_of(op) or op
    mixed = inputs.MIXED if inputs.mixes(sibling, schema_of(sibling)) else ()
    for profile in (*inputs.PROFILES, *mixed):
        if begun(profile.name, _dtype(profile.dtype)):
            found = of_profile(op, profile)
            plain = plain or (found if isinstance(found, Case) else None)
            yield found
    if plain:
        for kind, arguments in inputs.variants(schema_of(op), plain.arguments):
            name = f"{plain.name}-{kind}"
            if begun(name, plain.dtype):
                yield answer(name, plain.dtype, op, arguments)
    for profile in inputs.scaled(grid):
        if begun(profile.name, _dtype(profile.dtype)):
            yield of_profile(op, profile)
    if not samples:
        return
    for dtype_ in opinfos.DTYPES:
        dtype = _dtype(dtype_)
        if not begun(dtype, dtype):
            continue
        for index, arguments in enumerate(opinfos.calls(op, dtype_, samples)):
            name = f"opinfo-{dtype}-{index}"
            if begun(name, dtype):
                yield answer(name, dtype, op, arguments)


def describe(arguments: Arguments) -> str:
    """``"float32[32, 32], 1.0, dim=-1"``"""
    args, kwargs = arguments
    return ", ".join([*(_one(a) for a in args), *(f"{k}={_one(v)}" for k, v in kwargs.items())])


def _one(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        strides = "" if value.is_contiguous() else f" strides {list(value.stride())}"
        return f"{_dtype(value.dtype)}{list(value.shape)}{strides}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_one(v) for v in value)}]"
    return repr(value)


def _dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
