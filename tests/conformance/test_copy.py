"""copy_, to(), clone: every dtype pair, layout, direction; broadcasting, conj and neg bits, overlap, non_blocking."""

import itertools

import pytest
import torch
from harness.compare import assert_tensor, close
from harness.device import DEV, SELF_CHECK, TYPE, index, needs_device, needs_two_devices, synchronize

DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.complex32,
    torch.complex64,
    torch.complex128,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
]


def _permuted(shape, dtype, device):
    return torch.empty(shape[::-1], dtype=dtype, device=device).permute(*range(len(shape) - 1, -1, -1))


def _gapped(shape, dtype, device):
    return torch.empty([n * 2 for n in shape], dtype=dtype, device=device)[tuple(slice(1, None, 2) for _ in shape)]


def _offset(shape, dtype, device):
    flat = torch.empty(3 + torch.Size(shape).numel(), dtype=dtype, device=device)
    return flat[3:].view(shape)


LAYOUTS = {
    "dense": lambda shape, dtype, device: torch.empty(shape, dtype=dtype, device=device),
    "permuted": _permuted,
    "gapped": _gapped,
    "offset": _offset,
}


def _values(dtype):
    """(2, 3, 4) values that every dtype can hold."""
    x = torch.arange(24).view(2, 3, 4) % 2 if dtype == torch.bool else torch.arange(24).view(2, 3, 4)
    return x.to(torch.float32).to(dtype) if dtype.is_floating_point or dtype.is_complex else x.to(dtype)


def _bits(t):
    """The tensor as bytes, for dtypes that have no comparison."""
    return t.contiguous().view(torch.uint8)


def _assert_same_bits(got, want):
    got = got.cpu()
    assert got.dtype == want.dtype and got.shape == want.shape
    assert torch.equal(_bits(got), _bits(want))


def _castable(src, dst):
    try:
        torch.empty(1, dtype=dst).copy_(torch.zeros(1, dtype=src))
    except RuntimeError:
        return False
    return True


PAIRS = [(s, d) for s, d in itertools.product(DTYPES, DTYPES) if _castable(s, d)]
PAIR_IDS = [f"{s}-{d}".replace("torch.", "") for s, d in PAIRS]


@pytest.mark.filterwarnings("ignore:Casting complex", "ignore:ComplexHalf")
@pytest.mark.parametrize("src,dst", PAIRS, ids=PAIR_IDS)
def test_all_dtypes_layouts_and_directions(src, dst):
    x = _values(src)
    want = torch.empty(x.shape, dtype=dst).copy_(x)
    for from_layout, to_layout in itertools.product(LAYOUTS, LAYOUTS):
        host = LAYOUTS[from_layout](x.shape, src, "cpu").copy_(x)
        device = LAYOUTS[from_layout](x.shape, src, DEV)
        device.copy_(host)  # h2d, one dtype
        for source, target in ((host, DEV), (device, "cpu"), (device, DEV)):
            got = LAYOUTS[to_layout](x.shape, dst, target)
            strides = got.stride()
            assert got.copy_(source) is got
            assert got.stride() == strides
            _assert_same_bits(got, want)
        _assert_same_bits(device, x)  # no source was changed


