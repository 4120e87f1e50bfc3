"""ops.yaml and shapes.yaml -> rows, checked against PyTorch's schemas."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torchgen.model import BaseTy, BaseType, ListType, NativeFunction, OptionalType

from codegen import abi, schemas, templates, universe
from codegen.schemas import Schemas
from codegen.source import Entry, Source, did_you_mean
from codegen.vendor import Vendor

# What a row and a shape may both say; the row wins, flags and arg_dtypes are added.
SHARED_KEYS = (
    "spellings",
    "tensors",
    "outputs",
    "dtypes",
    "arg_dtypes",
    "out_dtypes",
    "flags",
    "max_rank",
    "layout",
    "params",
)
ROW_KEYS = ("op", "shape", "kernel", *SHARED_KEYS)
SHAPE_KEYS = ("args", "include", "prepare", *SHARED_KEYS)
# What a key's value must be, and a way to say it. dtypes are checked in _dtype_names.
_TYPES: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("op", "shape", "kernel", "layout"), (str, "a name")),
    **dict.fromkeys(("spellings", "flags", "args", "include"), (list, "a list of names")),
    **dict.fromkeys(("arg_dtypes", "params"), (dict, "a mapping")),
    "prepare": (bool, "true or false"),
    **dict.fromkeys(("max_rank", "tensors", "outputs"), (int, "a whole number from 0 on")),
}
# Ops that core serves itself and asks a vendor for what bytes alone cannot do (strides, casts): a row may serve them.
ASKED_OF_VENDORS = frozenset({"copy_"})


@dataclass(frozen=True)
class Argument:
    """An argument of a row's schema, as templates see it. `dtypes` is empty for what is not a tensor."""

    name: str
    type: str
    index: int
    tensor: bool
    dtypes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A native op of a vendor.

    symbol: `op` as an identifier. serves: spelling -> overload. outs: dtypes per output; out_types: their types, as the
    schema writes them. include: headers that the template needs. line: in ops.yaml.
    """

    op: str
    symbol: str
    kernel: str
    shape: str
    schema: str
    args: tuple[Argument, ...]
    outs: tuple[tuple[str, ...], ...]
    out_types: tuple[str, ...]
    serves: dict[str, str]
    flags: tuple[str, ...]
    max_rank: int
    layout: str
    prepare: bool
    include: tuple[str, ...]
    line: int
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def spellings(self) -> tuple[str, ...]:
        return tuple(self.serves)


class Rows:
    """All rows of a vendor. Problems are left in the sources."""

    def __init__(self, vendor: Vendor, loaded: Schemas, served_by_core: frozenset[str]):
        self.vendor = vendor
        self.schemas = loaded
        self.served_by_core = served_by_core - ASKED_OF_VENDORS
        self.ops = Source(vendor.folder / "ops.yaml", vendor.root)
        self.shapes = Source(vendor.templates / "shapes.yaml", vendor.root)
        self.rows: list[Row] = []
        self._taken: dict[str, int] = {}
        self._uses: dict[str, templates.Uses | None] = {}
        self._shapes = self._load_shapes()
        for entry in self.ops.entries() if self.ops.path.exists() else []:
            row = self._row(entry)
            if row is not None:
                self.rows.append(row)

    # ---- shapes

    def _load_shapes(self) -> dict[str, Entry]:
        if not self.shapes.path.exists():
            return {}
        table = self.shapes.table()
        for name, entry in table.items():
            self.shapes.unknown_keys(entry, SHAPE_KEYS)
            if not self._typed(self.shapes, entry):
                continue
            self._names(self.shapes, entry, "flags", abi.flags(), "flag")
            self._dtype_names(self.shapes, entry)
            self._uses[name] = templates.uses(self.vendor.templates, name)
            self._param_names(self.shapes, entry, name)
            if not (self.vendor.templates / f"{name}.cpp").exists():
                self.shapes.complain(entry.line, f"the shape `{name}` has no template {name}.cpp beside this file")
        return table

    # ---- rows

    def _row(self, entry: Entry) -> Row | None:
        values = entry.values
        before = len(self.ops.problems)
        self.ops.unknown_keys(entry, ROW_KEYS)
        if not self._typed(self.ops, entry):
            return None
        op = str(values.get("op") or "")
        f = self._function(entry, op)
        if f is None:
            return None
        shape = self._shape(entry, f)
        if shape is None:
            return None
        self._names(self.ops, entry, "flags", abi.flags(), "flag")
        self._dtype_names(self.ops, entry)
        serves = self._serves(entry, shape, f)
        flags = tuple(dict.fromkeys([*_list(shape.values.get("flags")), *_list(values.get("flags"))]))
        layout = self._layout(entry, shape, f, serves, flags)
        self._arity(entry, shape, f)
        self._kernel(entry, f)
        self._param_names(self.ops, entry, str(values["shape"]))
        if len(self.ops.problems) > before or self.shapes.problems:
            return None
        args = self._arguments(entry, shape, f)
        outs = self._outputs(entry, shape, f)
        if len(self.ops.problems) > before:
            return None
        for overload in serves.values():
            self._taken[overload] = entry.line
        return Row(
            op=op,
            symbol=op.replace(".", "_"),
            kernel=str(values.get("kernel") or ""),
            shape=str(values["shape"]),
            schema=f"aten::{f.func}",
            args=args,
            outs=outs,
            out_types=tuple(str(type_) for _, type_ in schemas.outputs(f)),
            serves=serves,
            flags=tuple(name for name in abi.flags() if name in flags),
            max_rank=int(_first("max_rank", values, shape.values, default=self.vendor.max_rank)),
            layout=layout,
            prepare=bool(shape.values.get("prepare", False)),
            include=tuple(_list(shape.values.get("include"))),
            line=entry.line,
            params={**(shape.values.get("params") or {}), **(values.get("params") or {})},
        )

    def _function(self, entry: Entry, op: str) -> NativeFunction | None:
        f = self.schemas.functions.get(op)
        if not op:
            self.ops.complain(entry.line, "`op` is missing")
        elif f is None:
            self.ops.complain(
                entry.at("op"),
                f"torch {self.schemas.version} has no op `{op}`{did_you_mean(op, self.schemas.functions)}",
            )
        elif op in self.served_by_core:
            self.ops.complain(entry.at("op"), f"`{op}` is served by core (core/primitives.txt); drop the row: {f.func}")
            return None
        elif universe.decomposes(self.schemas, op):
            self.ops.complain(
                entry.at("op"),
                f"`{op}` is only ever served by other ops (CompositeImplicitAutograd), and a kernel of its own would "
                f"lose the gradient; serve the ops that it calls: {f.func}",
            )
            return None
        return f

    def _shape(self, entry: Entry, f: NativeFunction) -> Entry | None:
        name = str(entry.values.get("shape") or "")
        shape = self._shapes.get(name)
        if not name:
            self.ops.complain(entry.line, f"`shape` is missing, the template to use: {f.func}")
        elif shape is None:
            self.ops.complain(
                entry.at("shape"),
                f"no shape `{name}` in {self.shapes.file}{did_you_mean(name, self._shapes)} ({f.func})",
            )
        return shape

    def _serves(self, entry: Entry, shape: Entry, f: NativeFunction) -> dict[str, str]:
        op, own = str(f.func.name), schemas.spelling(f)
        siblings = self.schemas.siblings(op)
        wanted = _first("spellings", entry.values, shape.values, default=None)
        if wanted is None:
            # A row of a functional op serves all of its spellings; one of x_ or x.out is about that one alone.
            wanted = list(siblings) if own == schemas.FUNCTIONAL else [own]
            wanted = [kind for kind in wanted if siblings[kind] not in self.served_by_core]
        serves: dict[str, str] = {}
        for kind in wanted:
            if kind not in schemas.SPELLINGS:
                self.ops.complain(
                    entry.at("spellings"),
                    f"unknown spelling `{kind}`{did_you_mean(kind, schemas.SPELLINGS)} ({f.func})",
                )
            elif kind not in siblings:
                self.ops.complain(entry.at("spellings"), f"PyTorch has no {kind} spelling of {f.func}")
            else:
                serves[kind] = siblings[kind]
        for overload in serves.values():
            if overload in self._taken:
                self.ops.complain(
                    entry.at("op"),
                    f"`{overload}` is served by the row of line {self._taken[overload]} already: {f.func}",
                )
        return {kind: serves[kind] for kind in schemas.SPELLINGS if kind in serves}

    def _layout(self, entry: Entry, shape: Entry, f: NativeFunction, serves: dict[str, str], flags: tuple) -> str:
        op = str(f.func.name)
        layout = entry.values.get("layout")
        if op in self.schemas.structured:
            # A shape's rule is for those of its rows that need one.
            if layout:
                self.ops.complain(
                    entry.at("layout"), f"`{op}` is structured: PyTorch computes its layout, drop `layout`: {f.func}"
                )
            return ""
        layout = str(layout or shape.values.get("layout") or "")
        if layout and layout not in abi.layouts():
            self.ops.complain(
                entry.at("layout"), f"unknown layout `{layout}`{did_you_mean(layout, abi.layouts())} ({f.func})"
            )
        needed = serves.keys() & {schemas.FUNCTIONAL, schemas.OUT} and f.func.returns
        if needed and not layout and abi.DYNAMIC_OUTPUT not in flags:
            self.ops.complain(
                entry.line,
                f"`{op}` is not structured, so core has to be told how to lay out its results; add `layout:` with one "
                f"of {', '.join(abi.layouts())}: {f.func}",
            )
        return layout

    def _arity(self, entry: Entry, shape: Entry, f: NativeFunction) -> None:
        name = entry.values["shape"]
        arguments = schemas.arguments(f)
        outs = {argument.name for argument in f.func.arguments.out}
        wanted = shape.values.get("args")
        have = [str(argument.type) for argument in arguments]
        if wanted is not None and (
            len(wanted) != len(have) or any(str(w) not in ("*", h) for w, h in zip(wanted, have, strict=True))
        ):
            self.ops.complain(
                entry.at("shape"),
                f"the shape `{name}` takes ({', '.join(map(str, wanted))}), not what the op has: {f.func}",
            )
        for key, what, count in (
            ("tensors", "tensor arguments", sum(_is_tensor(a.type) and a.name not in outs for a in arguments)),
            ("outputs", "results", len(f.func.returns)),
        ):
            expected = _first(key, entry.values, shape.values, default=None)
            if isinstance(expected, int) and expected != count:
                self.ops.complain(
                    entry.at("shape"), f"the shape `{name}` is for {expected} {what}, the op has {count}: {f.func}"
                )

    def _kernel(self, entry: Entry, f: NativeFunction) -> None:
        shape, kernel = str(entry.values["shape"]), entry.values.get("kernel")
        uses = self._uses.get(shape)
        if uses is not None and uses.kernel and not kernel:
            self.ops.complain(entry.at("kernel"), f"`kernel` is missing, which {shape}.cpp needs: {f.func}")
        elif uses is not None and kernel and not uses.kernel:
            self.ops.complain(entry.at("kernel"), f"{shape}.cpp uses no `kernel`; drop it: {f.func}")

    def _arguments(self, entry: Entry, shape: Entry, f: NativeFunction) -> tuple[Argument, ...]:
        default = _first("dtypes", entry.values, shape.values, default=None)
        own = _arg_dtypes(shape, entry)
        outs = {argument.name for argument in f.func.arguments.out}
        arguments = schemas.arguments(f)
        tensors = {argument.name for argument in arguments if _is_tensor(argument.type)}
        for name in entry.values.get("arg_dtypes") or {}:
            if name not in tensors:
                self.ops.complain(
                    entry.at("arg_dtypes"), f"no tensor argument `{name}`{did_you_mean(name, tensors)}: {f.func}"
                )
        found = []
        for index, argument in enumerate(arguments):
            dtypes: tuple[str, ...] = ()
            if argument.name in tensors:
                names = own.get(argument.name)
                if names is None and argument.name in outs:
                    names = self._output_names(
                        entry, shape, [a.name for a in f.func.arguments.out].index(argument.name)
                    )
                if names is None:
                    names = default
                if names is None:
                    self.ops.complain(
                        entry.line, f"no dtypes for `{argument.name}`: give `dtypes` or `arg_dtypes`: {f.func}"
                    )
                    continue
                dtypes = abi.expand(_list(names))
            found.append(Argument(argument.name, str(argument.type), index, argument.name in tensors, dtypes))
        return tuple(found)

    def _outputs(self, entry: Entry, shape: Entry, f: NativeFunction) -> tuple[tuple[str, ...], ...]:
        default = _first("dtypes", entry.values, shape.values, default=None)
        given = _first("out_dtypes", entry.values, shape.values, default=None)
        outputs = schemas.outputs(f)
        if given and isinstance(given[0], list) and len(given) != len(outputs):
            self.ops.complain(
                entry.at("out_dtypes"), f"{len(given)} lists of out_dtypes for {len(outputs)} outputs: {f.func}"
            )
            return ()
        # An argument that is written has the dtypes that it has as an argument.
        own = _arg_dtypes(shape, entry)
        found = []
        for index, (name, type_) in enumerate(outputs):
            if not _is_tensor(type_):
                found.append(())
                continue
            names = self._output_names(entry, shape, index)
            names = own.get(name) if names is None else names
            names = default if names is None else names
            if names is None:
                self.ops.complain(entry.line, f"no dtypes for the outputs: give `dtypes` or `out_dtypes`: {f.func}")
                return ()
            found.append(abi.expand(_list(names)))
        return tuple(found)

    def _output_names(self, entry: Entry, shape: Entry, index: int) -> list[str] | None:
        """out_dtypes is a list of names for every output, or a list of such lists, one per output."""
        given = _first("out_dtypes", entry.values, shape.values, default=None)
        if given and isinstance(given[0], list):
            return given[index] if index < len(given) else None
        return given

    # ---- names

    def _names(self, source: Source, entry: Entry, key: str, known: Any, what: str) -> None:
        for name in _list(entry.values.get(key)):
            if name not in known:
                source.complain(
                    entry.at(key), f"unknown {what} `{name}`{did_you_mean(str(name), known)}{self._of(entry)}"
                )

    def _param_names(self, source: Source, entry: Entry, shape: str) -> None:
        uses = self._uses.get(shape)
        for name in (entry.values.get("params") or {}) if uses is not None else ():
            if name not in uses.params:
                near = did_you_mean(str(name), uses.params)
                source.complain(entry.at("params"), f"{shape}.cpp uses no param `{name}`{near}{self._of(entry)}")

    def _typed(self, source: Source, entry: Entry) -> bool:
        """Whether the values are of the types that the rest relies on."""
        before = len(source.problems)
        for key, (type_, what) in _TYPES.items():
            value = entry.values.get(key)
            if value is None:
                continue
            right = type(value) is type_ and (type_ is not int or value >= 0)  # true is no number here
            if not right or (type_ is list and not all(isinstance(name, str) for name in value)):
                source.complain(entry.at(key), f"`{key}` must be {what}, not {value!r}{self._of(entry)}")
        return len(source.problems) == before

    def _dtype_names(self, source: Source, entry: Entry) -> None:
        known = {*abi.DTYPES, *abi.GROUPS}

        def check(key: str, names: Any, of: str = "") -> None:
            if names is None:
                return
            if not isinstance(names, list) or not names:
                what = f"`{key}`{of} must be a list of dtypes, not {names!r}; without the key the shape's hold"
                source.complain(entry.at(key), what + self._of(entry))
                return
            for name in names:
                if str(name) not in known:
                    source.complain(
                        entry.at(key), f"unknown dtype `{name}`{did_you_mean(str(name), known)}{self._of(entry)}"
                    )

        check("dtypes", entry.values.get("dtypes"))
        for argument, names in (entry.values.get("arg_dtypes") or {}).items():
            check("arg_dtypes", names or [], f" of `{argument}`")
        outs = entry.values.get("out_dtypes")
        lists = [isinstance(names, list) for names in outs] if isinstance(outs, list) else []
        if not any(lists):
            check("out_dtypes", outs)
        elif all(lists):
            for index, names in enumerate(outs):
                check("out_dtypes", names, f" of output {index}")
        else:
            what = "`out_dtypes` must be a list of dtypes, or one such list per output, not both"
            source.complain(entry.at("out_dtypes"), f"{what}: {outs!r}{self._of(entry)}")

    def _of(self, entry: Entry) -> str:
        f = self.schemas.functions.get(str(entry.values.get("op", "")))
        return f" ({f.func})" if f is not None else ""


def _is_tensor(type_: Any) -> bool:
    while isinstance(type_, (ListType, OptionalType)):
        type_ = type_.elem
    return isinstance(type_, BaseType) and type_.name == BaseTy.Tensor


def _list(value: Any) -> list:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _arg_dtypes(shape: Entry, entry: Entry) -> dict[str, list]:
    """Dtypes by argument: the shape's, and over them the row's own."""
    return {**(shape.values.get("arg_dtypes") or {}), **(entry.values.get("arg_dtypes") or {})}


def _first(key: str, *places: dict[str, Any], default: Any) -> Any:
    for place in places:
        if place.get(key) is not None:
            return place[key]
    return default
