"""Sees every kernel that Triton launches, for launch replay (core/src/dispatch/replay.h).

Triton's driver makes one launcher per compiled kernel and calls it with the grid, the kernel's handle and the Python
arguments. The launchers made here do the same through Triton's own, and hand to a recording in progress what the kernel
was launched with: the bytes of its parameters, in the order in which the compiler laid them out.

The layout of parameters is Triton 3.6's: those of the signature in order without the constexpr ones, then two pointers
to scratch memory, null where the kernel needs none.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from torch_fl.flaggems import limits

# Triton's names of types: how Python packs them. bfloat16 is cut, as Triton's own launcher does.
_PACK: dict[str, Callable[[Any], bytes]] = {
    **{
        name: struct.Struct(f"<{code}").pack
        for name, code in zip(
            ("i1", "i8", "i16", "i32", "i64", "u1", "u8", "u16", "u32", "u64", "fp16", "fp32", "f32", "fp64"),
            "bbhiqBBHIQeffd",
            strict=True,
        )
    },
    "bf16": lambda value: struct.pack("<f", value)[2:],
}
_NULL = struct.pack("<Q", 0)


def _address(argument: Any) -> bytes:
    if argument is None:
        return _NULL
    return struct.pack("<Q", argument if isinstance(argument, int) else argument.data_ptr())


class Parameters:
    """Packs the arguments of one compiled kernel. ``why_not`` says why they cannot be packed; "" where they can."""

    def __init__(self, types: Iterable[Any]):
        self.why_not = ""
        self._each: list[tuple[int, Callable[[Any], bytes], bool]] = []
        for index, kind in enumerate(types):
            if kind == "constexpr":
                continue
            if isinstance(kind, str) and kind.startswith("*"):
                self._each.append((index, _address, True))
            elif isinstance(kind, str) and kind in _PACK:
                self._each.append((index, _PACK[kind], False))
            else:
                self.why_not = f"a kernel takes a {'tuple' if isinstance(kind, tuple) else kind.split('<')[0]}"

    def pack(self, arguments: tuple) -> list[tuple[bytes, bool]]:
        values = [(pack(arguments[index]), pointer) for index, pack, pointer in self._each]
        return [*values, (_NULL, True), (_NULL, True)]


def launcher_of(inner: type, native: ModuleType) -> type:
    """The class of launchers that record around ``inner``, the driver's own."""

    class RecordingLauncher:
        def __init__(self, src: Any, metadata: Any):
            self._inner = inner(src, metadata)
            self._src = src  # the kernel's handle lives as long as this
            self._name = getattr(metadata, "name", "")
            self._parameters = Parameters(src.signature.values())
            self._why_not = self._parameters.why_not or _odd(metadata)

        def __getattr__(self, name: str) -> Any:  # what Triton and FlagGems ask of a launcher
            return getattr(self._inner, name)

        def __call__(self, x, y, z, stream, function, packed, about, enter, exit, *arguments) -> None:
            limits.check_grid(self._name, (x, y, z))
            self._inner(x, y, z, stream, function, packed, about, enter, exit, *arguments)
            if not native.recording():
                native.note_work()
            elif self._why_not:
                native.note_work()
                native.refuse_recording(self._why_not)
            elif x * y * z > 0:
                warps, _, shared = packed[:3]
                values = self._parameters.pack(arguments)
                native.record_launch(function, (x, y, z), (32 * warps, 1, 1), shared, values)

    return RecordingLauncher


def _odd(metadata: Any) -> str:
    """Why a kernel cannot be launched by its parameters alone; "" where it can."""
    if getattr(metadata, "global_scratch_size", 0) or getattr(metadata, "profile_scratch_size", 0):
        return "a kernel needs scratch memory"
    if getattr(metadata, "num_ctas", 1) != 1:
        return "a kernel runs in clusters"
    if getattr(metadata, "launch_cooperative_grid", False) or getattr(metadata, "launch_pdl", False):
        return "a kernel is launched with attributes"
    return ""


def install(native: ModuleType) -> None:
    """Takes the place of the active driver's launchers. Kernels that were launched before keep theirs."""
    from triton import knobs
    from triton.runtime import driver

    driver.active.launcher_cls = launcher_of(driver.active.launcher_cls, native)
    for name in ("launch_enter_hook", "launch_exit_hook"):
        setattr(knobs.runtime, name, _watched(getattr(knobs.runtime, name), native))


def _watched(chain: Any, native: ModuleType) -> Any:
    """Somebody who watches launches (a profiler) sees all of them: nothing is replayed meanwhile."""

    class Watched(type(chain)):
        def add(self, hook: Any) -> None:
            super().add(hook)
            _watch(self, native)

        def remove(self, hook: Any) -> None:
            super().remove(hook)
            _watch(self, native)

    watched = Watched(chain.reversed)
    for hook in chain.calls:
        watched.add(hook)
    return watched


_watching: set[int] = set()


def _watch(chain: Any, native: ModuleType) -> None:
    (_watching.add if chain.calls else _watching.discard)(id(chain))
    native.allow_replay(not _watching)
