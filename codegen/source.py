"""Input files with line numbers, so that every complaint says where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True, order=True)
class Problem:
    """One wrong thing in an input file; printed as `file:line: text`."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class Problems(Exception):
    """Everything that is wrong with the inputs, found in one go."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = sorted(set(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True)
class Entry:
    """A mapping of an input file: plain values, and the line of each key."""

    values: dict[str, Any]
    lines: dict[str, int]
    line: int

    def at(self, key: str) -> int:
        return self.lines.get(key, self.line)


class Source:
    """A yaml file. `file` is how it is named in messages and banners: relative to the repository, with slashes."""

    def __init__(self, path: Path, root: Path):
        self.path = path
        self.file = path.relative_to(root).as_posix()
        self.problems: list[Problem] = []

    def complain(self, line: int, text: str) -> None:
        self.problems.append(Problem(self.file, line, text))

    def entries(self) -> list[Entry]:
        """The file as a list of mappings; an empty file, or `[]`, is an empty list."""
        node = self._compose()
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            self.complain(_line(node), "expected a list of entries, each starting with `- `")
            return []
        return [entry for item in node.value if (entry := self._entry(item)) is not None]

    def table(self) -> dict[str, Entry]:
        """The file as a mapping of names to mappings."""
        node = self._compose()
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            self.complain(_line(node), "expected a mapping of names to mappings")
            return {}
        found: dict[str, Entry] = {}
        for key, value in self._pairs(node):
            entry = self._entry(value)
            if entry is not None:
                found[key] = entry
        return found

    def unknown_keys(self, entry: Entry, known: Iterable[str]) -> None:
        known = list(known)
        for key in entry.values:
            if key not in known:
                self.complain(entry.at(key), f"unknown key `{key}`{did_you_mean(key, known)}")

    def names(self, entry: Entry, key: str) -> list[str]:
        """A key's value, which must be a list of names; [] where it is missing or, with a complaint, no such list."""
        value = entry.values.get(key)
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return value
        self.complain(entry.at(key), f"`{key}` must be a list of names, `{key}: [x, y]`, not {value!r}")
        return []

    def _compose(self) -> yaml.Node | None:
        try:
            return yaml.compose(self.path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            self.complain(mark.line + 1 if mark else 1, f"not yaml: {error.problem}")
            return None

    def _pairs(self, node: yaml.MappingNode) -> list[tuple[str, yaml.Node]]:
        seen: set[str] = set()
        pairs = []
        for key_node, value in node.value:
            key = str(key_node.value)
            if key in seen:
                self.complain(_line(key_node), f"`{key}` is given twice")
            seen.add(key)
            pairs.append((key, value))
        return pairs

    def _entry(self, node: yaml.Node) -> Entry | None:
        if isinstance(node, yaml.ScalarNode) and node.value in ("", "~", "null"):
            return Entry({}, {}, _line(node))
        if not isinstance(node, yaml.MappingNode):
            self.complain(_line(node), "expected a mapping (`key: value`)")
            return None
        values: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, _ in node.value:
            lines.setdefault(str(key_node.value), _line(key_node))
        for key, value in self._pairs(node):
            constructor = yaml.SafeLoader("")
            values[key] = constructor.construct_document(value)
        return Entry(values, lines, _line(node))


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean \\`x\\`?`, or nothing where no known name is near."""
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean `{near[0]}`?" if near else ""
