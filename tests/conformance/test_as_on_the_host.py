"""Calls that a kernel could take and get wrong: each gives what it gives on the host, or the host's error.

Where PyTorch has the device itself, its own kernels serve most calls, and are what is compared with.
"""

import pytest
import torch
from harness import lanes
from harness.compare import close
from harness.device import DEV, REFERENCE


def outcome(call, device):
    """The result, or the type and first line of the error."""
    try:
        result = call(device)
        if device.type != "cpu":
            torch.accelerator.synchronize()
    except (RuntimeError, IndexError) as error:
        return type(error), str(error).splitlines()[0].replace(str(REFERENCE), str(DEV))
    return result


def check(call, lane=None):
    """On a lane behind the kernels of a device of PyTorch's, the host's outcome is right too, which may be another:
    checks are made before the lane is asked, and by the host behind it."""
    got, want = outcome(call, DEV), outcome(call, REFERENCE)
    if lane not in (None, "boxing") and REFERENCE.type != "cpu" and not alike(got, want):
        want = outcome(call, torch.device("cpu"))
    if isinstance(got, tuple) and isinstance(want, tuple) and "MKLDNN" in want[1]:
        # The host's library for convolutions, where the processor has what it needs for such dtypes, and its words.
        assert got[0] == want[0]
    elif isinstance(got, tuple) or isinstance(want, tuple):
        assert got == want
    else:
        assert got.dtype == want.dtype and got.stride() == want.stride()
        close(got, want)


def alike(got, want):
    if isinstance(got, tuple) or isinstance(want, tuple):
        return isinstance(got, tuple) and isinstance(want, tuple) and got == want
    return got.dtype == want.dtype and got.stride() == want.stride() and torch.equal(got.cpu(), want.cpu())


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (torch.float64, torch.complex64),
        (torch.int64, torch.complex64),
        (torch.int64, torch.int32),
        (torch.int32, torch.float64),
        (torch.complex64, torch.complex128),
        (torch.float16, torch.float32),
    ],
)
def test_concatenation_into_another_dtype(source, target):
    check(lambda d: torch.cat([torch.ones(2, dtype=source, device=d)], out=torch.empty(2, dtype=target, device=d)))
    check(lambda d: torch.hstack([torch.ones(2, dtype=source, device=d)], out=torch.empty(2, dtype=target, device=d)))


def test_concatenation_of_two_dtypes_into_a_third():
    def call(d):
        parts = [torch.ones(2, dtype=torch.float64, device=d), torch.ones(2, device=d)]
        return torch.cat(parts, out=torch.empty(4, dtype=torch.complex64, device=d))

    check(call)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32])
@pytest.mark.parametrize("shape", [(0,), (3,), (0, 2)])
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_permutation_into_a_tensor_of_another_size(dtype, shape):
    check(lambda d: torch.randperm(5, out=torch.empty(shape, dtype=dtype, device=d)).sort().values)


def test_permutation_of_less_than_nothing():
    check(lambda d: torch.randperm(-1, device=d))


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.int32, torch.int64, torch.float16, torch.float32, torch.complex64]
)
def test_negative_indices_are_filled(dtype):
    def last(d):
        return torch.tensor([-1], device=d)

    check(lambda d: torch.zeros(3, dtype=dtype, device=d).index_fill(0, last(d), 1))
    check(
        lambda d: torch.zeros(3, dtype=dtype, device=d).index_fill_(0, last(d), torch.ones((), dtype=dtype, device=d))
    )


@pytest.mark.parametrize("op", [torch.any, torch.all])
@pytest.mark.parametrize("out", [torch.bool, torch.uint8])
def test_whether_any_or_all_bytes_are_set(op, out):
    check(lambda d: op(torch.tensor([[0, 1]], dtype=torch.uint8, device=d), 1, out=torch.empty(0, dtype=out, device=d)))
    check(lambda d: op(torch.tensor([[0, 1]], dtype=torch.uint8, device=d)))


@pytest.mark.parametrize(("indices", "values"), [([0, 1, 2], 2), ([0, 1, 2], 3), ([1], 1)])
def test_values_that_are_put_have_to_fit(indices, values):
    check(
        lambda d: torch.zeros(4, device=d).index_put((torch.tensor(indices, device=d),), torch.ones(values, device=d))
    )


