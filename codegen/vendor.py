"""A vendor's folder: the facts in vendor.toml that the generator needs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen.source import Problem, Problems, did_you_mean

# Lanes that are written with their own name; a vendor's own kernels are written with the vendor's.
SHARED_LANES = ("flaggems", "tileops", "boxing", "none")


@dataclass(frozen=True)
class Vendor:
    """lanes: in the order of preference, "none" last. boxing_key: PyTorch's name of the key, "" for none.

    flaggems: the version of flag-gems that the vendor's routes are for, "" without that lane; flaggems_vendor: what
    FlagGems calls this vendor. include: confs beside vendor.toml whose lines have the last word. calls: finds in the
    C++ of a row the functions of the SDK that it calls (a regular expression whose one group is their names), or "".
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

    def complain(key: str, what: str) -> None:
        line = next((n for n, row in enumerate(text.splitlines(), 1) if row.split("=")[0].strip() == key), 1)
        problems.append(Problem(file, line, what))

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
    boxing_key = facts.get("boxing_key", "")
    if "boxing" in lanes and not boxing_key:
        complain("lanes", 'the lane "boxing" needs boxing_key, the PyTorch key that sees the same memory ("CPU")')
    flaggems = facts.get("flaggems", {})
    if "flaggems" in lanes and not {"version", "vendor"} <= flaggems.keys():
        complain("lanes", 'the lane "flaggems" needs [flaggems] with version and vendor (its name in FlagGems)')
    include = tuple(facts.get("include", ()))
    for conf in include:
        if not (folder / conf).is_file():
            complain("include", f"there is no {conf} beside this file")
    calls = str(facts.get("sdk", {}).get("library", {}).get("calls", ""))
    try:
        groups = re.compile(calls).groups
    except re.error as error:
        complain("calls", f"not a regular expression: {error}")
    else:
        if calls and groups != 1:
            complain("calls", "the regular expression needs one group, the names of the functions")
    if problems:
        raise Problems(problems)
    return Vendor(
        name,
        root,
        folder,
        tuple(lanes),
        boxing_key,
        int(facts.get("limits", {}).get("max_rank", -1)),
        str(flaggems.get("version", "")) if "flaggems" in lanes else "",
        str(flaggems.get("vendor", "")),
        include,
        calls,
        facts.get("reference", {}),
    )


def find(root: Path) -> list[str]:
    """Vendors by naming rule: every folder under vendors/ that has a vendor.toml."""
    return sorted(path.parent.name for path in (root / "vendors").glob("*/vendor.toml"))
