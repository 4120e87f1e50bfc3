"""What vendor.h offers a row: dtypes, flags, layout rules. Read from core, so that there is one list."""

from __future__ import annotations

import functools
import re
from pathlib import Path

_CORE = Path(__file__).parents[1] / "core"
HEADER = _CORE / "include" / "torch_fl" / "vendor.h"
RULES = _CORE / "src" / "dispatch" / "layouts.cpp"

# torch's names of the dtypes -> vendor.h's.
DTYPES = {
    "bool": "FL_BOOL",
    "uint8": "FL_U8",
    "int8": "FL_I8",
    "int16": "FL_I16",
    "int32": "FL_I32",
    "int64": "FL_I64",
    "uint16": "FL_U16",
    "uint32": "FL_U32",
    "uint64": "FL_U64",
    "float16": "FL_F16",
    "bfloat16": "FL_BF16",
    "float32": "FL_F32",
    "float64": "FL_F64",
    "complex32": "FL_C32",
    "complex64": "FL_C64",
    "complex128": "FL_C128",
    "float8_e4m3fn": "FL_F8_E4M3FN",
    "float8_e4m3fnuz": "FL_F8_E4M3FNUZ",
    "float8_e5m2": "FL_F8_E5M2",
    "float8_e5m2fnuz": "FL_F8_E5M2FNUZ",
}

# torch's own short names, then groups. `any` takes every dtype, those that vendor.h does not describe included.
GROUPS = {
    "half": ("float16",),
    "float": ("float32",),
    "double": ("float64",),
    "int": ("int32",),
    "long": ("int64",),
    "floating": ("float16", "bfloat16", "float32", "float64"),
    "integral": ("uint8", "int8", "int16", "int32", "int64"),
    "unsigned": ("uint16", "uint32", "uint64"),
    "complex": ("complex64", "complex128"),
    "index": ("int32", "int64"),
    "real": ("uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"),
    "any": tuple(DTYPES),
}

DYNAMIC_OUTPUT = "dynamic_output"


@functools.cache
def flags() -> dict[str, str]:
    """fl_row_flags by the name that ops.yaml uses: "promote" -> "FL_ROW_PROMOTE"."""
    names = re.findall(r"^\s*(FL_ROW_\w+) = 1 << \d+", HEADER.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.removeprefix("FL_ROW_").lower(): name for name in names}


@functools.cache
def layouts() -> tuple[str, ...]:
    """How core can lay out the outputs of an op that PyTorch has no structured meta function for: its rules' names."""
    names = re.findall(r"^\s*\{\"(\w+)\", \w+\},$", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    if not names:
        raise RuntimeError(f'{RULES} holds no table of layout rules ({{"name", function}}, one a line)')
    return tuple(names)


def expand(names: list[str]) -> tuple[str, ...]:
    """dtype and group names -> dtype names, in vendor.h's order. KeyError for a name that is neither."""
    wanted: set[str] = set()
    for name in names:
        wanted.update((name,) if name in DTYPES else GROUPS[name])
    return tuple(name for name in DTYPES if name in wanted)