@pytest.mark.parametrize("rows", [2, 3])
def test_values_that_are_put_around_a_slice_have_to_fit(rows):
    def call(d):
        x = torch.zeros(4, 3, 2, device=d)
        x[torch.tensor([0, 1, 2], device=d), :, torch.tensor([0], device=d)] = torch.ones(rows, 1, device=d)
        return x

    check(call)


@pytest.mark.parametrize("mask", [[True, True, True, False], [False] * 4])
def test_values_that_are_put_by_a_mask_have_to_fit(mask):
    check(lambda d: torch.zeros(4, device=d).index_put((torch.tensor(mask, device=d),), torch.ones(2, device=d)))


def test_random_numbers_of_no_range():
    check(lambda d: torch.randint(5, 5, (2,), device=d))
    check(lambda d: torch.zeros(3, device=d).random_(5, 2))


# A fused kernel for each: what PyTorch composes for other dtypes is laid out otherwise on all devices but the host.
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_heads_stay_next_to_each_other(dtype):
    def call(d):
        x = torch.ones(2, 5, 3, 8, dtype=dtype, device=d).transpose(1, 2)
        return torch.nn.functional.scaled_dot_product_attention(x, x, x).transpose(1, 2).view(2, 5, 24)

    check(call)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_shifts_in_place(dtype):
    def call(d):
        x = torch.tensor([1, 2], dtype=dtype, device=d)
        x <<= 2
        x >>= 1
        return x

    check(call)


def test_scalars_of_lists_may_be_on_the_host():
    def call(d):
        x = torch.ones(2, device=d)
        return torch._foreach_addcdiv([x], [x], [x], torch.tensor([2.0]))[0]

    check(call)


@pytest.mark.parametrize(
    ("self_dtype", "other_dtype", "alpha"),
    [
        (torch.int32, torch.int32, 0.5),
        (torch.bool, torch.bool, 1),
        (torch.int32, torch.bool, 1),
        (torch.int32, torch.float32, 0.5),
    ],
)
def test_reversed_subtraction(self_dtype, other_dtype, alpha):
    check(
        lambda d: torch.rsub(
            torch.ones(3, dtype=self_dtype, device=d), torch.ones(3, dtype=other_dtype, device=d), alpha=alpha
        )
    )


def test_powers_and_floor_divisions_in_place():
    for dtype in (torch.float32, torch.float16, torch.int32):
        check(lambda d, dtype=dtype: torch.tensor([1, 2, 3], dtype=dtype, device=d).pow_(2))
        check(
            lambda d, dtype=dtype: torch.tensor([1, 2, 3], dtype=dtype, device=d).pow_(
                torch.tensor([3, 1, 2], dtype=dtype, device=d)
            )
        )
        check(lambda d, dtype=dtype: torch.tensor([7, -7, 3], dtype=dtype, device=d).floor_divide_(2))


PERMUTED = {
    "permuted": lambda t: t.permute(2, 0, 1),
    "transposed": lambda t: t.transpose(1, 2),
    "with gaps": lambda t: t.permute(1, 0, 2)[:, ::2],
}


@pytest.mark.parametrize("permuted", PERMUTED.values(), ids=PERMUTED)
@pytest.mark.parametrize("first", [(1,), (4, 1), (1, 5), (5, 1, 1)])
def test_results_of_broadcast_and_permuted_operands(first, permuted):
    """Dimensions have the order that TensorIterator gives them, whichever operand has it."""
    x = lambda d: torch.ones(first, device=d)  # noqa: E731
    y = lambda d: permuted(torch.ones(5, 4, 5, device=d))  # noqa: E731
    check(lambda d: torch.logical_or(x(d), y(d)))
    check(lambda d: torch.logical_and(y(d), x(d)))
    check(lambda d: torch.where(x(d) > 0, y(d), torch.ones(1, device=d)))
    check(lambda d: torch.where(y(d) > 0, x(d), y(d)))


def _empty(*sizes, dtype=torch.float32):
    return lambda d: torch.zeros(sizes, dtype=dtype, device=d)


