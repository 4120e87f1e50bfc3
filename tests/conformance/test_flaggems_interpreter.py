"""Kernels of our own in torch_fl.flaggems.interpreter: what Triton's compiler makes of a line, the interpreter does.

The stock interpreter of Triton differs in each of these.
"""

import math
import os
import threading
from types import SimpleNamespace

import pytest
import torch
from harness import child, lanes
from harness.compare import close
from harness.device import DEV, HOSTILE, needs_device

if REASON := lanes.not_interpreted():
    pytest.skip(f"FlagGems' kernels cannot be interpreted here: {REASON}", allow_module_level=True)

import numpy as np
import triton
import triton.language as tl
from triton.runtime.errors import InterpreterError

from torch_fl.flaggems import blocks, interpreter, libdevice, source, vendor

pytestmark = needs_device
lib = libdevice.install()
I32, I64 = torch.int32, torch.int64


@pytest.fixture(autouse=True)
def launches(monkeypatch):
    """The names of the kernels that ran in a test."""
    names = []
    interpreter.install(interpreter._on_launch or names.append)
    monkeypatch.setattr(interpreter, "_on_launch", names.append)  # in the place of the lane's, if that is in use
    return names


def on(*tensors):
    moved = [torch.as_tensor(t).to(DEV) for t in tensors]
    return moved[0] if len(moved) == 1 else moved


@triton.jit
def logic(x, y, out, n, flag: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n and i >= 0, other=-1)
    b = tl.load(y + i, mask=not (i >= n or i < 0), other=-1)
    both = (a > 0 and b > 0) or (a == -1 and not b != -1)  # noqa: SIM202
    if flag and n > 3:
        both = not both
    tl.store(out + i, both, mask=i < n)


@pytest.mark.parametrize("flag", [False, True])
def test_and_or_not_are_elementwise(launches, flag):
    x, y = torch.tensor([1, 0, 2, 0, -1]), torch.tensor([1, 1, 0, 0, -1])
    out = torch.zeros(8, dtype=torch.bool, device=DEV)
    logic[(1,)](*on(x, y), out, 5, flag, B=8)
    want = ((x > 0) & (y > 0)) | ((x == -1) & (y == -1))
    close(out[:5], ~want if flag else want)
    assert not out[5:].any()
    assert launches == ["logic"]


