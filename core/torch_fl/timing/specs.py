"""Calls that are made again in another process: an op, and what its arguments look like."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from torch_fl._ops import schema_of
from torch_fl.survey import cases, inputs
from torch_fl.survey.inputs import Arguments

_TENSOR = {"shape", "dtype", "transpose", "strided", "strides", "offset", "positive", "below"}


@dataclass(frozen=True)
class Spec:
    """One call.

    args, kwargs: each value is plain JSON, or ``{"shape": [2, 3]}`` for a tensor, with "dtype" (float32 where left
    out), "transpose" (two dimensions that are swapped after it is made), "strided" (every second element of the last
    dimension of a larger one), or "strides" and "offset" in elements; "positive" (values above 0), "below" (whole
    numbers from 0 to below that); a list may hold such. ``{"dtype": "float16"}`` alone is a dtype,
    ``{"complex": [1, 2]}`` a number, and so is ``{"float": "inf"}``.
    calls: how often a census saw it; 1 elsewhere.
    guessed: arguments that are not known from where the call was seen, as text.
    """

    name: str
    op: str
    args: list[Any] = field(default_factory=list)
    kwargs: dict[str, Any] = field(default_factory=dict)
    calls: int = 1
    guessed: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def built(spec: Spec, seed: int = 0) -> Arguments:
    """The arguments on the host, the same for the same seed.

    Raises:
        ValueError: a value that is none of those of `Spec`.
    """
    made = _Maker(seed)
    try:
        return [made.value(v) for v in spec.args], {k: made.value(v) for k, v in spec.kwargs.items()}
    except (IndexError, MemoryError, OverflowError, RuntimeError, TypeError) as error:
        raise ValueError(f"an argument cannot be made: {str(error).splitlines()[0]}") from error


class _Maker:
    def __init__(self, seed: int):
        self.seed = seed

    def value(self, given: Any) -> Any:
        if isinstance(given, list):
            return [self.value(v) for v in given]
        if not isinstance(given, dict):
            return given
        if set(given) == {"float"}:
            return float(given["float"])
        if set(given) == {"complex"}:
            return complex(*(self.value(v) for v in given["complex"]))
        if unknown := set(given) - _TENSOR:
            raise ValueError(f"a tensor has no {min(unknown)!r}, but {', '.join(sorted(_TENSOR))}")
        if set(given) == {"dtype"}:
            return dtype_of(given["dtype"])
        if not isinstance(given.get("shape"), list) or not all(type(n) is int for n in given["shape"]):
            raise ValueError(f"{given}: a tensor needs its shape, shape: [2, 3]")
        self.seed += 1
        dtype = dtype_of(given.get("dtype", "float32"))
        if "strides" in given or "offset" in given:
            return self._viewed(given)
        if "below" in given:
            generator = torch.Generator().manual_seed(self.seed)
            made = torch.randint(max(1, given["below"]), given["shape"], generator=generator).to(dtype)
        else:
            profile = inputs.Profile("", dtype, tuple(given["shape"]))
            made = inputs.tensor(profile, self.seed, given.get("positive", False))
            if given.get("strided") and made.dim():
                made = made.repeat_interleave(2, -1)[..., ::2]
        return made.transpose(*given["transpose"]) if "transpose" in given else made

    def _viewed(self, given: dict[str, Any]) -> torch.Tensor:
        """A view of a flat tensor, which has an element for each place that the view can reach."""
        shape, offset = given["shape"], given.get("offset", 0)
        strides = given.get("strides") or list(torch.empty(shape, device="meta").stride())
        if len(strides) != len(shape) or min([offset, *strides]) < 0:
            raise ValueError(f"{given}: strides has a number for each one of shape, and none is negative")
        last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) if 0 not in shape else -1
        rest = {key: value for key, value in given.items() if key not in ("strides", "offset")}
        return self.value({**rest, "shape": [offset + last + 1]}).as_strided(shape, strides, offset)


def dtype_of(name: str) -> torch.dtype:
    found = getattr(torch, str(name), None)
    if not isinstance(found, torch.dtype):
        raise ValueError(f"there is no dtype {name!r}; say float32, int64, ...")
    return found


def issue_252() -> list[Spec]:
    """The four calls of add.Tensor that users found 13 to 20 times slower on FlagGems than on boxing."""

    def add(name: str, left: dict[str, Any], right: Any) -> Spec:
        return Spec(name, "add.Tensor", [left, right], {"alpha": 1})

    return [
        add("residual_101x3x320_noncontig", {"shape": [3, 101, 320], "transpose": [0, 1]}, {"shape": [101, 3, 320]}),
        add("attention_60x101x16_noncontig", {"shape": [101, 60, 16], "transpose": [0, 1]}, {"shape": [60, 101, 16]}),
        add("ffn_101x3x1280_scalar", {"shape": [101, 3, 1280]}, 1.0),
        add("bias_3x101x33", {"shape": [3, 101, 33]}, {"shape": [33]}),
    ]


def from_file(path: Path) -> list[Spec]:
    """Cases of a YAML file: a list of mappings with `name`, `op`, `args` and `kwargs`, as `Spec` has them.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds something else; says where.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(content, list):
        raise ValueError(f"{path}: a list of cases is expected, each starting with `- `")
    found = []
    for number, entry in enumerate(content, 1):
        where = f"{path}: case {number}"
        if not isinstance(entry, dict) or "op" not in entry:
            raise ValueError(f"{where} has no op")
        if unknown := set(entry) - {"name", "op", "args", "kwargs"}:
            raise ValueError(f"{where} has {min(unknown)!r}; it may have name, op, args, kwargs")
        op = str(entry["op"])
        if schema_of(op) is None:
            raise ValueError(f"{where}: there is no op {op!r}")
        args, kwargs = entry.get("args") or [], entry.get("kwargs") or {}
        if not isinstance(args, list) or not isinstance(kwargs, dict) or not all(isinstance(k, str) for k in kwargs):
            raise ValueError(f"{where}: args is a list, and kwargs a mapping of names to values")
        spec = Spec(str(entry.get("name") or f"{op} {number}"), op, args, kwargs)
        try:
            _checked(spec)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        found.append(spec)
    return found


