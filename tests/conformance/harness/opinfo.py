"""PyTorch's OpInfo database as data for the suite: ops, dtypes, samples, out= variants, error inputs."""

import contextlib
import functools
import itertools
import warnings

import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import (
    foreach_binary_op_db,
    foreach_other_op_db,
    foreach_pointwise_op_db,
    foreach_reduce_op_db,
    foreach_unary_op_db,
    op_db,
)
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from harness.device import seed

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool, torch.complex64)

# Results with uninitialised memory: everything but the values is compared.
UNINITIALISED = {
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
    "resize_",
    "resize_as_",
}


_FOREACH = [
    *foreach_unary_op_db,
    *foreach_binary_op_db,
    *foreach_pointwise_op_db,
    *foreach_reduce_op_db,
    *foreach_other_op_db,
]


def name(op) -> str:
    """ "add", "div.floor_rounding": the name of the OpInfo with its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


@functools.cache
def all_ops() -> tuple:
    """Every OpInfo that the installed torch defines, by name."""
    return tuple(sorted([*op_db, *_FOREACH], key=name))


def has_out(op) -> bool:
    """The op takes out= (of a foreach op, ``supports_out`` says another thing)."""
    return op.supports_out and not op.name.startswith("_foreach_")


@functools.cache
def _index() -> dict:
    # Comparing two OpInfos compares all their fields, which is slow.
    return {id(op): i for i, op in enumerate(all_ops())}


def cases(dtypes=DTYPES) -> list[tuple]:
    """(op, dtype) for all dtypes that the op takes on the host."""
    return [(op, dtype) for op in all_ops() for dtype in dtypes if dtype in op.supported_dtypes("cpu")]


def first_dtype(op) -> torch.dtype:
    """float32 where the op takes it, else the first of DTYPES, else any."""
    supported = op.supported_dtypes("cpu")
    return next((d for d in DTYPES if d in supported), sorted(supported, key=str)[0])


# Sums of many products whose OpInfo grants nothing.
_PRODUCTS = {"_foreach_mm": (1e-4, 1e-4)}


def tolerance(op, dtype) -> tuple[float, float] | None:
    """The widest (rtol, atol) that PyTorch's own tests grant this op and dtype."""
    if op.name in _PRODUCTS:
        return _PRODUCTS[op.name]
    decorators = itertools.chain.from_iterable(getattr(d, "decorators", None) or [d] for d in op.decorators)
    found = [d.d[dtype] for d in decorators if isinstance(d, toleranceOverride) and dtype in d.d]
    return (max(t.rtol for t in found), max(t.atol for t in found)) if found else None


# A quick run never uses more samples of one op and dtype than this; some ops have over a thousand.
MANY = 24


def _picked(limit: int):
    """``limit`` rising indices: the first ones, which are the plain cases, then ever wider apart."""
    head = (limit + 1) // 2
    yield from range(head)
    index, gap = head - 1, 1
    for _ in range(limit - head):
        index, gap = index + gap, gap + 1
        yield index


def _generate(op, dtype, requires_grad: bool):
    # Not op.sample_inputs(): that one calls torch.manual_seed() before each sample, which is most of its time.
    found = op.sample_inputs_func(op, "cpu", dtype, requires_grad)
    if op.name in ("fmod", "remainder") and dtype in (torch.float16, torch.bfloat16):
        return (sample for sample in found if not _host_is_wrong(op, sample))
    return found


def _host_is_wrong(op, sample) -> bool:
    # On some processors PyTorch's own division with remainder gives NaN for tiny divisors of 16 bits.
    wide = lambda x: x.double() if isinstance(x, torch.Tensor) else x  # noqa: E731
    result, right = (op.op(f(sample.input), *map(f, sample.args), **sample.kwargs) for f in (lambda x: x, wide))
    return bool((result.isnan() & ~right.isnan()).any())


@functools.cache
def _some_samples(op_index: int, dtype, limit: int, requires_grad: bool) -> list:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = list(_picked(limit))
        every = _generate(all_ops()[op_index], dtype, requires_grad)
        found = enumerate(itertools.islice(every, wanted[-1] + 1))
        return [sample for i, sample in found if i in wanted]


