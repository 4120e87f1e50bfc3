"""FlagGems' own functions, called as they are on tensors of a device whose memory is host memory, against the host.

They run in torch_fl.flaggems.interpreter. What is compared is therefore FlagGems' Python and the arithmetic of its
kernels, not what a compiler makes of them.
"""

import math
import os
import threading

import pytest
import torch
from harness import lanes
from harness.compare import close
from harness.device import DEV, needs_device

REASON = lanes.not_interpreted()
pytestmark = [
    needs_device,
    pytest.mark.skipif(bool(REASON), reason=f"FlagGems' kernels cannot be interpreted here: {REASON}"),
]

aten = torch.ops.aten
F32, F16, BF16, F64 = torch.float32, torch.float16, torch.bfloat16, torch.float64
I32, I64, BOOL = torch.int32, torch.int64, torch.bool
FLOATS, INTS = (F32, F16, BF16), (I32, I64)
NUMBERS = FLOATS + INTS
TOLERANCES = {F32: (1e-5, 1e-5), F16: (2e-3, 2e-3), BF16: (1.6e-2, 1.6e-2)}


@pytest.fixture(scope="module")
def gems(tmp_path_factory):
    """FlagGems' functions by op; `gems.launches` has the names of the kernels that ran."""
    from torch_fl.flaggems import interpreter, libdevice, source, vendor

    folder = tmp_path_factory.mktemp("flaggems")
    launches = []
    with pytest.MonkeyPatch.context() as patch:
        # Set for good where nobody else has: FlagGems remembers them.
        for name in ("FLAGGEMS_CACHE_DIR", "TRITON_CACHE_DIR"):
            if name not in os.environ:
                patch.setenv(name, str(folder / name))
        interpreter.install(interpreter._on_launch or launches.append)
        patch.setattr(interpreter, "_on_launch", launches.append)  # in the place of the lane's, if that is in use
        vendor.register("nvidia", "flagos", libdevice.NAME)
        functions = type("Functions", (dict,), {})(source.functions())
        functions.launches = launches
        yield functions


def data(shape, dtype, low=-3.0, high=3.0):
    if dtype == BOOL:
        return torch.rand(shape) > 0.5
    if dtype.is_floating_point:
        return (torch.rand(shape) * (high - low) + low).to(dtype)
    return torch.randint(math.ceil(low), math.ceil(high) + 1, shape, dtype=dtype)


def positive(shape, dtype):
    return data(shape, dtype, 0.5 if dtype.is_floating_point else 1, 4.0)


def within_one(shape, dtype):
    return data(shape, dtype, -0.9, 0.9)


SHAPES = {
    "0-d": lambda make: make(()),
    "1-d": lambda make: make((37,)),
    "3-d": lambda make: make((3, 5, 7)),
    "transposed": lambda make: make((6, 5)).t(),
    "strided": lambda make: make((4, 18))[:, ::3],
    "large": lambda make: make((3, 1025)),
}
# Two arguments, made for one another.
PAIRS = {
    "0-d": lambda make, other: (make(()), other(())),
    "same": lambda make, other: (make((5, 7)), other((5, 7))),
    "broadcast": lambda make, other: (make((4, 1, 6)), other((5, 1))),
    "by 0-d": lambda make, other: (make((9,)), other(())),
    "mixed strides": lambda make, other: (make((6, 5)).t(), other((5, 12))[:, ::2]),
}