# No kernel runs for these, on any lane: the host's checks have to be made nevertheless.
WITHOUT_ELEMENTS = {
    "mm of two dtypes": (torch.mm, _empty(0, 3), _empty(3, 2, dtype=torch.int64)),
    "linear of two dtypes": (torch.nn.functional.linear, _empty(0, 3), _empty(2, 3, dtype=torch.float64)),
    "condition of floats": (torch.where, _empty(0), _empty(0), _empty(0)),
    "mask of floats": (lambda x, m: x.masked_fill_(m, 1.0), _empty(0), _empty(0)),
    "mask of more dimensions": (lambda x, m: x.masked_fill_(m, 1.0), _empty(0), _empty(0, 3, dtype=torch.bool)),
    "logic of more dimensions": (lambda x, y: x.logical_and_(y), _empty(0), _empty(0, 3)),
    "order of complex numbers": (torch.lt, _empty(0, dtype=torch.complex64), _empty(0, dtype=torch.complex64)),
    "rows by floats": (torch.embedding, _empty(3, 3), _empty(0)),
    "dimension twice": (lambda x: torch.flip(x, (0, 0)), _empty(0, 2)),
    "normalized shape": (lambda x: torch.layer_norm(x, (4,)), _empty(0, 3)),
    "channels and groups": (lambda x: torch.native_group_norm(x, None, None, 0, 3, 2, 2, 1e-5), _empty(0, 3, 2)),
    "bits of floats": (torch.bitwise_not, _empty(0)),
    "index of floats": (lambda x, i: torch.index_select(x, 0, i), _empty(0, 3), _empty(0)),
}


@pytest.mark.parametrize("case", WITHOUT_ELEMENTS.values(), ids=WITHOUT_ELEMENTS)
def test_what_is_wrong_without_elements_is_wrong(case):
    call, *operands = case
    for _ in range(2):
        assert isinstance(outcome(lambda d: call(*(x(d) for x in operands)), torch.device("cpu")), tuple)
        check(lambda d: call(*(x(d) for x in operands)))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_integers_are_counted_as_devices_count_them(dtype):
    """The host's histc refuses integers, CUDA's takes them (transformers' mixture of experts counts on it)."""
    experts = torch.tensor([7, 0, 3, 3, 1, 7, 7, 2], dtype=dtype)
    want = torch.bincount(experts.long(), minlength=8).to(dtype)
    for _ in range(2):
        got = torch.histc(experts.to(DEV), bins=8, min=0, max=7)
        assert got.dtype == dtype
        close(got, want)
    out = torch.empty(0, dtype=dtype, device=DEV)
    assert torch.histc(experts.to(DEV), bins=8, min=0, max=7, out=out) is out
    close(out, want)
    with pytest.raises(RuntimeError, match="have to be the same"):
        torch.histc(experts.to(DEV), bins=8, out=torch.empty(8, device=DEV))


def test_quantized_tensors_are_refused():
    with pytest.raises(NotImplementedError, match=r"Quantize on the CPU, or with torch\.fake_quantize"):
        torch.quantize_per_tensor(torch.rand(3).to(DEV), 0.1, 0, torch.qint8)


def test_strided_statistics_are_updated():
    """A kernel that wants its arguments contiguous writes into a copy, which is the caller's."""

    def call(d):
        mean, variance = torch.zeros(3, 2, device=d)[:, 0], torch.ones(3, 2, device=d)[:, 1]
        x = torch.arange(24.0).view(2, 3, 4).to(d)
        torch.nn.functional.batch_norm(x, mean, variance, training=True, momentum=0.3)
        return torch.stack([mean, variance])

    for _ in range(2):
        check(call)


