"""A GPU that is not there: Triton compiles for it and launches on it, and the kernels run in our interpreter.

Real are FlagGems, Triton, its NVIDIA compiler up to ptxas, its launcher in C, core and the vendor `cuda`. Not real is
libcuda.so.1: it is vendors/cuda/sdk's stand-in over host memory. It calls back here for each launch, with what a driver
gets and nothing else: the handle, the grid, and the bytes of each parameter, as long as the cubin says they are. Which
kernel a handle is was told by Triton's launcher when it was loaded; all else comes from the bytes.
"""

from __future__ import annotations

import ctypes
import functools
import math
import re
import struct
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton import knobs
from triton.backends.nvidia.driver import CudaDriver
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from torch_fl import flagos
from torch_fl.flaggems import blocks, interpreter, libdevice, rewriting

_RANGE_START, _RANGE_BYTES = 11, 12  # CU_POINTER_ATTRIBUTE_RANGE_*


class _Told(ctypes.Structure):
    """`Launch` of vendors/cuda/sdk/src/more.h."""

    _fields_ = (
        ("function", ctypes.c_uint64),
        ("stream", ctypes.c_uint64),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("attributes", ctypes.c_uint32),
        ("extended", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("values", ctypes.POINTER(ctypes.c_void_p)),
        ("sizes", ctypes.POINTER(ctypes.c_uint32)),
    )


class _TensorMap(ctypes.Structure):
    """`TensorMap` of vendors/cuda/sdk/src/more.h."""

    _fields_ = (
        ("address", ctypes.c_uint64),
        ("rank", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("shape", ctypes.c_uint64 * 5),
        ("strides", ctypes.c_uint64 * 4),
        ("box", ctypes.c_uint32 * 5),
        ("fill", ctypes.c_uint32),
    )


_RUNNER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Told))


@dataclass(frozen=True)
class Launch:
    """One launch, as the driver got it."""

    kernel: str
    function: int
    stream: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    attributes: int
    by_triton: bool  # Triton's launcher calls cuLaunchKernelEx, a replay does so for attributes only
    values: tuple[bytes, ...]
    pointers: tuple[bool, ...]

    def shape(self) -> tuple:
        """All of it but the pointers, which differ from call to call; a tensor map begins with one."""
        scalars = tuple(None if p else v[8:] if len(v) == _MAP_BYTES else v for v, p in zip(self.values, self.pointers))
        nulls = tuple(p and not any(v) for v, p in zip(self.values, self.pointers))
        return self.function, self.grid, self.block, self.shared_bytes, self.attributes, scalars, nulls


@dataclass
class _Kernel:
    """A kernel as Triton compiled it."""

    src: Any  # triton.compiler.ASTSource
    metadata: Any
    types: list[Any] = field(init=False)  # of the parameters in their order, as the driver sees them
    promises: dict[int, int] = field(default_factory=dict)  # parameter of the source -> what divides it

    def __post_init__(self) -> None:
        metas = list(getattr(self.metadata, "tensordesc_meta", None) or [])
        self.types = list(_flat(self.src.signature.values(), metas))
        self.types += ["*i8", "*i8"]  # scratch memory: of the grid, and of a profiler
        for path, attributes in (getattr(self.src, "attrs", None) or {}).items():
            for name, value in attributes:
                if name == "tt.divisibility" and len(path) == 1:
                    self.promises[path[0]] = value


_SIZES = {"1": 1, "8": 1, "16": 2, "32": 4, "64": 8}
_MAP, _MAP_BYTES = "map", 128  # a tensor map


def _size(kind: str) -> int:
    if kind == _MAP:
        return _MAP_BYTES
    return 8 if kind.startswith("*") else _SIZES[re.sub(r"\D", "", kind)]


def _flat(types: Any, metas: list[Any]) -> Iterator[str]:
    for kind in types:
        if isinstance(kind, tuple):
            yield from _flat(kind, metas)
        elif kind.startswith("tensordesc"):
            element, rank = _described(kind)
            if metas and metas.pop(0) is not None:
                yield _MAP
            else:
                yield from [f"*{element}", *["i64"] * 2 * rank, "i1"]
            yield from ["i32"] * rank + ["i64"] * rank
        elif kind != "constexpr":
            yield kind


def _described(kind: str) -> tuple[str, int]:
    """The element type and the rank of ``"tensordesc<fp16[64, 32]>"``."""
    match = re.match(r"tensordesc<([^\[]+)\[([^\]]*)\]", kind)
    return match[1], match[2].count(",") + 1


