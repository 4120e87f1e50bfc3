"""What is asked of a machine: files, variables, packages, glibc. Tests give another machine.

Standard library only, and without torch_fl: provisioning uses it before either is installed.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """environ: variables. root: what absolute paths are taken from. path: where Python looks for packages.

    glibc: the C library's version, "" for another one.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    root: Path = Path("/")
    path: Sequence[str] = field(default_factory=lambda: list(sys.path))
    glibc: str = field(default_factory=lambda: platform.libc_ver()[1] if platform.libc_ver()[0] == "glibc" else "")

    def expand(self, text: str) -> str:
        """``"$TOPS_HOME/lib"`` with the variable's value, or "" where it is not set."""
        parts = text.split("/")
        for i, part in enumerate(parts):
            if part.startswith("$"):
                if not self.environ.get(part[1:]):
                    return ""
                parts[i] = self.environ[part[1:]]
        return "/".join(parts)

    def at(self, path: str | Path) -> Path:
        """A path of that machine as one that can be opened here."""
        return self.root / str(path).lstrip("/")

    def first(self, paths: Sequence[str]) -> str:
        """The first of some paths that exists, variables expanded, or ""."""
        return next((found for text in paths if (found := self.expand(text)) and self.at(found).exists()), "")

    def looked(self, paths: Sequence[str]) -> str:
        """How `first` sees some paths: ``"$ACME_HOME = /x (does not exist), /opt/acme"``."""
        return ", ".join(self._looked(text) for text in paths)

    def _looked(self, text: str) -> str:
        path = self.expand(text)
        if path == text:
            return text
        if not path:
            return f"{text} (not set)"
        return f"{text} = {path}" + ("" if self.at(path).exists() else " (does not exist)")

    def glob(self, pattern: str) -> list[str]:
        """The paths that match an absolute pattern, sorted."""
        return ["/" + p.relative_to(self.root).as_posix() for p in sorted(self.root.glob(pattern.lstrip("/")))]

    def distributions(self, name: str) -> list[metadata.Distribution]:
        """What is installed under a distribution's name; the first one is the one that is used."""
        wanted = _normal(name)
        found = metadata.distributions(path=list(self.path))
        return [d for d in found if _normal(d.metadata["Name"] or "") == wanted]

    def version(self, name: str) -> str:
        """Of an installed distribution, or ""."""
        found = self.distributions(name)
        return found[0].version if found else ""

    def package(self, name: str) -> Path | None:
        """The folder of an importable package, without importing it."""
        for entry in self.path:
            folder = Path(entry) / name
            if (folder / "__init__.py").is_file():
                return folder
        return None


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
