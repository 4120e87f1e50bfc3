"""What each Triton operation does to a block, on the host: Triton's interpreter with its faults mended.

A block is a numpy array and a Triton type. bfloat16 is held as uint16 and float8 as uint8; all other types are held as
numpy's own. A scalar is an array of one element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton._C.libtriton import ir
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as stock
from triton.runtime.interpreter import TensorHandle

Combine = Callable[..., Any]

_FLOAT8 = {
    "fp8e5": torch.float8_e5m2,
    "fp8e5b16": torch.float8_e5m2fnuz,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e4b8": torch.float8_e4m3fnuz,
}
_UNSIGNED = {np.dtype(f"int{n}"): np.dtype(f"uint{n}") for n in (8, 16, 32, 64)}
_SIGNED = {unsigned: signed for signed, unsigned in _UNSIGNED.items()}
_NUMPY = {
    "int1": np.dtype(np.bool_),
    "fp16": np.dtype(np.float16),
    "fp32": np.dtype(np.float32),
    "fp64": np.dtype(np.float64),
    "bf16": np.dtype(np.uint16),
    "fp8e4b15": np.dtype(np.uint8),
    **{name: np.dtype(np.uint8) for name in _FLOAT8},
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
_POINTER = np.dtype(np.uint64)
# Memory is given to tensors in pieces of this many bytes; what a kernel reads of the rest of one is nobody else's.
_PIECE = 512


def numpy_type(dtype: tl.dtype) -> np.dtype:
    """How numpy holds elements of a type, of a block's or a scalar's."""
    return _NUMPY.get(dtype.scalar.name, _POINTER)


def handle(data: np.ndarray, dtype: tl.dtype) -> TensorHandle:
    """A block of scalars of `dtype`, whatever numpy made of their type on the way."""
    return TensorHandle(data.astype(numpy_type(dtype), copy=False), dtype)


def values(block: TensorHandle) -> np.ndarray:
    """What numpy can compute with: bfloat16 and float8 widened to float32, all else as it is."""
    dtype = block.dtype.scalar
    if dtype == tl.bfloat16:
        return (block.data.astype(np.uint32) << 16).view(np.float32)
    if dtype.is_fp8():
        raw = torch.from_numpy(np.ascontiguousarray(block.data))
        return raw.view(_float8(dtype)).float().numpy()
    return block.data


def of_values(data: np.ndarray, dtype: tl.dtype) -> TensorHandle:
    """The inverse of `values`: rounds to nearest, ties to even, where `dtype` is a float."""
    if dtype == tl.bfloat16:
        return TensorHandle(_to_bfloat16(data), dtype)
    if dtype.is_fp8():
        wide = torch.from_numpy(np.ascontiguousarray(data, dtype=np.float32))
        return TensorHandle(wide.to(_float8(dtype)).view(torch.uint8).numpy(), dtype)
    return handle(data, dtype)


def _float8(dtype: tl.dtype) -> torch.dtype:
    if dtype.name not in _FLOAT8:
        raise NotImplementedError(f"{dtype} is not interpreted: PyTorch has no such type")
    return _FLOAT8[dtype.name]


def _to_bfloat16(data: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(data, dtype=np.float32).view(np.uint32)
    rounded = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) >> np.uint32(16)
    return np.where(np.isnan(bits.view(np.float32)), (bits >> np.uint32(16)) | np.uint32(0x40), rounded).astype(
        np.uint16
    )


def _unsigned(data: np.ndarray) -> np.ndarray:
    return data.view(_UNSIGNED[data.dtype]) if data.dtype in _UNSIGNED else data


def _signed(data: np.ndarray) -> np.ndarray:
    return data.view(_SIGNED[data.dtype]) if data.dtype in _SIGNED else data


def _divided(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quotient of integers, rounded to zero as in C."""
    return (a - np.fmod(a, b)) // b


