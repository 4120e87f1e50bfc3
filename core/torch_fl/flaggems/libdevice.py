"""``triton.language.extra.*.libdevice`` for interpreted kernels.

The functions and the types they take are those of Triton's CUDA libdevice; what each computes is done by PyTorch and
numpy. float16 and bfloat16, which the stock functions refuse, are computed as float32 and rounded.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.language.semantic import TritonSemantic

from torch_fl.flaggems import blocks, rewriting

# The name of the module that FlagGems is given (`triton.language.extra.<NAME>.libdevice`).
NAME = "flagos_interpreter"
_STOCK = "triton.language.extra.cuda.libdevice"

Array = np.ndarray
# Of arrays of one shape, and the dtype of the result, which what they return is converted to.
Compute = Callable[..., Any]


def _torch(function: Callable[..., torch.Tensor]) -> Compute:
    """A function of tensors of one float dtype."""

    def compute(*arrays: Array, to: np.dtype) -> Array:
        return function(*(torch.from_numpy(np.ascontiguousarray(a)) for a in arrays)).numpy()

    return compute


def _numpy(function: Callable[..., Array]) -> Compute:
    return lambda *arrays, to: function(*arrays)


def _wide(function: Callable[..., Array]) -> Compute:
    """Computed with twice the digits, so that the result is the nearest there is."""
    return lambda *arrays, to: function(*map(_widened, arrays))


def _widened(a: Array) -> Array:
    return a.astype({np.dtype(np.float32): np.float64, np.dtype(np.float64): np.longdouble}.get(a.dtype, a.dtype))


def _directed(function: Callable[..., Array], mode: str) -> Compute:
    """Rounded to nearest ("rn"), to zero ("rz"), down ("rd") or up ("ru")."""

    def compute(*arrays: Array, to: np.dtype) -> Array:
        exact = np.asarray(function(*map(_widened, arrays)))
        near = exact.astype(to)
        if mode == "rn" or to.kind != "f":
            return near
        down = np.nextafter(near, to.type(-np.inf))
        up = np.nextafter(near, to.type(np.inf))
        floor, ceil = np.where(near > exact, down, near), np.where(near < exact, up, near)
        result = {"rd": floor, "ru": ceil, "rz": np.where(exact < 0, ceil, floor)}[mode]
        return np.where(np.isfinite(exact), result, near)

    return compute


def _to_int(mode: str, unsigned: bool) -> Compute:
    """Conversion of a float; what does not fit becomes the nearest integer that does, NaN becomes 0."""
    rounded = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}[mode]

    def compute(x: Array, to: np.dtype) -> Array:
        kind = np.dtype(f"uint{to.itemsize * 8}") if unsigned else to
        info = np.iinfo(kind)
        whole = rounded(np.nan_to_num(x, nan=0.0, posinf=np.inf, neginf=-np.inf))
        inside = (whole > info.min) & (whole < info.max)
        return (
            np.where(
                inside,
                np.where(inside, whole, 0).astype(kind),
                np.where(whole > 0, kind.type(info.max), kind.type(info.min)),
            ).view(to)
            if whole.size
            else np.zeros(whole.shape, to)
        )

    return compute


def _as_unsigned(x: Array) -> Array:
    return x.view(np.dtype(f"uint{x.dtype.itemsize * 8}"))


def _popcount(x: Array) -> Array:
    raw = np.ascontiguousarray(_as_unsigned(x)).view(np.uint8).reshape(*x.shape, x.dtype.itemsize)
    return np.unpackbits(raw, axis=-1).sum(axis=-1)


def _leading_zeros(x: Array) -> Array:
    bits, x = x.dtype.itemsize * 8, _as_unsigned(x).copy()
    for shift in (1, 2, 4, 8, 16, 32)[: bits.bit_length() - 1]:
        x |= x >> x.dtype.type(shift)
    return bits - _popcount(x)


def _first_set(x: Array) -> Array:
    """1 + the number of the lowest bit that is set; 0 for 0."""
    lowest = _as_unsigned(x) & (~_as_unsigned(x) + _as_unsigned(x).dtype.type(1))
    return np.where(x == 0, 0, x.dtype.itemsize * 8 - _leading_zeros(lowest))


def _reversed_bits(x: Array) -> Array:
    raw = np.ascontiguousarray(_as_unsigned(x)).view(np.uint8).reshape(*x.shape, x.dtype.itemsize)
    bits = np.unpackbits(raw, axis=-1, bitorder="little")[..., ::-1]
    return np.packbits(bits, axis=-1, bitorder="little").view(x.dtype).reshape(x.shape)


def _chosen_bytes(x: Array, y: Array, selector: Array) -> Array:
    both = _as_unsigned(x).astype(np.uint64) | (_as_unsigned(y).astype(np.uint64) << np.uint64(32))
    result = np.zeros(x.shape, dtype=np.uint32)
    for i in range(4):
        which = ((_as_unsigned(selector) >> np.uint32(4 * i)) & np.uint32(7)).astype(np.uint64)
        result |= ((both >> (which * np.uint64(8))) & np.uint64(0xFF)).astype(np.uint32) << np.uint32(8 * i)
    return result.view(np.int32)


def _high_product(x: Array, y: Array) -> Array:
    high = blocks._high_half(_as_unsigned(x), _as_unsigned(y)).view(x.dtype)
    if x.dtype.kind == "i":  # each negative factor counts 2**n too much of the other
        high = high - np.where(x < 0, y, 0) - np.where(y < 0, x, 0)
    return high.astype(x.dtype)


def _product24(x: Array, y: Array) -> Array:
    if x.dtype.kind == "u":
        return (x & np.uint32(0xFFFFFF)) * (y & np.uint32(0xFFFFFF))
    return (((x << 8) >> 8).astype(np.int64) * ((y << 8) >> 8).astype(np.int64)).astype(np.int32)


def _average(up: int) -> Callable[[Array, Array], Array]:
    wide = lambda a: a.astype(np.int64)  # noqa: E731
    return lambda x, y: (wide(x) + wide(y) + up) >> 1


def _logb(x: Array) -> Array:
    exponent = np.frexp(x)[1] - 1
    return np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, np.where(np.isnan(x), x, exponent)))


def _ilogb(x: Array) -> Array:
    least, most = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    exponent = np.frexp(np.where(np.isfinite(x), x, 1))[1].astype(np.int64) - 1
    return np.where((x == 0) | np.isnan(x), least, np.where(np.isinf(x), most, exponent))


def _half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0).astype(x.dtype)


def _remainder(x: Array, y: Array) -> Array:
    """IEEE's: of the quotient rounded to nearest, ties to even; exact."""
    x, size = np.where(np.isinf(x), np.nan, x), np.abs(y)
    rest = np.fmod(x, np.where(np.isinf(size), np.nan, 2 * size))
    rest = np.where(np.isinf(2 * size), x, rest)  # twice the divisor is too large: |x| is below it
    amount = np.abs(rest)
    half = size / 2
    amount = np.where(amount > half, amount - size, amount)
    amount = np.where(amount >= half, amount - size, amount)
    return np.where(np.isinf(y) & ~np.isnan(x), x, np.where(y == 0, np.nan, np.copysign(1.0, x) * amount))


