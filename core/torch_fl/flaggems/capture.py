"""Sees every kernel that Triton launches, for launch replay (core/src/replay/replay.h).

Triton's driver makes one launcher per compiled kernel and calls it with the grid, the kernel's handle and the Python
arguments. The launchers made here do the same through Triton's own, and hand to a recording in progress what the kernel
was launched with: the bytes of its parameters, in the order in which the compiler laid them out.

The layout of parameters is Triton 3.6's: those of the signature in order without the constexpr ones, tuples flattened,
tensor descriptors followed by their shape and strides, then two pointers to scratch memory: of the launch, null where
the kernel needs none, and of a profiler.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
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
# LaunchRecord::Kind of core/src/replay/template.h.
_NUMBER, _POINTER, _SCRATCH, _TENSOR_MAP = range(4)
# fl_tensor_map and fl_launch of vendor.h.
_MAP = struct.Struct("<QQ5I5I5Q5Q")
_COOPERATIVE, _PROGRAMMATIC = 2, 4

Value = tuple[bytes, int]


def _address(argument: Any) -> bytes:
    if argument is None:
        return _NULL
    return struct.pack("<Q", argument if isinstance(argument, int) else argument.data_ptr())


def _pointer(argument: Any) -> list[Value]:
    return [(_address(argument), _POINTER)]


def _numbers(kind: str, numbers: Iterable[Any]) -> list[Value]:
    return [(_PACK[kind](number), _NUMBER) for number in numbers]


def _plain_descriptor(argument: Any) -> list[Value]:
    """A tensor descriptor for a device that has none: its parts, shape and strides twice."""
    sizes = [*argument.shape, *argument.strides]
    return [
        *_pointer(argument.base),
        *_numbers("i64", sizes),
        *_numbers("i1", [argument.padding == "nan"]),
        *_numbers("i32", argument.shape),
        *_numbers("i64", argument.strides),
    ]


def _descriptor(meta: dict[str, Any], types: dict[int, int], argument: Any) -> list[Value]:
    """A tensor descriptor as Triton's launcher has the driver make one; the fastest dimension comes first."""
    shape = list(argument.shape)
    if meta["fp4_padded"]:
        shape[-1] *= 2
    size, box, sizes = meta["elem_size"], [*reversed(meta["block_size"])], [*reversed(shape)]
    strides = [size * stride for stride in reversed(argument.strides[:-1])]
    strides.append(sizes[-1] * (strides[-1] if strides else size))
    rank, kind = len(box), types.get(meta["elem_type"], meta["elem_type"])
    more = [0] * (5 - rank)
    about = (kind, size, meta["swizzle"], 1 if argument.padding == "nan" else 0, rank)
    made = _MAP.pack(_MAP.size, argument.base.data_ptr(), *about, *box, *more, *sizes, *more, *strides, *more)
    return [(made, _TENSOR_MAP), *_numbers("i32", shape), *_numbers("i64", argument.strides)]


class Parameters:
    """Packs the arguments of one compiled kernel. ``why_not`` says why they cannot be packed; "" where they can.

    Args:
        signature: name of a parameter -> Triton's name of its type, or a tuple of those.
        metas: of the tensor descriptors among them in order; None for one that is taken apart.
        types: the driver's numbers of element types, by the compiler's.
    """

    def __init__(self, signature: Mapping[str, Any], metas: Iterable[Any] = (), types: Mapping[int, int] = {}):
        self.why_not = ""
        self.places: dict[str, int] = {}  # where the value of a parameter is
        self._metas, self._types = list(metas), types
        self._each = []
        place = 0
        for index, (name, kind) in enumerate(signature.items()):
            if kind == "constexpr":
                continue
            self._each.append((index, self._packer(kind)))
            self.places[name] = place
            place += 1

    def _packer(self, kind: Any) -> Callable[[Any], list[Value]]:
        if isinstance(kind, tuple):
            parts = [(index, self._packer(part)) for index, part in enumerate(kind) if part != "constexpr"]
            return lambda argument: [value for index, pack in parts for value in pack(argument[index])]
        if kind.startswith("*"):
            return _pointer
        if kind in _PACK:
            return lambda argument: _numbers(kind, [argument])
        if kind.startswith("tensordesc"):
            meta = self._metas.pop(0) if self._metas else None
            return _plain_descriptor if meta is None else partial(_descriptor, meta, self._types)
        self.why_not = f"a kernel takes a {kind.split('<')[0]}"
        return lambda argument: []

    def pack(self, arguments: tuple) -> list[Value]:
        return [value for index, pack in self._each for value in pack(arguments[index])]


def launcher_of(inner: type, native: ModuleType) -> type:
    """The class of launchers that record around ``inner``, the driver's own."""

    class RecordingLauncher:
        def __init__(self, src: Any, metadata: Any):
            self._inner = inner(src, metadata)
            self._src = src  # the kernel's handle lives as long as this
            self._name = getattr(metadata, "name", "")
            metas = getattr(metadata, "tensordesc_meta", None) or ()
            self._parameters = Parameters(src.signature, metas, _element_types())
            self._why_not = self._parameters.why_not
            if getattr(metadata, "profile_scratch_size", 0):
                self._why_not = "a kernel needs scratch memory for a profiler"
            self._tiles = _tiles(src, self._parameters)
            self._blocks = getattr(metadata, "num_ctas", 1)
            self._scratch = (
                getattr(metadata, "global_scratch_size", 0) * self._blocks,
                getattr(metadata, "global_scratch_align", 1),
            )
            self._features = (_COOPERATIVE if getattr(metadata, "launch_cooperative_grid", False) else 0) | (
                _PROGRAMMATIC if getattr(metadata, "launch_pdl", False) else 0
            )

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
                values = [*self._parameters.pack(arguments), self._scratch_of(x * y * z), (_NULL, _POINTER)]
                grid, block = (x * self._blocks, y, z), (32 * warps, 1, 1)
                native.record_launch(function, grid, block, shared, values, self._blocks, self._features, self._tiles)

        def _scratch_of(self, programs: int) -> Value:
            size, alignment = self._scratch
            return (struct.pack("<QQ", size * programs, alignment), _SCRATCH) if size else (_NULL, _POINTER)

    return RecordingLauncher


def _element_types() -> Mapping[int, int]:
    """The driver's numbers of element types by the compiler's, where they differ."""
    from triton.runtime import driver

    for cls in type(driver.active).__mro__:
        if found := getattr(sys.modules[cls.__module__], "TMA_DTYPE_DEVICE_TO_HOST", None):
            return found
    return {}


def _tiles(src: Any, parameters: Parameters) -> list[tuple[int, int]]:
    """Of a kernel of FlagGems' generator for pointwise ops whose blocks compute a tile each: where the size of each
    dimension is among the values (-1: it is 1), and the elements of a tile along it. Of other kernels nothing."""
    names = src.fn.arg_names
    if not {"num_tasks", "tiles_per_cta", "one_tile_per_cta", "tile_size0", "s0"} <= set(names):
        return []
    constants = {(key if isinstance(key, str) else names[key[0]]): value for key, value in src.constants.items()}
    constants = {name: getattr(value, "value", value) for name, value in constants.items()}
    if constants.get("one_tile_per_cta") is not True:
        return []
    rank = sum(re.fullmatch(r"tile_size\d+", name) is not None for name in names)
    sizes = [parameters.places.get(f"s{d}", -1) for d in range(rank)]
    known = all(place >= 0 or constants.get(f"s{d}") == 1 for d, place in enumerate(sizes))
    return [(place, constants[f"tile_size{d}"]) for d, place in enumerate(sizes)] if known else []


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
