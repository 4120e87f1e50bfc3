"""Conj and neg bits: every op sees the values that the bits mean."""

import pytest
import torch
from harness import lanes
from harness.compare import assert_tree, close
from harness.device import DEV, SELF_CHECK

UNARY = [torch.exp, torch.abs, torch.angle, torch.neg, torch.sum, torch.conj, torch.clone, torch.sgn, torch.isnan]
BINARY = [torch.add, torch.mul, torch.sub, torch.div, torch.eq, torch.matmul, torch.vdot, torch.dot, torch.outer]
LANES = ["default"] if SELF_CHECK else ["default", *lanes.lanes()]


def _z():
    return torch.tensor([1 + 2j, -3 + 0.5j, -4j])


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("fn", UNARY, ids=lambda f: f.__name__)
def test_unary_on_conj(fn, lane):
    h, d = _z(), _z().to(DEV)
    with lanes.forced(lane):
        got, want = fn(d.conj()), fn(h.conj())
        assert got.is_conj() == want.is_conj()
        close(got.resolve_conj(), want.resolve_conj())
        close(d, h)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("fn", BINARY, ids=lambda f: f.__name__)
def test_binary_on_conj(fn, lane):
    h, d = _z(), _z().to(DEV)
    with lanes.forced(lane):
        for a, b in ((h.conj(), h), (h, h.conj()), (h.conj(), h.conj())):
            move = lambda t: d.conj() if t.is_conj() else d  # noqa: E731
            close(fn(move(a), move(b)).resolve_conj(), fn(a, b).resolve_conj())


@pytest.mark.parametrize("lane", LANES)
def test_neg_bit(lane):
    h = _z().conj().imag
    d = _z().to(DEV).conj().imag
    assert d.is_neg()
    with lanes.forced(lane):
        for fn in (torch.exp, torch.sum, torch.abs, lambda t: t + 1, lambda t: t @ t, lambda t: torch.cat([t, t])):
            close(fn(d).resolve_neg(), fn(h).resolve_neg())
        assert d.tolist() == h.tolist()


@pytest.mark.parametrize("lane", LANES)
def test_writes_into_conj_and_neg_views(lane):
    h, d = _z(), _z().to(DEV)
    with lanes.forced(lane):
        for t in (h, d):
            t.conj().add_(1 + 1j)
            t.conj().imag.mul_(2)
            t.conj()[1:].copy_(torch.tensor([5 + 1j, 6 - 1j]).to(t.device))
            torch.mul(t, 2, out=t.conj())
        close(d, h)


def test_matmul_of_adjoints():
    a = torch.randn(3, 4, dtype=torch.complex64)
    d = a.to(DEV)
    for fn in (
        lambda t: t.mH @ t,
        lambda t: t @ t.mH,
        lambda t: t.conj() @ t.t(),
        lambda t: torch.bmm(t[None].mH, t[None]),
    ):
        close(fn(d), fn(a), rtol=1e-4, atol=1e-4)


def test_gradients_through_bits():
    def run(t):
        t = t.detach().clone().requires_grad_()
        y = (t.conj() * t).real.sum() + t.conj().imag.square().sum() + (t.mH @ t).abs().sum()
        y.backward()
        return y, t.grad

    h = _z().view(3, 1)
    assert_tree(run(h.to(DEV)), run(h))


def test_resolve_is_lazy():
    d = _z().to(DEV)
    assert d.resolve_conj() is d and d.real.resolve_neg().data_ptr() == d.data_ptr()
    assert d.conj().resolve_conj().is_conj() is False
    assert d.conj().conj().is_conj() is False
    assert d.conj().data_ptr() == d.data_ptr()