def _at_pi(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: function(np.longdouble(np.pi) * np.fmod(x, 2).astype(np.longdouble))


def _log_gamma_sign(x: torch.Tensor) -> torch.Tensor:
    negative = (x < 0) & (torch.floor(x) % 2 != 0)
    return torch.where(negative, -1.0, 1.0).to(x.dtype)


def _gamma(x: torch.Tensor) -> torch.Tensor:
    wide = x.double()
    value = torch.exp(torch.lgamma(wide)) * _log_gamma_sign(wide)
    pole = (wide < 0) & (wide == torch.floor(wide)) | (wide == -torch.inf)
    value = torch.where(pole, torch.nan, value)
    return torch.where(wide == 0, torch.copysign(torch.full_like(wide, torch.inf), wide), value).to(x.dtype)


def _bessel(first: Callable, second: Callable) -> Callable[[Array, Array], Array]:
    """Order n (an integer) by recurrence: upward, or where that is unstable from high orders down, normalised."""

    def compute(n: Array, x: Array) -> Array:
        n, x = np.broadcast_arrays(n, x)
        return np.array([_bessel_one(first, second, int(i), float(v)) for i, v in zip(n.flat, x.flat)]).reshape(n.shape)

    return compute


def _bessel_one(zeroth: Callable, first: Callable, n: int, x: float) -> float:
    as_float = lambda f: float(f(torch.tensor(x, dtype=torch.float64)))  # noqa: E731
    if n == 0 or np.isnan(x):
        return as_float(zeroth)
    if n == 1:
        return as_float(first)
    stable = zeroth is torch.special.bessel_y0 or abs(x) > n
    if n < 0:
        return np.nan if zeroth is torch.special.bessel_y0 else 0.0
    if stable:
        before, now = as_float(zeroth), as_float(first)
        for k in range(1, n):
            before, now = now, 2 * k / x * now - before
        return now if now == now or x == 0 else -np.inf
    if x == 0:
        return 0.0
    after, now, total, wanted = 0.0, 1e-300, 0.0, 0.0
    for k in range(2 * (n + int(abs(x)) + 20), 0, -1):
        after, now = now, 2 * k / x * now - after
        if abs(now) > 1e250:
            after, now, total, wanted = after * 1e-250, now * 1e-250, total * 1e-250, wanted * 1e-250
        if k - 1 == n:
            wanted = now
        if (k - 1) % 2 == 0 and k > 1:
            total += 2 * now
    return wanted / (total + now)


def _norm(reciprocal: bool) -> Callable[..., Array]:
    def compute(*x: Array) -> Array:
        norm = functools.reduce(np.hypot, x)
        return 1 / norm if reciprocal else norm

    return compute


_sp = torch.special
_ROUNDED = {
    "fma": lambda x, y, z: x * y + z,
    "div": np.divide,
    "rcp": lambda x: 1 / x,
    "sqrt": np.sqrt,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
}
_MODES = ("rn", "rz", "rd", "ru")

COMPUTE: dict[str, Compute] = {
    # integers
    "clz": _numpy(_leading_zeros),
    "popc": _numpy(_popcount),
    "ffs": _numpy(_first_set),
    "brev": _numpy(_reversed_bits),
    "byte_perm": _numpy(_chosen_bytes),
    "mulhi": _numpy(_high_product),
    "mul24": _numpy(_product24),
    "sad": _numpy(lambda x, y, z: np.abs(x.astype(np.int64) - y.astype(np.int64)) + z.astype(np.int64)),
    "hadd": _numpy(_average(0)),
    "rhadd": _numpy(_average(1)),
    "abs": _numpy(np.abs),
    # rounding
    "floor": _numpy(np.floor),
    "ceil": _numpy(np.ceil),
    "trunc": _numpy(np.trunc),
    "rint": _numpy(np.rint),
    "nearbyint": _numpy(np.rint),
    "round": _numpy(_half_away),
    "llrint": _to_int("rn", False),
    "llround": lambda x, to: _to_int("rz", False)(_half_away(x), to=to),
    # parts and comparisons
    "isnan": _numpy(np.isnan),
    "isinf": _numpy(np.isinf),
    "finitef": _numpy(np.isfinite),
    "isfinited": _numpy(np.isfinite),
    "signbit": _numpy(np.signbit),
    "copysign": _numpy(np.copysign),
    "nextafter": _numpy(np.nextafter),
    "fdim": _numpy(lambda x, y: np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0))),
    "logb": _numpy(_logb),
    "ilogb": _numpy(_ilogb),
    "ldexp": _numpy(np.ldexp),
    "scalbn": _numpy(np.ldexp),
    "fmod": _numpy(np.fmod),
    "remainder": _numpy(_remainder),
    "saturatef": _numpy(lambda x: np.where(np.isnan(x), 0, np.clip(x, 0, 1))),
    "fma": _wide(_ROUNDED["fma"]),
    "rcp64h": _numpy(lambda x: ((1 / x).view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(np.float64)),
    # powers, exponentials, logarithms
    "sqrt": _numpy(np.sqrt),
    "rsqrt": _wide(lambda x: 1 / np.sqrt(x)),
    "rsqrt_rn": _wide(lambda x: 1 / np.sqrt(x)),
    "cbrt": _numpy(np.cbrt),
    "rcbrt": _wide(lambda x: 1 / np.cbrt(x)),
    "hypot": _numpy(np.hypot),
    "rhypot": _wide(_norm(True)),
    "norm3d": _wide(_norm(False)),
    "rnorm3d": _wide(_norm(True)),
    "norm4d": _wide(_norm(False)),
    "rnorm4d": _wide(_norm(True)),
    "pow": lambda x, y, to: _torch(torch.pow)(x, y.astype(to), to=to),
    "exp": _torch(torch.exp),
    "exp2": _torch(torch.exp2),
    "exp10": _wide(lambda x: np.power(x.dtype.type(10), x)),
    "expm1": _torch(torch.expm1),
    "log": _torch(torch.log),
    "log2": _torch(torch.log2),
    "log10": _torch(torch.log10),
    "log1p": _torch(torch.log1p),
    # circular and hyperbolic
    "sin": _torch(torch.sin),
    "cos": _torch(torch.cos),
    "tan": _torch(torch.tan),
    "sinpi": _numpy(_at_pi(np.sin)),
    "cospi": _numpy(_at_pi(np.cos)),
    "asin": _torch(torch.asin),
    "acos": _torch(torch.acos),
    "atan": _torch(torch.atan),
    "atan2": _torch(torch.atan2),
    "sinh": _torch(torch.sinh),
    "cosh": _torch(torch.cosh),
    "tanh": _torch(torch.tanh),
    "asinh": _torch(torch.asinh),
    "acosh": _torch(torch.acosh),
    "atanh": _torch(torch.atanh),
    # special
    "erf": _torch(torch.erf),
    "erfc": _torch(torch.erfc),
    "erfcx": _torch(_sp.erfcx),
    "erfinv": _torch(torch.erfinv),
    "erfcinv": _torch(lambda x: (-_sp.ndtri(x.double() / 2) / 2**0.5).to(x.dtype)),
    "normcdf": _torch(lambda x: _sp.ndtr(x.double()).to(x.dtype)),
    "normcdfinv": _torch(lambda x: _sp.ndtri(x.double()).to(x.dtype)),
    "lgamma": _torch(torch.lgamma),
    "tgamma": _torch(_gamma),
    "j0": _torch(_sp.bessel_j0),
    "j1": _torch(_sp.bessel_j1),
    "y0": _torch(_sp.bessel_y0),
    "y1": _torch(_sp.bessel_y1),
    "jn": _numpy(_bessel(_sp.bessel_j0, _sp.bessel_j1)),
    "yn": _numpy(_bessel(_sp.bessel_y0, _sp.bessel_y1)),
    "cyl_bessel_i0": _torch(_sp.i0),
    "cyl_bessel_i1": _torch(_sp.i1),
    # the device's quick ones; no more exact than these may be
    "fast_sinf": _torch(torch.sin),
    "fast_cosf": _torch(torch.cos),
    "fast_tanf": _torch(torch.tan),
    "fast_expf": _torch(torch.exp),
    "fast_exp10f": _wide(lambda x: np.power(x.dtype.type(10), x)),
    "fast_logf": _torch(torch.log),
    "fast_log2f": _torch(torch.log2),
    "fast_log10f": _torch(torch.log10),
    "fast_powf": _torch(torch.pow),
    "fast_dividef": _numpy(np.divide),
    # bits
    "hiloint2double": _numpy(
        lambda high, low: (
            (_as_unsigned(high).astype(np.uint64) << np.uint64(32)) | _as_unsigned(low).astype(np.uint64)
        ).view(np.float64)
    ),
    "double2loint": _numpy(lambda x: (x.view(np.uint64) & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)),
    "double2hiint": _numpy(lambda x: (x.view(np.uint64) >> np.uint64(32)).astype(np.uint32).view(np.int32)),
}
COMPUTE |= {f"{name}_{mode}": _directed(function, mode) for name, function in _ROUNDED.items() for mode in _MODES}
for _source, _targets in {"float": ("int", "uint", "ll", "ull"), "double": ("int", "uint", "ll", "ull")}.items():
    COMPUTE |= {f"{_source}2{t}_{m}": _to_int(m, t.startswith("u")) for t in _targets for m in _MODES}