@triton.jit
def arithmetic(x, y, out, N: tl.constexpr, OP: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    if OP == "div":
        c = a // b
    elif OP == "rem":
        c = a % b
    elif OP == "shr":
        c = a >> b
    elif OP == "shl":
        c = a << b
    elif OP == "less":
        c = a < b
    elif OP == "max":
        c = tl.maximum(a, b)
    elif OP == "min":
        c = tl.minimum(a, b)
    elif OP == "maxnan":
        c = tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "clamp":
        c = tl.clamp(a, -b, b)
    elif OP == "mulhi":
        c = tl.umulhi(a, b)
    elif OP == "sum":
        c = a + b
    elif OP == "neg":
        c = -a * b
    tl.store(out + i, c)


def binary(op, x, y, dtype=None):
    x, y = torch.as_tensor(x), torch.as_tensor(y)
    out = torch.empty(x.shape, dtype=dtype or x.dtype, device=DEV)
    arithmetic[(1,)](*on(x, y), out, N=x.numel(), OP=op)
    return out.cpu()


def test_integers():
    x, y = torch.tensor([7, -7, 7, -7], dtype=I32), torch.tensor([2, 2, -2, -2], dtype=I32)
    assert binary("div", x, y).tolist() == [3, -3, -3, 3]  # to zero, as in C
    assert binary("rem", x, y).tolist() == [1, -1, 1, -1]
    assert binary("shr", torch.tensor([-8, 8], dtype=I32), torch.tensor([1, 2], dtype=I32)).tolist() == [-4, 2]
    assert binary("sum", torch.tensor([2**31 - 1, 1], dtype=I32), torch.ones(2, dtype=I32)).tolist() == [-(2**31), 2]
    big = torch.tensor([2**62 + 1, -5], dtype=I64)
    assert binary("div", big, torch.tensor([3, 2])).tolist() == [(2**62 + 1) // 3, -2]


def test_unsigned_integers():
    x = torch.tensor([2**32 - 8, 8], dtype=torch.uint32)
    y = torch.tensor([1, 2], dtype=torch.uint32)
    assert binary("shr", x, y).tolist() == [2**31 - 4, 2]
    assert binary("less", x, y, torch.bool).tolist() == [False, False]
    assert binary("div", x, y).tolist() == [2**32 - 8, 4]
    assert binary("mulhi", x, x).tolist() == [(2**32 - 8) ** 2 >> 32, 0]
    wide = torch.tensor([2**64 - 3, 2**40], dtype=torch.uint64)
    assert binary("mulhi", wide, wide).tolist() == [(2**64 - 3) ** 2 >> 64, 2**80 >> 64]


def test_nan():
    x, y = torch.tensor([math.nan, 1.0, math.nan, 2.0]), torch.tensor([1.0, math.nan, math.nan, 3.0])
    close(on(binary("max", x, y)), torch.fmax(x, y))
    close(on(binary("min", x, y)), torch.fmin(x, y))
    close(on(binary("maxnan", x, y)), torch.maximum(x, y))
    assert binary("less", x, y, torch.bool).tolist() == [False, False, False, True]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("op", ["sum", "neg", "max", "less"])
def test_half_precision(op, dtype):
    x, y = torch.randn(64).to(dtype), torch.randn(64).to(dtype)
    want = {"sum": x + y, "neg": -x * y, "max": torch.fmax(x, y), "less": x < y}[op]
    close(on(binary(op, x, y, want.dtype)), want, rtol=0, atol=0)


@triton.jit
def convert(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


@pytest.mark.parametrize(
    "to", [torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2, torch.float64, I32]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.bool])
def test_conversions_round_to_nearest(dtype, to):
    if not dtype.is_floating_point and to.itemsize == 1:
        pytest.skip("Triton converts no integers to float8")
    x = (torch.randn(256) * 3).to(dtype)
    out = torch.empty(256, dtype=to, device=DEV)
    convert[(1,)](on(x), out, N=256)
    close(out.cpu().float().to(DEV), x.to(to).float(), rtol=0, atol=0)


@triton.jit
def _larger(a, i, b, j):
    take = a > b or (a == b and i < j)
    return tl.where(take, a, b), tl.where(take, i, j)


@triton.jit
def _branching(a, b):
    if a > b:
        return a
    return b


@triton.jit
def reductions(x, out, at, scanned, branched, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    v = tl.load(x + i[:, None] * C + j[None, :])
    index = tl.broadcast_to(j[None, :], (R, C))
    best, where = tl.reduce((v, index), 1, _larger)
    tl.store(out + i, best)
    tl.store(at + i, where)
    running, _ = tl.associative_scan((v, index), 1, _larger)
    tl.store(scanned + i[:, None] * C + j[None, :], running)
    tl.store(branched + j, tl.reduce(v, 0, _branching))


def test_reductions_and_scans_by_functions_of_a_kernel():
    x = torch.randn(4, 32)
    out, at = torch.empty(4, device=DEV), torch.empty(4, dtype=I32, device=DEV)
    scanned, branched = torch.empty(4, 32, device=DEV), torch.empty(32, device=DEV)
    reductions[(1,)](on(x), out, at, scanned, branched, R=4, C=32)
    close(out, x.max(1).values)
    close(at, x.argmax(1).to(I32))
    close(scanned, x.cummax(1).values)
    close(branched, x.max(0).values)


@triton.jit
def library(x, sums, tops, order, flipped, found, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(sums, tl.sum(v))
    top, where = tl.max(v, 0, return_indices=True)
    tl.store(tops, top)
    tl.store(found, where)
    tl.store(order + i, tl.sort(v))
    tl.store(flipped + i, tl.flip(v, 0))


def test_functions_of_tritons_library():
    x = torch.randn(32)
    sums, tops, found = torch.empty(1, device=DEV), torch.empty(1, device=DEV), torch.empty(1, dtype=I32, device=DEV)
    order, flipped = torch.empty(32, device=DEV), torch.empty(32, device=DEV)
    library[(1,)](on(x), sums, tops, order, flipped, found, N=32)
    close(sums[0], x.sum(), rtol=1e-5, atol=1e-5)
    close(tops[0], x.max())
    assert found.item() == x.argmax()
    close(order, x.sort().values)
    close(flipped, x.flip(0))


@triton.jit
def products(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    acc = tl.zeros((N, N), dtype=tl.float32)
    acc += tl.dot(tl.load(a + at), tl.load(b + at).T, out_dtype=tl.float32)
    tl.store(out + at, acc)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_products(dtype):
    a, b = torch.randn(16, 16).to(dtype), torch.randn(16, 16).to(dtype)
    out = torch.empty(16, 16, device=DEV)
    products[(1,)](*on(a, b), out, N=16)
    close(out, a.float() @ b.float().t(), rtol=1e-5, atol=1e-5)


@triton.jit
def loops(out, n, STATIC: tl.constexpr):
    total = 0
    for i in range(n):
        total += i.to(tl.int64) * 2
    for j in tl.static_range(STATIC):
        total += j
    for k in range(n - 1, -1, -1):
        if k == 1:
            total += 100
    while total < 1000:
        total += 500
    tl.store(out, min(total, 100000) + max(n, 3))


def test_loops():
    out = torch.zeros(1, dtype=I64, device=DEV)
    loops[(1,)](out, 4, STATIC=3)
    total = 12 + 3 + 100
    while total < 1000:
        total += 500
    assert out.item() == total + 4


@triton.jit
def accumulate(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + i % 2, tl.load(x + i))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, I32], ids=str)
def test_atomics_on_repeated_addresses(dtype):
    out = torch.zeros(2, dtype=dtype, device=DEV)
    accumulate[(1,)](on(torch.arange(16).to(dtype)), out, N=16)
    assert out.tolist() == [56, 64]


@triton.jit
def philox(out, seed, offset, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, offset + i)
    tl.store(out + i * 4, a)
    tl.store(out + i * 4 + 1, b)
    tl.store(out + i * 4 + 2, c)
    tl.store(out + i * 4 + 3, d)


def _philox(seed, counter):
    """Philox 4x32-10, as its authors describe it."""
    c, k = [counter, 0, 0, 0], [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_random_numbers_are_those_of_philox():
    out = torch.empty(16, dtype=I32, device=DEV)
    seed = 2**40 + 12345
    philox[(1,)](out, seed, 7, N=4)
    want = [w for i in range(4) for w in _philox(seed, 7 + i)]
    assert [v & 0xFFFFFFFF for v in out.tolist()] == want


@triton.jit
def pieces(x, out, rows, columns, B: tl.constexpr):
    source_ = tl.make_block_ptr(x, (rows, columns), (columns, 1), (0, 0), (B, B), order=(1, 0))
    target = tl.make_block_ptr(out, (rows, columns), (columns, 1), (0, 0), (B, B), order=(1, 0))
    tl.store(target, tl.load(source_, boundary_check=(0, 1)) * 2, boundary_check=(0, 1))


def test_block_pointers():
    x = torch.randn(5, 7)
    out = torch.zeros(5, 7, device=DEV)
    pieces[(1,)](on(x), out, 5, 7, B=8)
    close(out, x * 2)


def _made(factor):
    @triton.jit
    def closed(out, n):
        tl.store(out, n * factor)

    return closed


def test_a_kernel_of_a_closure():
    out = torch.zeros(1, device=DEV)
    _made(tl.constexpr(3))[(1,)](out, 2.5)
    assert out.item() == 7.5


@triton.jit
def numbered(out):
    tl.store(out + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1), tl.program_id(0) * 10 + tl.program_id(1))


def test_grids(launches):
    out = torch.zeros(6, dtype=I32, device=DEV)
    numbered[lambda meta: (2, 3)](out)
    assert out.tolist() == [0, 1, 2, 10, 11, 12]
    numbered[(0, 3)](out)
    assert launches == ["numbered"]
    again = numbered.run(out, grid=(1,), warmup=True)
    assert launches == ["numbered"]
    again[(1, 1)](out)
    assert launches == ["numbered"] * 2


@triton.autotune(configs=[triton.Config({"B": b}, num_warps=2) for b in (16, 64, 32)], key=["n"])
@triton.jit
def tuned(out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, B, mask=i < n)


def test_autotuning_measures_nothing(launches):
    out = torch.zeros(64, dtype=I32, device=DEV)
    tuned[lambda meta: (triton.cdiv(64, meta["B"]),)](out, 64)
    assert set(out.tolist()) == {64} and launches == ["tuned"]


def test_what_a_kernel_is_given():
    out = torch.zeros(6, dtype=I32, device=DEV)
    with pytest.raises(ValueError, match="numbered: out is a tensor on cpu"):
        numbered[(1,)](torch.zeros(6, dtype=I32))
    with pytest.raises(TypeError, match="numbered: 'num_wraps' is neither a parameter"):
        numbered[(1,)](out, num_wraps=4)
    with pytest.raises(TypeError, match="numbered: no value for out"):
        numbered[(1,)]()
    with pytest.raises(TypeError, match="takes tensors, numbers and None, not list"):
        numbered[(1,)]([1])
    with pytest.raises(ValueError, match="up to three numbers"):
        numbered[(1, 1, 1, 1)](out)
    with pytest.raises(RuntimeError, match="launch it"):
        numbered(out)


@triton.jit
def beyond(out, at):
    tl.store(out + at, 1)


@triton.jit
def undecided(out, B: tl.constexpr):
    if tl.arange(0, B) > 2:
        tl.store(out, 1)


def test_faults_end_a_launch_and_not_the_process():
    out = torch.zeros(6, dtype=I32, device=DEV)
    for at in (2**20, -(2**20), 2**40):
        with pytest.raises(
            InterpreterError, match=r"beyond, program \(0, 0, 0\): IndexError: writes memory that is no"
        ):
            beyond[(1,)](out, at)
    with pytest.raises(InterpreterError, match=r"a block of shape \(8,\) is neither true nor false"):
        undecided[(1,)](out, B=8)
    beyond[(1,)](out, 3)
    assert out.tolist() == [0, 0, 0, 1, 0, 0]


@triton.jit
def touching(x, out, at, B: tl.constexpr, HOW: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    if HOW == "masked":
        tl.store(out + i, v, mask=i < 0)
        tl.atomic_add(out + i, v, mask=i < 0)
    if HOW == "store" or HOW == "outside":
        tl.store(out + at + i, v)
    if HOW == "atomic":
        tl.atomic_add(out + i, v)
    if HOW == "exchange":
        tl.atomic_cas(out, 0, 1)


@pytest.mark.parametrize(
    ("how", "writes"),
    [("load", 0), ("masked", 0), ("outside", 0), ("store", 1), ("atomic", 1), ("exchange", 1)],
)
def test_writes_are_told(monkeypatch, how, writes):
    """What fails before the first one has done nothing."""
    x, out = on(torch.ones(8, dtype=I32), torch.zeros(8, dtype=I32))
    told = []
    monkeypatch.setattr(blocks.builder, "on_write", lambda: told.append(out[0].item()))
    if how == "outside":
        with pytest.raises(InterpreterError):
            touching[(2,)](x, out, 2**20, B=8, HOW=how)
    else:
        touching[(1,)](x, out, 0, B=8, HOW=how)
    assert told == [0] * writes


def test_views_are_written_in_place():
    whole = torch.zeros(4, 6, dtype=I32, device=DEV)
    numbered[(1, 6)](whole[2])
    assert whole.sum(1).tolist() == [0, 0, 15, 0]
    assert whole[2].tolist() == [0, 1, 2, 3, 4, 5]


def test_threads():
    outs = [torch.zeros(6, dtype=I32, device=DEV) for _ in range(6)]
    threads = [threading.Thread(target=lambda o=o: [numbered[(2, 3)](o) for _ in range(5)]) for o in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(o.tolist() == [0, 1, 2, 10, 11, 12] for o in outs)


def test_work_on_a_stream_is_seen():
    x = torch.zeros(1 << 16, dtype=I32, device=DEV)
    for _ in range(20):
        x += 1
    beyond[(1,)](x, 5)
    x += 1
    assert x[:7].tolist() == [21, 21, 21, 21, 21, 2, 21]


# ------------------------------------------------------------------------------------------------------------ libdevice


@triton.jit
def call1(x, out, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i)))


@triton.jit
def call2(x, y, out, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i)))


def of_lib(name, *args, dtype=None):
    out = torch.empty(args[0].shape, dtype=dtype or args[0].dtype, device=DEV)
    kernel = call1 if len(args) == 1 else call2
    kernel[(1,)](*map(on, args), out, F=getattr(lib, name), N=args[0].numel())
    return out.cpu()


wide, unit, above = torch.linspace(-6, 6, 256), torch.linspace(-0.99, 0.99, 256), torch.linspace(0.01, 9, 256)
special = torch.special
FLOAT_FUNCTIONS = {
    **{n: (getattr(torch, n), wide) for n in (
        "floor", "ceil", "trunc", "exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "asinh",
        "erf", "erfc", "abs",
    )},
    **{n: (getattr(torch, n), unit) for n in ("asin", "acos", "atanh", "erfinv")},
    **{n: (getattr(torch, n), above) for n in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "lgamma")},
    "acosh": (torch.acosh, above + 1),
    "rint": (torch.round, torch.linspace(-4, 4, 17).repeat(16)[:256]),
    "nearbyint": (torch.round, torch.linspace(-4, 4, 17).repeat(16)[:256]),
    "round": (lambda x: torch.copysign((x.abs() + 0.5).floor(), x), torch.linspace(-4, 4, 17).repeat(16)[:256]),
    "cbrt": (lambda x: torch.copysign(x.double().abs() ** (1 / 3), x), wide),
    "exp10": (lambda x: 10 ** x.double(), wide),
    "sinpi": (lambda x: (x.double() * math.pi).sin(), wide),
    "cospi": (lambda x: (x.double() * math.pi).cos(), wide),
    "erfcx": (special.erfcx, wide),
    "erfcinv": (lambda x: torch.erfinv(1 - x.double()), unit.abs()),
    "normcdf": (lambda x: special.ndtr(x.double()), wide),
    "normcdfinv": (lambda x: special.ndtri(x.double()), unit.abs()),
    "tgamma": (lambda x: x.double().lgamma().exp(), above),
    "j0": (special.bessel_j0, wide), "j1": (special.bessel_j1, wide),
    "y0": (special.bessel_y0, above), "y1": (special.bessel_y1, above),
    "cyl_bessel_i0": (torch.i0, wide), "cyl_bessel_i1": (special.i1, wide),
    "saturatef": (lambda x: x.clamp(0, 1), wide),
    "logb": (lambda x: x.abs().log2().floor(), above),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", FLOAT_FUNCTIONS)
def test_libdevice_function(name, dtype):
    reference, x = FLOAT_FUNCTIONS[name]
    if dtype == torch.float64 and name == "saturatef":
        pytest.skip("CUDA has it for float32 only")
    x = x.to(dtype)
    got = of_lib(name, x)
    want = reference(x if dtype == torch.float64 else x.float()).to(dtype)
    rtol = {torch.float64: 1e-9, torch.float32: 2e-5, torch.float16: 1e-3, torch.bfloat16: 8e-3}[dtype]
    torch.testing.assert_close(got, want, rtol=rtol, atol=1e-14 if dtype.itemsize > 2 else 1e-6)


def _remainder(x, y):
    return torch.tensor([math.remainder(a, b) for a, b in zip(x.tolist(), y.tolist())])


PAIR_FUNCTIONS = {
    "pow": (torch.pow, above, unit), "fmod": (torch.fmod, wide, above), "atan2": (torch.atan2, wide, above),
    "hypot": (torch.hypot, wide, above), "copysign": (torch.copysign, above, wide), "div_rn": (torch.div, wide, above),
    "nextafter": (torch.nextafter, wide, above), "add_rn": (torch.add, wide, above), "mul_rn": (torch.mul, wide, above),
    "fdim": (lambda x, y: (x - y).clamp(min=0), wide, above),
    "remainder": (_remainder, wide, above),
    "rhypot": (lambda x, y: 1 / torch.hypot(x.double(), y.double()), wide, above),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", PAIR_FUNCTIONS)
def test_libdevice_function_of_two(name, dtype):
    reference, x, y = PAIR_FUNCTIONS[name]
    x, y = x.to(dtype), y.to(dtype)
    torch.testing.assert_close(of_lib(name, x, y), reference(x, y).to(dtype), rtol=2e-6, atol=1e-6)


def test_libdevice_directed_rounding():
    x, y = torch.ones(4), torch.full((4,), 3.0)
    down, up = of_lib("div_rd", x, y), of_lib("div_ru", x, y)
    assert (down.double() < 1 / 3).all() and (up.double() > 1 / 3).all()
    assert torch.equal(torch.nextafter(down, up), up)
    assert torch.equal(of_lib("div_rz", -x, y), -down) and torch.equal(of_lib("div_rd", -x, y), -up)


def test_libdevice_bits():
    x = torch.tensor([1, 0, -1, 255, 2**30, -(2**31), 6, 8], dtype=I32)
    assert of_lib("clz", x).tolist() == [31, 32, 0, 24, 1, 0, 29, 28]
    assert of_lib("popc", x).tolist() == [1, 0, 32, 8, 1, 1, 2, 1]
    assert of_lib("ffs", x).tolist() == [1, 0, 1, 1, 31, 32, 2, 4]
    assert of_lib("brev", x).tolist()[:3] == [-(2**31), 0, -1]
    y = torch.tensor([1, 0, -1, 2**62], dtype=I64)
    assert of_lib("clz", y, dtype=I32).tolist() == [63, 64, 0, 1]
    assert of_lib("popc", y, dtype=I32).tolist() == [1, 0, 64, 1]
    assert of_lib("ffs", y, dtype=I32).tolist() == [1, 0, 1, 63]
    high = of_lib("mulhi", torch.tensor([-5, 2**30], dtype=I32), torch.tensor([7, 12], dtype=I32))
    assert high.tolist() == [-35 >> 32, (12 * 2**30) >> 32]
    assert of_lib(
        "hadd", torch.tensor([2**31 - 1, -3], dtype=I32), torch.tensor([2**31 - 1, 2], dtype=I32)
    ).tolist() == [
        2**31 - 1,
        -1,
    ]


def test_libdevice_integers_of_floats():
    x = torch.tensor([0.5, 1.5, -2.5, 0.0, math.inf, math.nan, 1e-40, -8.0])
    assert of_lib("ilogb", x, dtype=I32).tolist() == [
        -1, 0, 1, -(2**31), 2**31 - 1, -(2**31), math.frexp(np.float32(1e-40))[1] - 1, 3
    ]  # fmt: skip
    assert of_lib("llrint", x, dtype=I64).tolist()[:4] == [0, 2, -2, 0]
    assert of_lib("llround", x, dtype=I64).tolist()[:4] == [1, 2, -3, 0]
    assert of_lib("float2int_rz", x, dtype=I32).tolist()[:5] == [0, 1, -2, 0, 2**31 - 1]
    assert of_lib("isnan", x, dtype=I32).tolist() == [0, 0, 0, 0, 0, 1, 0, 0]
    assert of_lib("isinf", x, dtype=I32).tolist() == [0, 0, 0, 0, 1, 0, 0, 0]
    assert of_lib("finitef", x, dtype=I32).tolist() == [1, 1, 1, 1, 0, 0, 1, 1]
    assert of_lib("signbit", x, dtype=I32).tolist() == [0, 0, 1, 0, 0, 0, 0, 1]
    exponents = torch.tensor([1, 2, 3, 4, 5, 6, 7, -1], dtype=I32)
    close(on(of_lib("ldexp", x[:4].repeat(2), exponents)), torch.ldexp(x[:4].repeat(2), exponents))
    close(on(of_lib("pow", x.abs()[:4].repeat(2), exponents)), x.abs()[:4].repeat(2) ** exponents)


def test_libdevice_bessel_functions_of_any_order():
    for n in (0, 1, 3, 7):
        order, x = torch.full((8,), n, dtype=I32), torch.linspace(0.5, 12, 8)
        out = torch.empty(8, device=DEV)
        call2[(1,)](*on(order, x), out, F=lib.jn, N=8)
        theta = torch.linspace(0, math.pi, 20001, dtype=torch.float64)
        want = torch.trapezoid((n * theta - x.double()[:, None] * theta.sin()).cos(), theta) / math.pi
        torch.testing.assert_close(out.cpu().double(), want, rtol=1e-5, atol=1e-6)


def test_libdevice_covers_tritons():
    from triton.language.extra.cuda import libdevice as stock

    names = [n for n, f in vars(stock).items() if tl.core.is_builtin(f)]
    assert [n for n in names if n not in libdevice.COMPUTE] == []
    assert [n for n in libdevice.COMPUTE if n not in names] == []


def test_libdevice_refuses_types_that_cuda_does():
    with pytest.raises(InterpreterError, match=r"libdevice.erf takes no \(int32\)"):
        of_lib("erf", torch.ones(4, dtype=I32))


@triton.jit
def by_other_names(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, tl.extra.cuda.libdevice.erf(v) + tl.extra.libdevice.erf(v))


def test_kernels_may_name_another_libdevice():
    x = torch.randn(8)
    out = torch.empty(8, device=DEV)
    by_other_names[(1,)](on(x), out, N=8)
    close(out, x.erf() * 2, rtol=1e-5, atol=1e-6)


# ---------------------------------------------------------------------------------------------------- source and vendor


def test_listed_reads_what_is_registered():
    names = source.listed()
    assert len(names) == len(set(names)) > 400
    assert names.index("abs") < names.index("zeros") and "add.Tensor" in names


def test_listed_reports_what_it_does_not_know(tmp_path):
    (tmp_path / "__init__.py").write_text(
        "_FULL_CONFIG = (\n ('a', f),\n ('b.out', g, lambda: True),\n ('c', f, lambda: 1, ('X',)),\n"
        " make('d'),\n ('e',),\n)\n"
    )
    with pytest.warns(UserWarning) as seen:
        assert source.listed(tmp_path) == ["a", "b.out", "c"]
    assert [str(w.message).split("shape: ")[1] for w in seen] == [
        f"{tmp_path / '__init__.py'}:5: make('d')",
        f"{tmp_path / '__init__.py'}:6: ('e',)",
    ]
    (tmp_path / "__init__.py").write_text("other = 1\n")
    with pytest.raises(ValueError, match="no _FULL_CONFIG"):
        source.listed(tmp_path)


def test_supported(monkeypatch):
    assert source.supported() == source.supported(takes=["num_warps"]) == ""
    assert "which Triton 3.6.0 does not take: install" in source.supported(takes=["num_warps", "num_ldmatrixes"])
    for version in ("3.2.0", "3.7.1", "4.0.0"):
        monkeypatch.setattr(source.metadata, "distributions", lambda name, v=version: [SimpleNamespace(version=v)])
        assert f"3.3 to 3.6, and {version} is installed: pip install" in source.supported()
    monkeypatch.undo()
    find = source.importlib.util.find_spec
    for module, command in (
        ("triton", "triton==3.6.0"), ("flag_gems", "--no-deps 'flag-gems==5.0.2'"), ("yaml", "pip install pyyaml")
    ):  # fmt: skip
        monkeypatch.setattr(source.importlib.util, "find_spec", lambda n, m=module: None if n == m else find(n))
        assert command in source.supported()


def test_source_imports_neither():
    code = (
        "import sys, torch_fl; from torch_fl.flaggems import source; source.listed(); source.supported();"
        "assert not {'flag_gems', 'triton'} & set(sys.modules)"
    )
    child.check(code)


def test_register_is_for_once():
    with pytest.raises(RuntimeError, match="once per process"):
        vendor.register("nvidia", "flagos", libdevice.NAME)
        vendor.register("amd", "flagos", "hip")


REGISTER = """
import sys, torch_fl
from torch_fl.flaggems import vendor
{}
try:
    vendor.register({!r}, "flagos", "cuda")
except {} as error:
    assert {!r} in str(error), error
else:
    raise AssertionError("not refused")
assert "_nvidia" not in sys.modules and "_none" not in sys.modules
"""


def test_register_refuses():
    child.check(REGISTER.format("sys.modules['flag_gems'] = sys", "nvidia", "RuntimeError", "imported before"))
    child.check(REGISTER.format("", "none", "ValueError", "no vendor 'none'"))


@pytest.mark.skipif(HOSTILE, reason="this run is in that mode")
def test_protected_memory_is_opened_for_kernels(tmp_path):
    code = """
import torch, torch_fl
from torch_fl.flaggems import interpreter, libdevice, vendor, source
interpreter.install(lambda name: None)
vendor.register("nvidia", "flagos", libdevice.NAME)
gems = source.functions()
x = torch.randn(7, 9)
for _ in range(2):
    got = gems["sum.dim_IntList"](gems["add.Tensor"](x.to("flagos"), x.to("flagos")), [1])
    torch.testing.assert_close(got.cpu(), (2 * x).sum(1))
"""
    mode = {"FLAGOS_SIM_PROTECT": "1", "FLAGGEMS_CACHE_DIR": str(tmp_path), "TRITON_CACHE_DIR": str(tmp_path)}
    child.check(code, env={**os.environ, **mode})
