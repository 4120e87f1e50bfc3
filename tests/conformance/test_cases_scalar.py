"""Faults that users of other accelerator backends reported: scalars, type promotion, integer arithmetic, factories."""

import math

import pytest
import torch
from harness.compare import close, same, same_grads
from harness.device import DEV, on_device
from torch.nn import functional as F


def test_clamp_promotes():
    """Int tensor clamped with a float bound gave 0 -> result promotes to float.

    Report: pytorch/pytorch#130201, #133100 (float bound on an int tensor)
    """
    close(on_device(0).clamp(min=0.1), torch.tensor(0.1))
    close(on_device([1, 2, 3]).clamp_min(1.5), [1.5, 2.0, 3.0])
    close(on_device([1, 2, 3]).clamp(max=2), torch.tensor([1, 2, 2]))
    close(on_device([1, 5]).clamp(None, on_device([2.0, 2.0])), [1.0, 2.0])
    close(on_device([3, 9]).clamp(on_device([4, 4]), on_device([5, 5])), torch.tensor([4, 5]))


def test_scalar_is_part_of_the_call():
    """A second call with another scalar reused the first one's kernel -> each scalar counts, also 0.0 vs 1e-7, 1 vs
    1.0.

    Report: pytorch/pytorch#167767 (kernel cache ignores the scalar)
    """
    z = torch.zeros(1).to(DEV)
    for v in (0.0, 1e-7, 2.0, 1e-7, -0.0, 0.5):
        close(z.clamp(min=v), [max(v, 0.0)])
        close(z.clamp_min(v), [max(v, 0.0)])
        close(z + v, [v])
        close(torch.full((2,), v, device=DEV), [v, v])
    for v in (1, 1.0, True, 2, 2.5):
        r, w = on_device([2, 4]) * v, torch.tensor([2, 4]) * v
        close(r, w)
        close(on_device([2.0, 4.0]).pow(v), torch.tensor([2.0, 4.0]).pow(v))
        close(
            on_device([1, 2]).add(on_device([10, 20]), alpha=int(v)),
            torch.tensor([1, 2]).add(torch.tensor([10, 20]), alpha=int(v)),
        )


