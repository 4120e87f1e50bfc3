"""Making the arguments of a call from words of the command line: meta tensors, and Python values."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any

import torch


def build(op: str, dtypes: str, shapes: list[str], others: list[str]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments for an op's schema.

    Args:
        op: ``"add.Tensor"``
        dtypes: of the tensor arguments in order, ``"float32,int64"``; the last one serves the rest.
        shapes: of the tensor arguments in order, ``["2,3", ""]``; the last one serves the rest.
        others: ``name=value`` for arguments that are no tensors, or to leave an optional tensor out with None.

    Raises:
        ValueError: no such op, dtype or argument, one is missing that has no default, or a number is too large.
    """
    schema = _schema_of(op)
    named = dict(_pair(text) for text in others)
    unknown = set(named) - {a.name for a in schema.arguments}
    if unknown:
        have = ", ".join(a.name for a in schema.arguments)
        raise ValueError(f"{op} has no argument {min(unknown)!r} (it has: {have})")
    tensors = _Tensors([_dtype(d) for d in dtypes.split(",")], [_shape(s) for s in shapes])
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for argument in schema.arguments:
        if argument.name in named:
            value = _value(op, argument, named[argument.name])
        elif str(argument.type) == "Tensor":
            value = tensors.next()
        elif str(argument.type).startswith("List[Tensor"):
            value = [tensors.next(), tensors.next()]
        elif str(argument.type).startswith("List[Optional[Tensor"):
            value = [tensors.next()]
        elif argument.has_default_value():
            value = argument.default_value
        elif str(argument.type).startswith("Optional["):
            value = None
        elif str(argument.type) == "number":
            value = 1
        else:
            raise ValueError(f"{op} needs --arg {argument.name}=... ({argument.type}); its schema: {schema}")
        if argument.kwarg_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    return args, kwargs


def _schema_of(op: str) -> Any:
    from torch_fl import _native
    from torch_fl._conf import unknown_op
    from torch_fl._ops import schema_of

    native = _native.module()
    if not native.op_exists(op):
        raise ValueError(unknown_op(op, native.op_names()))
    return schema_of(op)


def function_of(op: str) -> Any:
    """The callable overload of an aten op that exists."""
    name, _, overload = op.partition(".")
    return getattr(getattr(torch.ops.aten, name), overload or "default")


def describe(args: list[Any], kwargs: dict[str, Any]) -> str:
    """``"The tensors were float32[2, 3], int64[4]"``"""
    from torch.utils._pytree import tree_leaves

    found = [
        f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}"
        for t in tree_leaves((args, kwargs))
        if isinstance(t, torch.Tensor)
    ]
    return f"The tensors were {', '.join(found) or 'none'}"


class _Tensors:
    """Meta tensors in the order of the arguments."""

    def __init__(self, dtypes: list[torch.dtype], shapes: list[list[int]]):
        self._dtypes, self._shapes, self._made = dtypes, shapes, 0

    def next(self) -> torch.Tensor:
        i = self._made
        self._made += 1
        shape = self._shapes[min(i, len(self._shapes) - 1)]
        dtype = self._dtypes[min(i, len(self._dtypes) - 1)]
        return torch.empty(shape, dtype=dtype, device="meta")


def _dtype(text: str) -> torch.dtype:
    found = getattr(torch, text.strip().removeprefix("torch."), None)
    if not isinstance(found, torch.dtype):
        raise ValueError(f"there is no dtype {text!r}; say float32, int64, ...")
    return found


def _shape(text: str) -> list[int]:
    if not re.fullmatch(r"|\d+([,x]\d+)*", text := text.replace(" ", "")):
        raise ValueError(f"{text!r} is no shape; say 2,3")
    words = re.findall(r"\d+", text)
    # Python makes no number of thousands of digits.
    if any(len(word.lstrip("0")) > 19 or int(word[-20:]) not in _INT64 for word in words):
        raise ValueError(f"a size of {text[:60]!r} is beyond int64")
    return [int(word) for word in words]


_INT64 = range(-(2**63), 2**63)
_BOOLS = {"true": True, "false": False}


def _value(op: str, argument: Any, value: Any) -> Any:
    """A value as the argument takes it; ValueError for a word where no text is wanted."""
    type_ = str(argument.real_type)
    if not _holds(type_, value):
        raise ValueError(f"--arg {argument.name}: `{argument.name}` of {op} is {type_}, which takes no number so large")
    if not isinstance(value, str) or "str" in type_ or "Device" in type_:
        return value
    if "ScalarType" in type_:
        return _dtype(value)
    if "bool" in type_ and value.lower() in _BOOLS:
        return _BOOLS[value.lower()]
    raise ValueError(f"--arg {argument.name}={value}: `{argument.name}` of {op} is {type_}, and {value!r} is text")


def _holds(type_: str, value: Any) -> bool:
    """False for a whole number that PyTorch could not take."""
    if isinstance(value, list | tuple):
        return all(_holds(type_, v) for v in value)
    if not isinstance(value, int):
        return True
    if "float" in type_:
        return abs(value) <= sys.float_info.max
    return value in _INT64 or ("number" in type_ and 0 < value < 2**64)  # also one of uint64


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is no argument; say name=value")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value