class _Driver(CudaDriver):
    """The active driver of Triton: NVIDIA's, for the streams and devices of `flagos`. PyTorch has none of CUDA here."""

    def __init__(self, gpu: VirtualGPU):
        super().__init__()
        del self.get_current_device  # of torch.cuda
        base = self.launcher_cls
        self.launcher_cls = lambda src, metadata: gpu.watched(base(src, metadata), src, metadata)
        self.get_device_capability = flagos.get_device_capability
        self.get_current_stream = lambda device=None: flagos.current_stream(device).native_handle
        self.set_current_device = flagos.set_device
        self._library = gpu.library

    def get_current_device(self) -> int:
        """Asked before each load and launch. Makes the device's context the thread's, as PyTorch with CUDA has it."""
        device, context = flagos.current_device(), ctypes.c_void_p()
        self._library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        self._library.cuCtxSetCurrent(context)
        return device

    @staticmethod
    def is_active() -> bool:
        return True

    def get_active_torch_device(self) -> torch.device:
        return torch.device("flagos", flagos.current_device())

    def get_device_interface(self) -> Any:
        return flagos

    def get_benchmarker(self) -> Callable[..., Any]:
        return interpreter.Driver.get_benchmarker(self)

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1, device="flagos")


class _Watched:
    """Triton's launcher, which tells which kernel its handle is before its first launch."""

    def __init__(self, inner: Any, kernel: _Kernel, gpu: VirtualGPU):
        self._inner, self._kernel, self._gpu = inner, kernel, gpu

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __call__(self, x: int, y: int, z: int, stream: int, function: int, *arguments: Any) -> None:
        self._gpu.kernels.setdefault(function, self._kernel)
        self._inner(x, y, z, stream, function, *arguments)


