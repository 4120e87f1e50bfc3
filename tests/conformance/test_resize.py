"""resize_, resize_as_ and resizing of storages: the old elements stay, and move on the device."""

import pytest
import torch
from harness.compare import assert_same_call, close
from harness.device import DEV, index, module, needs_device, needs_two_devices


@pytest.mark.parametrize("dtype", [torch.bool, torch.int16, torch.float32, torch.float64, torch.complex64], ids=str)
def test_growing_keeps_elements(dtype):
    h = torch.arange(6).to(dtype)
    x = h.clone().to(DEV)
    assert x.resize_(100) is x and x.shape == (100,)
    close(x[:6], h)
    x.resize_(3)
    close(x, h[:3])
    x.resize_(2, 3)
    close(x, h.view(2, 3))


def test_large_growth():
    x = torch.arange(1 << 16, device=DEV)
    x.resize_(1 << 20)
    close(x[: 1 << 16], torch.arange(1 << 16))


def test_shrinking_keeps_the_storage():
    x = torch.arange(100, device=DEV)
    p, n = x.data_ptr(), x.untyped_storage().nbytes()
    x.resize_(5)
    assert x.data_ptr() == p and x.untyped_storage().nbytes() == n
    x.resize_(100)
    assert x.data_ptr() == p
    close(x, torch.arange(100))


def test_to_nothing_and_back():
    x = torch.ones(4, device=DEV)
    x.resize_(0)
    assert x.shape == (0,)
    x.resize_(2, 2).fill_(3)
    close(x, torch.full((2, 2), 3.0))
    y = torch.empty(0, device=DEV).resize_(3).zero_()
    close(y, torch.zeros(3))


def test_of_a_view():
    """A view grows its whole storage; the base sees it."""
    x = torch.arange(4.0, device=DEV)
    y = x[2:]
    y.resize_(6)
    assert y.storage_offset() == 2
    close(y[:2], [2.0, 3.0])
    y.fill_(9.0)
    close(x, [0.0, 1.0, 9.0, 9.0])


def test_memory_format():
    x = torch.empty(0, device=DEV).resize_(2, 3, 4, 5, memory_format=torch.channels_last)
    assert x.is_contiguous(memory_format=torch.channels_last)
    y = torch.empty(0, device=DEV).resize_as_(x, memory_format=torch.channels_last)
    assert y.stride() == x.stride()
    z = torch.ones(3, device=DEV)
    with pytest.raises(RuntimeError):
        z.resize_(3, memory_format=torch.preserve_format)


def test_refused():
    x = torch.ones(4, device=DEV)
    for size in ((-1,), (2, -3)):
        with pytest.raises(RuntimeError):
            x.resize_(size)
    with pytest.raises(RuntimeError):
        torch.ones(2, device=DEV, requires_grad=True).resize_(3)


def test_storage_resize():
    x = torch.arange(10, device=DEV)
    storage = x.untyped_storage()
    storage.resize_(200)
    assert storage.nbytes() == 200
    close(x, torch.arange(10))
    storage.resize_(0)
    assert storage.nbytes() == 0
    storage.resize_(80)
    x.fill_(1)
    close(x, torch.ones(10, dtype=torch.int64))


@needs_two_devices
def test_on_another_device_than_the_current_one():
    module().set_device(0)
    x = torch.arange(5, device=index(1))
    x.resize_(50)
    assert x.device == index(1) and x[:5].cpu().tolist() == [0, 1, 2, 3, 4]
    x.untyped_storage().resize_(4000)
    assert x[:5].cpu().tolist() == [0, 1, 2, 3, 4]


@needs_device
def test_on_a_side_stream():
    """The move of the bytes is ordered with the stream's work."""
    side = module().Stream()
    with module().stream(side):
        for k in range(10):
            x = torch.full((1 << 14,), float(k), device=DEV)
            x.resize_(1 << 16)
            assert (x[: 1 << 14] == k).all().item()


def test_as_the_host_does():
    for size in ((3,), (2, 2), (10,), ()):
        assert_same_call(lambda t, size=size: t.resize_(size), ((torch.arange(4.0),), {}), values=size != (10,))
    assert_same_call(lambda t, u: t.resize_as_(u), ((torch.arange(6.0), torch.zeros(2, 3)), {}))