UNARY = {
    **dict.fromkeys(["abs", "neg", "relu", "isinf", "isnan", "square"], (data, NUMBERS)),
    **dict.fromkeys(["logical_not"], (data, (*NUMBERS, BOOL))),
    **dict.fromkeys(["bitwise_not"], (data, (*INTS, BOOL))),
    **dict.fromkeys(
        ["atan", "ceil", "celu", "cos", "cosh", "elu", "erf", "exp", "exp2", "expm1", "gelu", "isfinite", "log_sigmoid",
         "nan_to_num", "relu6", "selu", "sigmoid", "signbit", "silu", "sin", "softplus", "softshrink", "tanh"],
        (data, FLOATS),
    ),
    **dict.fromkeys(["log", "log10", "reciprocal", "rsqrt", "sqrt"], (positive, FLOATS)),
    **dict.fromkeys(["acos", "tan", "i0"], (within_one, FLOATS)),
}  # fmt: skip
BINARY = {
    **dict.fromkeys(["add.Tensor", "sub.Tensor", "mul.Tensor", "maximum", "minimum"], (data, data, NUMBERS)),
    **dict.fromkeys([f"{c}.Tensor" for c in ("eq", "ne", "lt", "le", "gt", "ge")], (data, data, NUMBERS)),
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], (data, data, (F32, I64, BOOL))),
    **dict.fromkeys([f"bitwise_{o}.Tensor" for o in ("and", "or")], (data, data, (*INTS, BOOL))),
    **dict.fromkeys(["div.Tensor", "atan2", "copysign", "fmin", "hypot"], (data, positive, FLOATS)),
    **dict.fromkeys(["remainder.Tensor", "floor_divide"], (data, positive, NUMBERS)),
    "pow.Tensor_Tensor": (positive, data, (F32,)),
    "isclose": (data, data, (F32,)),
}


def ids(table):
    return [pytest.param(op, dtype, id=f"{op}-{str(dtype)[6:]}") for op, row in table.items() for dtype in row[-1]]


def host(op):
    # FlagGems names some as PyTorch names functions of two numbers.
    of_tensors = ("copysign", "bitwise_left_shift")
    name, _, overload = (f"{op}.Tensor" if op in of_tensors else op).partition(".")
    return getattr(getattr(aten, name), overload or "default")