@pytest.mark.filterwarnings("ignore:Casting complex", "ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gaps_between_elements_stay(dtype):
    x = _values(dtype)
    buffer = torch.zeros(4, 6, 8, dtype=torch.uint8, device=DEV).to(dtype)
    buffer[::2, ::2, ::2].copy_(x.to(DEV))
    want = torch.zeros(4, 6, 8, dtype=torch.uint8).to(dtype)
    want[::2, ::2, ::2].copy_(x)
    _assert_same_bits(buffer, want)


@needs_two_devices
@pytest.mark.parametrize("src,dst", [(torch.float32, torch.float32), (torch.int64, torch.float16)], ids=str)
def test_between_devices(src, dst):
    x = _values(src)
    want = x.to(dst)
    for from_layout, to_layout in itertools.product(LAYOUTS, LAYOUTS):
        a = LAYOUTS[from_layout](x.shape, src, index(0)).copy_(x)
        b = LAYOUTS[to_layout](x.shape, dst, index(1)).copy_(a)
        assert b.device == index(1)
        _assert_same_bits(b, want)
        _assert_same_bits(a.to(index(1)), x)
    assert a.to(index(1)).to(index(0)).device == index(0)


@pytest.mark.parametrize("shape", [(1,), (3,), (2, 1), (1, 3), (1, 1), ()])
@pytest.mark.parametrize("direction", ["h2d", "d2h", "d2d"])
def test_broadcast(shape, direction):
    x = torch.arange(1.0, 1 + torch.Size(shape).numel()).view(shape)
    source = x if direction == "h2d" else x.to(DEV)
    target = torch.zeros(2, 3, device="cpu" if direction == "d2h" else DEV)
    target.copy_(source)
    assert torch.equal(target.cpu(), x.expand(2, 3))


def test_too_large_a_source_is_refused():
    y = torch.zeros(2, 3, device=DEV)
    for source in (torch.zeros(4, 3), torch.zeros(2, 2, 3), torch.zeros(2)):
        for device in ("cpu", DEV):
            with pytest.raises(RuntimeError):
                y.copy_(source.to(device))


def test_written_twice_is_refused():
    """A target in which several elements share memory."""
    y = torch.zeros(3, device=DEV)
    with pytest.raises(RuntimeError, match="more than one element"):
        y[:1].expand(3).copy_(torch.ones(3, device=DEV))


def test_overlapping_source_and_target():
    x = torch.arange(8.0)
    d = x.to(DEV)
    assert torch.equal(d.copy_(d).cpu(), x)
    h = x.clone()
    # What the host does with a partial overlap is undefined; that it is refused or done must not hurt other memory.
    guard = torch.full((4,), 9.0, device=DEV)
    try:
        d[1:].copy_(d[:-1])
    except RuntimeError as error:
        assert "unsupported operation" in str(error)
    assert guard.tolist() == [9.0] * 4 and d[0].item() == h[0].item()


@pytest.mark.parametrize(
    "make", [lambda t: t.conj(), lambda t: t.conj().imag, lambda t: torch._neg_view(t), lambda t: t.mH]
)
@pytest.mark.parametrize("direction", ["h2d", "d2h", "d2d"])
def test_conj_and_neg_bits(make, direction):
    x = torch.tensor([[1 + 2j, 3 - 4j], [-5j, 6 + 0j]])
    want = make(x).resolve_conj().resolve_neg()
    source = make(x if direction == "h2d" else x.to(DEV))
    target = torch.empty_like(want, device="cpu" if direction == "d2h" else DEV)
    target.copy_(source)
    assert torch.equal(target.cpu(), want)
    # and into a target that has the bit itself
    target = torch.zeros(2, 2, dtype=want.dtype, device=target.device)
    view = torch._neg_view(target)
    view.copy_(source)
    assert torch.equal(view.resolve_neg().cpu(), want) and torch.equal(target.cpu(), -want)


def test_resolve_of_bits():
    x = torch.tensor([1 + 2j, 3 - 4j]).to(DEV)
    close(x.conj().resolve_conj(), torch.tensor([1 - 2j, 3 + 4j]))
    close(x.conj().imag.resolve_neg(), torch.tensor([-2.0, 4.0]))
    close(x.conj().clone(), torch.tensor([1 - 2j, 3 + 4j]))
    close(torch.conj_physical(x), torch.tensor([1 - 2j, 3 + 4j]))


@pytest.mark.parametrize("memory_format", [torch.channels_last, torch.contiguous_format, torch.preserve_format])
def test_memory_formats(memory_format):
    x = torch.arange(2 * 3 * 4 * 5.0).view(2, 3, 4, 5)
    for source in (x, x.to(memory_format=torch.channels_last), x.transpose(1, 3), x[:, ::2], x.expand(2, 3, 4, 5)):
        want = source.to(torch.float64, memory_format=memory_format)
        for got in (
            source.to(DEV).to(torch.float64, memory_format=memory_format),
            source.to(DEV, torch.float64, memory_format=memory_format),
            source.to(DEV).clone(memory_format=memory_format).to(torch.float64, memory_format=memory_format),
        ):
            assert_tensor(got, want)
    back = x.to(DEV, memory_format=torch.channels_last).cpu()
    assert back.is_contiguous(memory_format=torch.channels_last) and torch.equal(back, x)


def test_to_without_need_is_the_tensor_itself():
    x = torch.ones(3, device=DEV)
    assert x.to(DEV) is x and x.to(torch.float32) is x and x.to(TYPE) is x
    y = x.to(DEV, copy=True)
    assert y.data_ptr() != x.data_ptr() and torch.equal(y.cpu(), x.cpu())


@needs_device
def test_to_cpu_is_a_copy():
    """A host tensor never shares memory with a device tensor unseen."""
    x = torch.ones(3, device=DEV)
    h = x.cpu()
    h.add_(1)
    assert x.tolist() == [1, 1, 1] and h.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
    h = x.to("cpu", non_blocking=True)
    synchronize()
    h.zero_()
    assert x.tolist() == [1, 1, 1]


def test_non_blocking():
    for n in (1, 1000, 1 << 18):
        host = torch.arange(n)
        if not SELF_CHECK:
            host = host.pin_memory()
        d = host.to(DEV, non_blocking=True)
        r = (d + 1).to("cpu", non_blocking=True)
        synchronize()
        assert torch.equal(r, torch.arange(n) + 1)


@needs_device
def test_non_blocking_from_pageable_memory_may_be_overwritten():
    """The source of a copy from pageable memory is free when the call returns."""
    for k in range(20):
        host = torch.full((1 << 14,), k)
        d = host.to(DEV, non_blocking=True)
        host.fill_(-1)
        assert (d == k).all().item()


def test_empty():
    for shape in ((0,), (3, 0), (0, 2)):
        x = torch.empty(shape)
        d = x.to(DEV)
        assert d.shape == x.shape and d.cpu().shape == x.shape
        d.copy_(x)
        x.copy_(d)
        d.copy_(d.clone())


def test_item_of_every_dtype():
    for dtype in DTYPES:
        want = _values(dtype)[0, 0, 1]
        assert want.to(DEV).item() == want.item(), dtype
    with pytest.raises(RuntimeError):
        torch.ones(2, device=DEV).item()
    assert torch.tensor([[1, 2], [3, 4]]).to(DEV).tolist() == [[1, 2], [3, 4]]


def test_numpy_needs_the_host():
    x = torch.ones(2, device=DEV)
    if not SELF_CHECK:
        with pytest.raises(TypeError):
            x.numpy()
    assert x.cpu().numpy().sum() == 2


def test_foreach_copy():
    xs = [torch.arange(3.0), torch.ones(2, 2)]
    ys = [torch.zeros(3, device=DEV), torch.zeros(2, 2, device=DEV)]
    torch._foreach_copy_(ys, xs)
    for y, x in zip(ys, xs):
        close(y, x)
    torch._foreach_copy_(xs, [y + 1 for y in ys])
    assert xs[0].tolist() == [1, 2, 3]
