"""Writes the stand-in SDK's headers and op wrappers from table.yaml: `python generate.py [--check] [--calls FILE]`.

Needs PyYAML and jinja2. The written files are committed; `--check` writes nothing, shows a diff and exits with 1 where
one is not up to date. A line of the table that cannot be read exits with 2 and says what is wrong with it.
`--calls FILE` writes a C++ file that calls every op through its public declaration, for the tests.
"""

from __future__ import annotations

import argparse
import difflib
import functools
import pathlib
import re
import sys
from dataclasses import dataclass, field

import jinja2
import yaml

HERE = pathlib.Path(__file__).resolve().parent

# What a letter of a `call` means: the C++ type of the argument, and what the wrapper hands to the engine.
TYPES = {
    "T&": ("topsatenTensor&", "tensor"),
    "Ts&": ("std::vector<topsatenTensor>&", "tensors"),
    "cT": ("const topsatenTensor&", "tensor"),
    "Ts": ("const std::vector<topsatenTensor>&", "tensors"),
    "S": ("const topsatenScalar_t&", "scalar"),
    "Ss": ("const std::vector<topsatenScalar_t>&", "scalars"),
    "Z": ("const topsatenSize_t&", "sizes"),
    "i64": ("int64_t", "integer"),
    "double": ("double", "real"),
    "bool": ("bool", "boolean"),
    "str": ("const char*", "string"),
    "i64&": ("int64_t&", "host_integer"),
    "bool&": ("bool&", "host_boolean"),
    "i32*": ("int32_t*", "host_count"),
    "D": ("const topsatenDataType_t&", "dtype"),
    "L": ("topsatenLayoutType_t", "layout"),
    "M": ("topsatenMemoryFormat_t", "memory_format"),
    "G": ("const topsatenGenerator_t&", "generator"),
    "P": ("const topsatenPhiloxState_t&", "philox"),
    "E": ("topsatenScatterComputationType_t", "scatter_mode"),
    "B3": ("const std::array<bool, 3>&", "flags"),
    "B4": ("const std::array<bool, 4>&", "flags"),
}
TRAPS = {
    "tensor_scalar",
    "size_limit",
    "writes_nothing",
    "wrong_count",
    "narrow_scalars",
    "index",
    "i64_copy",
}


class TableError(Exception):
    """A line of the table that cannot be read."""


@dataclass
class Param:
    """One argument of an op."""

    name: str
    letter: str
    tuple: bool = False
    dtypes: list[str] = field(default_factory=list)
    own: bool = False  # of the op's own dtype
    optional: bool = False
    mask: str = "0"  # the dtypes as bits

    @property
    def cpp(self) -> str:
        return TYPES[self.letter][0]

    @property
    def kind(self) -> str:
        return TYPES[self.letter][1]

    @property
    def written(self) -> bool:
        return self.letter.endswith("&") or self.kind == "host_count"

    @property
    def passed(self) -> str:
        """What the wrapper hands on, of an argument that is called `{}`."""
        return "&{}" if self.letter in ("i64&", "bool&") else "{}"

    @property
    def row(self) -> str:
        """What src/op.h says of an argument."""
        marks = ", ".join(str(mark).lower() for mark in (self.written, self.own, self.optional))
        return f'{{"{self.name}", Kind::{self.kind}, {marks}, {self.mask}}},'

    @property
    def tensor(self) -> bool:
        return self.kind in ("tensor", "tensors")