class VirtualGPU:
    """What runs kernels. `launches` has those that nobody has taken, in the order of their streams."""

    def __init__(self) -> None:
        self.kernels: dict[int, _Kernel] = {}
        self.launches: list[Launch] = []
        self.errors: list[str] = []
        self.library = ctypes.CDLL("libcuda.so.1")
        self._runner = _RUNNER(self._run)
        # Which program of a grid runs is global to the interpreter, and each stream has a thread.
        self._lock = threading.RLock()

    def install(self) -> None:
        """Makes it Triton's GPU for the rest of the process. FlagGems must not be imported yet."""
        knobs.nvidia.libcuda_path = str(_folder())
        self.library.flCudaStandinRunner(self._runner)
        rewriting.install()
        libdevice.install()
        JITFunction.__call__ = interpreter._call
        driver.set_active(_Driver(self))
        # Compiling takes longer than all else, and times of an interpreter choose nothing.
        Autotuner.prune_configs = _smallest(Autotuner.prune_configs)
        Autotuner.check_disk_cache = lambda self, key, configs, bench: bench() or False

    def watched(self, inner: Any, src: Any, metadata: Any) -> _Watched:
        return _Watched(inner, _Kernel(src, metadata), self)

    def taken(self) -> list[Launch]:
        """The launches so far, all of which are done; none are left.

        Raises:
            RuntimeError: one of them failed.
        """
        for index in range(flagos.device_count()):
            flagos.synchronize(index)
        taken, self.launches = self.launches, []
        errors, self.errors = self.errors, []
        if errors:
            raise RuntimeError("\n".join(errors))
        return taken

    # ---- on the threads of streams

    def _run(self, pointer: Any) -> int:
        try:
            told = pointer.contents
            kernel = self.kernels[told.function]
            values = [ctypes.string_at(told.values[i], told.sizes[i]) for i in range(told.count)]
            expected = [_size(kind) for kind in kernel.types]
            if [len(v) for v in values] != expected:
                raise AssertionError(f"the cubin's parameters are {[len(v) for v in values]} bytes, not {expected}")
            pointers = tuple(kind.startswith("*") for kind in kernel.types)
            grid, block = tuple(told.grid), tuple(told.block)
            name = kernel.src.fn.__name__
            with self._lock:
                self.launches.append(
                    Launch(
                        name,
                        told.function,
                        told.stream,
                        grid,
                        block,
                        told.shared_bytes,
                        told.attributes,
                        bool(told.extended),
                        tuple(values),
                        pointers,
                    )
                )
                self._programs(kernel, grid, values)
            return 0
        except BaseException:
            self.errors.append(traceback.format_exc())
            return 1

    def _programs(self, kernel: _Kernel, grid: tuple[int, ...], values: list[bytes]) -> None:
        ranges: list[tuple[int, int]] = []
        arguments = _Arguments(kernel, iter(values), lambda address: ranges.append(self._piece(address)))
        bound = arguments.bound()
        with interpreter._lock:
            blocks.builder.allow(ranges)
            clusters = getattr(kernel.metadata, "num_ctas", 1)
            interpreter._programs(kernel.src.fn, (grid[0] // clusters, *grid[1:]), bound)

    def _piece(self, address: int) -> tuple[int, int]:
        """The piece of the device's memory, or of page-locked memory, that an address is in."""
        start, size = ctypes.c_uint64(), ctypes.c_uint64()
        get = self.library.cuPointerGetAttribute
        for attribute, out in ((_RANGE_START, start), (_RANGE_BYTES, size)):
            if get(ctypes.byref(out), attribute, ctypes.c_uint64(address)) != 0:
                raise AssertionError(f"a kernel gets {address:#x}, which the device cannot reach")
        return start.value, start.value + size.value


class _Arguments:
    """The arguments of a kernel's source, made of the bytes of its parameters."""

    def __init__(self, kernel: _Kernel, values: Iterator[bytes], reach: Callable[[int], None]):
        self.kernel, self.values, self.reach = kernel, values, reach
        self.metas = list(getattr(kernel.metadata, "tensordesc_meta", None) or [])
        names = kernel.src.fn.arg_names
        self.constants = {
            (key if isinstance(key, tuple) else (names.index(key),)): value
            for key, value in kernel.src.constants.items()
        }

    def bound(self) -> dict[str, Any]:
        bound = {}
        for index, (name, kind) in enumerate(self.kernel.src.signature.items()):
            param = self.kernel.src.fn.params[index]
            if kind == "constexpr" and param.is_constexpr:
                value = self.constants[index,]
                bound[name] = value.value if isinstance(value, tl.constexpr) else value
            else:
                bound[name] = self._value((index,), kind)
        return bound

    def _value(self, path: tuple[int, ...], kind: Any) -> Any:
        if isinstance(kind, tuple):
            return tuple(self._value((*path, i), k) for i, k in enumerate(kind))
        if kind == "constexpr":  # a number that was compiled in, or None
            return interpreter._value(self.kernel.src.fn.__name__, "", self.constants.get(path), [])
        if kind.startswith("tensordesc"):
            return self._descriptor(kind)
        return self._scalar(kind, self.kernel.promises.get(path[0], 1) if len(path) == 1 else 1)

    def _scalar(self, kind: str, divisor: int = 1) -> tl.tensor:
        data = next(self.values)
        dtype = tl.str_to_ty(kind, None)
        if kind.startswith("*"):
            (address,) = struct.unpack("<Q", data)
            if address:
                self.reach(address)
            number = address
        else:
            number = int.from_bytes(data, "little", signed=True)
        if number % divisor:
            raise AssertionError(f"the kernel was compiled for what {divisor} divides, and gets {number:#x}")
        made = np.frombuffer(data, dtype=blocks.numpy_type(dtype)).copy()
        return tl.tensor(blocks.TensorHandle(made, dtype), dtype)

    def _descriptor(self, kind: str) -> Any:
        element, rank = _described(kind)
        block = [int(n) for n in re.search(r"\[([^\]]*)\]", kind)[1].split(",")]
        nan = False
        if self.metas and self.metas.pop(0) is not None:
            made = _TensorMap.from_buffer_copy(next(self.values)[: ctypes.sizeof(_TensorMap)])
            pointer = tl.str_to_ty(f"*{element}", None)
            self.reach(made.address)
            base = tl.tensor(blocks.TensorHandle(np.array([made.address], dtype=np.uint64), pointer), pointer)
            nan = bool(made.fill)
        else:
            base = self._scalar(f"*{element}")
            for _ in range(2 * rank):
                self._scalar("i64")
            nan = bool(self._scalar("i1").handle.data[0])
        shape = [self._scalar("i32") for _ in range(rank)]
        strides = [self._scalar("i64") for _ in range(rank)]
        return blocks.semantic.make_tensor_descriptor(
            base, shape, [*strides[:-1], tl.constexpr(1)], [tl.constexpr(b) for b in block], "nan" if nan else "zero"
        )


def _smallest(prune: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Of the configs that fit, the one that compiles fastest: with the smallest tiles."""

    def size(config: Any) -> tuple[int, int]:
        return math.prod(v for v in config.kwargs.values() if type(v) is int and v > 0), config.num_stages

    return functools.wraps(prune)(lambda self, kwargs: [min(prune(self, kwargs), key=size)])


def _folder() -> Path:
    """Where the driver's library that this process uses is."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "/libcuda.so" in line:
            return Path(line.split(maxsplit=5)[5]).parent
    raise RuntimeError("libcuda.so.1 is not loaded")


def why_not() -> str:
    """Why there can be none in this process; "" where it can."""
    import torch_fl
    from torch_fl.flaggems import source

    if torch_fl.vendor_name() != "cuda":
        return f"the vendor is {torch_fl.vendor_name()}, not cuda"
    from torch_fl_cuda import on_standin

    if not on_standin():
        return "libcuda.so.1 is not the stand-in of vendors/cuda/sdk"
    if reason := source.supported():
        return reason
    if not hasattr(ctypes.CDLL("libcuda.so.1"), "flCudaStandinRunner"):
        return "the stand-in is an old one: build vendors/cuda/sdk again"
    if "flag_gems" in sys.modules:
        return "FlagGems is imported already"
    return ""