def _high_half(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The upper half of the product of unsigned integers."""
    bits = a.dtype.itemsize * 8
    if bits < 64:
        wide = np.dtype(f"uint{2 * bits}")
        return ((a.astype(wide) * b.astype(wide)) >> wide.type(bits)).astype(a.dtype)
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a_low, a_high, b_low, b_high = a & low, a >> half, b & low, b >> half
    middle = a_high * b_low + ((a_low * b_low) >> half)
    return a_high * b_high + (middle >> half) + ((a_low * b_high + (middle & low)) >> half)


def through_torch(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of PyTorch's, for arrays of float32 and float64."""

    def of_array(data: np.ndarray) -> np.ndarray:
        return function(torch.from_numpy(np.ascontiguousarray(data))).numpy()

    return of_array


def _one(function: Callable[[np.ndarray], np.ndarray]) -> Callable[..., TensorHandle]:
    return lambda self, x: of_values(function(values(x)), x.dtype.scalar)


def _two(function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[..., TensorHandle]:
    return lambda self, x, y: of_values(function(values(x), values(y)), x.dtype.scalar)


def _unsigned_two(function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[..., TensorHandle]:
    return lambda self, x, y: handle(
        function(_unsigned(x.data), _unsigned(y.data)).view(numpy_type(x.dtype)), x.dtype.scalar
    )


def _compare(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray],
    prepare: Callable[[np.ndarray], np.ndarray] = lambda data: data,
    unordered: bool = False,
) -> Callable[..., TensorHandle]:
    """A comparison; an unordered one is true where either side is NaN."""

    def compare(self: Any, x: TensorHandle, y: TensorHandle) -> TensorHandle:
        a, b = prepare(values(x)), prepare(values(y))
        result = function(a, b)
        if unordered:
            result = result | np.isnan(a) | np.isnan(b)
        return TensorHandle(np.asarray(result, dtype=np.bool_), tl.int1)

    return compare


class Options(stock.InterpreterOptions):
    """As a device without debugging: no check of overflow."""

    def __init__(self) -> None:
        super().__init__(sanitize_overflow=False, default_dot_input_precision="ieee")


class Builder(stock.InterpreterBuilder):
    """Does at once what Triton's own builder writes down for the compiler.

    The stock one computes on the bits of bfloat16, truncates where it should round, compares unsigned as signed,
    propagates NaN where Triton does not, and stores whatever width numpy came to.
    """

    def __init__(self) -> None:
        super().__init__()
        self.options = Options()
        self.memory: np.ndarray | None = None
        # Called before each write to memory, on the thread that runs the kernel.
        self.on_write: Callable[[], Any] = lambda: None
        self.codegen_fns["min_dot_size"] = lambda *_: (1, 1, 1)

    # Types and constants. The signedness of integers matters here, unlike in the compiler's own types.

    def get_void_ty(self) -> tl.dtype:
        return tl.void

    def get_all_ones_value(self, type: tl.dtype) -> TensorHandle:
        return TensorHandle(np.invert(np.zeros(1, dtype=numpy_type(type))), type.scalar)

    def get_bf16(self, value: float) -> TensorHandle:
        return of_values(np.array([value], dtype=np.float32), tl.bfloat16)

    def __getattr__(self, name: str) -> Callable[[float], TensorHandle]:
        dtype = getattr(tl, f"float8{name.removeprefix('get_fp8')}", None) if name.startswith("get_fp8") else None
        if dtype is None:
            raise AttributeError(f"the interpreter has no {name}")
        return lambda value: of_values(np.array([value], dtype=np.float32), dtype)

    # Memory

    def allow(self, ranges: list[tuple[int, int]] | None) -> None:
        """Lets the next programs touch these ranges of addresses, first and end; None lets them touch all memory."""
        if ranges is None:
            self.memory = None
            return
        merged: list[list[int]] = []
        for first, end in sorted(ranges):
            first, end = first // _PIECE * _PIECE, -(-end // _PIECE) * _PIECE
            if merged and first <= merged[-1][1]:
                merged[-1][1] = max(end, merged[-1][1])
            else:
                merged.append([first, end])
        self.memory = np.array(merged, dtype=np.uint64).reshape(-1)

    def _check(self, addresses: np.ndarray, mask: np.ndarray, width: int, does: str) -> None:
        """Refuses what would end the process, or write into other tensors."""
        if self.memory is None:
            return
        touched = addresses[mask]
        if not touched.size:
            return
        # Even: before the first range, or after one; odd: within it. The last byte is in the same range as the first.
        least, most = touched.min(), touched.max()
        ends = np.searchsorted(self.memory, np.array([least, most + np.uint64(width - 1)]), side="right")
        if ends[0] == ends[1] and ends[0] % 2:
            return
        outside = np.searchsorted(self.memory, touched, side="right") % 2 == 0
        outside |= np.searchsorted(self.memory, touched + np.uint64(width - 1), side="right") % 2 == 0
        if outside.any():
            raise IndexError(
                f"{does} memory that is no argument's, at {outside.sum()} of {touched.size} addresses, "
                f"the first of them {touched[outside][0]:#x}"
            )

    def _will_write(self, addresses: np.ndarray, mask: np.ndarray, width: int) -> None:
        self._check(addresses, mask, width, "writes")
        if mask.any():
            self.on_write()

    def create_load(self, ptr: TensorHandle, *modifiers: Any) -> TensorHandle:
        return self.create_masked_load(ptr, None, None, *modifiers)

    def create_masked_load(self, ptrs: TensorHandle, mask: Any, other: Any, *_: Any) -> TensorHandle:
        dtype = ptrs.get_element_ty()
        kind = numpy_type(dtype)
        addresses = ptrs.data
        if other is None:
            fill = np.zeros(addresses.shape, dtype=kind)
        else:
            fill = np.ascontiguousarray(np.broadcast_to(other.data.astype(kind, copy=False), addresses.shape))
        where = _mask(mask, addresses)
        self._check(addresses, where, kind.itemsize, "reads")
        return TensorHandle(stock._interpreter.load(addresses, where, fill, kind), dtype)

    def create_store(self, ptr: TensorHandle, value: TensorHandle, *modifiers: Any) -> None:
        self.create_masked_store(ptr, value, None, *modifiers)

    def create_masked_store(self, ptrs: TensorHandle, value: TensorHandle, mask: Any, *_: Any) -> None:
        addresses = ptrs.data
        kind = numpy_type(ptrs.get_element_ty())
        data = np.broadcast_to(value.data.astype(kind, copy=False), addresses.shape)
        where = _mask(mask, addresses)
        self._will_write(addresses, where, kind.itemsize)
        stock._interpreter.store(addresses, np.ascontiguousarray(data), where)

    def create_tensor_pointer_load(
        self, ptr: Any, boundary_check: Any, padding_option: Any, *modifiers: Any
    ) -> TensorHandle:
        ptrs, mask = ptr.materialize_pointers(boundary_check)
        dtype = ptrs.get_element_ty()
        fill = float("nan") if padding_option == ir.PADDING_OPTION.PAD_NAN else 0.0
        other = of_values(np.full(ptrs.data.shape, fill, dtype=np.float32), dtype) if fill else None
        return self.create_masked_load(ptrs, TensorHandle(mask, tl.int1), other, *modifiers)

    def create_tensor_pointer_store(self, ptr: Any, value: TensorHandle, boundary_check: Any, *modifiers: Any) -> None:
        ptrs, mask = ptr.materialize_pointers(boundary_check)
        self.create_masked_store(ptrs, value, TensorHandle(mask, tl.int1), *modifiers)

    def create_descriptor_load(self, desc: Any, indices: list[TensorHandle], *modifiers: Any) -> TensorHandle:
        ptrs, mask = desc.materialize_pointers(indices)
        dtype = ptrs.get_element_ty()
        fill = float("nan") if desc.padding == ir.PADDING_OPTION.PAD_NAN else 0.0
        other = of_values(np.full(ptrs.data.shape, fill, dtype=np.float32), dtype) if fill else None
        return self.create_masked_load(ptrs, TensorHandle(mask, tl.int1), other)

    def create_descriptor_store(self, desc: Any, value: TensorHandle, indices: list[TensorHandle]) -> None:
        ptrs, mask = desc.materialize_pointers(indices)
        self.create_masked_store(ptrs, value, TensorHandle(mask, tl.int1))

    def create_atomic_rmw(
        self, operation: Any, ptr: TensorHandle, value: TensorHandle, mask: TensorHandle, sem: Any, scope: Any
    ) -> TensorHandle:
        dtype = value.dtype.scalar
        if dtype != tl.bfloat16:
            addresses = np.ascontiguousarray(ptr.data)
            where = _mask(mask, addresses)
            ready = handle(np.ascontiguousarray(np.broadcast_to(value.data, addresses.shape)), dtype)
            self._will_write(addresses, where, ready.data.itemsize)
            return super().create_atomic_rmw(
                operation, TensorHandle(addresses, ptr.dtype), ready, TensorHandle(where, tl.int1), sem, scope
            )
        if operation != ir.ATOMIC_OP.FADD:
            raise NotImplementedError(f"{operation} of bfloat16")
        # One launch runs at a time: in order is atomic enough, and addresses may repeat.
        before = np.zeros(value.data.shape, dtype=np.uint16)
        for at in np.argwhere(np.broadcast_to(mask.data, ptr.data.shape)):
            here = tuple(at)
            one = TensorHandle(ptr.data[here].reshape(1), ptr.dtype)
            old = self.create_masked_load(one, None, None)
            before[here] = old.data[0]
            added = values(old) + values(TensorHandle(value.data[here].reshape(1), dtype))
            self.create_masked_store(one, of_values(added, dtype), None)
        return TensorHandle(before, dtype)

    def create_atomic_cas(
        self, ptr: TensorHandle, compare: TensorHandle, value: TensorHandle, *order: Any
    ) -> TensorHandle:
        self._will_write(ptr.data, np.ones(ptr.data.shape, dtype=np.bool_), numpy_type(value.dtype).itemsize)
        return super().create_atomic_cas(ptr, compare, value, *order)

    def create_addptr(self, ptr: TensorHandle, offset: TensorHandle) -> TensorHandle:
        width = max(1, ptr.get_element_ty().primitive_bitwidth // 8)
        return TensorHandle(ptr.data + np.uint64(width) * offset.data.astype(np.uint64), ptr.dtype)

    # Conversions

    def cast_impl(self, src: TensorHandle, dst_type: tl.dtype) -> TensorHandle:
        return of_values(values(src), dst_type.scalar)

    def create_fp_to_fp(self, src: TensorHandle, dst_type: tl.dtype, rounding_mode: Any) -> TensorHandle:
        target = dst_type.scalar
        data = values(src)
        if rounding_mode == ir.ROUNDING_MODE.RTZ:
            rounded = values(of_values(data, target)).astype(data.dtype)
            data = np.where(np.abs(rounded) > np.abs(data), _toward_zero(rounded, data, target), data)
        return of_values(data, target)

    def create_bitcast(self, src: TensorHandle, dst_type: tl.dtype) -> TensorHandle:
        return TensorHandle(np.ascontiguousarray(src.data).view(numpy_type(dst_type)), dst_type.scalar)

    create_ptr_to_int = create_bitcast

    def create_int_to_ptr(self, src: TensorHandle, dst_type: tl.dtype) -> TensorHandle:
        self.allow(None)  # an address from memory, of a tensor that is no argument
        return self.create_bitcast(src, dst_type)

    # Arithmetic

    create_fadd = create_add = _two(np.add)
    create_fsub = create_sub = _two(np.subtract)
    create_fmul = create_mul = _two(np.multiply)
    create_fdiv = create_precise_divf = _two(np.divide)
    create_frem = _two(np.fmod)
    create_sdiv = _two(_divided)
    create_udiv = _unsigned_two(_divided)
    create_srem = _two(np.fmod)
    create_urem = _unsigned_two(np.fmod)
    create_umulhi = _unsigned_two(_high_half)
    create_and = _two(np.bitwise_and)
    create_or = _two(np.bitwise_or)
    create_xor = _two(np.bitwise_xor)
    create_minsi = _two(np.minimum)
    create_maxsi = _two(np.maximum)
    create_minui = _unsigned_two(np.minimum)
    create_maxui = _unsigned_two(np.maximum)
    create_minimumf = _two(np.minimum)
    create_maximumf = _two(np.maximum)
    # Of a number and NaN, the number.
    create_minnumf = _two(np.fmin)
    create_maxnumf = _two(np.fmax)

    def create_shl(self, x: TensorHandle, y: TensorHandle) -> TensorHandle:
        return handle(np.left_shift(x.data, y.data.astype(x.data.dtype)), x.dtype.scalar)

    def create_lshr(self, x: TensorHandle, y: TensorHandle) -> TensorHandle:
        data = _unsigned(x.data)
        return handle(np.right_shift(data, y.data.astype(data.dtype)).view(numpy_type(x.dtype)), x.dtype.scalar)

    def create_ashr(self, x: TensorHandle, y: TensorHandle) -> TensorHandle:
        data = _signed(x.data)
        return handle(np.right_shift(data, y.data.astype(data.dtype)).view(numpy_type(x.dtype)), x.dtype.scalar)

    def create_clampf(self, x: TensorHandle, low: TensorHandle, high: TensorHandle, propagate: Any) -> TensorHandle:
        if propagate == ir.PROPAGATE_NAN.ALL:
            data = np.minimum(np.maximum(values(x), values(low)), values(high))
        else:
            data = np.fmin(np.fmax(values(x), values(low)), values(high))
        return of_values(data, x.dtype.scalar)

    def create_select(self, condition: TensorHandle, x: TensorHandle, y: TensorHandle) -> TensorHandle:
        return TensorHandle(np.where(condition.data.astype(np.bool_, copy=False), x.data, y.data), x.dtype)

    def create_fma(self, x: TensorHandle, y: TensorHandle, z: TensorHandle) -> TensorHandle:
        wide = np.float64 if z.dtype.scalar != tl.float64 else np.longdouble
        data = values(x).astype(wide) * values(y).astype(wide) + values(z).astype(wide)
        return of_values(data.astype(values(z).dtype), z.dtype.scalar)

    # Comparisons

    create_icmpEQ = _compare(np.equal)
    create_icmpNE = _compare(np.not_equal)
    create_icmpSLT = _compare(np.less, _signed)
    create_icmpSLE = _compare(np.less_equal, _signed)
    create_icmpSGT = _compare(np.greater, _signed)
    create_icmpSGE = _compare(np.greater_equal, _signed)
    create_icmpULT = _compare(np.less, _unsigned)
    create_icmpULE = _compare(np.less_equal, _unsigned)
    create_icmpUGT = _compare(np.greater, _unsigned)
    create_icmpUGE = _compare(np.greater_equal, _unsigned)
    create_fcmpOLT = _compare(np.less)
    create_fcmpOLE = _compare(np.less_equal)
    create_fcmpOGT = _compare(np.greater)
    create_fcmpOGE = _compare(np.greater_equal)
    create_fcmpOEQ = _compare(np.equal)
    create_fcmpONE = _compare(lambda a, b: (a < b) | (a > b))
    create_fcmpULT = _compare(np.less, unordered=True)
    create_fcmpULE = _compare(np.less_equal, unordered=True)
    create_fcmpUGT = _compare(np.greater, unordered=True)
    create_fcmpUGE = _compare(np.greater_equal, unordered=True)
    create_fcmpUEQ = _compare(np.equal, unordered=True)
    create_fcmpUNE = _compare(np.not_equal)

    # Functions

    create_cos = _one(np.cos)
    create_sin = _one(np.sin)
    create_exp = _one(np.exp)
    create_exp2 = _one(np.exp2)
    create_log = _one(np.log)
    create_log2 = _one(np.log2)
    create_floor = _one(np.floor)
    create_ceil = _one(np.ceil)
    create_sqrt = create_precise_sqrt = _one(np.sqrt)
    create_rsqrt = _one(lambda x: x.dtype.type(1) / np.sqrt(x))
    create_iabs = _one(np.abs)
    create_fabs = _one(np.abs)
    create_erf = _one(through_torch(torch.erf))

    # Blocks

    def create_dot(self, a: TensorHandle, b: TensorHandle, d: TensorHandle, *_: Any) -> TensorHandle:
        kind = values(d).dtype
        if kind == np.float16:
            kind = np.dtype(np.float32)
        product = np.matmul(values(a).astype(kind), values(b).astype(kind))
        return of_values(product + values(d).astype(kind), d.dtype.scalar)

    def create_histogram(self, data: TensorHandle, bins: int, mask: TensorHandle | None) -> TensorHandle:
        chosen = data.data if mask is None else data.data[mask.data]
        chosen = chosen[(chosen >= 0) & (chosen < bins)].astype(np.int64)
        return handle(np.bincount(chosen.ravel(), minlength=bins), tl.int32)

    def create_splat(self, ret_ty: tl.dtype, arg: TensorHandle) -> TensorHandle:
        return TensorHandle(np.full(ret_ty.shape, arg.data.reshape(-1)[0], dtype=arg.data.dtype), arg.dtype)

    def create_unsplat(self, arg: TensorHandle) -> TensorHandle:
        return TensorHandle(arg.data.reshape(-1)[:1], arg.dtype)

    def create_assert(self, condition: TensorHandle, message: str) -> None:
        if not condition.data.all():
            raise AssertionError(message)

    def create_assume(self, condition: TensorHandle) -> None:
        """A promise to the compiler; nothing depends on it here."""

    def create_extern_elementwise(self, *_: Any) -> TensorHandle:
        raise NotImplementedError("extern functions are interpreted only by way of triton.language.extra.*.libdevice")

    def create_inline_asm(self, *_: Any) -> TensorHandle:
        raise NotImplementedError("inline assembler is for the device that it was written for")


def _mask(mask: TensorHandle | None, addresses: np.ndarray) -> np.ndarray:
    if mask is None:
        return np.ones(addresses.shape, dtype=np.bool_)
    return np.ascontiguousarray(np.broadcast_to(mask.data.astype(np.bool_, copy=False), addresses.shape))


def _toward_zero(rounded: np.ndarray, exact: np.ndarray, dtype: tl.dtype) -> np.ndarray:
    """Where rounding to `dtype` went away from zero, the neighbour on the other side."""
    bits = of_values(rounded, dtype).data
    raw = bits.view(np.dtype(f"uint{bits.dtype.itemsize * 8}"))
    return values(TensorHandle((raw - raw.dtype.type(1)).view(bits.dtype), dtype)).astype(exact.dtype)


def _integer(name: str) -> Callable[..., TensorHandle]:
    # Constants wrap around: -1 is all bits of an unsigned one.
    dtype = getattr(tl, name)
    mask = (1 << dtype.int_bitwidth) - 1
    return lambda self, value: handle(np.array([value & mask], dtype=np.uint64), dtype)


for _name in (f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)):
    setattr(Builder, f"get_{_name}", _integer(_name))

builder = Builder()
semantic = TritonSemantic(builder)


def scalar(data: Any, dtype: tl.dtype) -> tl.tensor:
    """A Triton scalar of a Python or numpy one."""
    return tl.tensor(handle(np.array([data]), dtype), dtype)


def block(data: np.ndarray, dtype: tl.dtype) -> tl.tensor:
    """A Triton tensor over an array, as `values` and `handle` know it; a scalar where the array has no dimensions."""
    if data.ndim == 0:
        return tl.tensor(TensorHandle(data.reshape(1), dtype), dtype)
    return tl.tensor(TensorHandle(data, dtype), tl.block_type(dtype, list(data.shape)))


class Ambiguous(TypeError):
    """A block was asked whether it is true."""


# ------------------------------------------------------------------------------------------------ reductions and scans

# What the combine functions of Triton's own library do to numbers that numpy holds as they are.
_UFUNCS = {
    "_sum_combine": np.add,
    "_prod_combine": np.multiply,
    "_elementwise_max": (np.maximum, np.fmax),
    "_elementwise_min": (np.minimum, np.fmin),
    "_or_combine": np.bitwise_or,
    "_xor_combine": np.bitwise_xor,
    "_and_combine": np.bitwise_and,
}


def _ufunc(combine: Any, inputs: tuple[tl.tensor, ...]) -> np.ufunc | None:
    """numpy's own function for a combine function of Triton's library, for the dtypes where it rounds alike."""
    if len(inputs) != 1 or getattr(combine, "__module__", None) != "triton.language.standard":
        return None
    found = _UFUNCS.get(combine.__name__)
    dtype = inputs[0].dtype
    if isinstance(found, tuple):
        found = found[dtype.is_floating()]
    return found if dtype.is_int() or dtype in (tl.float32, tl.float64) else None


def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: bool = False, **_: Any) -> Any:
    """`tl.reduce` on whole blocks: neighbours are combined, so an axis of n elements takes log2(n) steps.

    Args:
        input: a tensor, or a tuple of them, of one shape.
        axis: the axis to reduce; None reduces all of them to a scalar.
        combine_fn: of two tuples of elements; called on blocks of them, and on single ones where it branches.
        keep_dims: the result keeps the axis, with one element.
    """
    if isinstance(input, tl.tensor):
        return reduce((input,), axis, combine_fn, keep_dims)[0]
    inputs = tuple(input)
    axis, keep_dims = tl.core._unwrap_if_constexpr(axis), tl.core._unwrap_if_constexpr(keep_dims)
    shape = inputs[0].handle.data.shape
    arrays = [i.handle.data.reshape(-1) if axis is None else np.moveaxis(i.handle.data, axis, 0) for i in inputs]
    dtypes = [i.dtype for i in inputs]
    ufunc = _ufunc(combine_fn, inputs)
    if ufunc is not None:
        kind = numpy_type(dtypes[0])
        keep_type = {} if ufunc in (np.fmax, np.fmin, np.maximum, np.minimum) else {"dtype": kind}
        results = [np.asarray(ufunc.reduce(arrays[0], axis=0, **keep_type))]
    else:
        results = [r[0] for r in _halved(arrays, dtypes, combine_fn)]
    if keep_dims:
        kept = (1,) * len(shape) if axis is None else shape[: axis % len(shape)] + (1,) + shape[axis % len(shape) + 1 :]
        results = [r.reshape(kept) for r in results]
    return tuple(
        block(np.ascontiguousarray(r).astype(numpy_type(d), copy=False).reshape(r.shape), d)
        for r, d in zip(results, dtypes)
    )


def reduce_with_indices(input: tl.tensor, axis: Any, combine_fn: Any, keep_dims: bool = False, **_: Any) -> Any:
    """`tl.reduce` of a tensor and the indices (int32) of its elements along the axis."""
    axis = tl.core._unwrap_if_constexpr(axis)
    data = input.handle.data
    along = np.arange(data.shape[axis], dtype=np.int32).reshape(
        [-1 if d == axis % data.ndim else 1 for d in range(data.ndim)]
    )
    return reduce((input, block(np.broadcast_to(along, data.shape), tl.int32)), axis, combine_fn, keep_dims)


def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: bool = False, **_: Any) -> Any:
    """`tl.associative_scan` on whole blocks, in log2(n) steps; arguments as of `reduce`."""
    if isinstance(input, tl.tensor):
        return associative_scan((input,), axis, combine_fn, reverse)[0]
    inputs = tuple(input)
    axis, reverse = tl.core._unwrap_if_constexpr(axis), tl.core._unwrap_if_constexpr(reverse)
    dtypes = [i.dtype for i in inputs]
    arrays = [np.moveaxis(i.handle.data, axis, 0) for i in inputs]
    if reverse:
        arrays = [a[::-1] for a in arrays]
    ufunc = _ufunc(combine_fn, inputs)
    if ufunc in (np.add, np.multiply):
        arrays = [ufunc.accumulate(arrays[0], axis=0, dtype=numpy_type(dtypes[0]))]
    else:
        done = 1
        while done < arrays[0].shape[0]:
            combined = _combined([a[:-done] for a in arrays], [a[done:] for a in arrays], dtypes, combine_fn)
            arrays = [np.concatenate([a[:done], c]) for a, c in zip(arrays, combined)]
            done *= 2
    if reverse:
        arrays = [a[::-1] for a in arrays]
    return tuple(block(np.ascontiguousarray(np.moveaxis(a, 0, axis)), d) for a, d in zip(arrays, dtypes))


