"""Finding and loading libtorch_fl.so and ``_C``, which exist once per minor release of torch."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import torch

MODULE = "torch_fl._C"


def load() -> ModuleType:
    """The native module for the torch in use.

    Raises:
        ImportError: torch is out of range, or core was not built for this minor of it.
    """
    if MODULE in sys.modules:
        return sys.modules[MODULE]
    folder = find(minor_of(torch.__version__))
    extension = folder / f"_C{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    if not extension.is_file():
        have = ", ".join(sorted(p.name for p in folder.glob("_C*"))) or "nothing"
        raise ImportError(
            f"torch_fl: no {extension.name} in {folder} (there is {have}): core was built for another Python. "
            f"{how_to_build()}"
        )
    # By its full path, so that _C finds it in an editable installation too.
    ctypes.CDLL(str(folder / "libtorch_fl.so"))
    loader = importlib.machinery.ExtensionFileLoader(MODULE, str(extension))
    spec = importlib.util.spec_from_file_location(MODULE, str(extension), loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[MODULE] = module
    sys.modules["torch_fl"]._C = module
    return module


def module() -> ModuleType:
    """The native module, activating the device if need be."""
    if MODULE not in sys.modules:
        from torch_fl import _activation

        _activation.activate()
    return sys.modules[MODULE]


def minor_of(version: str) -> str:
    """``"2.13.0+cpu"`` -> ``"2.13"``"""
    return ".".join(version.split(".")[:2])


def roots() -> list[Path]:
    """The folders that make up the installed package: two of them in an editable installation."""
    found = [Path(p) for p in sys.modules["torch_fl"].__path__]
    spec = importlib.util.find_spec("torch_fl")
    found += [Path(p) for p in (spec.submodule_search_locations or ()) if Path(p) not in found]
    return found


def minors() -> dict[str, Path]:
    """The minors of torch that core is built for here, and their folders."""
    built = {}
    for root in roots():
        for folder in sorted(root.glob("lib/torch*")):
            if (folder / "libtorch_fl.so").is_file():
                built.setdefault(folder.name.removeprefix("torch"), folder)
    return built


def torch_range() -> tuple[str, str]:
    """(first supported release, first unsupported one) of torch, from version.h."""
    for root in [*roots(), *(r.parent for r in roots())]:
        header = root / "include" / "torch_fl" / "version.h"
        if header.is_file():
            defined = dict(re.findall(r'#define (\w+) "([^"]+)"', header.read_text()))
            return defined["TORCH_FL_TORCH_MIN"], defined["TORCH_FL_TORCH_END"]
    raise ImportError("torch_fl: version.h is missing from the installation; install torch-fl-core again")


def find(minor: str) -> Path:
    """The folder of the native files for a minor of torch (``"2.13"``), or an ImportError with the way out."""
    built = minors()
    if minor in built:
        return built[minor]
    first, end = torch_range()

    def key(v: str) -> tuple[int, ...]:
        return tuple(int(n) for n in v.split("."))

    if not key(first) <= key(minor) < key(end):
        raise ImportError(
            f"torch_fl: torch {torch.__version__} is not supported, only torch>={first},<{end} is. "
            f"Install one of those (`pip install 'torch>={first},<{end}'`)."
        )
    have = ", ".join(f"torch {m}" for m in built) or "no torch at all"
    raise ImportError(f"torch_fl: core is not built for torch {minor} here, but for {have}. {how_to_build()}")


def how_to_build() -> str:
    return (
        "Build it for the torch in use, in a checkout of the project: "
        "`pip install --no-build-isolation --force-reinstall --no-deps ./core`."
    )