WRONG = {
    "uniform to infinity": lambda d: torch.ones(4, device=d).uniform_(0, float("inf")),
    "uniform beyond half": lambda d: torch.ones(4, device=d, dtype=torch.float16).uniform_(-1e6, 1e6),
    "uniform too wide": lambda d: torch.ones(4, device=d).uniform_(-3e38, 3e38),
    "uniform backwards": lambda d: torch.ones(4, device=d).uniform_(3, 1),
    "uniform nan": lambda d: torch.ones(4, device=d).uniform_(float("nan"), 1),
    "k too large": lambda d: torch.ones(3, device=d).kthvalue(4),
    "k of nothing": lambda d: torch.ones(3, device=d).kthvalue(0),
    "trace of a line": lambda d: torch.ones(3, device=d).trace(),
    "flip of what is not there": lambda d: torch.ones(3, device=d).flip((0, 1)),
    "flip twice": lambda d: torch.ones(3, 3, device=d).flip((0, 0)),
    "fill along what is not there": lambda d: torch.ones(3, device=d).index_fill(5, torch.tensor([0], device=d), 2.0),
    "places below zero": lambda d: torch.nonzero_static(torch.ones(3, device=d), size=-1),
    "bias that does not fit": lambda d: torch.addmm(*(torch.ones(s, device=d) for s in ((3, 3), (2, 2), (2, 3)))),
    "geometric of what is certain": lambda d: torch.ones(4, device=d).geometric_(1),
    "geometric of what never is": lambda d: torch.ones(4, device=d).geometric_(0),
    "cauchy without a width": lambda d: torch.ones(4, device=d).cauchy_(0, 0),
    "log_normal without a width": lambda d: torch.ones(4, device=d).log_normal_(0, -1),
    "layer norm with another weight": lambda d: torch.layer_norm(torch.ones(3, 4, device=d), (4,), _ones(d, 3)),
    "layer norm with another bias": lambda d: torch.layer_norm(
        torch.ones(3, 4, device=d), (4,), _ones(d, 4), _ones(d, 3)
    ),
    "half that cannot hold it": lambda d: torch.zeros(2, device=d, dtype=torch.float16).fill_(1e6),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_before_a_kernel_runs(call):
    for _ in range(2):
        assert isinstance(outcome(call, torch.device("cpu")), tuple)
        check(call)


# Of two tensors of different dtypes, which `a(shape)` and `b(shape)` make.
PRODUCTS = {
    "mm": lambda a, b: torch.mm(a(2, 3), b(3, 2)),
    "mm without rows": lambda a, b: torch.mm(a(0, 3), b(3, 2)),
    "bmm": lambda a, b: torch.bmm(a(2, 2, 3), b(2, 3, 2)),
    "addmm": lambda a, b: torch.addmm(a(2, 2), a(2, 3), b(3, 2)),
    "addmm, the first factor": lambda a, b: torch.addmm(a(2, 2), b(2, 3), a(3, 2)),
    "addmm, what is added": lambda a, b: torch.addmm(b(2, 2), a(2, 3), a(3, 2)),
    "addmm_": lambda a, b: a(2, 2).addmm_(a(2, 3), b(3, 2)),
    "baddbmm": lambda a, b: torch.baddbmm(a(2, 2, 2), a(2, 2, 3), b(2, 3, 2)),
    "baddbmm, what is added": lambda a, b: torch.baddbmm(b(2, 2, 2), a(2, 2, 3), a(2, 3, 2)),
    "addbmm": lambda a, b: torch.addbmm(a(2, 2), a(2, 2, 3), b(2, 3, 2)),
    "dot": lambda a, b: torch.dot(a(3), b(3)),
    "vdot": lambda a, b: torch.vdot(a(3), b(3)),
    "mv": lambda a, b: torch.mv(a(2, 3), b(3)),
    "addmv": lambda a, b: torch.addmv(b(2), a(2, 3), a(3)),
    "outer, which promotes": lambda a, b: torch.outer(a(2), b(3)),
    "linear": lambda a, b: torch.nn.functional.linear(a(2, 3), b(2, 3)),
    "conv2d": lambda a, b: torch.conv2d(a(1, 1, 3, 3), b(1, 1, 3, 3)),
}
DTYPES = [(torch.float16, torch.bfloat16), (torch.float32, torch.float64), (torch.int64, torch.float32)]


@pytest.mark.parametrize("lane", lanes.lanes())
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_two_dtypes(name, lane):
    """PyTorch refuses them, as do its kernels: so does each lane, whether or not its kernel could."""
    with lanes.forced(lane):
        for dtypes in (*DTYPES, *(pair[::-1] for pair in DTYPES)):

            def call(d, dtypes=dtypes):
                of = lambda dtype: lambda *shape: torch.ones(shape, dtype=dtype, device=d)  # noqa: E731
                return PRODUCTS[name](*map(of, dtypes))

            check(call, lane)


@pytest.mark.parametrize("lane", lanes.lanes())
def test_both_kinds_of_halves_make_float32(lane):
    """With the values of float32: halves overflow where bfloat16 does not, and round what bfloat16 gave exactly."""
    a, b = torch.tensor([1.0, 3.0, 0.1, 60000.0]).half(), torch.tensor([1e10, 2.0, 3.0, 1e5]).bfloat16()
    with lanes.forced(lane):
        for op in (torch.mul, torch.add, torch.sub, torch.div, torch.maximum):
            check(lambda d, op=op: op(a.to(d), b.to(d)))
            check(lambda d, op=op: op(b.to(d), a.to(d)))
        check(lambda d: torch.where(torch.tensor([True, False, True, False], device=d), a.to(d), b.to(d)))
        check(lambda d: a.to(d).clone().mul_(b.to(d)))


aten = torch.ops.aten
# What PyTorch's kernels refuse by themselves, behind no function of shapes: core refuses it before a row is asked.
REFUSED = {
    "dilation of 0": lambda d: torch.conv2d(_ones(d, 1, 1, 5, 5), _ones(d, 1, 1, 3, 3), dilation=0),
    "dilation of 0 in one dimension": lambda d: torch.conv1d(_ones(d, 1, 1, 5), _ones(d, 1, 1, 3), dilation=0),
    "dilation of 0, the second one": lambda d: torch.conv2d(
        _ones(d, 1, 1, 5, 5), _ones(d, 1, 1, 3, 3), dilation=(1, 0)
    ),
    "dilation of 0, the gradient": lambda d: aten.convolution_backward(
        _ones(d, 1, 1, 3, 3),
        _ones(d, 1, 1, 5, 5),
        _ones(d, 1, 1, 3, 3),
        None,
        [1, 1],
        [0, 0],
        [0, 0],
        False,
        [0, 0],
        1,
        [True, True, False],
    )[0],
    **{
        f"group norm of counts {counts}": lambda d, counts=counts: aten.native_group_norm(
            _ones(d, 2, 4, 3), None, None, *counts, 1e-5
        )[0]
        for counts in ((3, 4, 3, 2), (2, 6, 3, 2), (2, 4, 4, 2), (2, 4, 3, 3), (2, 4, 3, 0), (2, 4, 3, -2))
    },
    "group norm with another weight": lambda d: aten.native_group_norm(
        _ones(d, 2, 4, 3), _ones(d, 3), None, 2, 4, 3, 2, 1e-5
    )[0],
    "the gradient of group norm of other counts": lambda d: aten.native_group_norm_backward(
        _ones(d, 2, 4, 3),
        _ones(d, 2, 4, 3),
        _ones(d, 2, 2),
        _ones(d, 2, 2),
        _ones(d, 4),
        3,
        4,
        3,
        2,
        [True, False, False],
    )[0],
    "roll of nothing": lambda d: torch.roll(_ones(d, 0, 3), [1], [1]),
    "roll of nothing by nothing": lambda d: torch.roll(_ones(d, 0, 3), [], []),
    "roll of nothing along too few dimensions": lambda d: torch.roll(_ones(d, 0, 3), [1, 2], [1]),
    "roll along too few dimensions": lambda d: torch.roll(_ones(d, 2, 3), [1, 2], []),
    "roll along no dimension of it": lambda d: torch.roll(_ones(d, 2, 3), [1], [5]),
    **{
        f"{name} into what it reads": lambda d, call=call: _into_its_own(d, call)
        for name, call in {
            "msort": lambda x, out: torch.msort(x, out=out),
            "sort": lambda x, out: torch.sort(x, out=(out, torch.empty(0, dtype=torch.int64, device=x.device))),
            "topk": lambda x, out: torch.topk(x, 4, out=(out, torch.empty(0, dtype=torch.int64, device=x.device))),
            "cumsum": lambda x, out: torch.cumsum(x, 0, out=out),
            "where": lambda x, out: torch.where(x > 1, x, x, out=out),
            "flip": lambda x, out: aten.flip.out(x, [0], out=out),
        }.items()
    },
    "masked_select, another size": lambda d: _ones(d, 3).masked_select(_ones(d, 4) > 0),
    "masked_select by numbers": lambda d: _ones(d, 3).masked_select(_ones(d, 3)),
    "masked_scatter_, another size": lambda d: _ones(d, 3).masked_scatter_(_ones(d, 4) > 0, _ones(d, 9)),
    "masked_scatter_, another dtype": lambda d: _ones(d, 3).masked_scatter_(_ones(d, 3) > 0, _ones(d, 9).long()),
    "masked_scatter_ by numbers": lambda d: _ones(d, 3).masked_scatter_(_ones(d, 3), _ones(d, 9)),
    **{
        f"index_put_, {name}{', added up' if accumulate else ''}": lambda d, call=call, accumulate=accumulate: call(
            d, accumulate
        )
        for accumulate in (False, True)
        for name, call in {
            "too many indices": lambda d, add: _ones(d, 4).index_put_([_places(d, 0)] * 2, _ones(d), add),
            "an index of a number": lambda d, add: _ones(d).index_put_([_places(d, 0)], _ones(d), add),
            "indices of two sizes": lambda d, add: _ones(d, 3, 3).index_put_(
                [_places(d, 0, 1, 2), _places(d, 0, 1)], _ones(d), add
            ),
            "indices that are numbers": lambda d, add: _ones(d, 3).index_put_([_ones(d, 2)], _ones(d), add),
            "another dtype": lambda d, add: _ones(d, 3).index_put_([_places(d, 0)], _ones(d).long(), add),
            "what is read there": lambda d, add: (lambda x: x.index_put_([_places(d, 0)], x[:1], add))(_ones(d, 3)),
        }.items()
    },
    "an indexed dimension that is not there": lambda d: aten.index(_ones(d, 3), [_places(d, 0)] * 2),
    "index_select, two of a number": lambda d: _ones(d).index_select(0, _places(d, 0, 0)),
    "index_select, none of a number": lambda d: _ones(d).index_select(0, _places(d)),
    "index_fill_ by int32": lambda d: _ones(d, 3).index_fill_(0, _places(d, 0).int(), 9.0),
    "index_fill_ by a matrix": lambda d: _ones(d, 3).index_fill_(0, _places(d, 0)[None], 9.0),
    "index_fill_ with a complex number": lambda d: _ones(d, 3).index_fill_(0, _places(d, 0), 9j),
    "index_fill_ with what it writes": lambda d: (lambda x: x.index_fill_(0, x, 1))(_places(d, 0, 1)),
    "the gradient of embedding, another size": lambda d: aten.embedding_dense_backward(
        _ones(d, 3, 4), _places(d, 0, 1), 5, -1, False
    ),
    "more numbers than float16 tells apart": lambda d: torch.randperm(3000, dtype=torch.float16, device=d),
    "more numbers than float16 has": lambda d: torch.randperm(70000, dtype=torch.float16, device=d),
    "more numbers than uint8 has": lambda d: torch.randperm(257, dtype=torch.uint8, device=d),
    **{
        f"{op.__name__} over a dimension twice": lambda d, op=op: op(_ones(d, 2, 3), (0, -2))
        for op in (torch.var, torch.std, torch.sum, torch.amax, torch.any, torch.all)
    },
}


def _ones(device, *shape):
    return torch.ones(shape, device=device)


def _places(device, *numbers):
    return torch.tensor(numbers, dtype=torch.int64, device=device)


def _into_its_own(device, call):
    memory = torch.tensor([3.0, 1.0, 2.0, 5.0, 4.0, 0.0]).to(device)
    call(memory[:4], memory[1:5])
    return memory


@pytest.mark.parametrize("lane", lanes.lanes())
@pytest.mark.parametrize("case", REFUSED)
def test_what_kernels_refuse_is_refused(case, lane):
    with lanes.forced(lane):
        check(REFUSED[case], lane)


@pytest.mark.parametrize("lane", lanes.lanes())
def test_a_bias_of_another_size(lane):
    """PyTorch 2.13 names the weight's shape in its place."""
    with lanes.forced(lane), pytest.raises(RuntimeError, match="Expected bias to be a vector of size equal"):
        aten.native_group_norm(_ones(DEV, 2, 4, 3), None, _ones(DEV, 2, 2), 2, 4, 3, 2, 1e-5)


@pytest.mark.parametrize("lane", lanes.lanes())
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("name", ["any", "all", "sum", "mean", "amax", "amin", "var", "std", "nansum", "norm"])
def test_dims_of_an_empty_list(name, keepdim, lane):
    """To any and all they are none of the dimensions, to every other reduction all of them."""
    op = torch.linalg.vector_norm if name == "norm" else getattr(torch, name)
    values = torch.tensor([[0.0, 1.0, 2.0], [3.0, 0.0, 5.0]])
    with lanes.forced(lane):
        for x in (values, values.t(), values[0, 1]):
            check(lambda d, x=x: op(x.to(d), dim=[], keepdim=keepdim), lane)
        if name in ("any", "all"):
            out = lambda d: torch.empty(0, dtype=torch.bool, device=d)  # noqa: E731
            check(lambda d: op(values.to(d), dim=[], keepdim=keepdim, out=out(d)), lane)
            check(lambda d: op(values.to(d), dim=None, keepdim=keepdim), lane)


# In place, of what some elements are written. `at` are places along the first dimension, `mask` is of self's shape.
PARTS = {
    "masked_fill_": lambda x, mask, at, values: x.masked_fill_(mask, 9),
    "masked_fill_ with a tensor": lambda x, mask, at, values: x.masked_fill_(mask, values[0, 0]),
    "masked_scatter_": lambda x, mask, at, values: x.masked_scatter_(mask, values),
    "masked_scatter_ nowhere": lambda x, mask, at, values: x.masked_scatter_(mask & ~mask, values),
    "masked_scatter_ of columns": lambda x, mask, at, values: x.masked_scatter_(mask[0], values.repeat(2, 1)),
    "index_fill_": lambda x, mask, at, values: x.index_fill_(0, at, 9),
    "index_copy_": lambda x, mask, at, values: x.index_copy_(0, at, values[:2]),
    "index_add_": lambda x, mask, at, values: x.index_add_(0, at, values[:2]),
    "index_put_": lambda x, mask, at, values: x.index_put_((at,), values[:2]),
    "index_put_, added up": lambda x, mask, at, values: x.index_put_((at,), values[:2], accumulate=True),
    "index_put_ by a mask": lambda x, mask, at, values: x.index_put_((mask,), values[0, 0]),
    "scatter_": lambda x, mask, at, values: x.scatter_(0, at[:, None], values),
    "scatter_ of a number": lambda x, mask, at, values: x.scatter_(0, at[:, None], 9),
    "scatter_add_": lambda x, mask, at, values: x.scatter_add_(0, at[:, None], values),
    "put_": lambda x, mask, at, values: x.put_(at, values[0, :2]),
    "copy_ to a part": lambda x, mask, at, values: x[:2].copy_(values[:2]),
}
# Tensors of 3 by 4, and the memory that they lie in.
TARGETS = {
    "dense": lambda: (x := torch.arange(1, 13).view(3, 4), x),
    "transposed": lambda: (x := torch.arange(1, 13).view(4, 3), x.t()),
    "with gaps": lambda: (x := torch.arange(1, 31).view(3, 10), x[:, 1:9:2]),
    "turned, with gaps": lambda: (x := torch.arange(1, 41).view(8, 5), x[::2, 1:4].t()),
}
KINDS = [torch.float32, torch.float16, torch.int64, torch.bool, torch.complex64]


@pytest.mark.parametrize("lane", lanes.lanes())
@pytest.mark.parametrize("dtype", KINDS, ids=lambda d: str(d).removeprefix("torch."))
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", PARTS)
def test_elements_that_are_not_written_stay(op, target, dtype, lane):
    mask = torch.tensor([[True, False, True, False], [False, True, True, False], [True, True, False, True]])

    def call(d):
        memory, x = TARGETS[target]()
        on_it = memory.to(dtype).to(d)
        view = torch.as_strided(on_it, x.shape, x.stride(), x.storage_offset())
        values = torch.arange(20, 32).view(3, 4).to(dtype).to(d)
        PARTS[op](view, mask.to(d), torch.tensor([2, 0], device=d), values)
        return on_it

    with lanes.forced(lane):
        for _ in range(2):
            check(call, lane)


@pytest.mark.parametrize("lane", lanes.lanes())
@pytest.mark.parametrize("part", ["real", "imag"])
def test_elements_of_a_part_of_complex_numbers_stay(part, lane):
    def call(d):
        z = torch.arange(6.0).to(d).view(2, 3) * (1 + 2j)
        mask = torch.tensor([[True, False, True], [False, True, True]], device=d)
        getattr(z, part).masked_scatter_(mask, torch.arange(20.0, 26.0, device=d))
        getattr(z, part).masked_fill_(~mask, -1)
        return z

    with lanes.forced(lane):
        check(call, lane)


# Of two tensors of which one is of half precision. The other, rounded to it, has another result.
MIXED = {
    "remainder": lambda a, b: torch.remainder(b, a * 0 + 2),
    "fmod": lambda a, b: torch.fmod(b, a * 0 + 2),
    "hypot": torch.hypot,
    "atan2": lambda a, b: torch.atan2(a * 60000, b),
    "pow": lambda a, b: torch.pow(-a, b),
    "xlogy": torch.xlogy,
    "copysign": lambda a, b: torch.copysign(b, -a),
    "fmax": torch.fmax,
    "fmin": lambda a, b: torch.fmin(a * 60000, b),
    "clamp": lambda a, b: torch.clamp(b, a, a * 60000),
    "add": torch.add,
    "mul": torch.mul,
    "maximum": torch.maximum,
}


# Kernels of packages convert to float32 what they load, and keep what half precision would lose.
ROUNDING = [lane for lane in lanes.lanes() if lane not in lanes.PACKAGES]


@pytest.mark.parametrize("lane", ROUNDING)
@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("name", MIXED)
def test_what_stands_beside_a_half_is_rounded_to_it(name, half, lane):
    whole = torch.tensor([257, 2049, 2051, 4099, 70000, -70000, 7])
    numbers = (n.to(dtype) for n in whole for dtype in (torch.float32, torch.float64, torch.int64))
    others = [whole, whole.int(), *numbers]
    if half is torch.bfloat16:
        others += [torch.tensor(n, dtype=torch.float16) for n in (257.0, 2049.0)]
    with lanes.forced(lane):
        for other in others:
            check(lambda d, other=other: MIXED[name](torch.full((7,), 2.0, dtype=half, device=d), other.to(d)), lane)


@pytest.mark.parametrize("lane", ROUNDING)
@pytest.mark.parametrize("name", ["tan", "exp2", "log2", "asinh", "erfc", "lgamma", "sin", "log"])
def test_whole_numbers_are_rounded_to_a_default_of_half_precision(name, lane):
    whole = torch.tensor([2049, 2051, 4099, 10001])
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float16)
    try:
        with lanes.forced(lane):
            check(lambda d: getattr(torch, name)(whole.to(d)), lane)
    finally:
        torch.set_default_dtype(before)