@pytest.mark.parametrize("dt", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_lerp_weight_dtype(dt):
    """Half lerp with a float 0-d host weight went negative -> weight cast to the compute type.

    Report: pytorch/pytorch#196067, #140601 (lerp with a weight of another dtype)
    """
    a, e = torch.zeros(3, dtype=dt).to(DEV), torch.ones(3, dtype=dt).to(DEV)
    for w in (0.25, torch.tensor(0.25), torch.tensor(0.25, dtype=torch.float64)):
        close(a.lerp(e, w), torch.full((3,), 0.25, dtype=dt))
        close(a.clone().lerp_(e, w), torch.full((3,), 0.25, dtype=dt))


def test_inplace_mul():
    """X.mul_(2.0) / q *= s raised through a helper that redispatched -> plain in-place multiply, same storage.

    Report: flagos-ai/Torch-FL#165, #259 (in-place mul re-enters itself)
    """
    for x in (
        on_device([[1.0, 2.0], [3.0, 4.0]]),
        on_device([[1.0, 9.0], [2.0, 9.0], [3.0, 9.0], [4.0, 9.0]])[:, 0].view(2, 2),
    ):
        p = x.data_ptr()
        x.mul_(2.0)
        close(x, [[2.0, 4.0], [6.0, 8.0]])
        x *= on_device(0.5)
        close(x, [[1.0, 2.0], [3.0, 4.0]])
        x *= on_device([[10.0], [1.0]])
        close(x, [[10.0, 20.0], [3.0, 4.0]])
        assert x.data_ptr() == p
    i = on_device([3])
    i *= 2
    close(i, torch.tensor([6]))
    with pytest.raises(RuntimeError):
        i *= 2.5


def test_true_division():
    """Int tensor / int scalar failed -> float result, any mix of tensor and scalar.

    Report: microsoft/DirectML#343 (true division of ints)
    """
    close(on_device([3, 4]) / 2, [1.5, 2.0])
    close(torch.div(on_device([3, 4]), on_device([2, 8])), [1.5, 0.5])
    close(1 / on_device([2, 4]), [0.5, 0.25])
    close(on_device([True, False]) / 2, [0.5, 0.0])
    close(on_device([1, 0]) / 0, [float("inf"), float("nan")])
    assert (on_device([1], torch.int32) / on_device([2], torch.int64)).dtype == torch.float32


def test_elu_all_scales():
    """Positive branch dropped scale/input_scale -> scale*x for x>0, scale*alpha*(e^(x*input_scale)-1) else.

    Report: flagos-ai/Torch-FL#165 (elu input_scale)
    """
    x = [-1.5, -0.1, 0.0, 0.7, 2.0]
    w = [2.0 * v if v > 0 else 2.0 * 0.5 * math.expm1(v * 3.0) for v in x]
    close(torch.ops.aten.elu(on_device(x), 0.5, 2.0, 3.0), w)
    close(F.celu(on_device(x), 2.0), [max(v, 2 * math.expm1(v / 2)) if v <= 0 else v for v in x])
    same_grads(lambda t: F.elu(t, 0.3), torch.tensor(x))


def test_full_special_values():
    """Overflow check rejected inf/nan and let real overflow pass -> inf/nan allowed, int overflow raises.

    Report: flagos-ai/FlagGems#1050 (full with inf/nan)
    """
    for dt in (torch.float16, torch.bfloat16, torch.float32):
        for v in (float("inf"), float("-inf"), float("nan")):
            close(torch.full((2,), v, dtype=dt, device=DEV), torch.full((2,), v, dtype=dt))
            close(torch.full_like(on_device([1.0]).to(dt), v), torch.full((1,), v, dtype=dt))
    assert (
        torch.full((2,), 3, device=DEV).dtype == torch.int64 and torch.full((2,), True, device=DEV).dtype == torch.bool
    )
    with pytest.raises(RuntimeError):
        torch.full((2,), 300, dtype=torch.int8, device=DEV).cpu()


@pytest.mark.parametrize(
    "a",
    [(0, 1, 0.1), (1.0, 2.0, 0.3), (0, 5), (5, 0, -2), (0.0, 1e-3, 1e-4), (-1, 1, 0.25), (0, 2**24 + 3, 2**22), (1, 1)],
)
def test_arange(a):
    """Arange(end=, device=, dtype=)+offset failed; element count must be ceil((end-start)/step).

    Report: artyom-beilis/pytorch_dlprim#84 (arange on device, then arithmetic)
    """
    close(torch.arange(*a, device=DEV) + 0.5, torch.arange(*a) + 0.5, rtol=1e-6, atol=1e-6)
    for dt in (torch.float16, torch.float32) + ((torch.int64,) if all(isinstance(v, int) for v in a) else ()):
        assert torch.arange(*a, dtype=dt, device=DEV).shape == torch.arange(*a, dtype=dt).shape
    o = torch.empty(0, dtype=torch.int64).to(DEV)
    torch.arange(2, 9, 3, out=o)
    close(o, [2, 5, 8])


def test_masked_fill_values():
    """Scalar value path called tensor methods -> python scalar, 0-d host and 0-d device value all work.

    Report: flagos-ai/FlagGems#266 (masked_fill with a python value)
    """
    x, m = on_device([[1.0, 2.0], [3.0, 4.0]]), on_device([True, False])
    for v in (9, 9.0, torch.tensor(9.0), on_device(9.0), True):
        close(x.masked_fill(m, v), [[float(v), 2.0], [float(v), 4.0]])
    y = on_device([[1, 2], [3, 4]])
    y.t().masked_fill_(m, -1)
    close(y, torch.tensor([[-1, -1], [3, 4]]))
    with pytest.raises(RuntimeError):
        x.masked_fill(m, torch.zeros(2).to(DEV))


def test_guarded_kernels():
    """I0, i1, bicubic, soft_margin_loss, BCE-logits asserted or missed their target -> run on this device.

    Report: flagos-ai/Torch-FL#149, #218 (kernels guarded by is_cuda / stale routes)
    """
    x = torch.tensor([-2.0, -0.5, 0.0, 1.0, 3.0])
    for f in (
        torch.i0,
        torch.special.i0e,
        torch.special.i1,
        torch.special.i1e,
        lambda t: t[None],
        lambda t: t[:, None],
        lambda t: torch.maximum(t, -t),
        lambda t: torch.zero_(t.clone()),
    ):
        same(f, x, rtol=1e-4, atol=1e-5)
    same_grads(lambda t: F.soft_margin_loss(t, t.new_tensor([1.0, -1.0, 1.0, 1.0, -1.0])), x)
    same_grads(
        lambda t: F.binary_cross_entropy_with_logits(
            t, t.new_tensor([0.0, 1.0, 1.0, 0.0, 0.5]), pos_weight=t.new_tensor(2.0)
        ),
        x,
    )
    same_grads(
        lambda t: F.interpolate(t, scale_factor=2, mode="bicubic"),
        (torch.arange(32.0) % 7).view(1, 2, 4, 4),
        rtol=1e-4,
        atol=1e-4,
    )
