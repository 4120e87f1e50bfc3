"""The suite's own instruments: what is wrong is noticed, and what is right is not."""

import pytest
import torch
from harness import opinfo
from harness.compare import Mover, assert_same_call, assert_tensor
from harness.device import DEV

# Some have kernels for CUDA only.
_OPS = [op for op in opinfo.all_ops() if op.supported_dtypes("cpu")]


def _op(name):
    return next(op for op in opinfo.all_ops() if opinfo.name(op) == name)


def test_random_ops_are_told_apart():
    random = {opinfo.name(op) for op in _OPS if opinfo.is_random(op, opinfo.first_dtype(op))}
    assert {"bernoulli", "multinomial", "randn_like", "nn.functional.dropout", "normal"} <= random
    assert not {"add", "mm", "sum", "sort", "tensor_split", "nn.functional.softmax", "_foreach_add"} & random
    assert len(random) < 60


def test_every_op_has_samples():
    empty = [opinfo.name(op) for op in _OPS if not opinfo.samples(op, opinfo.first_dtype(op), 3)]
    assert not empty


def test_samples_repeat():
    a, b = (opinfo.arguments(opinfo.samples(_op("add"), torch.float64, None)[0]) for _ in range(2))
    assert torch.equal(a[0][0], b[0][0])


WRONG = {
    "value": lambda x: x + 1 + (x.device == DEV) * 1e-2 * _first(),
    "dtype": lambda x: x.double() if _first() else x,
    "shape": lambda x: x[None] if _first() else x,
    "strides": lambda x: x.t().contiguous().t() if _first() else x.clone(),
    "argument": lambda x: x.add_(1) * 0 if _first() else x * 0,
    "alias": lambda x: x if _first() else x.clone(),
    "error": lambda x: x.view(99) if _first() else x,
    "no error": lambda x: x if _first() else x.view(99),
    "type of error": lambda x: x.view(99) if _first() else x[99],
    "structure": lambda x: (x, x) if _first() else [x],
}
_calls = []


def _first() -> bool:
    """True for every second call: the device's (the host's comes first)."""
    _calls.append(None)
    return len(_calls) % 2 == 0


@pytest.mark.parametrize("fn", WRONG.values(), ids=WRONG)
def test_difference_is_noticed(fn):
    _calls.clear()
    with pytest.raises((AssertionError, RuntimeError)):
        assert_same_call(fn, ((torch.arange(6.0).view(2, 3),), {}))
    assert len(_calls) == 2


def test_right_call_passes():
    x = torch.arange(24.0).view(2, 3, 4)
    for fn in (lambda a, b: a + b, lambda a, b: a.add_(b), lambda a, b: (a.t(), b.view(-1)), lambda a, b: a.view(99)):
        assert_same_call(fn, ((x[0].t(), x[1].t()), {}))


def test_wrong_place_is_noticed():
    with pytest.raises(AssertionError, match="is on meta"):
        assert_tensor(torch.ones(2, device="meta"), torch.ones(2))


def test_mover_keeps_what_a_tensor_is():
    base = torch.arange(12).to(torch.complex64)
    given = [base, base[3:], base.view(3, 4).t(), base.conj(), base.conj().imag, base[:1].expand(4), torch.empty(0)]
    moved = Mover(DEV).tree(given)
    for a, b in zip(given, moved, strict=True):
        assert_tensor(b, a)
        assert b.stride() == a.stride() and b.storage_offset() == a.storage_offset()
    assert len({t.untyped_storage()._cdata for t in moved[:-1]}) == 1
    moved[0].zero_()
    assert not moved[1].cpu().any() and base.any()
