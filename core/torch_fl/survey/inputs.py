"""Arguments for an op from its schema and a profile: a dtype, a shape, a layout and a kind of values."""

from __future__ import annotations

import itertools
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils import _pytree as pytree

from torch_fl.survey import recipes

Arguments = tuple[list[Any], dict[str, Any]]


@dataclass(frozen=True)
class Profile:
    """What the tensors of a call are like.

    Args:
        values: "plain" (small whole numbers, or normal ones), "wide" (beyond 2^31), or "special" (NaN, infinities,
            signed zeros, and numbers that are nearly zero).
        later: dtype of the tensors behind the first one; None: that of the first one.
        later_0d: those have no dimensions.
    """

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    strided: bool = False
    values: str = "plain"
    later: torch.dtype | None = None
    later_0d: bool = False

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def behind_the_first(self) -> Profile:
        if self.later is None:
            return self
        return replace(self, dtype=self.later, shape=() if self.later_0d else self.shape, later=None)


# The first seven are those of the survey that the project's predecessor published.
PROFILES = (
    Profile("2d-f32", torch.float32, (32, 32)),
    Profile("4d-f32", torch.float32, (2, 3, 16, 16)),
    Profile("1d-f32", torch.float32, (32,)),
    Profile("2d-f16", torch.float16, (32, 32)),
    Profile("2d-i64", torch.int64, (32, 32)),
    Profile("2d-bool", torch.bool, (32, 32)),
    Profile("2d-f32-strided", torch.float32, (32, 32), strided=True),
    Profile("2d-bf16", torch.bfloat16, (32, 32)),
    Profile("2d-i32", torch.int32, (32, 32)),
    Profile("2d-f32-odd", torch.float32, (33, 17)),
    Profile("3d-f32", torch.float32, (3, 101, 32)),
    Profile("0d-f32", torch.float32, ()),
    Profile("empty-f32", torch.float32, (0, 32)),
    Profile("2d-i64-wide", torch.int64, (32, 32), values="wide"),
    Profile("2d-f32-special", torch.float32, (32, 32), values="special"),
    Profile("2d-f32-empty-inner", torch.float32, (32, 0)),
)

# Of ops that promote, or refuse to: for those with several tensors of values (`mixes`).
MIXED = (
    Profile("2d-f16-bf16", torch.float16, (32, 32), later=torch.bfloat16),
    Profile("2d-i64-f32", torch.int64, (32, 32), later=torch.float32),
    Profile("2d-f32-i32", torch.float32, (32, 32), later=torch.int32),
    Profile("2d-f32-0d-f64", torch.float32, (32, 32), later=torch.float64, later_0d=True),
    Profile("2d-f16-0d-f32", torch.float16, (32, 32), later=torch.float32, later_0d=True),
    Profile("2d-i32-0d-f32", torch.int32, (32, 32), later=torch.float32, later_0d=True),
)

_SPECIAL = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1e-40, 1.0, -1.0)
_WIDE = (2**31, -(2**31) - 1, 2**40 + 1, -(2**40), 2**53 + 1, 3, -7, 1)
INDICES = {"index", "indices", "target", "repeats", "max_indices", "batch_index", "offsets"}
MASKS = {"mask", "condition"}
# What the caller vouches for, or gives up: results differ then.
_PROMISES = {"assume_unique", "sorted"}
_NUMBER = re.compile(r"(Optional\[)?(number|float)\]?")
_NATURAL = {"running_var", "invstd", "rstd", "save_invstd", "save_var", "std"}
# Values of arguments that the schema gives none, by name; "size" stands for the sizes of the profile.
_INTS = {"dim": -1, "dim0": 0, "dim1": -1, "k": 2, "n": 3, "correction": 1, "groups": 1, "num_classes": 8}
_LISTS = {
    "kernel_size": 2,
    "stride": 1,
    "padding": 1,
    "dilation": 1,
    "output_padding": 0,
    "dims": 0,
    "dim": -1,
    "shifts": 1,
}


# Limits that only a longer tensor would reach are left out: the host needs minutes for it, and gigabytes.
_LONGEST = 1 << 26


