"""out=: the op's own size rule and PyTorch's warning, dtype and device checks, overlap; all of it on a plan hit too."""

import warnings

import pytest
import torch
from harness.compare import close
from harness.device import DEV, index, needs_device, needs_two_devices


def _x():
    return torch.arange(6.0).view(2, 3).to(DEV)


# A structured op, one with a reduction, one that is not structured, one with two outputs, one that boxes.
OPS = {
    "add": lambda x, out: torch.add(x, 1.0, out=out),
    "mul": lambda x, out: torch.mul(x, x, out=out),
    "exp": lambda x, out: torch.exp(x, out=out),
    "sum": lambda x, out: torch.sum(x, 1, out=out),
    "mm": lambda x, out: torch.mm(x, x.t(), out=out),
    "cat": lambda x, out: torch.cat([x, x], out=out),
    "index_select": lambda x, out: torch.index_select(x, 1, torch.tensor([0, 2], device=x.device), out=out),
    "gather": lambda x, out: torch.gather(x, 1, torch.zeros(2, 2, dtype=torch.int64, device=x.device), out=out),
    "where": lambda x, out: torch.where(x > 1, x, -x, out=out),
    "cumsum": lambda x, out: torch.cumsum(x, 1, out=out),
    "sigmoid": lambda x, out: torch.sigmoid(x, out=out),
    "softmax": lambda x, out: torch.softmax(x, 1, out=out),
    "tril": lambda x, out: torch.tril(x, out=out),
    "lerp": lambda x, out: torch.lerp(x, x + 1, 0.5, out=out),
    "clamp": lambda x, out: torch.clamp(x, 1, 3, out=out),
    "pow": lambda x, out: torch.pow(x, 2, out=out),
}
both_ways = pytest.mark.parametrize("op", OPS.values(), ids=OPS)


def _want(op):
    h = torch.arange(6.0).view(2, 3)
    return op(h, torch.empty(0))


def _quiet(op, x, out):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return op(x, out)


@both_ways
def test_right_size(op):
    want = _want(op)
    out = torch.full_like(want, -1).to(DEV)
    p = out.data_ptr()
    for _ in range(3):
        assert op(_x(), out) is out and out.data_ptr() == p
        close(out, want)


@both_ways
def test_empty_is_resized_quietly(op):
    for _ in range(2):
        out = torch.empty(0, device=DEV)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            op(_x(), out)
        close(out, _want(op))


@both_ways
def test_wrong_size_is_resized_with_a_warning(op):
    want = _want(op)
    op(_x(), torch.empty_like(want, device=DEV))  # a plan of the valid call
    for _ in range(2):  # with a new plan, and with it
        out = torch.empty(7, device=DEV)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            op(_x(), out)
        assert [w.category for w in warned] == [UserWarning] and "was resized" in str(warned[0].message)
        close(out, want)


@both_ways
def test_larger_storage_is_used(op):
    want = _want(op)
    buffer = torch.full((100,), -1.0, device=DEV)
    out = buffer[:0]
    p = buffer.data_ptr()
    _quiet(op, _x(), out)
    close(out, want)
    assert out.data_ptr() == p and buffer[0].item() == out.flatten()[0].item()


@both_ways
def test_strided_keeps_gaps(op):
    want = _want(op)
    shape = [2 * n for n in want.shape]
    buffer = torch.full(shape, -7.0, device=DEV)
    out = buffer[tuple(slice(1, None, 2) for _ in shape)]
    strides = out.stride()
    for _ in range(2):
        assert op(_x(), out) is out and out.stride() == strides
    host = torch.full(shape, -7.0)
    host[tuple(slice(1, None, 2) for _ in shape)] = want
    close(buffer, host)


@both_ways
def test_transposed(op):
    want = _want(op)
    out = torch.empty(want.shape[::-1], device=DEV).permute(*range(want.dim() - 1, -1, -1))
    strides = out.stride()
    op(_x(), out)
    assert out.stride() == strides
    close(out, want)


@both_ways
@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int64, torch.complex64], ids=str)
def test_other_dtype(op, dtype):
    """What the host does: a cast where it is safe, else an error; on a plan hit as well."""
    want, host, refusal = _want(op), None, None
    op(_x(), torch.empty_like(want, device=DEV))
    try:
        host = _quiet(op, torch.arange(6.0).view(2, 3), torch.zeros(want.shape, dtype=dtype))
    except (RuntimeError, TypeError) as error:
        refusal = type(error)
    out = torch.zeros(want.shape, dtype=dtype, device=DEV)
    for _ in range(2):
        if host is None:
            with pytest.raises(refusal):
                op(_x(), out)
            assert not out.cpu().any()
        else:
            op(_x(), out)
            close(out, host)


@needs_device
@both_ways
def test_other_device(op):
    """A result for the host, and host arguments for a device result, are refused; on a plan hit as well."""
    want = _want(op)
    out = torch.empty_like(want, device=DEV)
    op(_x(), out)
    host = torch.zeros(want.shape)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="device"):
            op(_x(), host)
        with pytest.raises(RuntimeError, match="device"):
            op(_x().cpu(), out)
    assert not host.any()
    close(op(_x(), out), want)


