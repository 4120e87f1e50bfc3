"""DLPack: device tensors lend their memory, and borrow, without a copy."""

import pytest
import torch
from harness.compare import close
from harness.device import DEV, SELF_CHECK, module, needs_device
from torch.utils import dlpack


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.complex64],
    ids=str,
)
def test_round_trip(dtype):
    h = torch.arange(12).view(3, 4).to(dtype)
    x = h.clone().to(DEV)
    y = dlpack.from_dlpack(dlpack.to_dlpack(x))
    assert y.device == DEV and y.dtype == dtype and y.data_ptr() == x.data_ptr()
    close(y, h)
    y.zero_()
    close(x, torch.zeros_like(h))


def test_capsule():
    x = torch.arange(4.0).to(DEV)
    capsule = dlpack.to_dlpack(x)
    y = dlpack.from_dlpack(capsule)
    assert y.device == DEV and y.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError):
        dlpack.from_dlpack(capsule)  # taken already


def test_strides_and_offsets():
    x = torch.arange(24.0).view(4, 6).to(DEV)[1:, ::2].t()
    y = dlpack.from_dlpack(dlpack.to_dlpack(x))
    assert y.stride() == x.stride() and y.data_ptr() == x.data_ptr()
    close(y, torch.arange(24.0).view(4, 6)[1:, ::2].t())


def test_memory_outlives_its_lender():
    x = torch.arange(1000.0).to(DEV)
    y = dlpack.from_dlpack(dlpack.to_dlpack(x))
    del x
    torch.full((1000,), -1.0, device=DEV)
    close(y, torch.arange(1000.0))


@needs_device
@pytest.mark.xfail(
    strict=True,
    raises=ValueError,
    reason="Tensor.__dlpack_device__ looks for the type 'privateuse1', which no renamed device has (torch <= 2.13)",
)
def test_protocol():
    x = torch.ones(1, device=DEV)
    kind, index = x.__dlpack_device__()
    assert int(kind) == 12 and index == 0  # kDLExtDev
    assert torch.from_dlpack(x).data_ptr() == x.data_ptr()


def test_refused():
    with pytest.raises((RuntimeError, BufferError)):
        torch.ones(2, device=DEV, requires_grad=True).__dlpack__()
    with pytest.raises((RuntimeError, BufferError)):
        torch.ones(2, dtype=torch.complex64, device=DEV).conj().__dlpack__()


@pytest.mark.skipif(SELF_CHECK, reason="the host has no streams")
def test_on_a_stream():
    side = module().Stream()
    with module().stream(side):
        x = torch.ones(1 << 16, device=DEV) * 3
    y = dlpack.from_dlpack(dlpack.to_dlpack(x))
    side.synchronize()
    assert (y == 3).all().item()
