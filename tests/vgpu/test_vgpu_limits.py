"""Limits of a vendor's compiler and device: kernels beyond them never reach it, and their calls go to the next lane."""

import pytest
import torch
import triton
import triton.language as tl
from harness import lanes
from triton.language.extra.cuda import libdevice

import torch_fl
from torch_fl import flaggems
from torch_fl.flaggems import limits

pytestmark = pytest.mark.filterwarnings("ignore:torch_fl.*does not support this call")

# As gcu300's compiler and device: no 64 bits, some functions of libm, few programs.
LIMITS = limits.Limits(
    frozenset({"*i64", "*u64", "*fp64", "i64", "u64", "fp64"}), ("__nv_asin*", "__nv_tanhf"), (100, 3)
)


@pytest.fixture
def limited(gpu):
    """Another vendor's limits. Kernels that were compiled before are not asked again, so tests define their own."""
    flaggems.functions()  # loads FlagGems, which sets this vendor's own
    from torch_fl import _C

    limits.install(LIMITS, _C.package_op, compiled=True)
    yield LIMITS
    limits.install(limits.Limits(), _C.package_op, compiled=True)


def kernels():
    """Kernels that nobody has compiled yet."""

    @triton.jit
    def copied(x, out, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)

    @triton.jit
    def counted(x, out, n, far, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n) + (far > n), mask=i < n)

    @triton.jit
    def arcsine(x, out, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(out + i, libdevice.asin(tl.load(x + i, mask=i < n)), mask=i < n)

    @triton.jit
    def sine(x, out, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(out + i, libdevice.sinh(tl.load(x + i, mask=i < n)), mask=i < n)

    return copied, counted, arcsine, sine


def of(kernel, *more, grid=(1,)):
    def function(x):
        out = torch.empty_like(x)
        kernel[grid](x, out, x.numel(), *more, B=64)
        return out

    return function


def refused(op, function, reason, x):
    """An op whose function is refused: it is asked once, its calls are served all the same, and it is told why."""
    asked = []
    offer, body = function
    offer(op, lambda x: asked.append(1) or body(x))
    call = getattr(torch.ops.aten, op).default
    with torch_fl.census() as census:
        for _ in range(3):
            torch.testing.assert_close(call(x.to("flagos")).cpu(), call(x))
    rows = [row for row in census.rows() if row.op == op]
    assert sum(row.calls for row in rows) == 3 and len(asked) == 1
    assert "flaggems" not in {row.lane for row in rows}
    assert all(reason in row.reason for row in rows), rows
    (step,) = torch_fl.explain(call, x.to("flagos")).steps
    assert step.lane == rows[0].lane
    assert any(v.lane == "flaggems" and not v.chosen and reason in v.reason for v in step.lanes), step


def served(op, function, x, want):
    """Calls an op whose function is within the limits, until it is replayed."""
    function[0](op, function[1])
    call = getattr(torch.ops.aten, op).default
    before = torch_fl.replay_stats().get(op).replays
    with lanes.served_by("flaggems", op):
        for _ in range(5):
            torch.testing.assert_close(call(x.to("flagos")).cpu(), want)
    assert torch_fl.replay_stats().get(op).replays > before


def test_a_pointer_to_64_bits(gpu, function, limited):
    copied = kernels()[0]
    refused("neg", (function, of(copied)), "ParameterTypeError: neg: kernel ", torch.arange(5))
    assert not gpu.taken()


def test_other_types_go_through(gpu, function, limited):
    copied = kernels()[0]
    x = torch.randn(5)
    served("exp2", (function, of(copied)), x, x)
    assert len(gpu.taken()) == 5


def test_a_number_of_64_bits(gpu, function, limited):
    counted, x = kernels()[1], torch.zeros(5)
    served("exp2", (function, of(counted, 7)), x, x + 1)
    refused("exp2", (function, of(counted, 2**40)), "takes `far` as i64", x)


def test_a_function_of_libm(gpu, function, limited):
    x = torch.rand(5)
    refused("exp2", (function, of(kernels()[2])), "calls __nv_asinf", x)
    served("exp2", (function, of(kernels()[3])), x, x.sinh())


@pytest.mark.parametrize(("grid", "axis"), [((101,), "101 programs along x"), ((1, 4), "4 programs along y")])
def test_a_grid(gpu, function, limited, grid, axis):
    copied, x = kernels()[0], torch.randn(5)
    refused("exp2", (function, of(copied, grid=grid)), f"is launched with {axis}, the device takes ", x)
    assert not gpu.taken()


def test_a_grid_within(gpu, function, limited):
    x = torch.randn(5)
    served("exp2", (function, of(kernels()[0], grid=(100, 3, 9))), x, x)


@pytest.mark.parametrize(
    ("op", "make", "reason"),
    [
        ("bitwise_not", lambda: torch.arange(7), "as *i64"),
        ("tanh", lambda: torch.rand(7), "calls __nv_tanhf"),
        ("_softmax", lambda: torch.randn(150, 4), "programs along x"),
    ],
)
def test_functions_of_flaggems(gpu, limited, op, make, reason):
    """FlagGems' own, which nothing here has compiled before."""
    call, more = getattr(torch.ops.aten, op).default, (-1, False) if op == "_softmax" else ()
    x = make()
    with torch_fl.routes({op: "flaggems"}), torch_fl.census() as census:
        for _ in range(3):
            torch.testing.assert_close(call(x.to("flagos"), *more).cpu(), call(x, *more))
    rows = [row for row in census.rows() if row.op == op]
    assert "flaggems" not in {row.lane for row in rows} and all(reason in row.reason for row in rows), rows
    assert not gpu.taken()


def test_in_place_nothing_is_written_before(gpu, function, limited):
    x, copied = torch.arange(5), kernels()[0]

    def neg_(x):
        copied[(1,)](x, x, x.numel(), B=64)
        return x

    function("neg_", neg_)
    y = x.to("flagos")
    assert y.neg_() is y and y.tolist() == [0, -1, -2, -3, -4]


def test_strict_names_the_limit(gpu, function, limited):
    from torch_fl import _C

    function("neg", of(kernels()[0]))
    _C.set_switches(strict=True)
    try:
        with pytest.raises(RuntimeError, match=r"FLAGOS_STRICT: neg .*`x` as \*i64, which the vendor's compiler"):
            torch.arange(5).to("flagos").neg()
    finally:
        _C.set_switches(strict=False)


def test_hooks_of_others_are_called_too(gpu, function, limited, monkeypatch):
    seen = []
    hook = limits._before_compiling(lambda **about: seen.append(about["fn"].name))
    monkeypatch.setattr(triton.knobs.runtime, "jit_cache_hook", hook)
    x = torch.randn(5)
    served("exp2", (function, of(kernels()[0])), x, x)
    assert len(seen) == 1 and "copied" in seen[0]


def test_a_kernel_that_does_not_compile(gpu, function):
    @triton.jit
    def wrong(x, out, n, B: tl.constexpr):
        tl.static_assert(B < 0, "of no use")

    refused("exp2", (function, of(wrong)), "CompileTimeAssertionFailure", torch.randn(5))
    assert not gpu.taken()
