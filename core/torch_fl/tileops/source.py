"""Which operators the installed TileOps has, and whether it can be used: as far as can be told without importing it."""

from __future__ import annotations

import importlib.util
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import torch

from torch_fl._releases import meets

_INSTALL = "pip install tileops"
# The release whose manifest and metadata this was written against, and what that one asks for.
KNOWN = "0.1.0"
_ASKS = "Python 3.12 and torch 2.13"


@dataclass(frozen=True)
class Operator:
    """An operator of TileOps', as its manifest says.

    name: its class, in `module`. reference: whose meaning it has, ``"torch.nn.functional.silu"``, or "". numbers: what
    it takes when it is made; tensors: when it is called. status: how far it is, in TileOps' word, ``"implemented"``.
    """

    name: str
    module: str
    reference: str
    numbers: tuple[str, ...]
    tensors: tuple[str, ...]
    status: str


def version(path: Sequence[str] | None = None) -> str | None:
    """The release that is installed; None where there is none.

    Args:
        path: where packages are looked for; None: where this process imports them from.
    """
    found = _distribution("tileops", path)
    return None if found is None else found.version


def supported(path: Sequence[str] | None = None) -> str:
    """Why TileOps cannot be used here, with what mends it; "" where it can. Does not import it.

    What a release asks for is in its own metadata: the Python, and the releases of other packages.
    """
    found = _distribution("tileops", path)
    if found is None or _folder(path) is None:
        return f"TileOps is not installed: {_INSTALL} ({KNOWN} asks for {_ASKS})"
    asked = found.metadata.get("Requires-Python") or ""
    if not meets(platform.python_version(), asked):
        return f"TileOps {found.version} asks for Python {asked}, and this is {platform.python_version()}"
    for requirement in found.requires or ():
        match = re.fullmatch(r"([\w.-]+)\s*(?:\[[^]]*\])?\s*\(?([^;()]*)\)?\s*(;.*)?", requirement)
        if match is None or (match[3] and "extra" in match[3]):
            continue
        name, ranges = match[1], match[2].strip()
        have = torch.__version__ if name == "torch" else _release(name, path)
        if have is None:
            return f"TileOps {found.version} needs {name}: pip install '{name}{ranges}'"
        if not meets(have, ranges):
            return f"TileOps {found.version} needs {name}{ranges}, and {have} is installed"
    if importlib.util.find_spec("yaml") is None:
        return "TileOps' manifest is YAML: pip install pyyaml"
    return ""


def recorded(path: Sequence[str] | None = None) -> list[Operator]:
    """The operators of the installed TileOps, from its manifest; none where it is not installed.

    Raises:
        ValueError: its manifest is of an unknown shape.
    """
    folder = _folder(path)
    if folder is None:
        return []
    import yaml

    found = []
    for file in sorted((folder / "manifest" / "spec").glob("*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        for name, entry in content.items():
            if not isinstance(entry, dict) or "signature" not in entry:
                continue  # types that the entries share
            try:
                signature = entry["signature"]
                found.append(
                    Operator(
                        name,
                        f"tileops.{entry['family']}",
                        str(entry.get("ref_api", "")),
                        tuple(signature.get("params") or ()),
                        tuple(signature.get("inputs") or ()),
                        str(entry["status"]),
                    )
                )
            except (KeyError, TypeError) as error:
                raise ValueError(
                    f"torch_fl: {file}: {name}: its manifest is not as TileOps {KNOWN}'s: {error}"
                ) from None
    return found


def overloads(operator: Operator) -> list[str]:
    """PyTorch's ops of the same meaning and the same arguments, by name; none for most.

    The first tensor is called input, here and there; an operator's `inplace` is another op of PyTorch's.
    """
    match = re.fullmatch(r"torch\.(?:nn\.functional\.|Tensor\.)?(\w+)", operator.reference)
    packet = getattr(torch.ops.aten, match[1], None) if match and operator.status == "implemented" else None
    if packet is None:
        return []
    numbers = set(operator.numbers) - {"inplace"}
    found = []
    for overload in packet.overloads():
        schema = getattr(packet, overload)._schema
        if any(a.alias_info is not None for a in schema.arguments):
            continue
        tensors = tuple(_name(a.name) for a in schema.arguments if is_tensor(a))
        if tensors == operator.tensors and {a.name for a in schema.arguments if not is_tensor(a)} == numbers:
            found.append(match[1] if overload == "default" else f"{match[1]}.{overload}")
    return found


def is_tensor(argument: Any) -> bool:
    """Whether an argument of a schema is a tensor."""
    return "Tensor" in str(argument.type)


def _name(argument: str) -> str:
    return "input" if argument == "self" else argument


def _distribution(name: str, path: Sequence[str] | None) -> metadata.Distribution | None:
    where = {} if path is None else {"path": list(path)}
    return next(iter(metadata.distributions(name=name, **where)), None)


def _release(name: str, path: Sequence[str] | None) -> str | None:
    found = _distribution(name, path)
    return None if found is None else found.version


def _folder(path: Sequence[str] | None) -> Path | None:
    spec = importlib.util.find_spec("tileops") if path is None else PathFinder.find_spec("tileops", list(path))
    return None if spec is None or spec.origin is None else Path(spec.origin).parent