def _halved(arrays: list[np.ndarray], dtypes: list[tl.dtype], combine: Any) -> list[np.ndarray]:
    """Combines neighbours, so that the order of the elements is kept, until one is left."""
    while (n := arrays[0].shape[0]) > 1:
        even = n - n % 2
        rest = [a[even:] for a in arrays]
        arrays = _combined([a[:even:2] for a in arrays], [a[1:even:2] for a in arrays], dtypes, combine)
        if n % 2:
            arrays = [np.concatenate([a, r]) for a, r in zip(arrays, rest)]
    return arrays


def _combined(
    left: list[np.ndarray], right: list[np.ndarray], dtypes: list[tl.dtype], combine: Any
) -> list[np.ndarray]:
    shape = left[0].shape
    try:
        return _call(left, right, dtypes, combine, shape)
    except Ambiguous:
        # It branches on its elements, which is fine for a compiler, to which they are scalars.
        results = [np.empty(shape, dtype=numpy_type(d)) for d in dtypes]
        for at in np.ndindex(shape):
            one = _call([a[at] for a in left], [a[at] for a in right], dtypes, combine, ())
            for result, value in zip(results, one):
                result[at] = value.reshape(())
        return results


def _call(
    left: list[np.ndarray], right: list[np.ndarray], dtypes: list[tl.dtype], combine: Any, shape: tuple[int, ...]
) -> list[np.ndarray]:
    # A scalar to the compiler is a block here. It is as long as blocks may be, a power of 2; what is added is dropped.
    count = np.asarray(left[0]).size
    length = 1 << (count - 1).bit_length()

    def argument(data: np.ndarray, dtype: tl.dtype) -> tl.tensor:
        return block(np.resize(data, length) if shape else np.asarray(data), dtype)

    out = combine(*map(argument, [*left, *right], [*dtypes, *dtypes]))
    out = tuple(out) if isinstance(out, (tuple, list, tl.tuple)) else (out,)
    results = [semantic.cast(semantic.to_tensor(o), d).handle.data.reshape(-1) for o, d in zip(out, dtypes)]
    return [np.broadcast_to(r, length)[:count].reshape(shape) for r in results]
