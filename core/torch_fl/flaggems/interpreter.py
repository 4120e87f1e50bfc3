"""FlagGems' kernels on the host: Triton's functions run as Python, on the memory of `flagos` tensors where it is.

For vendors whose device memory is host memory. Neither Triton nor FlagGems is changed on disk, and both are used as
they are installed: `install` gives Triton a driver, and sends the launches of its kernels here.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.backends.nvidia.compiler import CUDAOptions
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner, Config
from triton.runtime.errors import InterpreterError
from triton.runtime.jit import JITFunction, KernelParam, type_canonicalisation_dict
from triton.tools.tensor_descriptor import TensorDescriptor

from torch_fl import _native, flagos
from torch_fl.flaggems import blocks, libdevice, limits, rewriting

# What is interpreted here is written against this minor of Triton.
TRITON = "3.6"

# What an instance of Triton for CUDA would be told; the kernels' tiles are chosen by it.
_TARGET = GPUTarget("cuda", 80, 32)
_OPTIONS = frozenset(CUDAOptions.__dataclass_fields__)

# Which program of a grid runs is global.
_lock = threading.RLock()
_depth = 0
_on_launch: Callable[[str], None] | None = None


def install(on_launch: Callable[[str], None]) -> None:
    """Makes the kernels of Triton run here from now on; again only replaces `on_launch`.

    To be called before FlagGems is imported, whose functions keep what they find then.

    Args:
        on_launch: called with the name of each kernel before it runs, on the thread that launches it.

    Raises:
        RuntimeError: this release of Triton is not the one that is known here.
    """
    global _on_launch
    if not triton.__version__.startswith(f"{TRITON}."):
        raise RuntimeError(
            f"torch_fl: kernels are interpreted with Triton {TRITON} only, and this is {triton.__version__}: "
            f"pip install 'triton=={TRITON}.*'"
        )
    with _lock:
        first, _on_launch = _on_launch is None, on_launch
        if not first:
            return
        driver.set_active(Driver())
        rewriting.install()
        libdevice.install()
        JITFunction.run = _run
        JITFunction.__call__ = _call
        Autotuner.prune_configs = _one_config(Autotuner.prune_configs)
        Autotuner._bench = lambda self, *args, config, **meta: [1.0, 1.0, 1.0]
        Autotuner.check_disk_cache = lambda self, key, configs, bench: bench() or False


class _Utilities:
    @staticmethod
    def get_device_properties(device: int) -> dict[str, int]:
        return {
            "max_shared_mem": 163 << 10,
            "max_num_regs": 65536,
            "multiprocessor_count": flagos.get_device_properties(device).multi_processor_count,
            "warpSize": _TARGET.warp_size,
            "sm_clock_rate": 1,
            "mem_clock_rate": 1,
            "mem_bus_width": 1,
        }


class Driver(DriverBase):
    """The device, as Triton and FlagGems ask Triton for it."""

    utils = _Utilities
    launcher_cls = None

    @classmethod
    def is_active(cls) -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:
        raise NotImplementedError("interpreted kernels have no launcher in C")

    def get_current_target(self) -> GPUTarget:
        return _TARGET

    def get_active_torch_device(self) -> torch.device:
        return torch.device("flagos", flagos.current_device())

    def get_device_interface(self) -> Any:
        return torch.flagos

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        return flagos.get_device_capability(device)

    def get_current_device(self) -> int:
        return flagos.current_device()

    def set_current_device(self, device: int) -> None:
        flagos.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        return flagos.current_stream(device).native_handle

    def get_benchmarker(self) -> Callable[..., Sequence[float]]:
        """One that measures nothing: times of an interpreter say nothing about a kernel."""

        def benchmark(kernel_call: Callable[[], Any], *, quantiles: list[float] | None = None, **_: Any) -> list[float]:
            kernel_call()
            return [1.0] * len(quantiles or [0.5])

        return benchmark

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1, device="flagos")

    def clear_cache(self, cache: torch.Tensor) -> None:
        cache.zero_()


def _one_config(prune: Callable[..., list[Config]]) -> Callable[..., list[Config]]:
    """Of the configs that fit, the one with the largest tiles, so with the fewest programs; the first of several."""

    def size(config: Config) -> int:
        return math.prod(v for v in config.kwargs.values() if type(v) is int and v > 0)

    @functools.wraps(prune)
    def prune_configs(self: Autotuner, kwargs: dict[str, Any]) -> list[Config]:
        return [max(prune(self, kwargs), key=size)]

    return prune_configs


class Kernel:
    """What a launch gives back, as a compiled kernel: ``kernel[grid](*args)`` launches it again."""

    def __init__(self, function: JITFunction):
        self.function = function

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return functools.partial(_launch, self.function, grid)


def _run(self: JITFunction, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Kernel:
    """In the place of `JITFunction.run`."""
    for hook in self.pre_run_hooks:
        hook(*args, **kwargs)
    if not warmup:
        _launch(self, grid, *args, **kwargs)
    return Kernel(self)


def _call(self: JITFunction, *args: Any, **kwargs: Any) -> Any:
    """In the place of `JITFunction.__call__`: a call inside of a kernel."""
    if not _depth:
        raise RuntimeError(f"{self.__name__} is a kernel of Triton's: launch it, {self.__name__}[grid](...)")
    return rewriting.python_of(self)(*args, **kwargs)


def _launch(function: JITFunction, grid: Any, *args: Any, **kwargs: Any) -> None:
    """Runs all programs of a grid, one after the other.

    Raises:
        TypeError: the arguments are not the kernel's.
        ValueError: a tensor is not where the device can reach it.
        InterpreterError: a program failed; what it had written stays written.
        LimitError: the kernel is beyond a limit of the vendor's.
    """
    name = function.__name__
    bound = _bound(function, args, kwargs)
    size = tuple(int(n) for n in (grid(bound) if callable(grid) else grid))
    size += (1,) * (3 - len(size))
    if len(size) > 3 or min(size) < 0:
        raise ValueError(f"{name}: a grid is up to three numbers that are not negative, not {size}")
    if 0 in size:
        return
    if limits.current():
        limits.check_types(name, {p.name: _type(p, bound[p.name]) for p in function.params if not p.is_constexpr})
        limits.check_grid(name, size)
    tensors: list[torch.Tensor] = []
    with _lock:
        values = {p.name: _argument(name, p, bound[p.name], tensors) for p in function.params}
        # Of pointers without a tensor nothing is known but that they are for the current device.
        device = next((t for t in tensors if t.device.type == "flagos"), None)
        bare = any(_is_pointer(v) and _tensor_of(v) is None for v in bound.values())
        if device is None and bare:
            device = torch.empty(0, device="flagos")
        storages = [t.untyped_storage() for t in tensors]
        blocks.builder.allow(
            None if bare else [(s.data_ptr(), s.data_ptr() + s.nbytes()) for s in storages if s.nbytes()]
        )
        _on_launch(name)
        if device is None:
            _programs(function, size, values)
        else:
            with _native.module().HostMemory([device.device.index]):
                _programs(function, size, values)


def _programs(function: JITFunction, size: tuple[int, int, int], values: dict[str, Any]) -> None:
    global _depth
    python = rewriting.python_of(function)
    before = getattr(blocks.builder, "grid_dim", None), getattr(blocks.builder, "grid_idx", None)
    blocks.builder.set_grid_dim(*size)
    _depth += 1
    try:
        with np.errstate(all="ignore"):
            for index in np.ndindex(size):
                blocks.builder.set_grid_idx(*index)
                python(**values)
    except Exception as error:
        where = getattr(blocks.builder, "grid_idx", None)
        raise InterpreterError(f"{function.__name__}, program {where}: {type(error).__name__}: {error}") from error
    finally:
        _depth -= 1
        blocks.builder.grid_dim, blocks.builder.grid_idx = before


def _bound(function: JITFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All parameters of a kernel by name, in their order."""
    name, params = function.__name__, function.params
    if len(args) > len(params):
        raise TypeError(f"{name}: takes {len(params)} arguments, got {len(args)}")
    given = dict(zip((p.name for p in params), args))
    known = {p.name for p in params}
    for key, value in kwargs.items():
        if key in given:
            raise TypeError(f"{name}: got several values for {key!r}")
        if key in known:
            given[key] = value
        elif key not in _OPTIONS:
            raise TypeError(f"{name}: {key!r} is neither a parameter of it nor an option of Triton's")
    missing = [p.name for p in params if p.name not in given and not p.has_default]
    if missing:
        raise TypeError(f"{name}: no value for {', '.join(missing)}")
    return {p.name: given.get(p.name, p.default) for p in params}