@dataclass
class Op:
    """One overload of one function."""

    name: str
    index: int
    params: list[Param]
    aten: str
    custom: str
    shape: str
    strides: str
    traps: list[str]
    refuse: str
    workspace: bool
    given: dict[str, bool]
    source: str

    def row(self, number: int) -> str:
        """What src/op.h says of an op; its arguments are in params_<number>."""
        name, _, overload = self.aten.partition(".")
        aten = f'"{name}", "{overload}", nullptr' if self.aten else f"nullptr, nullptr, &custom::{self.custom}"
        traps = " | ".join(f"trap_{t}" for t in self.traps) or "0"
        limits = f"Shape::{self.shape}, Strides::{self.strides}, Refuse::{self.refuse}, {str(self.workspace).lower()}"
        given = f"given_{number}" if self.given else "nullptr"
        start = f'    {{"{self.name}", {aten}, params_{number}, {len(self.params)}, {limits}'
        return f"{start}, {traps}, {given}, {len(self.given)}}},"

    @property
    def declared(self) -> str:
        """The arguments of the declaration, the stream left out."""
        parts = []
        group = [p for p in self.params if p.tuple]
        if group:
            parts.append(f"std::tuple<{', '.join(p.cpp for p in group)}> outs")
        parts += [f"{p.cpp} {p.name}" for p in self.params if not p.tuple]
        return ", ".join(parts)

    @property
    def passed(self) -> str:
        """The arguments that the wrapper hands on."""
        group = [p for p in self.params if p.tuple]
        parts = [p.passed.format(f"std::get<{i}>(outs)") for i, p in enumerate(group)]
        return ", ".join(parts + [p.passed.format(p.name) for p in self.params if not p.tuple])

    @property
    def call_by_number(self) -> str:
        """The arguments of a call, where argument i is called a<i>; the tuple's come first."""
        group = [i for i, p in enumerate(self.params) if p.tuple]
        rest = [f"a{i}" for i, p in enumerate(self.params) if not p.tuple]
        return ", ".join(([f"std::tie({', '.join(f'a{i}' for i in group)})"] if group else []) + rest)


def expand(classes: dict, names) -> list[str]:
    """The dtypes of a class, a dtype, or a list of them."""
    found: list[str] = []
    for name in names if isinstance(names, list) else [names]:
        found += expand(classes, classes[name]) if name in classes else [name]
    return list(dict.fromkeys(found))


def parse_call(where: str, call: str) -> list[Param]:
    """The arguments of a `call`."""
    params = []
    group = re.match(r"\(([^)]*)\),?\s*", call)
    texts = [(t, True) for t in group[1].split(",")] if group else []
    texts += [(t, False) for t in call[group.end() if group else 0 :].split(",")]
    for text, in_tuple in texts:
        words = text.split()
        if len(words) != 2 or words[0] not in TYPES:
            raise TableError(f'{where}: "{text.strip()}" is not a type and a name; the types are {", ".join(TYPES)}')
        params.append(Param(words[1], words[0], in_tuple))
    if len({p.name for p in params}) != len(params):
        raise TableError(f"{where}: two arguments have one name")
    return params


def read_op(table: dict, name: str, index: int, row: dict) -> Op:
    """One entry of `ops`."""
    where = f"table.yaml: {name}, call {index}"
    known = {"call", "aten", "custom", "kind", "dtypes", "out", "args", "given", "shape", "strides", "trap"}
    known |= {"refuse", "optional", "source"}
    if extra := set(row) - known:
        raise TableError(f"{where}: unknown {', '.join(sorted(extra))}; known: {', '.join(sorted(known))}")
    for needed in ("call", "kind", "source"):
        if needed not in row:
            raise TableError(f"{where}: no `{needed}`")
    if ("aten" in row) == ("custom" in row):
        raise TableError(f"{where}: give either `aten` or `custom`")
    if row["kind"] not in table["kinds"]:
        raise TableError(f'{where}: no kind "{row["kind"]}"; the kinds are {", ".join(table["kinds"])}')
    kind = table["kinds"][row["kind"]]
    params = parse_call(where, row["call"])
    classes, numbers = table["dtypes"], table["enums"]["topsatenDataType_t"]["values"]
    special = {**table["roles"], **kind.get("args", {}), **row.get("args", {})}
    out = row.get("out", kind.get("out"))
    absent = {*table["optional"], *row.get("optional", [])}
    for param in params:
        if not param.tensor:
            continue
        param.optional = param.name in absent
        if param.name in special:
            chosen = special[param.name]
        elif param.written and out:
            chosen = out
        else:
            chosen = row.get("dtypes", kind["dtypes"])
            param.own = True
        param.dtypes = expand(classes, chosen)
        if bad := [d for d in param.dtypes if d not in numbers]:
            raise TableError(f"{where}: no dtype {bad[0]}")
        param.mask = hex(sum(1 << numbers[d] for d in param.dtypes))
    for key in ("args", "optional"):
        if unused := set(row.get(key, {})) - {p.name for p in params}:
            raise TableError(f"{where}: `{key}` names {', '.join(sorted(unused))}, which the call has not")
    traps = [t for t in (row.get("trap"), kind.get("trap")) if t]
    if bad := set(traps) - TRAPS:
        raise TableError(f"{where}: no trap {', '.join(bad)}; the traps are {', '.join(sorted(TRAPS))}")
    return Op(
        name,
        index,
        params,
        row.get("aten", ""),
        row.get("custom", ""),
        row.get("shape", kind.get("shape", "free")),
        row.get("strides", kind.get("strides", "contiguous")),
        traps,
        row.get("refuse", "no"),
        kind.get("workspace", False),
        row.get("given", {}),
        row["source"],
    )


