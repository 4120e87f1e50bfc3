"""Every OpInfo that PyTorch defines, against the host, on every lane that the vendor offers.

Compared are results (values, dtype, shape, strides, device, conj and neg bits), all arguments after the call, and which
arguments a result aliases. Random ops are compared in all but their values, and must repeat under one seed.
"""

import pathlib
import re

import pytest
import torch
import yaml
from harness import lanes, opinfo
from harness.compare import (
    TOLERANCES,
    against,
    assert_same_call,
    assert_same_error,
    assert_tree,
    both,
    call,
    concerns_device,
    move,
)
from harness.device import DEV, REFERENCE, needs_device, seed, vendor_name
from torch.utils import _pytree as pytree

HOST = torch.device("cpu")
# Samples per op in the quick run. The vendor's own routes get most, as they are what users run.
_LIMITS = {("default", torch.float32): opinfo.MANY, ("default", torch.int64): opinfo.MANY}
_LIMIT_DEFAULT = 6
_LIMIT_FORCED = 3


@pytest.fixture(scope="module", params=lanes.compared())
def lane(request):
    # The lane `none` is the host.
    with lanes.reached.counting(request.param), against(HOST if request.param == "none" else REFERENCE):
        yield request.param


@pytest.fixture(autouse=True)
def _remember(request):
    lanes.reached.tests.add(request.node.originalname)


def _limit(request, lane, dtype):
    if request.config.getoption("--full"):
        return None
    return _LIMITS.get((lane, dtype), _LIMIT_DEFAULT if lane == "default" else _LIMIT_FORCED)


def _parametrize(cases):
    ids = [f"{opinfo.dtype_name(dtype)}-{opinfo.name(op)}" for op, dtype in cases]
    return pytest.mark.parametrize("op,dtype", cases, ids=ids)


def _one_dtype(ops):
    return _parametrize([(op, opinfo.first_dtype(op)) for op in ops])


@_parametrize(opinfo.cases())
def test_forward(request, lane, op, dtype):
    random = opinfo.is_random(op, dtype)
    values = not random and op.name not in opinfo.UNINITIALISED
    tol = opinfo.tolerance(op, dtype)
    for sample in opinfo.samples(op, dtype, _limit(request, lane, dtype)):
        arguments = opinfo.arguments(sample)
        if not concerns_device(arguments):
            continue
        want = assert_same_call(opinfo.function(op), arguments, values=values, tol=tol)
        if random and want.error is None:
            _assert_repeats(op.op, arguments)


def _assert_repeats(fn, arguments):
    def run():
        seed(7)
        out = call(fn, move(arguments, DEV))
        assert out.error is None, out.error
        return move(out.result, "cpu")

    first, second = run(), run()
    torch.testing.assert_close(first, second, rtol=0, atol=0, equal_nan=True)


@_parametrize([(op, d) for op, d in opinfo.cases() if op.inplace_variant is not None])
def test_inplace(request, lane, op, dtype):
    tol = opinfo.tolerance(op, dtype)
    values = not opinfo.is_random(op, dtype) and op.name not in opinfo.UNINITIALISED
    for sample in opinfo.samples(op, dtype, _limit(request, lane, dtype)):
        if not sample.broadcasts_input:
            assert_same_call(op.inplace_variant, opinfo.arguments(sample), values=values, tol=tol)


def _equal(a, b) -> bool:
    pairs = list(zip(pytree.tree_leaves(a), pytree.tree_leaves(b), strict=True))
    dense = [(x, y) for x, y in pairs if isinstance(x, torch.Tensor) and x.layout == y.layout == torch.strided]
    return all(x.shape == y.shape and torch.allclose(_wide(x), _wide(y), equal_nan=True) for x, y in dense)


def _wide(t: torch.Tensor) -> torch.Tensor:
    """float8 has no comparison."""
    return t.float() if t.is_floating_point() and t.itemsize == 1 else t


@_one_dtype([op for op in opinfo.all_ops() if opinfo.has_out(op)])
def test_out(request, lane, op, dtype):
    """Right out= tensors, too small, strided, of another dtype: what the host does, with its warnings."""
    for sample in opinfo.samples(op, dtype, None if request.config.getoption("--full") else 2):
        args, kwargs = opinfo.arguments(sample)
        plain = call(op.op, move((args, kwargs), "cpu" if lane == "none" else REFERENCE))
        plain.result = move(plain.result, "cpu")
        if plain.error is not None:
            continue
        # Where out= is of a wider dtype, the numbers are still the narrower one's.
        tol = opinfo.tolerance(op, dtype) or TOLERANCES.get(dtype)
        values = not opinfo.is_random(op, dtype) and op.name not in opinfo.UNINITIALISED
        # A valid call first: what follows may then meet the plan that it made.
        move_result = call(op.op, move((args, kwargs)))
        assert move_result.error is None, move_result.error
        for variant, make in opinfo.out_variants(plain.result):
            arguments = (args, {**kwargs, "out": make()})
            got, want = both(op.op, arguments)
            what = f"out= {variant}"
            # PyTorch's own kernel may be wrong: triu of a batch writes garbage to a strided out=.
            sound = not opinfo.keeps_dtype(variant) or _equal(want.arguments[1]["out"], plain.result)
            if want.error is not None:
                assert_same_error(got, want)
                continue
            if got.error is not None:
                raise AssertionError(f"{what}: {got.error}") from got.error
            assert_tree(got.arguments, want.arguments, what, values=values and sound, tol=tol)
            resized = "was resized since it had shape"
            assert any(resized in w for w in got.warned) == any(resized in w for w in want.warned), (
                f"{what}: {got.warned}"
            )