def _type(param: KernelParam, value: Any) -> Any:
    """Triton's name of the type in which its launcher would pass a value; a tuple has a tuple of them."""
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, tuple):
        return tuple(_type(param, v) for v in value)
    if isinstance(value, TensorDescriptor):
        value = value.base
    if _is_pointer(value):
        return f"*{_canonical(value.dtype)}"
    if param.annotation_type and param.annotation_type[0] != "*":
        return param.annotation_type
    if isinstance(value, (bool, np.bool_)):
        return "i1"
    if isinstance(value, (int, np.integer)):
        return "i32" if -(2**31) <= value < 2**31 else "i64" if value < 2**63 else "u64"
    return "fp32" if isinstance(value, (float, np.floating)) else ""


def _is_pointer(value: Any) -> bool:
    return hasattr(value, "data_ptr")


def _tensor_of(pointer: Any) -> torch.Tensor | None:
    """The tensor that an object with `data_ptr()` is or wraps (some of FlagGems' do); None for a bare address."""
    inner = getattr(pointer, "_base", None)
    inner = getattr(pointer, "base", None) if inner is None else inner
    found = pointer if isinstance(pointer, torch.Tensor) else inner
    return found if isinstance(found, torch.Tensor) else None


def _argument(kernel: str, param: KernelParam, value: Any, tensors: list[torch.Tensor]) -> Any:
    """What a kernel sees of an argument; tensors that it can write through are added to `tensors`."""
    if param.is_constexpr:
        return value.value if isinstance(value, tl.constexpr) else value
    return _value(f"{kernel}: {param.name}", param.annotation_type, value, tensors)


