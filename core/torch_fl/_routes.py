"""The routes of this process: the conf, overrides from the environment, and changes at run time."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import torch

from torch_fl import _conf, _native
from torch_fl._lanes import LANES, VENDOR, number_of
from torch_fl.discovery import Choice
from torch_fl.env import OVERRIDE

_lock = threading.Lock()
_state: State | None = None
_problem = "there are no routes without a vendor"  # why there is no state


class State:
    """The base routes of the process and the changes on top of them, in the order that they were made."""

    def __init__(
        self,
        native: ModuleType,
        world: _conf.World,
        conf: _conf.Conf,
        base: list[_conf.Rule],
        own: list[_conf.Rule],
        vendor: str,
    ):
        self.native = native
        self.world = world
        self.conf = conf
        self.base = base
        self.own = own  # the generated lines, those that others replace included
        self.vendor = vendor
        self.layers: list[routes] = []
        self._kernels: dict[str, tuple[int, ...] | None] = {}
        self._installed: frozenset[int] = frozenset()  # the lanes that have a kernel for some op

    def forget_kernels(self) -> None:
        self._kernels = {}

    def reaches_device(self, op: str) -> bool:
        """False where PyTorch serves an op through other ops. Loads the vendor."""
        if not self._kernels:
            # A primitive that lanes have a kernel for, copy_, is core's as far as bytes are moved, and theirs beyond.
            self._kernels = {
                name: tuple(lanes) if lanes or not primitive else None
                for name, _, primitive, lanes, *_ in self.native.ops()
            }
            self._installed = frozenset(lane for lanes in self._kernels.values() for lane in lanes or ())
        return op in self._kernels

    def why_not(self, op: str, lane: str) -> str | None:
        """Why a route of ``op`` to ``lane`` would be without effect; None where it works. Loads the vendor."""
        if not self.reaches_device(op):
            return _conf.decomposed(op)
        lanes = self._kernels[op]
        if lanes is None:
            return f"{op} is served by core itself; no route changes that"
        number = number_of(lane, self.vendor)
        if number in lanes or LANES[number] == "none":
            return None
        have = ", ".join(self.vendor if n == VENDOR else LANES[n] for n in lanes) or "none"
        off = "" if number in self._installed else _why_off(LANES[number])
        return f"{op} has no kernel in lane {lane!r} (lanes that have one: {have})" + (f": {off}" if off else "")

    def idle(self, rule: _conf.Rule) -> str | None:
        """Why a line of a generated conf is as it should be though it has no effect here; None where it is not so.

        Such a conf is made for every lane of the vendor and for one torch; what is installed may be less. Loads the
        vendor.
        """
        if not rule.generated:
            return None
        reaches = self.reaches_device(rule.op)
        number = number_of(rule.lane, self.vendor)
        if LANES[number] != "none" and number not in self._installed:
            return f"to the lane {rule.lane}, of which nothing is installed here"
        return None if reaches else "for ops that PyTorch serves through other ops"

    def without_effect(self, written: bool = False) -> list[str]:
        """A sentence with file and line for each base rule that cannot work here, but for idle ones. Loads the vendor.

        Args:
            written: leave out all lines of generated confs, which may be made for another torch.
        """
        rules = (rule for rule in self.base if not (written and rule.generated) and self.idle(rule) is None)
        return [f"{rule.source}: {why}" for rule in rules if (why := self.why_not(rule.op, rule.lane))]

    def effective(self) -> list[_conf.Rule]:
        rules = self.base
        for layer in self.layers:
            rules = [rule for rule in rules if rule.op not in layer.replaced] + layer.rules
        return rules

    def replaced(self, effective: list[_conf.Rule]) -> list[_conf.Rule]:
        """The generated lines that lines of the user's stand in for: they say which lanes a gap closes, still."""
        written = {rule.op for rule in effective if not rule.generated}
        if not written:
            return []
        in_force = set(map(id, effective))
        return [rule for rule in self.own if rule.op in written and id(rule) not in in_force]

    def compile(self) -> None:
        numbers: dict[str, int] = {}

        def tuples(rules: list[_conf.Rule]) -> list[tuple]:
            made = []
            for rule in rules:
                number = numbers.get(rule.lane)
                if number is None:
                    number = numbers[rule.lane] = number_of(rule.lane, self.vendor)
                guard = rule.guard and [(c.field, c.comparison, c.arg, c.dim, list(c.values)) for c in rule.guard]
                made.append((rule.op, guard, number, rule.source, rule.generated))
            return made

        effective = self.effective()
        self.native.set_routes(tuples(effective), tuples(self.replaced(effective)))