def scaled(grid: list[int]) -> tuple[Profile, ...]:
    """Profiles that reach beyond a device's largest grid: one with as many rows, one with that many elements.

    Args:
        grid: the largest numbers of programs along x, y, z, from ``[limits]`` of vendor.toml. Those that no tensor of
            `_LONGEST` elements reaches do not count.
    """
    grid = [limit for limit in grid if (limit + 9) * 64 <= _LONGEST]
    if not grid:
        return ()
    rows, last = grid[0] + 9, grid[-1] + 9
    found = [
        Profile("rows-f32", torch.float32, (rows, 4)),
        Profile("rows-f16", torch.float16, (rows, 4)),
        Profile("elements-f32", torch.float32, (rows * 64,)),
    ]
    if len(grid) > 1:
        found.append(Profile("batch-f32", torch.float32, (max(last, grid[1] + 9), 8, 8)))
    return tuple(found)


def tensor(profile: Profile, seed: int, positive: bool = False) -> torch.Tensor:
    """A host tensor of a profile; the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    shape = profile.shape
    if profile.strided and shape:
        shape = (*shape[:-1], shape[-1] * 2)
    if profile.values != "plain":
        chosen = torch.tensor(_WIDE if profile.values == "wide" else _SPECIAL, dtype=profile.dtype)
        made = chosen[torch.randint(len(chosen), shape, generator=generator)]
        if positive:
            made = made.abs() if profile.values == "special" else made.abs() + 1
    elif profile.dtype == torch.bool:
        made = torch.rand(shape, generator=generator) > 0.5
    elif profile.dtype.is_floating_point or profile.dtype.is_complex:
        made = torch.randn(shape, generator=generator).to(profile.dtype)
        made = made.abs() + torch.tensor(0.1, dtype=profile.dtype) if positive and not made.is_complex() else made
    else:
        made = torch.randint(1 if positive else -9, 10, shape, generator=generator, dtype=profile.dtype)
    return made[..., ::2].transpose(-1, 0) if profile.strided and profile.shape else made


@dataclass(frozen=True)
class Style:
    """One way to fill in what a schema leaves open."""

    positive: bool = False  # values from 1 on: divisors, logarithms, indices
    channels: bool = False  # 1-d tensors behind the first one, as weights and biases are
    optional: bool = False  # optional tensors are given
    whole: bool = False  # numbers are ints


_STYLES = (
    Style(),
    Style(whole=True),
    Style(positive=True),
    Style(positive=True, whole=True),
    Style(channels=True),
    Style(optional=True),
    Style(channels=True, optional=True),
)


def mixes(op: str, schema: Any) -> bool:
    """Whether tensors of several dtypes make a call of an op: it has two or more of values, and no recipe."""
    values = [
        2 if str(a.type) == "List[Tensor]" else 1
        for a in schema.arguments
        if str(a.type) in ("Tensor", "List[Tensor]") and a.name not in INDICES | MASKS and not a.is_out
    ]
    return sum(values) > 1 and recipes.of(op) is None


def attempts(op: str, schema: Any, profile: Profile) -> Iterator[Arguments]:
    """Arguments that the op may take, the likeliest first; whether it does, the host must say."""
    if recipe := recipes.of(op):
        if profile.name.startswith("2d-") and not profile.strided and (profile.elements or recipe.inner):
            for positive in (False, True):
                yield _build(op, schema, profile, Style(positive=positive), recipe)
        if recipe.only:
            return
    for style in _STYLES:
        yield _build(op, schema, profile, style, None)


def _build(op: str, schema: Any, profile: Profile, style: Style, recipe: Any) -> Arguments:
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    first: list[torch.Tensor] = []
    once = recipes.writes_once(op)
    held = False  # there is a tensor of values
    for place, argument in enumerate(schema.arguments):
        name, kind = argument.name, str(argument.type)
        seed = zlib.crc32(f"{op}/{profile.name}/{place}".encode())
        if recipe is not None and name in recipe.values:
            value = recipe.make(name, profile, seed, lambda p, s, positive=style.positive: tensor(p, s, positive))
        elif kind == "Tensor" or (kind == "Optional[Tensor]" and style.optional and not argument.is_out):
            like = profile.behind_the_first() if held else profile
            value = _tensor_for(name, like, seed, style, bool(first), once)
        elif kind == "List[Tensor]":
            value = [
                _tensor_for(name, profile.behind_the_first() if i else profile, seed + i, style, False)
                for i in range(2)
            ]
        elif kind == "List[Optional[Tensor]]":
            # One index for each row, or one of the profile's shape. These ops alone take indices below 0.
            rows = _index(replace(profile, shape=profile.shape[:1]) if once else profile, seed, once)
            value = [_from_the_end(rows, profile)]
        elif kind == "Optional[Device]":  # else what is made has the default device, which is the host
            value = torch.device("cpu")
        elif argument.has_default_value():
            value = argument.default_value
        else:
            value = other(name, kind, profile, style)
        if isinstance(value, torch.Tensor):
            held = held or name not in INDICES | MASKS
            if not first:
                first.append(value)
        if argument.kwarg_only:
            kwargs[name] = value
        else:
            args.append(value)
    return args, kwargs


def _index(profile: Profile, seed: int, once: bool = False) -> torch.Tensor:
    """Indices of rows; `once`: along the last dimension none comes twice."""
    if once:
        return torch.rand(profile.shape or (1,), generator=torch.Generator().manual_seed(seed)).argsort(-1)
    rows = profile.shape[0] if profile.shape else 1
    high = max(1, min([rows, *profile.shape]))
    count = profile.shape if profile.shape else (1,)
    return torch.randint(high, count, generator=torch.Generator().manual_seed(seed))


def _from_the_end(rows: torch.Tensor, profile: Profile) -> torch.Tensor:
    """The same rows, every other one counted from the end, as -1 is the last."""
    flat = rows.flatten()
    flat[1::2] -= profile.shape[0] if profile.shape else 1
    return flat.view_as(rows)


def _tensor_for(name: str, profile: Profile, seed: int, style: Style, later: bool, once: bool = False) -> torch.Tensor:
    if name in INDICES:
        return _index(profile, seed, once)
    if name in MASKS:
        return tensor(replace(profile, dtype=torch.bool, values="plain"), seed)
    if style.channels and later:
        size = profile.shape[1] if len(profile.shape) > 1 else (profile.shape or (1,))[0]
        profile = replace(profile, shape=(size,), strided=False)
    return tensor(profile, seed, style.positive or name in _NATURAL)


def with_gaps(t: torch.Tensor) -> torch.Tensor:
    """A view of the same values. Between them lie others that no op should see: 0, and 1 behind each 0."""
    return torch.stack((t, (t == 0).to(t.dtype)), -1)[..., 0] if t.dim() else t


def variants(schema: Any, arguments: Arguments) -> Iterator[tuple[str, Arguments]]:
    """Calls like a plain one, by name: each of its tensors with gaps, then its numbers and flags other than they are by
    default. Which of them the op takes, the host must say."""
    args, kwargs = arguments
    places = {a.name: i for i, a in enumerate(schema.arguments) if i < len(args)}

    def replaced(values: dict[str, Any]) -> Arguments:
        changed = list(args)
        for name in values.keys() & places.keys():
            changed[places[name]] = values[name]
        return changed, {**kwargs, **{name: v for name, v in values.items() if name not in places}}

    given = {**{name: args[i] for name, i in places.items()}, **kwargs}
    for name, value in given.items():
        if any(isinstance(t, torch.Tensor) and t.dim() for t in pytree.tree_leaves(value)):
            yield f"gaps-{name}", replaced({name: pytree.tree_map_only(torch.Tensor, with_gaps, value)})
    numbers = itertools.count(0.25, 0.25)
    others: dict[str, Any] = {}
    for a in schema.arguments:
        if a.has_default_value() and _NUMBER.fullmatch(str(a.type)):
            others[a.name] = next(numbers)
        elif a.has_default_value() and str(a.type) == "bool" and a.name not in _PROMISES:
            others[a.name] = not given.get(a.name, a.default_value)
    if others:
        yield "numbers", replaced(others)


def other(name: str, kind: str, profile: Profile, style: Style) -> Any:
    """A value for an argument that is no tensor and has no default, by its name and type."""
    if kind.startswith("Optional["):
        return None
    if kind == "number":
        exact = style.whole or not (profile.dtype.is_floating_point or profile.dtype.is_complex)
        return 1 if exact else 1.0
    if kind == "float":
        return 1.0
    if kind == "int":
        return min(_INTS.get(name, 1), max(0, len(profile.shape) - 1)) if name == "dim" else _INTS.get(name, 1)
    if kind == "bool":
        return False
    if kind == "str":
        return "none" if name == "approximate" else "sum"
    if kind.startswith("List[int"):
        if name in ("size", "output_size", "input_size", "normalized_shape", "self_size"):
            return list(profile.shape)
        length = int(match[1]) if (match := re.search(r"\[(\d+)\]$", kind)) else max(1, len(profile.shape) - 2)
        return [_LISTS.get(name, 1)] * (1 if name in ("dims", "dim", "shifts") else length)
    if kind.startswith("List[bool"):
        return [True, True, True]
    if kind.startswith("List[float"):
        return [2.0] * max(1, len(profile.shape) - 2)
    if kind.startswith("List[number"):
        return [1.0, 1.0]
    return None
