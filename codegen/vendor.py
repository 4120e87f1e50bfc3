"""A vendor's folder: the facts in vendor.toml that the generator needs."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen.source import Problem, Problems, did_you_mean

# Lanes that are written with their own name; a vendor's own kernels are written with the vendor's.
SHARED_LANES = ("flaggems", "tileops", "boxing", "none")
# Their kernels come from other packages, which may be missing: calls then go to the next lane.
INSTALLED_APART = ("flaggems", "tileops")

# Triton's names of what a parameter of a kernel may be; a pointer has a star before the name.
TRITON_TYPES = (
    *("i1", "i8", "i16", "i32", "i64", "u1", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64"),
    *("fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16"),
)

ANY = "*"  # in KEYS: every other name
# All that vendor.toml may say: a section is a mapping; [str] is a list of strings, [[str]] a list of such lists.
# docs/vendor-abi.md explains the keys.
KEYS: Mapping[str, Any] = {
    "name": str,
    "title": str,
    "embedded": bool,
    "lanes": [str],
    "boxing_key": str,
    "fences": [[str]],
    "include": [str],
    "units": int,
    "limits": {"max_rank": int, "grid": [int]},
    "flaggems": {
        "version": str,
        "vendor": str,
        "needs": [str],
        "libdevice": str,
        "triton_config": [str],
        "interpreter": bool,
        "limits": {"types": [str], "externs": [str]},
    },
    "triton": {"distribution": str, "version": str, "backend": str, "index": str},
    "sdk": {
        "title": str,
        "home": [str],
        "files": [str],
        "install": str,
        "version": {"file": str, "names": [str]},
        "beside": {ANY: str},
        "shadows": [str],
        "library": {"name": str, "variable": str, "paths": [str], "calls": str, "symbol": str},
    },
    "boxing": {"built_for": str, "libraries": [str], "variable": str, "install": str},
    "devices": {"nodes": str, "mend": str},
    "conflicts": {ANY: str},
    "harmless": {ANY: str},
    "variables": {ANY: str},
    "reference": {"title": str, "total": int, ANY: int},
}


@dataclass(frozen=True)
class Vendor:
    """lanes: in the order of preference, "none" last. boxing_key: PyTorch's name of the key, "" for none.

    flaggems: the version of flag-gems that the vendor's routes are for, "" without that lane; flaggems_vendor: what
    FlagGems calls this vendor. include: confs beside vendor.toml whose lines have the last word. units: files that the
    rows' C++ is spread over, 0 for as many as suit a quick compiler. calls: finds in the C++ of a row the functions of
    the SDK that it calls (a regular expression whose one group is their names), or "".
    reference: lane -> overloads that somebody else published, with their title and total; for the README.
    """

    name: str
    root: Path
    folder: Path
    lanes: tuple[str, ...]
    boxing_key: str
    max_rank: int
    flaggems: str = ""
    flaggems_vendor: str = ""
    include: tuple[str, ...] = ()
    units: int = 0
    calls: str = ""
    reference: Mapping[str, Any] = field(default_factory=dict)

    @property
    def templates(self) -> Path:
        return self.folder / "templates"

    @property
    def generated(self) -> Path:
        return self.folder / "src" / "generated"

    @property
    def conf(self) -> Path:
        return self.folder / "routes.conf"

    @property
    def readme(self) -> Path:
        return self.folder / "README.md"

    @property
    def called(self) -> Path:
        return self.folder / "calls.txt"

    def file(self, path: Path) -> str:
        """How a file is named in messages and banners."""
        return path.relative_to(self.root).as_posix()


def load(root: Path, name: str) -> Vendor:
    """Reads vendors/<name>/vendor.toml. Raises Problems."""
    folder = root / "vendors" / name
    path = folder / "vendor.toml"
    file = path.relative_to(root).as_posix()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problems([Problem(file, 1, "no such file; every vendor has one")]) from None
    try:
        facts = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Problems([Problem(file, 1, f"not toml: {error}")]) from None

    problems: list[Problem] = []

    def complain(where: str, what: str) -> None:
        problems.append(Problem(file, _line(text, where), what))

    for where, what in _misfits(facts, KEYS):
        complain(where, what)
    if problems:  # what follows relies on the types
        raise Problems(problems)
    if facts.get("name") != name:
        complain("name", f'name = "{facts.get("name")}" must be the name of the folder, "{name}"')
    lanes = facts.get("lanes", [])
    known = (name, *SHARED_LANES)
    for lane in lanes:
        if lane not in known:
            complain("lanes", f"unknown lane `{lane}`{did_you_mean(lane, known)}")
    if not lanes or lanes[-1] != "none":
        complain("lanes", 'lanes must end with "none", the CPU fallback')
    if len(set(lanes)) != len(lanes):
        complain("lanes", "a lane is given twice")
    for fence in facts.get("fences", []):
        if len(fence) != 2:
            complain("fences", f"a fence is a pair of lanes, not {fence}")
        for lane in set(fence) - set(lanes):
            complain("fences", f"the fence {fence} names `{lane}`, which is not in lanes{did_you_mean(lane, lanes)}")
    if not all(0 < size < 2**31 for size in facts.get("limits", {}).get("grid", [1])):
        complain("limits.grid", "grid is the most programs along x, y and z; drop it where it is not known")
    if facts.get("units", 1) < 1:
        complain("units", "units is a number of files; drop it where the rows compile quickly")
    if facts.get("limits", {}).get("max_rank", 0) < 0:
        complain("limits.max_rank", "max_rank is a number of dimensions; drop it where kernels take any")
    reference = facts.get("reference", {})
    for lane in reference.keys() - KEYS["reference"].keys() - set(lanes):
        near = did_you_mean(lane, [*KEYS["reference"], *lanes])
        complain(f"reference.{lane}", f"unknown key `{lane}` in [reference], and no lane{near}")
    boxing_key = facts.get("boxing_key", "")
    if "boxing" in lanes and not boxing_key:
        complain("lanes", 'the lane "boxing" needs boxing_key, the PyTorch key that sees the same memory ("CPU")')
    flaggems = facts.get("flaggems", {})
    if "flaggems" in lanes and not {"version", "vendor"} <= flaggems.keys():
        complain("lanes", 'the lane "flaggems" needs [flaggems] with version and vendor (its name in FlagGems)')
    for kind in flaggems.get("limits", {}).get("types", []):
        if kind.removeprefix("*") not in TRITON_TYPES:
            near = did_you_mean(kind, [*TRITON_TYPES, *(f"*{known}" for known in TRITON_TYPES)])
            complain("flaggems.limits.types", f"Triton has no type `{kind}`{near}; a pointer to i64 is *i64")
    include = tuple(facts.get("include", ()))
    for conf in include:
        if not (folder / conf).is_file():
            complain("include", f"there is no {conf} beside this file")
    calls = facts.get("sdk", {}).get("library", {}).get("calls", "")
    try:
        groups = re.compile(calls).groups
    except re.error as error:
        complain("sdk.library.calls", f"not a regular expression: {error}")
    else:
        if calls and groups != 1:
            complain("sdk.library.calls", "the regular expression needs one group, the names of the functions")
    if problems:
        raise Problems(problems)
    return Vendor(
        name,
        root,
        folder,
        tuple(lanes),
        boxing_key,
        facts.get("limits", {}).get("max_rank", -1),
        flaggems.get("version", "") if "flaggems" in lanes else "",
        flaggems.get("vendor", ""),
        include,
        facts.get("units", 0),
        calls,
        reference,
    )


def _misfits(facts: Mapping[str, Any], known: Mapping[str, Any], section: str = "") -> Iterator[tuple[str, str]]:
    """(dotted key, what is wrong with it) for each key that `known` lacks or whose value is of another type."""
    inside = f" in [{section.removesuffix('.')}]" if section else ""
    for key, value in facts.items():
        wanted = known.get(key, known.get(ANY))
        if wanted is None:
            what = f"section [{section}{key}]" if isinstance(value, dict) else f"key `{key}`{inside}"
            yield section + key, f"unknown {what}{did_you_mean(key, known)}"
        elif isinstance(wanted, Mapping) and isinstance(value, dict):
            yield from _misfits(value, wanted, f"{section}{key}.")
        elif not _fits(value, wanted):
            yield section + key, f"`{key}`{inside} must be {_describe(wanted)}, not {json.dumps(value, default=str)}"


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return isinstance(value, list) and all(_fits(element, wanted[0]) for element in value)
    return type(value) is wanted  # true is no number here


def _describe(wanted: Any) -> str:
    if isinstance(wanted, Mapping):
        return "a section"
    if isinstance(wanted, list):
        inner = "lists of strings" if isinstance(wanted[0], list) else {str: "strings", int: "whole numbers"}[wanted[0]]
        return f"a list of {inner}"
    return {str: "a string", bool: "true or false", int: "a whole number"}[wanted]


def _line(text: str, where: str) -> int:
    """The line of a dotted key or of a section; the first one for what is written in another way."""
    section = ""
    for number, row in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]\s*(#.*)?$", row):
            section = header[1].strip()
            if section == where:
                return number
            continue
        key = row.partition("=")[0].strip().strip('"')
        if where == (f"{section}.{key}" if section else key):
            return number
    return 1


def find(root: Path) -> list[str]:
    """Vendors by naming rule: every folder under vendors/ that has a vendor.toml."""
    return sorted(path.parent.name for path in (root / "vendors").glob("*/vendor.toml"))
