"""Guards of routes: conditions on a call's signature. docs/routing.md has the fields."""

from __future__ import annotations

import re

from codegen import abi
from codegen.schemas import Schemas
from codegen.source import did_you_mean

_FIELD = re.compile(
    r"(?P<plain>dtype|out\.dtype|rank|numel|layout|alike|scalar)"
    r"|(?:rows|inner)\((?P<dim>-?\d+|[A-Za-z_]\w*)\)"
    r"|(?P<arg>[A-Za-z_]\w*)\.(?:dtype|rank)"
)
_CONDITION = re.compile(r"(?P<field>[^=!<>\s]+)\s*(?P<is>=|!=|<=|>=|<|>)\s*(?P<values>\{[^{}]+\}|[^{}=!<>\s]+)")
_COMMA = re.compile(r",(?![^{]*\})")
_NAMED = {
    "dtype": (*abi.DTYPES, *("half", "float", "double", "short", "int", "long", "cfloat", "cdouble")),
    "layout": ("strided", "contiguous", "dense"),
    "alike": ("no", "yes"),
    "scalar": ("int", "float", "bool", "complex"),
}


def wrong(guard: str, schemas: Schemas, op: str) -> str:
    """What is wrong with a guard of `op`, or ""."""
    for text in _COMMA.split(guard):
        if problem := _wrong_condition(text.strip(), schemas, op):
            return problem
    return ""


def _wrong_condition(text: str, schemas: Schemas, op: str) -> str:
    match = _CONDITION.fullmatch(text)
    if match is None:
        return f"`{text}` is not a condition: `field = value`, `field != {{a,b}}`, `field < number`"
    field = _FIELD.fullmatch(match["field"])
    if field is None:
        return f"unknown guard `{match['field']}`"
    arguments = {argument.name: str(argument.type) for argument in schemas.functions[op].func.arguments.flat_all}
    for name in (field["arg"], field["dim"]):
        if name and name != "out" and not name.lstrip("-").isdigit() and name not in arguments:
            return f"`{op}` has no argument `{name}`{did_you_mean(name, arguments)}"
    if field["dim"] and arguments.get(field["dim"], "int") != "int":
        return f"`{field['dim']}` of `{op}` is {arguments[field['dim']]}, not the number of one dimension"
    return _wrong_values(match["field"], match["is"], match["values"])


def _wrong_values(field: str, comparison: str, text: str) -> str:
    values = [value.strip() for value in text.strip("{}").split(",")]
    known = _NAMED.get(field.rpartition(".")[2])
    if (known or len(values) > 1) and comparison not in ("=", "!="):
        return f"`{field}` is compared with = or != only" if known else "a set is compared with = or != only"
    for value in values:
        if known and value not in known:
            return f"unknown {field.rpartition('.')[2]} `{value}`{did_you_mean(value, known)}"
        if not known and not value.lstrip("-").isdigit():
            return f"`{field}` is compared with a whole number, not with `{value}`"
    return ""