@_one_dtype([op for op in opinfo.all_ops() if op.error_inputs_func is not None])
def test_error_inputs(lane, op, dtype):
    """Every error input, straight after a valid call: the same type of exception as on the host."""
    warm = opinfo.samples(op, dtype, 1)
    for error in opinfo.error_inputs(op):
        for sample in warm:
            call(op.op, move(opinfo.arguments(sample)))
        arguments = opinfo.arguments(error.sample_input)
        if REFERENCE.type != "cpu" and _found_by_a_kernel(op.op, arguments):
            continue
        got, want = both(op.op, arguments)
        if want.error is not None:
            assert_same_error(got, want)


def _found_by_a_kernel(fn, arguments) -> bool:
    """PyTorch's own devices find such errors in a kernel, which ends all work of the process there."""
    error = call(fn, move(arguments, "cpu")).error
    return (
        error is not None
        and re.search(
            r"out of (bounds|range)|probability|multinomial|index -?\d+ is|elements of source|histogramdd", str(error)
        )
        is not None
    )


# Tests that call what rows are for.
_BEFORE = {"test_forward", "test_inplace", "test_out", "test_what_no_opinfo_calls", "test_gradients"}
# Overloads that no OpInfo calls: a function of a tensor of 0 to 5, and whether its result is random.
_BESIDES = {
    "__lshift__": (lambda x: (x.int() << x.int(), x.int() << 2), False),
    "__rshift__": (lambda x: (x.int() >> x.int(), x.int() >> 1), False),
    "_amp_foreach_non_finite_check_and_unscale_": (
        lambda x: torch._amp_foreach_non_finite_check_and_unscale_([x], x[:1] * 0, x[2:3] / 4),
        False,
    ),
    "_amp_update_scale_": (lambda x: torch._amp_update_scale_(x[3:4], x[1:2].int(), x[:1], 2.0, 0.5, 2), False),
    "_aminmax": (lambda x: (torch._aminmax(x), torch._aminmax(x.reshape(2, 3), 1, True)), False),
    "_foreach_add.Tensor": (lambda x: torch._foreach_add([x, x[:2]], x[3], alpha=2), False),
    "_unique": (lambda x: torch._unique(x // 2, True, True), False),
    "bucketize.Scalar": (lambda x: (torch.bucketize(2, x), torch.bucketize(2.0, x, right=True)), False),
    "col2im": (lambda x: torch.nn.functional.fold(x.expand(4, 6), (3, 4), 2), False),
    "eye.out": (lambda x: torch.eye(2, out=x.new_empty(2, 2)), False),
    "glu_jvp": (lambda x: torch.ops.aten.glu_jvp(x[:3], x, x + 1, 0), False),
    "remainder.Scalar_Tensor": (lambda x: torch.remainder(5, x - 7), False),
    "binomial": (lambda x: torch.binomial(x, torch.full_like(x, 0.5)), True),
    "isin.Tensor_Scalar": (lambda x: torch.isin(x, 2.0), False),
    "random_": (lambda x: x.int().random_(), True),
    "random_.to": (lambda x: x.int().random_(7), True),
    "randperm.generator_out": (lambda x: torch.randperm(6, dtype=torch.int32, device=x.device), True),
}


@pytest.mark.parametrize("fn,random", _BESIDES.values(), ids=_BESIDES)
def test_what_no_opinfo_calls(lane, fn, random):
    arguments = ((torch.arange(6.0),), {})
    assert_same_call(fn, arguments, values=not random)
    if random:
        _assert_repeats(fn, arguments)


@needs_device
def test_every_row_was_served():
    """Each row of the vendor's ops.yaml ran at least once, here or for its gradient, in one of its spellings."""
    path = pathlib.Path(__file__).resolve().parents[2] / "vendors" / vendor_name() / "ops.yaml"
    if not path.is_file() or not lanes.reached.all_of(_BEFORE):
        pytest.skip("not all OpInfo and gradient tests ran before")
    served = {op for op, lane in lanes.reached.pairs() if lane == vendor_name()}
    rows = [row["op"] for row in yaml.safe_load(path.read_text())]

    def spellings(op):
        base, _, overload = op.partition(".")
        return {op, f"{base}_.{overload}" if overload else f"{base}_"}

    missing = [op for op in rows if not spellings(op) & served]
    assert not missing, f"no test reached the rows {missing}"
