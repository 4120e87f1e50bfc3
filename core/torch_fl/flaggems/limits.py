"""What the vendor's compiler and device take of a kernel of Triton's, asked before either of them is given one.

Some compilers end the process where a kernel has what they do not know, and some devices are given a grid that they
refuse after work was queued. vendor.toml tells such limits (``[limits] grid``, ``[flaggems.limits]``); each is a
predicate here, with an exception of its own. It is raised before the vendor's code runs, so the call, and all calls
like it, go to the next lane.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any


class LimitError(NotImplementedError):
    """A kernel is beyond a limit of the vendor's."""


class ParameterTypeError(LimitError):
    """A parameter of a kernel has a type that the vendor's compiler does not take."""


class ExternError(LimitError):
    """A kernel calls an external function that the vendor's compiler does not lower."""


class GridError(LimitError):
    """A launch has more programs along an axis than the device takes."""


@dataclass(frozen=True)
class Limits:
    """What kernels may not have; nothing where empty.

    types: Triton's names of types that no parameter may have: ``"*i64"`` is a pointer, ``"i64"`` a number. externs:
    names of external functions, in which ``*`` stands for any text. grid: the most programs along x, y and z.
    """

    types: frozenset[str] = frozenset()
    externs: tuple[str, ...] = ()
    grid: tuple[int, ...] = ()

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Limits:
        """Those of a vendor.toml."""
        own = facts.get("flaggems", {}).get("limits", {})
        grid = facts.get("limits", {}).get("grid", ())
        return cls(frozenset(own.get("types", ())), tuple(own.get("externs", ())), tuple(grid))

    def __bool__(self) -> bool:
        return bool(self.types or self.externs or self.grid)

    def __str__(self) -> str:
        """For people: ``"no parameter of *i64, no call of __nv_asinf, at most 65535 x 255 programs"``."""
        parts = [f"no parameter of {', '.join(sorted(self.types))}"] if self.types else []
        parts += [f"no call of {', '.join(self.externs)}"] if self.externs else []
        parts += [f"at most {' x '.join(map(str, self.grid))} programs"] if self.grid else []
        return ", ".join(parts)


_limits = Limits()
_op: Callable[[], str] = str  # the op whose function runs on this thread, "" for none


def install(limits: Limits, op: Callable[[], str], *, compiled: bool) -> None:
    """Holds kernels to the limits of a vendor from now on.

    Args:
        op: gives the op whose function runs on this thread, for messages.
        compiled: Triton compiles kernels here, and is asked to show them before the vendor's part of it sees them.
    """
    global _limits, _op
    _limits, _op = limits, op
    if compiled and (limits.types or limits.externs):
        _watch_compiler()


@contextmanager
def used(limits: Limits) -> Iterator[None]:
    """The limits of another vendor for a while, to try its routes without its device.

    They hold for kernels that are compiled meanwhile, or interpreted. What calls were refused before is forgotten, and
    afterwards what were refused inside.
    """
    global _limits
    from torch_fl import flaggems

    flaggems.functions()  # whose first call sets the vendor's own
    before, _limits = _limits, limits
    flaggems.offer()
    try:
        yield
    finally:
        _limits = before
        flaggems.offer()


def current() -> Limits:
    """The limits in force."""
    return _limits


def check_types(kernel: str, types: Mapping[str, Any]) -> None:
    """Raises ParameterTypeError where a parameter has a type that the vendor does not take.

    Args:
        types: by parameter; a tuple's are tuples.
    """
    if _limits.types:
        for name, kind in types.items():
            for one in _flat(kind):
                if one in _limits.types:
                    raise ParameterTypeError(
                        f"{_who(kernel)} takes `{name}` as {one}, which the vendor's compiler does not take"
                    )


def check_externs(kernel: str, names: Sequence[str]) -> None:
    """Raises ExternError where one of the external functions that a kernel calls is not lowered by the vendor."""
    for name in names:
        if any(fnmatchcase(name, pattern) for pattern in _limits.externs):
            raise ExternError(f"{_who(kernel)} calls {name}, which the vendor's compiler does not lower")


def check_grid(kernel: str, grid: Sequence[int]) -> None:
    """Raises GridError where a launch has more programs than the device takes."""
    for axis, size, most in zip("xyz", grid, _limits.grid):
        if size > most:
            raise GridError(f"{_who(kernel)} is launched with {size} programs along {axis}, the device takes {most}")


def _who(kernel: str) -> str:
    op = _op()
    return f"{op}: kernel {kernel}" if op else f"kernel {kernel}"


def _flat(kind: Any) -> Iterator[str]:
    if isinstance(kind, (tuple, list)):
        for part in kind:
            yield from _flat(part)
    elif isinstance(kind, str):
        # Of a descriptor, what it points to.
        described = re.match(r"tensordesc<(\w+)", kind)
        yield f"*{described[1]}" if described else kind


# ---- Triton's compiler


_watching = False


def _watch_compiler() -> None:
    global _watching
    if _watching:
        return
    from triton import knobs
    from triton.compiler.compiler import make_backend
    from triton.runtime import driver

    knobs.runtime.jit_cache_hook = _before_compiling(knobs.runtime.jit_cache_hook)
    _watch_stages(type(make_backend(driver.active.get_current_target())))
    _watching = True


def _before_compiling(other: Callable[..., Any] | None) -> Callable[..., Any]:
    """Triton's hook of this name, which it calls for each kernel that it does not have yet; `other` was there first."""

    def hook(**about: Any) -> Any:
        check_types(about["fn"].name, about["compile"]["signature"])
        return other(**about) if other is not None else None

    return hook


_EXTERN = re.compile(r'symbol = "([^"]+)"')
_KERNEL = re.compile(r"tt\.func public @(\w+)")


def _watch_stages(backend: type) -> None:
    """Looks at what Triton's own first stage makes of a kernel, before the vendor's stages see it.

    Not by Triton's hook for stages: a vendor's backend need not call that.
    """
    inner = backend.add_stages

    def add_stages(self: Any, stages: dict[str, Callable[..., Any]], *args: Any, **kwargs: Any) -> None:
        inner(self, stages, *args, **kwargs)
        name = "ttir" if "ttir" in stages else next(iter(stages))
        stage = stages[name]

        def checked(src: Any, metadata: Any) -> Any:
            module = stage(src, metadata)
            if _limits.externs:
                text = str(module)
                kernel = _KERNEL.search(text)
                check_externs(kernel[1] if kernel else "", _EXTERN.findall(text))
            return module

        stages[name] = checked

    backend.add_stages = add_stages