@pytest.mark.parametrize("lane", lanes.lanes())
@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("largest", [True, False])
def test_the_largest_of_a_number(k, largest, lane):
    if k == 0 and REFERENCE.type != "cpu" and lane in ("boxing", *lanes.PACKAGES):
        pytest.skip("the kernels of PyTorch's device write neither result")
    with lanes.forced(lane):
        check(lambda d: torch.tensor(7.0, device=d).topk(k, largest=largest)[0], lane)
        check(lambda d: torch.tensor(7.0, device=d).topk(k, largest=largest)[1], lane)


@pytest.mark.parametrize("lane", lanes.lanes())
def test_indices_that_make_more_dimensions_than_a_kernel_takes(lane):
    """A kernel that has only so many leaves the call to the next lane."""
    with lanes.forced(lane):
        at = torch.zeros(1, 2, 2, dtype=torch.int64)
        for accumulate in (False, True):
            # Which of several values stays at one place is open.
            for value in (torch.tensor(5.0), torch.arange(4.0).view(2, 2, *[1] * 6))[: 1 + accumulate]:

                def call(d, value=value, accumulate=accumulate):
                    x = torch.zeros([2] * 7, device=d)
                    return x.index_put_((at.to(d),), value.to(d), accumulate)

                check(call, lane)
        check(lambda d: torch.arange(128.0, device=d).view([2] * 7)[at.to(d)], lane)
        check(lambda d: torch.zeros([2] * 8, device=d).index_put_((at[0].to(d),), torch.ones(1, device=d)), lane)
        check(lambda d: torch.zeros([2] * 8, device=d)[:, at[0].to(d)], lane)