def _value(where: str, annotation: str, value: Any, tensors: list[torch.Tensor]) -> Any:
    if isinstance(value, tl.constexpr):
        value = value.value
    if value is None or isinstance(value, (str, tl.dtype, JITFunction)):
        return value
    if _is_pointer(value):
        tensor = _tensor_of(value)
        if tensor is not None:
            if tensor.device.type != "flagos" and tensor.numel() and not tensor.is_pinned():
                raise ValueError(f"{where} is a tensor on {tensor.device}, which kernels cannot reach")
            tensors.append(tensor)
        pointer = _pointer_to(value.dtype)
        return tl.tensor(blocks.TensorHandle(np.array([value.data_ptr()], dtype=np.uint64), pointer), pointer)
    if isinstance(value, TensorDescriptor):
        base = _value(where, "", value.base, tensors)
        numbers = [[_value(where, "", int(n), tensors) for n in part] for part in (value.shape, value.strides[:-1])]
        return blocks.semantic.make_tensor_descriptor(
            base,
            numbers[0],
            [*numbers[1], tl.constexpr(1)],
            [tl.constexpr(b) for b in value.block_shape],
            value.padding,
        )
    if isinstance(value, tuple):
        parts = [_value(where, "", v, tensors) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"{where}: a kernel takes tensors, numbers and None, not {type(value).__name__}")
    if annotation and annotation[0] != "*":
        dtype = tl.str_to_ty(annotation, None)
        return tl.tensor(blocks.of_values(np.array([value]), dtype), dtype)
    return _scalar(value)


def _scalar(value: float) -> tl.tensor:
    """A number as the launcher passes it: a float as float32, an int in as many bits as it needs."""
    return blocks.scalar(value, tl.float32) if isinstance(value, float) else blocks.semantic.to_tensor(value)


@functools.cache
def _pointer_to(dtype: Any) -> tl.pointer_type:
    name = _canonical(dtype)
    if name is None:
        raise TypeError(f"kernels take no pointers to {dtype}")
    return tl.str_to_ty(f"*{name}", None)


def _canonical(dtype: Any) -> str | None:
    """Triton's name of a dtype; None where it has none."""
    return type_canonicalisation_dict.get(str(dtype).removeprefix("torch."))