def samples(op, dtype, limit: int | None = MANY, requires_grad: bool = False) -> list:
    """Sample inputs on the host, at most ``limit`` of them (None: all)."""
    seed(0)
    if limit is not None:
        return _some_samples(_index()[id(op)], dtype, limit, requires_grad)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(_generate(op, dtype, requires_grad))


def arguments(sample) -> tuple:
    """(args, kwargs) of a sample."""
    return ((sample.input, *sample.args), dict(sample.kwargs))


class _FindsRandom(TorchDispatchMode):
    found = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.found |= torch.Tag.nondeterministic_seeded in func.tags
        return func(*args, **(kwargs or {}))


@functools.cache
def _is_random(op_index: int, dtype) -> bool:
    op = all_ops()[op_index]
    samples = _some_samples(op_index, dtype, 4, False)  # made outside of the mode: making them draws numbers
    with _FindsRandom() as mode, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples:
            args, kwargs = arguments(sample)
            with contextlib.suppress(Exception):
                op.op(*args, **kwargs)
    return mode.found


def is_random(op, dtype) -> bool:
    """The op draws random numbers in one of its first samples."""
    return _is_random(_index()[id(op)], dtype)


def _sorted(op, x, *args, stable=False, **kwargs):
    """Sorting without a promise about equal elements: the elements in the place of the indices."""
    if stable:
        return op.op(x, *args, stable=stable, **kwargs)
    result = op.op(x, *args, **kwargs)
    dim = kwargs.get("dim", args[0] if args and type(args[0]) is int else -1)
    values, indices = (None, result) if isinstance(result, torch.Tensor) else result
    assert indices.dtype == torch.int64
    return values, torch.take_along_dim(x, indices, dim) if x.dim() else indices


def function(op):
    """The op as a function whose result is the same for every right implementation."""
    if op.name in ("sort", "argsort"):
        return functools.partial(_sorted, op)
    if op.name == "tensor_split":  # wants the places to split at on the host, whatever the device
        to_host = lambda a: a.cpu() if isinstance(a, torch.Tensor) else a  # noqa: E731
        return lambda x, where, *args, **kwargs: op.op(x, to_host(where), *args, **kwargs)
    return op.op


def error_inputs(op):
    """ErrorInput objects on the host; [] where the op has none."""
    if op.error_inputs_func is None:
        return []
    seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(op.error_inputs_func(op, "cpu"))


def _filled(t: torch.Tensor, dtype=None, shape=None) -> torch.Tensor:
    return torch.full(t.shape if shape is None else shape, 1, dtype=dtype or t.dtype)


def keeps_dtype(variant: str) -> bool:
    """The variant's out= tensors have the result's own dtypes."""
    return not variant.startswith("to_")


def out_variants(result):
    """Ways to give ``out=`` for a result (a tensor or a tuple of them): (name, function that makes them on the host).

    Right and wrong ones; what must happen is what the host does.
    """
    leaves = [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]
    if not leaves:
        return

    def like(make):
        return lambda: pytree.tree_map_only(torch.Tensor, make, result)

    def strided(t):
        # Every second element of a larger buffer, dimensions reversed.
        big = torch.full([2 * n for n in reversed(t.shape)], 1, dtype=t.dtype)
        return big[tuple(slice(None, None, 2) for _ in t.shape)].permute(tuple(reversed(range(t.dim()))))

    yield "exact", like(_filled)
    yield "empty", like(lambda t: torch.empty(0, dtype=t.dtype))
    yield "strided", like(strided)
    yield "resized", like(lambda t: _filled(t, shape=(*t.shape, 2)))
    if any(t.is_floating_point() for t in leaves):
        yield "to_double", like(lambda t: _filled(t, torch.float64 if t.is_floating_point() else None))
        yield "to_long", like(lambda t: _filled(t, torch.int64 if t.is_floating_point() else None))
    else:
        yield "to_float", like(lambda t: _filled(t, torch.float32))
        yield "to_byte", like(lambda t: _filled(t, torch.uint8))