def to_device(value):
    """A copy on the device with the strides of the original."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_device, value))
    if not isinstance(value, torch.Tensor):
        return value
    whole = torch.empty(value.untyped_storage().nbytes() // value.element_size(), dtype=value.dtype)
    whole.set_(value.untyped_storage())
    return whole.to(DEV).as_strided(value.shape, value.stride(), value.storage_offset())


def check(gems, op, *args, **kwargs):
    """FlagGems' function of an op gives what PyTorch's op gives on the host, and leaves the same in its arguments."""
    on_device, options = to_device(args), {name: to_device(value) for name, value in kwargs.items()}
    before = len(gems.launches)
    got = gems[op](*on_device, **options)
    want = host(op)(*args, **kwargs)
    leaves = torch.utils._pytree.tree_leaves
    for g, w in zip(leaves((got, on_device, options)), leaves((want, args, kwargs)), strict=True):
        if isinstance(w, torch.Tensor):
            assert g.device == DEV
            rtol, atol = TOLERANCES.get(w.dtype, (None, None))
            close(g, w, rtol=rtol, atol=atol)
    return gems.launches[before:]


@pytest.mark.parametrize(("op", "dtype"), ids(UNARY))
def test_unary(gems, op, dtype):
    make, _ = UNARY[op]
    for shape in SHAPES.values():
        assert check(gems, op, shape(lambda size: make(size, dtype)))


@pytest.mark.parametrize(("op", "dtype"), ids(BINARY))
def test_binary(gems, op, dtype):
    make, other, _ = BINARY[op]
    for pair in PAIRS.values():
        assert check(gems, op, *pair(lambda size: make(size, dtype), lambda size: other(size, dtype)))


# What takes anything else: args of a dtype, the dtypes.
CALLS = {
    "round": (lambda d: [(torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.4, 2.6]).to(d),)], FLOATS),
    "hardsigmoid": (lambda d: [(data((3, 5), d),)], FLOATS),
    "sum": (lambda d: [(data((33, 7), d),), (data((5,), d),)], FLOATS),
    "sum.dim_IntList": (lambda d: [(data((4, 9, 3), d), [1], False), (data((4, 9, 3), d), [0, 2], True)], FLOATS),
    "mean": (lambda d: [(data((33, 7), d),)], FLOATS),
    "mean.dim": (lambda d: [(data((4, 9, 3), d), [1], False), (data((4, 9), d), [0], True)], FLOATS),
    "prod": (lambda d: [(within_one((17,), d),)], FLOATS),
    "prod.dim_int": (lambda d: [(positive((4, 5), d), 1)], (F32,)),
    "amax": (lambda d: [(data((4, 9), d), [1]), (data((4, 9), d), [0], True)], FLOATS),
    "max": (lambda d: [(data((13, 5), d),)], NUMBERS),
    "min": (lambda d: [(data((13, 5), d),)], NUMBERS),
    "max.dim": (lambda d: [(torch.randperm(60).reshape(6, 10).to(d), 1)], (F32, I32, I64)),
    "min.dim": (lambda d: [(torch.randperm(60).reshape(6, 10).to(d), 0, True)], (F32, I32, I64)),
    "argmax": (lambda d: [(torch.randperm(60).reshape(6, 10).to(d), 1), (torch.randperm(60).to(d),)], (F32, F16, I64)),
    "argmin": (lambda d: [(torch.randperm(60).reshape(6, 10).to(d), 0)], (F32, I32)),
    "all": (lambda d: [(data((4, 5), d),), (torch.ones(9).to(d),)], (F32, I64, BOOL)),
    "any": (lambda d: [(data((4, 5), d),), (torch.zeros(9).to(d),)], (F32, I64, BOOL)),
    "all.dim": (lambda d: [(data((4, 5), d), 1)], (F32, BOOL)),
    "any.dim": (lambda d: [(data((4, 5), d), 0, True)], (F32, BOOL)),
    "var_mean.correction": (lambda d: [(data((6, 33), d), [1])], (F32,)),
    "std.correction": (lambda d: [(data((6, 33), d), [1])], (F32,)),
    "count_nonzero": (lambda d: [(data((6, 7), d),)], (F32, I64)),
    "cumsum": (lambda d: [(data((4, 9), d), 1), (data((5, 6), d), 0)], (F32, I64)),
    "cummax": (lambda d: [(torch.randperm(45).reshape(9, 5).to(d), 0)], (F32, I64)),
    "cummin": (lambda d: [(torch.randperm(45).reshape(5, 9).to(d), 1)], (F32, I64)),
    "linalg_vector_norm": (lambda d: [(data((4, 9), d), 2, [1]), (data((9,), d), math.inf, [0])], (F32,)),
    "mm": (lambda d: [(data((17, 9), d), data((9, 20), d)), (data((8, 6), d).t(), data((8, 5), d))], FLOATS),
    "addmm": (lambda d: [(data((20,), d), data((17, 9), d), data((9, 20), d))], FLOATS),
    "bmm": (lambda d: [(data((3, 7, 9), d), data((3, 9, 5), d))], FLOATS),
    "mv": (lambda d: [(data((17, 9), d), data((9,), d))], (F32,)),
    "dot": (lambda d: [(data((37,), d), data((37,), d))], (F32,)),
    "conv2d": (lambda d: [(data((2, 3, 8, 8), d), data((4, 3, 3, 3), d), data((4,), d))], (F32,)),
    "_softmax": (lambda d: [(data((5, 33), d), 1, False), (data((5, 4, 3), d), 1, False)], FLOATS),
    "_log_softmax": (lambda d: [(data((5, 33), d), 1, False)], FLOATS),
    "native_layer_norm": (lambda d: [(data((33,), d), [33], positive((33,), d), data((33,), d), 1e-5)], (F32,)),
    "mse_loss": (lambda d: [(data((5, 7), d), data((5, 7), d))], (F32,)),
    "nll_loss_forward": (lambda d: [(data((5, 7), d), torch.tensor([0, 3, 6, 1, 2]), None, 1, -100)], (F32,)),
    "glu": (lambda d: [(data((5, 8), d), 1)], (F32,)),
    "max_pool2d_with_indices": (lambda d: [(torch.randperm(128).reshape(2, 1, 8, 8).to(d), [2, 2])], (F32,)),
    "upsample_nearest2d": (lambda d: [(data((1, 2, 4, 4), d), [8, 8])], (F32,)),
    "cat": (
        lambda d: [([data((3, 4), d), data((2, 4), d)],), ([data((3, 4), d), data((3, 1), d)], 1)], (*NUMBERS, BOOL)
    ),
    "stack": (lambda d: [([data((3, 4), d), data((3, 4), d)], 1)], (F32, I64)),
    "flip": (lambda d: [(data((3, 4), d), [0]), (data((3, 4), d), [0, 1])], (F32, I64)),
    "repeat": (lambda d: [(data((3, 4), d), [2, 1, 3])], (F32, I64)),
    "tile": (lambda d: [(data((3, 4), d), [2, 2])], (F32,)),
    "gather": (lambda d: [(data((5, 6), d), 1, torch.randint(6, (5, 3)))], (F32, BF16, I64)),
    "scatter.src": (
        lambda d: [(data((5, 6), d), 1, torch.tensor([[0, 2], [5, 1], [3, 4]]), data((3, 2), d))], (F32, I64)
    ),
    "index_select": (lambda d: [(data((5, 6), d), 0, torch.tensor([4, 0, 0]))], (F32, F16, I64)),
    "embedding": (lambda d: [(data((9, 4), d), torch.tensor([[1, 8], [0, 1]]))], FLOATS),
    "where.self": (lambda d: [(data((5, 6), BOOL), data((5, 6), d), data((6,), d))], NUMBERS),
    "masked_fill.Scalar": (lambda d: [(data((5, 6), d), data((5, 6), BOOL), 2)], NUMBERS),
    "masked_select": (lambda d: [(data((5, 6), d), data((5, 6), BOOL))], (F32, I64)),
    "nonzero": (lambda d: [(data((5, 6), d),)], (F32, I64, BOOL)),
    "tril": (lambda d: [(data((5, 6), d),), (data((2, 5, 6), d), -1)], (F32, I64)),
    "triu": (lambda d: [(data((5, 6), d), 1)], (F32, I64)),
    "diag": (lambda d: [(data((5,), d),), (data((5, 4), d), 1)], (F32, I64)),
    "sort": (lambda d: [(torch.randperm(40).reshape(4, 10).to(d), 1)], (F32, I32, I64)),
    "topk": (lambda d: [(torch.randperm(40).reshape(4, 10).to(d), 3)], (F32,)),
    "isin.Tensor_Tensor": (lambda d: [(data((20,), d), data((3,), d))], INTS),
    "constant_pad_nd": (lambda d: [(data((3, 4), d), [1, 2, 0, 1], 2.0)], (F32,)),
    "addcmul": (lambda d: [(data((5, 6), d), data((6,), d), data((5, 1), d))], FLOATS),
    "clamp": (lambda d: [(data((5, 6), d), -1, 1), (data((5, 6), d), None, 1)], NUMBERS),
    "clamp.Tensor": (lambda d: [(data((5, 6), d), data((6,), d, -3, 0), data((5, 1), d, 0, 3))], (F32,)),
    "lerp.Scalar": (lambda d: [(data((5, 6), d), data((5, 6), d), 0.3)], (F32,)),
    "pow.Tensor_Scalar": (lambda d: [(positive((5, 6), d), e) for e in (2, 0.5, -1.5)], FLOATS),
    "eq.Scalar": (lambda d: [(data((5, 6), d), 1)], NUMBERS),
    "add_.Tensor": (lambda d: [(data((5, 6), d), data((6,), d)), (data((6, 5), d).t(), data((5, 6), d))], NUMBERS),
    "relu_": (lambda d: [(data((5, 6), d),), (data((5, 12), d)[:, ::2],)], FLOATS),
    "fill_.Scalar": (lambda d: [(data((5, 6), d), 3)], (*NUMBERS, BOOL)),
    "copy_": (lambda d: [(data((5, 6), d), data((5, 6), F32)), (data((6, 5), d).t(), data((5, 6), I64))], NUMBERS),
    "ones_like": (lambda d: [(data((5, 6), d),)], (*NUMBERS, BOOL)),
    "index_put": (lambda d: [(data((5, 6), d), [torch.tensor([4, 0])], data((2, 6), d))], (F32,)),
    "index_add": (lambda d: [(data((5, 6), d), 0, torch.tensor([4, 0, 4]), data((3, 6), d))], (F32,)),
    "silu_backward": (lambda d: [(data((5, 6), d), data((5, 6), d))], FLOATS),
    "_softmax_backward_data": (lambda d: [(data((5, 6), d), torch.softmax(data((5, 6), F32), 1).to(d), 1, d)], (F32,)),
}  # fmt: skip


@pytest.mark.parametrize(("op", "dtype"), ids(CALLS))
def test_call(gems, op, dtype):
    launches = [name for args in CALLS[op][0](dtype) for name in check(gems, op, *args)]
    assert launches


@pytest.mark.parametrize("mode", ["floor", "trunc"])
@pytest.mark.parametrize("dtype", [F32, *INTS], ids=str)
def test_rounded_division(gems, dtype, mode):
    check(gems, "div.Tensor_mode", data((9, 9), dtype, -9, 9), positive((9, 9), dtype), rounding_mode=mode)


@pytest.mark.parametrize("op", ["add.Tensor", "mul.Tensor"])
def test_empty(gems, op):
    assert check(gems, op, torch.ones(0, 3), torch.ones(0, 3)) == []


def test_factories(gems):
    made = {
        "arange": gems["arange"](7, device=DEV),
        "full": gems["full"]((3, 2), 1.5, device=DEV),
        "eye": gems["eye"](4, device=DEV),
        "linspace": gems["linspace"](0, 1, 5, device=DEV),
    }
    want = {
        "arange": torch.arange(7),
        "full": torch.full((3, 2), 1.5),
        "eye": torch.eye(4),
        "linspace": torch.linspace(0, 1, 5),
    }
    for name, got in made.items():
        assert got.device == DEV
        close(got, want[name])


# FlagGems' own, on any device: its list, not ours to mend. Strict, so that a release that mends one is noticed.
WRONG = {
    "groups that are no power of two": (
        "native_group_norm", lambda: (data((1, 6, 3), F32), torch.ones(6), torch.zeros(6), 1, 6, 3, 2, 0.5)
    ),
    "equal infinities": ("logaddexp", lambda: (torch.tensor([math.inf]), torch.tensor([math.inf]))),
    "a sum of int32 is int64": ("sum", lambda: (torch.ones(4, dtype=I32),)),
    "statistics keep the normalised dimensions": (
        "native_layer_norm", lambda: (data((3, 5), F32), [5], None, None, 1e-5)
    ),
    "beta of 0 ignores its argument": (
        "addr", lambda: (torch.full((2, 2), math.nan), torch.ones(2), torch.ones(2)), lambda: {"beta": 0}
    ),
    "no elements": ("mm", lambda: (torch.ones(5, 0), torch.ones(0, 4))),
    "padding of an integer row": ("topk", lambda: (torch.full((5,), -7), 3)),
    "an out that is None": ("bitwise_left_shift", lambda: (torch.ones(4, dtype=I32), torch.ones(4, dtype=I32))),
    "0-d": ("cumsum", lambda: (torch.ones(()), 0)),
    "a scale of the input": ("elu", lambda: (torch.tensor([-1.0, 2.0]), 2.0, 1.0, 0.5)),
    "a fill of a view": ("zero_", lambda: (torch.ones(3, 4)[:, ::2],)),
    "a reduction of a view": ("all", lambda: (torch.tensor([1.0, 0.0, 1.0, 0.0])[::2],)),
    "indices with gaps": ("index_select", lambda: (torch.arange(4.0), 0, torch.tensor([0, 3, 1, 3, 2])[::2])),
    "repeats with gaps": ("repeat_interleave.Tensor", lambda: (torch.tensor([1, 5, 2, 5, 3])[::2],)),
    "a result with gaps": ("round.out", lambda: (torch.tensor([1.4, 2.6, 3.6]),), lambda: {"out": torch.zeros(6)[::2]}),
    "a result that is copied": (
        "reflection_pad1d.out", lambda: (torch.ones(2, 3), [1, 1]), lambda: {"out": torch.zeros(2, 10)[:, ::2]}
    ),
    "a copy with other strides": (
        "scatter.reduce",
        lambda: (torch.arange(8.0)[::2], 0, torch.tensor([1]), torch.ones(1)),
        lambda: {"reduce": "add"},
    ),
    "NaN beside an eps": ("logit_", lambda: (torch.tensor([math.nan]), 0.1)),
    "a number in bool": ("masked_fill.Scalar", lambda: (torch.tensor([False]), torch.tensor([True]), 0.5)),
    "nothing to look for": ("isin.Tensor_Tensor", lambda: (torch.ones(3), torch.ones(0)), lambda: {"invert": True}),
    "integers as weights": ("bincount", lambda: (torch.tensor([0, 1, 1]), torch.ones(3, dtype=I32))),
    "a power in floating point": ("pow.Scalar", lambda: (7, torch.tensor([9]))),
    "dtype= of another kind": ("cumsum", lambda: (torch.tensor([1.6, 1.6]), 0), lambda: {"dtype": I64}),
    "steps that are no integers": ("arange.start_step", lambda: (0, 1, 0.25)),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_known_faults_of_flaggems(gems, case):
    op, args, *options = WRONG[case]
    with pytest.raises(Exception):  # noqa: B017 (a refusal of its own, or a wrong result)
        check(gems, op, *args(), **(options[0]() if options else {}))


@pytest.mark.parametrize("op", ["rand", "randn"])
def test_random_numbers_follow_the_seed(gems, op):
    def draw():
        return gems[op]((1000,), dtype=F32, device=DEV).cpu()

    torch.manual_seed(11)
    start = torch.flagos.get_rng_state().view(I64)[1].item()
    first, second = draw(), draw()
    assert torch.flagos.get_rng_state().view(I64)[1].item() > start
    torch.manual_seed(11)
    assert torch.equal(draw(), first) and torch.equal(draw(), second)
    torch.manual_seed(12)
    assert not torch.equal(draw(), first)
    mean, deviation = (0.5, 12**-0.5) if op == "rand" else (0.0, 1.0)
    assert abs(first.mean() - mean) < 0.15 and abs(first.std() - deviation) < 0.1


def test_dropout_draws_from_the_default_generator(gems):
    torch.manual_seed(5)
    out, mask = gems["native_dropout"](torch.ones(2000, device=DEV), 0.25, True)
    torch.manual_seed(5)
    again, _ = gems["native_dropout"](torch.ones(2000, device=DEV), 0.25, True)
    assert torch.equal(out.cpu(), again.cpu())
    close(out, mask.cpu().float() / 0.75)
    assert 0.7 < mask.cpu().float().mean() < 0.8


def test_threads_launch_one_after_the_other(gems):
    arguments = [data((40, 50), F32) for _ in range(8)]
    results, errors = [None] * 8, []

    def work(i):
        try:
            for _ in range(3):
                results[i] = gems["exp"](gems["sum.dim_IntList"](arguments[i].to(DEV) / 50, [1])).cpu()
        except Exception as error:
            errors.append(error)

    gems["exp"](gems["sum.dim_IntList"](arguments[0].to(DEV), [1]))  # the code is generated
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for argument, result in zip(arguments, results):
        torch.testing.assert_close(result, (argument / 50).sum(1).exp(), rtol=1e-5, atol=1e-5)