def of_op(op: str) -> Spec:
    """A call with float32 tensors of 32x32, or whatever the op takes.

    Raises:
        ValueError: there is no such op, or no input can be made for it.
    """
    if schema_of(op) is None:
        raise ValueError(f"there is no op {op!r}")
    refused = ""
    for profile in inputs.PROFILES:
        found = cases.of_profile(op, profile)
        if isinstance(found, cases.Case):
            args, kwargs = found.arguments
            return Spec(
                f"{op} {profile.name}", op, [_spec_of(a) for a in args], {k: _spec_of(v) for k, v in kwargs.items()}
            )
        refused = refused or found.text
    raise ValueError(f"no arguments can be made for {op}: {refused}")


def _spec_of(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        made: dict[str, Any] = {"shape": list(value.shape), "dtype": name_of(value.dtype)}
        if value.numel() and not (value.is_floating_point() or value.is_complex()):
            made |= {"below": int(value.max()) + 1} if value.min() >= 0 and value.dtype != torch.bool else {}
        elif value.numel() and value.is_floating_point() and bool((value > 0).all()):
            made["positive"] = True
        return made
    if isinstance(value, torch.dtype):
        return {"dtype": name_of(value)}
    if isinstance(value, list | tuple):
        return [_spec_of(v) for v in value]
    return value


def from_row(row: Any) -> Spec:
    """The call of a census' row.

    A census keeps the arguments of the first call of each row; of tensors, whatever but their values. One of an older
    version keeps dtypes and shapes of the tensors: what else the op takes is its default then, or a guess that
    `guessed` tells, and a 0-d tensor of another dtype behind the first one counts as the number that it was.

    Raises:
        ValueError: the arguments cannot be made again; says why.
    """
    schema = schema_of(row.op)
    if schema is None:
        raise ValueError(f"this torch has no op {row.op}")
    refused = ""
    if row.call:
        try:
            return _kept(row, schema)
        except ValueError as error:
            raise ValueError(f"{row.op} ({row.dtypes}; {row.shapes}) cannot be made again: {error}") from error
    tensors = _shapes_of(row)
    for dtypes in _dtypes_of(row, tensors):
        given = [{"shape": shape, "dtype": dtype} for shape, dtype in zip(tensors, dtypes, strict=True)]
        for whole, positive in ((False, False), (True, False), (False, True), (True, True)):
            try:
                spec = _fitted(row, schema, list(given), whole, positive)
                _checked(spec)
                return spec
            except ValueError as error:
                refused = refused or str(error)
    raise ValueError(
        f"{row.op} ({row.dtypes}; {row.shapes}) cannot be made again: {refused or 'its tensors are not known'}"
    )


def _kept(row: Any, schema: Any) -> Spec:
    """The call as it was. Raises ValueError where an argument cannot be made again, or the host refuses all of them."""
    values = json.loads(row.call)
    if not isinstance(values, list):
        raise ValueError(f"its arguments are {row.call[:40]}, and no list")
    if len(values) != len(schema.arguments):
        raise ValueError("this torch's schema of it is another one")
    first = next((v for v in values if isinstance(v, dict) and "shape" in v), {"shape": []})
    refused = ""
    for positive in (False, True):
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for argument, value in zip(schema.arguments, values, strict=True):
            again = _again(value, argument, first, positive)
            if argument.kwarg_only:
                kwargs[argument.name] = again
            else:
                args.append(again)
        spec = Spec(f"{row.op} {row.dtypes} {row.shapes}", row.op, args, kwargs, row.calls)
        try:
            _checked(spec)
            return spec
        except ValueError as error:
            refused = refused or str(error)
    raise ValueError(refused)


def _again(value: Any, argument: Any, first: dict[str, Any], positive: bool) -> Any:
    if isinstance(value, list):
        return [_again(v, argument, first, positive) for v in value]
    if not isinstance(value, dict):
        return value
    if "kind" in value:
        if argument.has_default_value():
            return argument.default_value
        raise ValueError(f"{argument.name} is of a kind that cannot be made again ({value['kind']})")
    if "shape" not in value:
        return value
    if argument.name in inputs.INDICES:
        return {**value, "below": min([n for n in first["shape"] if n] or [1])}
    return {**value, "positive": True} if positive else value


def _shapes_of(row: Any) -> list[list[int]]:
    return [[int(n) for n in re.findall(r"\d+", text)] for text in re.findall(r"\(([^()]*)\)", row.shapes)]


# Of a row with several dtypes and more tensors, so many ways are tried.
_WAYS = 8


def _dtypes_of(row: Any, shapes: list[list[int]]) -> list[tuple[str, ...]]:
    """Which tensor may have which dtype: a row has each dtype once, in the order of the tensors. Likeliest first."""
    dtypes = [d for d in row.dtypes.split(",") if d]
    ways: list[tuple[str, ...]] = [()]
    for place in range(len(shapes)):
        left = len(shapes) - place - 1
        longer = []
        for way in ways:
            seen = len(set(way))
            new = dtypes[seen : seen + 1]
            old = list(reversed(dtypes[:seen])) if len(dtypes) - seen <= left else []
            longer += [(*way, dtype) for dtype in [*new, *old]]
        ways = longer
    return ways[:_WAYS]


def _fitted(row: Any, schema: Any, tensors: list[dict[str, Any]], whole: bool, positive: bool) -> Spec:
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    guessed = []
    first = tensors[0] if tensors else {"shape": [], "dtype": "float32"}
    profile = inputs.Profile("", dtype_of(first["dtype"]), tuple(first["shape"]))
    later = [str(a.type) for a in schema.arguments]
    for place, argument in enumerate(schema.arguments):
        kind = str(argument.type)
        needed = later[place + 1 :].count("Tensor")
        if kind == "Tensor" or (kind == "Optional[Tensor]" and len(tensors) > needed):
            if not tensors:
                raise ValueError(f"{row.op}: the census tells fewer tensors than the op takes")
            value = _taken(tensors.pop(0), argument.name, first, positive, bool(args))
        elif kind.startswith(("List[Tensor", "List[Optional[Tensor")):
            count = len(tensors) - needed
            value = [_taken(tensors.pop(0), argument.name, first, positive, False) for _ in range(count)]
        elif argument.has_default_value():
            value = argument.default_value
        else:
            value = inputs.other(argument.name, kind, profile, inputs.Style(whole=whole))
            guessed.append(f"{argument.name}={value!r}")
        if argument.kwarg_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    name = f"{row.op} {row.dtypes} {row.shapes}"
    return Spec(name, row.op, args, kwargs, row.calls, ", ".join(guessed))


def _taken(tensor: dict[str, Any], name: str, first: dict[str, Any], positive: bool, later: bool) -> Any:
    if later and not tensor["shape"] and tensor["dtype"] != first["dtype"]:
        return {"float64": 1.5, "int64": 2, "bool": True}.get(tensor["dtype"], tensor)
    if name in inputs.INDICES:
        return {**tensor, "below": min([n for n in first["shape"] if n] or [1])}
    return {**tensor, "positive": True} if positive else tensor


def _checked(spec: Spec) -> None:
    """Asks the host whether it takes a call. Raises ValueError where it does not."""
    answer = cases.answer(spec.name, "", spec.op, built(spec))
    if isinstance(answer, cases.Refused):
        raise ValueError(answer.text)


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def promoted(spec: Spec) -> str:
    """The dtype by which a guard sees a call; "" for one without tensors."""
    return cases.value_dtype(spec.op, built(spec))