class routes:
    """Changes routes at run time, for the whole process, until the ``with`` block ends.

    >>> with torch_fl.routes({"add.Tensor": "none", "mul.Tensor [dtype=int64]": "boxing"}):
    ...     y = x + x

    Args:
        changes: op, with a guard if wanted -> lane. A change without a guard replaces all lines of its op; one with a
            guard comes after them, and so wins where its guard accepts the call.

    Blocks nest; the one entered last wins. Backward passes run on other threads, so a change is never a thread's own:
    two threads that change the same op at the same time see each other's change.

    Raises:
        TypeError: ``changes`` is no mapping.
        ValueError: an op, lane or guard does not exist (names the nearest), or the lane has no kernel for the op.
        RuntimeError: there is no vendor.
    """

    def __init__(self, changes: Mapping[str, str]):
        if not isinstance(changes, Mapping):
            raise TypeError(
                "torch_fl.routes() takes a mapping of ops to lanes, such as {'add.Tensor': 'none'}, "
                f"not {type(changes).__name__}"
            )
        state = current()
        self.rules: list[_conf.Rule] = []
        errors = []
        for left, lane in changes.items():
            try:
                if not isinstance(left, str):
                    raise ValueError(f"{left!r}: an op is named by a str, such as 'add.Tensor'")
                if not isinstance(lane, str):
                    raise ValueError(f"{left}: a lane is named by a str, such as 'none', not by {lane!r}")
                rule = _conf.parse_line(f"{left.strip()} = {lane}", "torch_fl.routes()", state.world)
                if number_of(rule.lane, state.vendor) == LANES.index("tileops"):
                    _offer_tileops(state.native)
                if why := state.why_not(rule.op, rule.lane):
                    raise ValueError(why)
                self.rules.append(rule)
            except ValueError as error:
                errors.append(f"torch_fl.routes: {error}")
        if errors:
            raise _conf.RouteError("\n".join(errors))
        self.replaced = {rule.op for rule in self.rules if not rule.guard}

    def __enter__(self) -> routes:
        with _lock:
            current().layers.append(self)
            current().compile()
        return self

    def __exit__(self, *exc: object) -> None:
        with _lock:
            current().layers.remove(self)
            current().compile()


def current() -> State:
    """The state of this process. Raises RuntimeError where there is no vendor or the conf could not be used."""
    native = _native.module()
    if _state is None:
        native.load()  # where there is no vendor this says why
        raise RuntimeError(f"torch_fl: {_problem}")
    return _state


def names(lane: str) -> bool:
    """Whether a line that the user wrote, in a conf or as an override, names a lane."""
    if _state is None:
        return False
    number = LANES.index(lane)
    return any(number_of(rule.lane, _state.vendor) == number for rule in _state.base if not rule.generated)


def listed() -> set[str]:
    """The ops that a line is for: of the vendor's, or of the user's."""
    return set() if _state is None else {rule.op for rule in (*_state.base, *_state.own)}


def _offer_tileops(native: ModuleType) -> None:
    number = LANES.index("tileops")
    if not any(number in lanes for _, _, _, lanes, *_ in native.ops()):
        from torch_fl import tileops

        tileops.offer()


def _why_off(lane: str) -> str:
    """Why nothing of a package's lane is here; "" for other lanes."""
    if lane not in ("flaggems", "tileops"):
        return ""
    return importlib.import_module(f"torch_fl.{lane}").why_off()


def kernels_changed() -> None:
    """Another package has begun, or ceased, to offer kernels."""
    if _state is not None:
        _state.forget_kernels()


def install(native: ModuleType, choice: Choice) -> None:
    """Reads the conf and the overrides, and gives the routes to the native half; a mistake is told at first use."""
    global _state, _problem
    if choice.vendor is None:
        return
    try:
        _state = load(native, choice)
        for problem in _conf.without_effect(_overrides(os.environ), _state.world):
            warnings.warn(f"torch_fl: {problem}", stacklevel=2)
        if os.environ.get("FLAGOS_LOG") or os.environ.get("FLAGOS_BACKEND_CONFIG"):
            for read in _state.conf.files:
                print(f"[flagos] loading backend config from {read}", file=sys.stderr)
        _state.compile()
    except ValueError as error:
        _state, _problem = None, str(error)
        native.set_routes_error(f"torch_fl: {error}")


def load(
    native: ModuleType, choice: Choice, path: Path | None = None, environ: Mapping[str, str] = os.environ
) -> State:
    """The routes of a vendor: from ``path``, else ``FLAGOS_BACKEND_CONFIG``, else the vendor's own conf.

    Raises:
        RouteError: the conf or an override cannot be used.
    """
    state, mistakes = read(native, choice, path, environ)
    if mistakes:
        raise _conf.RouteError("\n".join(mistakes))
    return state


def read(
    native: ModuleType, choice: Choice, path: Path | None = None, environ: Mapping[str, str] = os.environ
) -> tuple[State, list[str]]:
    """As `load`, without what cannot be read; and a sentence for each mistake."""
    world = world_of(native, choice)
    conf = _conf.read(path or Path(environ.get("FLAGOS_BACKEND_CONFIG") or choice.vendor.conf), world)
    rules, mistakes = _conf.apply_overrides(conf.rules, _overrides(environ), world)
    own = [rule for rule in conf.rules if rule.generated]
    if not own:  # a file of the user's alone: what the vendor measured holds for its lines too
        own = [rule for rule in _conf.read(Path(choice.vendor.conf), world).rules if rule.generated]
    return State(native, world, conf, rules, own, choice.vendor.name), conf.mistakes + mistakes


def _overrides(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: lane for name, lane in environ.items() if name.startswith(OVERRIDE)}


def world_of(native: ModuleType, choice: Choice) -> _conf.World:
    """What a conf may name in this process."""
    vendor = choice.vendor.name
    return _conf.World(
        lanes=(vendor, *(lane for lane in LANES if lane != "vendor")),
        is_lane=lambda lane: number_of(lane, vendor) is not None,
        is_op=native.op_exists,
        op_names=native.op_names,
        arguments=_arguments,
        is_decomposed=_is_decomposed,
    )


def _arguments(op: str) -> list[_conf.Argument]:
    from torch_fl._ops import schema_of

    kinds = [(a.name, str(a.type)) for a in schema_of(op).arguments]
    return [_conf.Argument(name, "Tensor" in kind, kind in ("int", "Optional[int]")) for name, kind in kinds]


def _is_decomposed(op: str) -> bool:
    # Known before the vendor is loaded, unlike State.reaches_device(): such an op is never given a kernel later.
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    name = f"aten::{op}"
    return has(name, "CompositeImplicitAutograd") and not has(name, "PrivateUse1")
