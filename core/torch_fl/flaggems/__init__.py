"""The lane ``flaggems``: FlagGems' functions over Triton, as they are installed.

Which ops it serves is read from the installed FlagGems when the device is activated; FlagGems itself, which takes
seconds to import, is loaded by the first call that is routed there. Nothing of FlagGems or Triton is changed on disk.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torch_fl import _packages, _routes
from torch_fl._lanes import LANES

LANE = "flaggems"

_lock = threading.RLock()
_functions: dict[str, Callable] | None = None
_facts: dict[str, Any] = {}  # the vendor's vendor.toml
_native: ModuleType | None = None
_broken = ""  # why what is installed could not be loaded
# Ops that FlagGems has and this PyTorch does not let a device serve.
refused: list[str] = []


def install(native: ModuleType, facts: dict[str, Any]) -> None:
    """Offers what the installed FlagGems has, where the vendor has the lane. Imports neither FlagGems nor Triton.

    Args:
        facts: the vendor's vendor.toml.
    """
    global _native
    if LANE not in facts.get("lanes", ()):
        return
    _facts.clear()
    _facts.update(facts)
    if why := why_off():
        native.set_lane_off(LANES.index(LANE), why)
        return
    _native = native
    try:
        offer()
    except Exception as error:  # of another release, or half of one
        _give_up(error)


def why_off() -> str:
    """Why the lane serves nothing, with what mends it after a colon; "" where it is on, or the vendor has none."""
    from torch_fl.flaggems import source

    return _broken or source.supported(takes=_facts.get(LANE, {}).get("triton_config", ()))


def offer() -> None:
    """Offers FlagGems' ops, where the lane is installed. Again: what calls were refused is forgotten."""
    if _native is None:
        return
    from torch_fl.flaggems import source

    ops = source.listed()
    refused[:] = _packages.offer(LANE, ops, _resolve)
    lanes = _facts["lanes"]
    if "boxing" in lanes[: lanes.index(LANE)]:
        # What PyTorch composes an op of is boxed, which comes first.
        return
    # Of the ops that PyTorch composes of others, those that a line is for: a gap of such an op leaves it without one.
    closed = set(refused) - _routes.listed()
    taken = _packages.offer(LANE, [op for op in ops if op not in closed], _resolve, composed=True)
    refused[:] = [op for op in ops if op in closed or op in taken]


def installed() -> bool:
    """The lane is on: the vendor has it, and FlagGems and what it needs are here."""
    return _native is not None


def offer_all() -> dict[str, str]:
    """Offers, for the rest of the process, also the ops that PyTorch composes of others here, as far as they keep their
    gradient. Those have no other lane, so that they go to this one.

    Returns:
        The ops that FlagGems has and that are not offered, each with the reason.
    """
    from torch_fl.flaggems import source

    return _packages.why_refused(_packages.offer(LANE, source.listed(), _resolve, composed=True))


def offer_also(op: str) -> None:
    """The same for one op alone: what other ops go to stays as it is."""
    from torch_fl.flaggems import source

    if op in refused:
        offered = [name for name in source.listed() if name not in refused]
        _packages.offer(LANE, [*offered, op], _resolve, composed=True)


def keep_apart() -> None:
    """What FlagGems' searches find stays in this process. By default it is in a file for all processes, which wait for
    one another there and read all of its tables for each new kernel. FlagGems must not be imported yet."""
    os.environ.setdefault("FLAGGEMS_DB_URL", "sqlite://")


def _resolve(op: str) -> Callable:
    """The function of an op, for the native half. Raises LookupError where FlagGems has none for it here."""
    found = functions().get(op)
    if found is None:
        raise LookupError(f"FlagGems has {op} for other versions of PyTorch or other devices only")
    return found


def functions() -> dict[str, Callable]:
    """FlagGems' functions by op. The first call imports FlagGems; where it cannot be, the lane is off from then on.

    Raises:
        ImportError: FlagGems cannot be loaded here.
    """
    global _functions
    with _lock:
        if _broken:
            raise ImportError(_broken)
        if _functions is None:
            try:
                _functions = _load()
            except Exception as error:
                _give_up(error)
                raise ImportError(_broken) from error
        return _functions


def _give_up(error: Exception) -> None:
    """Takes the lane away: to import FlagGems once more for each call would be as vain, and slow."""
    global _broken, _native
    _broken = (
        f"FlagGems cannot be loaded for {_facts[LANE]['vendor']} here, {type(error).__name__}: {error}: "
        "install the FlagGems and the Triton that `torch-fl setup flaggems` names"
    )
    warnings.warn(f"torch_fl: the lane flaggems is off; its ops go to their next lane. {_broken}", stacklevel=2)
    native, _native = _native, None
    native.set_lane_off(LANES.index(LANE), _broken)
    _packages.offer(LANE, (), None)


def _interpreted(_kernel: str) -> None:
    _native.refuse_recording("its kernels are interpreted: there is no launch to replay")


def _load() -> dict[str, Callable]:
    from torch_fl.flaggems import capture, limits, source, vendor

    about = _facts[LANE]
    interpreted = about.get("interpreter", False)
    if interpreted:
        from torch_fl.flaggems import blocks, interpreter, libdevice

        interpreter.install(_interpreted)
        blocks.builder.on_write = _native.note_work  # a kernel that fails before has done nothing
        extra = libdevice.NAME
    else:
        capture.install(_native)
        extra = about.get("libdevice", about["vendor"])
    limits.install(limits.Limits.of(_facts), _native.package_op, compiled=not interpreted)
    vendor.register(about["vendor"], "flagos", extra)
    return source.functions()