for _source, _target in (
    ("double", "float"),
    *((i, f) for i in ("int", "uint", "ll", "ull") for f in ("float", "double")),
):
    _modes = (
        ("rn",) if (_source, _target) in {("int", "double"), ("uint", "double")} else _MODES
    )  # the others are exact
    COMPUTE |= {f"{_source}2{_target}_{m}": _directed(lambda x: x.astype(np.longdouble), m) for m in _modes}
for _name in (
    "int_as_float",
    "float_as_int",
    "uint_as_float",
    "float_as_uint",
    "longlong_as_double",
    "double_as_longlong",
):
    COMPUTE[_name] = lambda x, to: x.view(to)


class _Builder(blocks.Builder):
    """Computes what an extern function would."""

    def __init__(self, compute: Compute):
        super().__init__()
        self.compute = compute

    def create_extern_elementwise(
        self, library: str, path: str, symbol: str, args: list[Any], result: tl.dtype, pure: bool
    ) -> Any:
        kind = blocks.numpy_type(result)
        arrays = np.broadcast_arrays(*(a.data for a in args))
        data = np.asarray(self.compute(*map(np.ascontiguousarray, arrays), to=kind))
        return blocks.handle(data.reshape(arrays[0].shape), result.scalar)


def _function(name: str, stock: Callable[..., Any], compute: Compute) -> Callable[..., Any]:
    semantic = TritonSemantic(_Builder(compute))

    @functools.wraps(stock)
    def function(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        if _semantic is not None and not isinstance(_semantic.builder, blocks.Builder):
            return stock(*args, _semantic=_semantic, **kwargs)  # a kernel is compiled
        tensors = [blocks.semantic.to_tensor(a) for a in (*args, *kwargs.values())]
        halves = [t.dtype for t in tensors if t.dtype in (tl.float16, tl.bfloat16)]
        tensors = [blocks.semantic.cast(t, tl.float32) if t.dtype in halves else t for t in tensors]
        try:
            result = stock(*tensors, _semantic=semantic)
        except KeyError:
            given = ", ".join(str(t.dtype) for t in tensors)
            raise TypeError(f"libdevice.{name} takes no ({given})") from None
        if halves and result.dtype == tl.float32:
            result = blocks.semantic.cast(result, halves[0] if len(set(halves)) == 1 else tl.float32)
        return result

    function.__signature__ = inspect.signature(stock)
    return function


_installed: types.ModuleType | None = None


def install() -> types.ModuleType:
    """Makes ``triton.language.extra.<NAME>.libdevice``, and has kernels that name another libdevice run this one.

    A function that the CUDA libdevice of the installed Triton lacks is absent here too.
    """
    global _installed
    if _installed is not None:
        return _installed
    stock = importlib.import_module(_STOCK)
    package = types.ModuleType(f"triton.language.extra.{NAME}")
    package.__path__ = []
    module = types.ModuleType(f"{package.__name__}.libdevice", __doc__)
    for name, compute in COMPUTE.items():
        if (original := getattr(stock, name, None)) is not None:
            setattr(module, name, _function(name, original, compute))
    package.libdevice = module
    sys.modules[package.__name__], sys.modules[module.__name__] = package, module
    extra = importlib.import_module("triton.language.extra")
    setattr(extra, NAME, package)
    for other in ("libdevice", "cuda.libdevice", "hip.libdevice"):
        library = importlib.import_module(f"triton.language.extra.{other}")
        for name in COMPUTE:
            if hasattr(library, name) and hasattr(module, name):
                rewriting.replace(getattr(library, name), getattr(module, name))
    _installed = module
    return module