@needs_two_devices
@both_ways
def test_two_devices(op):
    want = _want(op)
    op(_x(), torch.empty_like(want, device=DEV))
    with pytest.raises(RuntimeError, match="device"):
        op(_x(), torch.empty_like(want, device=index(1)))


def test_overlap_with_an_argument():
    """A result that shares part of its memory with an argument is refused where the host refuses it."""
    x = torch.arange(8.0, device=DEV)
    torch.add(x[:-1], x[:-1].clone(), out=x[1:].clone())  # the same signature without the overlap
    for _ in range(2):
        with pytest.raises(RuntimeError, match="unsupported operation"):
            torch.add(x[:-1], 1.0, out=x[1:])
        with pytest.raises(RuntimeError, match="unsupported operation"):
            torch.exp(x[:-1], out=x[1:])
        with pytest.raises(RuntimeError, match="unsupported operation"):
            x[1:].mul_(x[:-1])
        with pytest.raises(RuntimeError, match="unsupported operation"):
            torch.cat([x[:2], x[2:4]], out=x[1:5])
    close(x, torch.arange(8.0))
    torch.add(x, 1.0, out=x)
    close(x, torch.arange(8.0) + 1)
    assert torch.mul(x, x, out=x) is x
    close(x, (torch.arange(8.0) + 1) ** 2)


def test_overlap_inside_the_result():
    x = torch.zeros(1, device=DEV)
    y = torch.ones(3, device=DEV)
    torch.add(y, 1.0, out=torch.empty(3, device=DEV))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="more than one element"):
            torch.add(y, 1.0, out=x.expand(3))
        with pytest.raises(RuntimeError, match="more than one element"):
            x.expand(3).add_(y)
    close(x, [0.0])


def test_two_results():
    x = _x()
    values, indices = torch.empty(0, device=DEV), torch.empty(0, dtype=torch.int64, device=DEV)
    r = torch.max(x, 1, out=(values, indices))
    assert r[0] is values and r[1] is indices
    close(values, [2.0, 5.0])
    close(indices, torch.tensor([2, 2]))
    torch.sort(x, 1, descending=True, out=(values.resize_(0), indices.resize_(0)))
    close(values, [[2.0, 1.0, 0.0], [5.0, 4.0, 3.0]])
    with pytest.raises(RuntimeError):
        torch.max(x, 1, out=(torch.empty(2, device=DEV), torch.empty(2, device=DEV)))  # indices are int64


def test_requires_grad_is_refused():
    x = _x()
    torch.add(x, 1, out=torch.empty_like(x))
    with pytest.raises(RuntimeError, match="grad"):
        torch.add(x.requires_grad_(), 1, out=torch.empty(2, 3, device=DEV))


def test_in_place_dtype_and_shape():
    i = torch.arange(3, device=DEV)
    i.add_(1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="cast"):
            i.add_(1.5)
        with pytest.raises(RuntimeError):
            i.add_(torch.ones(2, 3, dtype=torch.int64, device=DEV))
    close(i, torch.tensor([1, 2, 3]))


def test_dynamic_result():
    x = torch.tensor([0, 1, 0, 2], device=DEV)
    out = torch.empty(0, dtype=torch.int64, device=DEV)
    assert torch.nonzero(x, out=out) is out
    close(out, torch.tensor([[1], [3]]))
    close(torch.masked_select(x, x > 0, out=torch.empty(0, dtype=torch.int64, device=DEV)), torch.tensor([1, 2]))


OVERLAPPING = {
    "add": lambda a, out: torch.add(a, 1, out=out),
    "abs": lambda a, out: torch.abs(a, out=out),
    "exp": lambda a, out: torch.exp(a, out=out),
    "cumsum": lambda a, out: torch.cumsum(a, 0, out=out),
    "where": lambda a, out: torch.where(a > 0, a, a, out=out),
    "index_select": lambda a, out: torch.index_select(a, 0, torch.arange(5, device=a.device), out=out),
    "in place": lambda a, out: out.add_(a),
}


@pytest.mark.parametrize("call", OVERLAPPING.values(), ids=OVERLAPPING)
def test_overlap_is_told_where_a_plan_is_there(call):
    """Two parts of one storage: apart they are fine, and the next call of the same shapes is not."""
    b = torch.arange(10.0, device=DEV)
    call(b[:5], b[5:])
    with pytest.raises(RuntimeError, match="unsupported operation: some elements of the input tensor"):
        call(b[:5], b[1:6])
    call(b[:5], b[5:])


def test_overlap_with_a_later_argument_is_told():
    b = torch.arange(15.0, device=DEV)
    torch.add(b[:5], b[5:10], out=b[10:])
    with pytest.raises(RuntimeError, match="unsupported operation: some elements of the input tensor"):
        torch.add(b[:5], b[7:12], out=b[10:])
