"""Numbers among tensors, and integers that no float holds: as on the host, to the last bit."""

import operator

import pytest
import torch
from harness.compare import assert_same_call
from harness.device import DEV, HOSTILE, needs_device, synchronize

BIG = 2**53

# Multiplied and divided as they are: half precision holds none of them.
NUMBERS = [65536.0, 1e6, 1e-8, 1e-7, 0.1]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("op", [operator.mul, operator.truediv], ids=lambda op: op.__name__)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_numbers_are_not_rounded(dtype, op, number):
    x = torch.tensor([6e4, 3.0, 0.5, 1e-3]).to(dtype)
    on_host = torch.tensor(number)
    assert_same_call(lambda x: op(x, number), ((x,), {}), tol=(0, 0))
    assert_same_call(lambda x: op(number, x), ((x,), {}), tol=(0, 0))
    assert_same_call(lambda x: op(x, on_host), ((x,), {}), tol=(0, 0))


@pytest.mark.parametrize("number", [0.1, 65536.0, 1.00107666015625])
@pytest.mark.parametrize("fn", [torch.eq, torch.lt, torch.maximum, torch.fmod, torch.remainder, torch.add, torch.sub])
def test_numbers_are_rounded(fn, number):
    """What the host computes in half precision alone. (A number above its range is infinite there.)"""
    if number > 65504 and fn in (torch.fmod, torch.remainder):
        pytest.skip("undefined on the host: the remainder of an infinity")
    x = torch.tensor([6e4, 3.0, 0.1], dtype=torch.float16)
    assert_same_call(lambda x: fn(x, torch.tensor(number)), ((x,), {}), tol=(0, 0))


def test_gradient_of_a_scaled_loss():
    def step(device):
        x = (torch.ones(2, dtype=torch.float16) * 40000).to(device).requires_grad_()
        (x / 131072).sum().backward()
        return x.grad.cpu()

    assert torch.equal(step(DEV), step("cpu"))
    assert step(DEV).abs().min() > 0


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("fn", [torch.sort, torch.argsort])
def test_order_of_large_integers(fn, descending):
    x = (torch.arange(7) * 5 % 7) + BIG
    assert_same_call(fn, ((x,), {"stable": True, "descending": descending}))


@pytest.mark.parametrize("fn", [torch.msort, torch.cumsum, torch.cummax, torch.topk, torch.amax, torch.unique])
def test_large_integers(fn):
    x = torch.tensor([BIG + 3, BIG + 1, BIG + 2, BIG])
    extra = {torch.cumsum: (0,), torch.cummax: (0,), torch.topk: (3,)}.get(fn, ())
    assert_same_call(fn, ((x, *extra), {}))


@needs_device
def test_a_queued_error_names_its_kernel():
    if not HOSTILE:
        pytest.skip("nothing is queued")
    torch.arange(3.0, device=DEV)[torch.tensor([7], device=DEV)]
    with pytest.raises(IndexError, match=r"index\.Tensor, which was queued before: index 7 is out of bounds"):
        synchronize()
