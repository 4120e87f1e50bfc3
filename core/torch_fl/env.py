"""The environment variables of the project: one table, and warnings about names that mean nothing."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from torch_fl import legacy

if TYPE_CHECKING:
    from torch_fl.discovery import Choice, Installed

PREFIX = "FLAGOS_"
OVERRIDE = "FLAGOS_OP_"

# Variable -> what it does, of those for users; only these are ever suggested. docs/commands.md shows this table. A
# vendor's own are FLAGOS_<VENDOR>_*.
FOR_USERS = {
    "FLAGOS_ACCELERATOR": "the vendor to use, where several could run; the embedded one only by name",
    "FLAGOS_BACKEND_CONFIG": "path of a routes.conf that is used instead of the vendor's own",
    "FLAGOS_OP_<op>": "lane of one op, dots doubled to __: FLAGOS_OP_add__Tensor=flaggems",
    "FLAGOS_LOG": "comma list of dispatch, dispatch:legacy, fallback, plan",
    "FLAGOS_STRICT": "1: every demotion and every CPU fallback is an error",
    "FLAGOS_CENSUS": "path of a JSON file that counts what ran where, rewritten each second and at exit",
    "FLAGOS_REPLAY": "0: calls of FlagGems' functions are never replayed, each runs in Python",
    "FLAGOS_REPLAY_AUDIT": "n: each n-th replay of a call is done by FlagGems' function instead, and compared; 0: none",
}

# The same of those for developers of the project.
FOR_DEVELOPERS = {
    "FLAGOS_TORCH_INDEX": "package index that ./dev and provisioning take torch from",
    "FLAGOS_PYPI_INDEX": "package index that provisioning takes the Triton of a vendor from",
    "FLAGOS_PLAIN_FALLBACK": "1: the lane none uses PyTorch's own CPU fallback, to compare with",
    "FLAGOS_TEST_DEVICE": "cpu: the conformance suite checks itself against the CPU",
}

KNOWN = FOR_USERS | FOR_DEVELOPERS

# Variables that others recommend -> what does that here.
ELSEWHERE = {
    # PyTorch's fork_rng() makes the name from the device's.
    "FLAGOS_VISIBLE_DEVICES": "which devices are visible is for the variable of the vendor, or of its SDK, that the "
    "vendor's README names; torch.random.fork_rng() takes devices=[...] as well",
}

# Parts of FLAGOS_LOG -> switch of the native half.
LOG = {
    "dispatch": "log_dispatch",
    "dispatch:legacy": "log_dispatch_legacy",
    "fallback": "log_fallback",
    "plan": "log_plan",
}

_TRUE = {"1", "true", "on", "yes"}
_FALSE = {"", "0", "false", "off", "no"}


def problems(environ: Mapping[str, str], vendors: Mapping[str, Iterable[str] | None]) -> list[str]:
    """One sentence per variable that will not do what somebody hoped for.

    Args:
        environ: the environment.
        vendors: names of the installed vendors, whose own variables are ``FLAGOS_<VENDOR>_*``, and which of those there
            are, where the vendor says so (``[variables]`` in vendor.toml).
    """
    own = {f"{PREFIX}{vendor.upper()}_": names for vendor, names in vendors.items()}
    out = []
    for name in sorted(environ):
        if name in legacy.VARIABLES:
            if name.startswith(PREFIX) or environ[name].strip() in {"0", "1", "ON", "OFF"}:
                out.append(f"{name} is retired: {legacy.VARIABLES[name]}")
        elif name in ELSEWHERE:
            out.append(f"{name} means nothing to torch_fl: {ELSEWHERE[name]}")
        elif name.startswith(PREFIX) and name not in KNOWN and not name.startswith(OVERRIDE):
            prefix = next((p for p in own if name.startswith(p)), None)
            if prefix is None:
                out.append(f"{name} means nothing to torch_fl{nearest(name, FOR_USERS, PREFIX)}")
            elif own[prefix] is not None and name not in own[prefix]:
                vendor = prefix.removeprefix(PREFIX)[:-1].lower()
                out.append(f"{name} means nothing to the vendor {vendor}{nearest(name, own[prefix], prefix)}")
    return out


def of_vendors(installed: Iterable[Installed]) -> dict[str, Iterable[str] | None]:
    """What `problems` wants to know of the installed vendors."""
    return {v.name: v.facts.get("variables") for v in installed}


def nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    """``"; did you mean 'x'?"``, or nothing where no name is near. A prefix that all have makes none nearer."""
    import difflib

    bare = [n.removeprefix(prefix) for n in names]
    close = difflib.get_close_matches(name.removeprefix(prefix), bare, n=1, cutoff=0.6)
    return f"; did you mean {prefix + close[0]!r}?" if close else ""


def flag(name: str, environ: Mapping[str, str], default: bool = False) -> bool:
    """A yes-or-no variable; where it is empty or not set, `default`. A value that is neither warns and is as that."""
    value = environ.get(name, "").strip().lower()
    if value not in _TRUE | _FALSE:
        warnings.warn(f"torch_fl: {name}={value!r} is neither yes nor no; taken as {int(default)}", stacklevel=2)
        return default
    return value in _TRUE or (value == "" and default)


def count(name: str, environ: Mapping[str, str]) -> int:
    """A number from 0 to 10^18, 0 where it is empty or not set. A value that is none warns and is as 0."""
    value = environ.get(name, "").strip()
    if value and not (value.isascii() and value.isdigit() and len(value) < 19):
        warnings.warn(f"torch_fl: {name}={value!r} is no number from 0 on; taken as 0", stacklevel=2)
        return 0
    return int(value or 0)


def log_switches(value: str) -> dict[str, bool]:
    """``"dispatch,plan"`` -> switches of the native half; an unknown part warns with the nearest."""
    switches = {}
    for part in filter(None, (p.strip().lower() for p in value.split(","))):
        if part in LOG:
            switches[LOG[part]] = True
        else:
            warnings.warn(f"torch_fl: FLAGOS_LOG knows no {part!r}{nearest(part, LOG)}", stacklevel=2)
    return switches


def apply(native: ModuleType, choice: Choice) -> None:
    """Sets the native half's switches from the environment, and warns about variables that mean nothing."""
    for problem in problems(os.environ, of_vendors(choice.installed)):
        warnings.warn(f"torch_fl: {problem}", stacklevel=2)
    switches = log_switches(os.environ.get("FLAGOS_LOG", ""))
    if flag("FLAGOS_STRICT", os.environ):
        switches["strict"] = True
    if switches:
        native.set_switches(**switches)
    native.switch_replay(flag("FLAGOS_REPLAY", os.environ, default=True))
    native.set_replay_audit(count("FLAGOS_REPLAY_AUDIT", os.environ))