def read_ops(table: dict) -> list[Op]:
    """All overloads, in the table's order."""
    ops = [read_op(table, name, i, row) for name, rows in table["ops"].items() for i, row in enumerate(rows)]
    seen: dict[tuple, Op] = {}
    for op in ops:
        key = (op.name, op.declared and tuple((p.letter, p.tuple) for p in op.params))
        if key in seen:
            raise TableError(f"table.yaml: {op.name}: calls {seen[key].index} and {op.index} have the same types")
        seen[key] = op
    return ops


def wrap(text: str, indent: int = 4) -> str:
    """Breaks a list of C++ arguments so that no line is longer than 120."""
    lines, line, depth, start = [], "", 0, 0
    pieces: list[str] = []
    for i, char in enumerate(text):
        depth += (char in "(<{") - (char in ")>}")
        if char == "," and depth <= 2:
            pieces.append(text[start : i + 1])
            start = i + 1
    pieces.append(text[start:])
    for piece in pieces:
        if line and len(line) + len(piece) > 120:
            lines.append(line)
            line = " " * indent + piece.strip()
        else:
            line += piece
    return "\n".join([*lines, line])


def environment() -> jinja2.Environment:
    """How the templates are read."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["wrap"] = wrap
    return made


FILES = {
    "tops_runtime_api.h": "include/tops/tops_runtime_api.h",
    "newer.h": "src/generated/newer.h",
    "topsaten_define.h": "include/topsaten/topsaten_define.h",
    "topsaten.h": "include/topsaten/topsaten.h",
    "ops.cpp": "src/generated/ops.cpp",
    "custom.inc": "src/generated/custom.inc",
    "names.inc": "src/generated/names.inc",
    "topsaten_ops.h": "include/topsaten/topsaten_ops.h",
}


@functools.cache
def read_table(text: str) -> dict:
    """The table; the loader that is written in C is 10 times faster, where PyYAML has it."""
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def render(template: str) -> str:
    """The text of one written file."""
    table = read_table((HERE / "table.yaml").read_text())
    text = (
        environment()
        .get_template(template + ".in")
        .render(runtime=table["runtime"], topsaten=table["topsaten"], ops=read_ops(table["topsaten"]))
    )
    return text


def main() -> int:
    """Writes or checks the files; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, show what is not up to date")
    parser.add_argument("--calls", metavar="FILE", type=pathlib.Path, help="write the C++ file of the tests")
    options = parser.parse_args()
    try:
        if options.calls:
            options.calls.write_text(render("calls.cpp"))
            return 0
        stale = 0
        for template, name in FILES.items():
            path, text = HERE / name, render(template)
            old = path.read_text() if path.exists() else ""
            if old == text:
                continue
            stale += 1
            if options.check:
                sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), name, name))
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                print(f"wrote {name}")
        if options.check and stale:
            print(f"{stale} of {len(FILES)} files are not up to date: run `python {pathlib.Path(__file__).name}`")
            return 1
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
