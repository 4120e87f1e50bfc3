"""Which ops the installed FlagGems has, and whether it can be used: as far as can be told without importing it."""

from __future__ import annotations

import ast
import importlib.util
import re
import warnings
from collections.abc import Callable, Sequence
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

# FlagGems' launcher passes constants as Triton takes them in these minors only: with older ones it does not import, and
# from 3.7 on it drops them, which ends in wrong results or a crash.
TRITON_MIN, TRITON_END = (3, 3), (3, 7)
_TRITON = "pip install 'triton==3.6.0'"
_GEMS = "pip install --no-deps 'flag-gems==5.0.2'"
# What FlagGems imports: module, distribution.
_NEEDS = {"numpy": "numpy", "yaml": "pyyaml", "sqlalchemy": "sqlalchemy", "packaging": "packaging"}


def supported(path: Sequence[str] | None = None, takes: Sequence[str] = ()) -> str:
    """Why FlagGems cannot be used here, with what mends it after a colon; "" where it can.

    Imports neither FlagGems nor Triton.

    Args:
        path: where packages are looked for; None: where this process imports them from.
        takes: what ``triton.Config`` has to take beyond what every Triton does (``triton_config`` of vendor.toml).
    """
    triton = _version("triton", "triton", path)
    if triton is None:
        return f"Triton is not installed: {_TRITON}"
    if (minor := _minor(triton)) is None or not TRITON_MIN <= minor < TRITON_END:
        return (
            f"FlagGems runs with Triton {_dotted(TRITON_MIN)} to {_dotted((TRITON_END[0], TRITON_END[1] - 1))}, and "
            f"{triton or 'an unknown release'} is installed: {_TRITON}"
        )
    if _spec("flag_gems", path) is None:
        return f"FlagGems is not installed: {_GEMS}"
    if lacking := [name for name in takes if name not in _config_arguments(_spec("triton", path))]:
        return (
            f"FlagGems gives triton.Config {', '.join(lacking)} for this vendor, which Triton {triton} does not take: "
            "install the vendor's own Triton"
        )
    missing = [name for module, name in _NEEDS.items() if _spec(module, path) is None]
    if missing:
        return f"FlagGems needs {', '.join(missing)}: pip install {' '.join(missing)}"
    return ""


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def _minor(version: str) -> tuple[int, int] | None:
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else None


def _spec(module: str, path: Sequence[str] | None) -> ModuleSpec | None:
    if path is None:
        return importlib.util.find_spec(module)
    return PathFinder.find_spec(module, list(path))


def _config_arguments(triton: ModuleSpec) -> set[str]:
    """The names of what triton.Config takes, from its source."""
    tree = ast.parse((Path(triton.origin).parent / "runtime/autotuner.py").read_text(encoding="utf-8"))
    return {
        argument.arg
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name == "Config"
        for made in node.body
        if isinstance(made, ast.FunctionDef) and made.name == "__init__"
        for argument in [*made.args.args, *made.args.kwonlyargs]
    }


def _version(module: str, distribution: str, path: Sequence[str] | None) -> str | None:
    """The release of a package; "" where it cannot be told, None where there is no such package."""
    spec = _spec(module, path)
    if spec is None:
        return None
    where = {} if path is None else {"path": list(path)}
    for found in metadata.distributions(name=distribution, **where):
        return found.version
    # Vendors of accelerators ship Triton under names of their own.
    text = Path(spec.origin).read_text(encoding="utf-8") if spec.origin else ""
    match = re.search(r"^__version__ = ['\"]([^'\"]+)", text, re.MULTILINE)
    return match[1] if match else ""


def listed(folder: Path | None = None) -> list[str]:
    """The ops that FlagGems registers (``"add.Tensor"``, without the namespace), in its order, read from its source.

    What is true only for some releases of torch is listed too; `functions` tells. An entry of an unknown shape is
    warned of.

    Args:
        folder: the package folder of FlagGems; the installed one where None.

    Raises:
        ImportError: FlagGems is not installed.
        ValueError: its source has no such list.
    """
    if folder is None:
        spec = importlib.util.find_spec("flag_gems")
        if spec is None or spec.origin is None:
            raise ImportError(f"torch_fl: FlagGems is not installed: {_GEMS}")
        folder = Path(spec.origin).parent
    file = folder / "__init__.py"
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        if "_FULL_CONFIG" in names and isinstance(getattr(node, "value", None), (ast.Tuple, ast.List)):
            return _names(node.value.elts, file)
    raise ValueError(f"torch_fl: no _FULL_CONFIG is listed in {file}; this release of FlagGems is not known: {_GEMS}")


def _names(entries: list[ast.expr], file: Path) -> list[str]:
    found: dict[str, None] = {}
    for entry in entries:
        parts = entry.elts if isinstance(entry, (ast.Tuple, ast.List)) else []
        name = parts[0].value if parts and isinstance(parts[0], ast.Constant) else None
        if isinstance(name, str) and 2 <= len(parts) <= 4:
            found[name] = None
        else:
            _report(f"{file}:{entry.lineno}: {ast.unparse(entry)}")
    return list(found)


def _report(what: str) -> None:
    warnings.warn(f"torch_fl: an op of FlagGems is left out, its entry is of an unknown shape: {what}", stacklevel=3)


def functions() -> dict[str, Callable[..., Any]]:
    """FlagGems' functions by the names of ops, where FlagGems' own conditions hold. Imports FlagGems.

    Raises:
        RuntimeError: FlagGems has not been told its device (`vendor.register`).
    """
    from torch_fl.flaggems import vendor

    found: dict[str, Callable[..., Any]] = {}
    for entry in vendor.load()._FULL_CONFIG:
        parts = entry if isinstance(entry, (tuple, list)) else ()
        known = 2 <= len(parts) <= 4 and isinstance(parts[0], str) and callable(parts[1])
        if not known or (len(parts) > 2 and not callable(parts[2])):
            _report(repr(entry))
        elif len(parts) == 2 or parts[2]():
            found.setdefault(parts[0], parts[1])
    return found
