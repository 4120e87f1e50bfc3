"""Factories: dtype, shape, layout, device and, where the factory says them, values."""

import pytest
import torch
from harness import lanes
from harness.compare import assert_tensor, close
from harness.device import DEV, SELF_CHECK, TYPE, index, module, needs_two_devices

DTYPES = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.complex64,
]


def agree(make, values=True, **options):
    """``make(device)`` gives on the device what it gives on the host."""
    assert_tensor(make(DEV), make(torch.device("cpu")), values=values, **options)


# ---- one value everywhere


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_zeros_ones_full(dtype):
    agree(lambda device: torch.zeros(3, 4, dtype=dtype, device=device))
    agree(lambda device: torch.ones(3, 4, dtype=dtype, device=device))
    agree(lambda device: torch.full((3, 4), 1, dtype=dtype, device=device))


@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 0, 3), (1, 1, 1, 1, 1), (2, 3, 4, 1, 2, 1, 2, 1)], ids=str)
def test_shapes(shape):
    for make in (torch.zeros, torch.ones, lambda shape, device: torch.full(shape, 2.5, device=device)):
        agree(lambda device, make=make: make(shape, device=device))
    agree(lambda device: torch.empty(shape, device=device), values=False)


@pytest.mark.parametrize("value", [2, -3.5, True, 1 + 2j, float("nan"), float("inf"), 2**40], ids=str)
def test_full_takes_the_dtype_of_its_value(value):
    agree(lambda device: torch.full((2, 3), value, device=device))


def test_values_above_two_to_the_31():
    for value in (2**31, 2**53 + 1, -(2**63), 2**63 - 1):
        assert torch.full((3,), value, dtype=torch.int64, device=DEV).tolist() == [value] * 3
        assert torch.empty(3, dtype=torch.int64, device=DEV).fill_(value).tolist() == [value] * 3


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        for make in (torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn, torch.eye):
            assert make(2, device=DEV).dtype == dtype
        agree(lambda device: torch.linspace(0, 1, 5, device=device))
        agree(lambda device: torch.full((2,), 0.5, device=device))
    finally:
        torch.set_default_dtype(before)


# ---- ranges


@pytest.mark.parametrize(
    "arguments",
    [(5,), (0,), (2, 9), (-3, 8, 2), (9, -3, -4), (2**40, 2**40 + 3), (2.5,), (0.0, 1.0, 0.25)],
    ids=str,
)
def test_arange(arguments):
    agree(lambda device: torch.arange(*arguments, device=device))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if not d.is_complex and d != torch.bool], ids=str)
def test_arange_of_each_dtype(dtype):
    agree(lambda device: torch.arange(1, 20, 3, dtype=dtype, device=device))


def test_fractional_arange_is_within_one_ulp():
    step = torch.tensor(0.1)
    want = torch.arange(0, 100, 0.1, dtype=torch.float64).float()
    got = torch.arange(0, 100, 0.1, dtype=torch.float32, device=DEV).cpu()
    ulp = torch.nextafter(want, want + step) - want
    assert got.shape == want.shape
    assert ((got - want).abs() <= ulp).all()


@pytest.mark.parametrize("steps", [0, 1, 2, 7, 100])
def test_linspace_and_logspace(steps):
    agree(lambda device: torch.linspace(-2, 3, steps, device=device), tol=(1e-5, 1e-5))
    agree(lambda device: torch.logspace(-1, 2, steps, device=device), tol=(1e-4, 1e-4))


def test_range_has_its_end():
    with pytest.warns(UserWarning, match="deprecated"):
        close(torch.range(1, 4, device=DEV), [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("wrong", [(0, 1, 0), (0, 5, -1), (5, 0, 1), (0, float("inf")), (0, float("nan"))], ids=str)
def test_ranges_that_make_no_sense(wrong):
    with pytest.raises(RuntimeError):
        torch.arange(*wrong, device=DEV)


# ---- matrices


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool, torch.bfloat16], ids=str)
@pytest.mark.parametrize("size", [(3,), (2, 4), (4, 2), (0,)], ids=str)
def test_eye(size, dtype):
    agree(lambda device: torch.eye(*size, dtype=dtype, device=device))


@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_indices_of_triangles(offset):
    agree(lambda device: torch.tril_indices(3, 5, offset, device=device))
    agree(lambda device: torch.triu_indices(4, 3, offset, device=device))


def test_windows():
    for window in (torch.hann_window, torch.hamming_window, torch.blackman_window, torch.bartlett_window):
        agree(lambda device, window=window: window(8, device=device), tol=(1e-4, 1e-5))
    agree(lambda device: torch.kaiser_window(8, True, 8.0, device=device), tol=(1e-4, 1e-5))


def test_vander_and_cartesian_product():
    agree(lambda device: torch.vander(torch.arange(1.0, 4.0, device=device)))
    agree(lambda device: torch.cartesian_prod(torch.arange(2, device=device), torch.arange(3, device=device)))
    agree(
        lambda device: torch.meshgrid(torch.arange(2, device=device), torch.arange(3, device=device), indexing="ij")[1]
    )


# ---- like another tensor


@pytest.mark.parametrize(
    "like", [torch.zeros_like, torch.ones_like, torch.rand_like, torch.randn_like, torch.empty_like]
)
def test_like_keeps_dtype_strides_and_device(like):
    x = torch.zeros(2, 3, 4, dtype=torch.float16)
    for t in (x, x.transpose(0, 2), x.permute(2, 0, 1), x[:, ::2], x.expand(2, 2, 3, 4)):
        want = like(t)
        got = like(t.to(DEV) if t.is_contiguous() else x.to(DEV).as_strided(t.size(), t.stride()))
        assert_tensor(got, want, values=like in (torch.zeros_like, torch.ones_like))


@pytest.mark.parametrize("dtype", [torch.int64, torch.float64, torch.bool, torch.bfloat16], ids=str)
def test_like_with_another_dtype(dtype):
    for like in (torch.zeros_like, torch.ones_like, lambda t, **options: torch.full_like(t, 1, **options)):
        agree(lambda device, like=like: like(torch.zeros(2, 3, device=device), dtype=dtype))


@pytest.mark.parametrize("form", [torch.contiguous_format, torch.channels_last, torch.preserve_format], ids=str)
def test_like_with_a_memory_format(form):
    for like in (torch.zeros_like, torch.ones_like, torch.empty_like):
        agree(
            lambda device, like=like: like(torch.zeros(2, 3, 4, 5, device=device).mT, memory_format=form),
            values=like is not torch.empty_like,
        )


def test_like_from_the_host_and_back():
    assert torch.zeros_like(torch.ones(2), device=DEV).device.type == TYPE
    assert torch.ones_like(torch.ones(2, device=DEV), device="cpu").device.type == "cpu"


def test_new():
    x = torch.zeros(2, dtype=torch.float64, device=DEV)
    host = torch.zeros(2, dtype=torch.float64)
    for make in (
        lambda t: t.new_zeros(3, 2),
        lambda t: t.new_ones(3, dtype=torch.int32),
        lambda t: t.new_full((2, 2), 7),
        lambda t: t.new_tensor([[1, 2], [3, 4]]),
    ):
        assert_tensor(make(x), make(host))
    assert x.new_empty(4).shape == (4,) and x.new_empty_strided((2, 3), (1, 2)).stride() == (1, 2)


# ---- memory


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_empty_strided(dtype):
    agree(lambda device: torch.empty_strided((3, 4), (1, 3), dtype=dtype, device=device).zero_())
    agree(lambda device: torch.empty_strided((3, 4), (8, 2), dtype=dtype, device=device).zero_())


def test_empty_in_channels_last():
    agree(lambda device: torch.empty(2, 3, 4, 5, memory_format=torch.channels_last, device=device), values=False)
    agree(lambda device: torch.empty(1, 2, 3, 4, 5, memory_format=torch.channels_last_3d, device=device), values=False)


@pytest.mark.parametrize("wrong", [lambda: torch.empty(-1, device=DEV), lambda: torch.zeros(2, -3, device=DEV)])
def test_negative_sizes(wrong):
    with pytest.raises(RuntimeError, match="negative"):
        wrong()


def test_requires_grad():
    for make in (torch.zeros, torch.ones, torch.rand):
        x = make(3, device=DEV, requires_grad=True)
        (x * 2).sum().backward()
        close(x.grad, [2.0, 2.0, 2.0])
    with pytest.raises(RuntimeError, match="can require gradients"):
        torch.zeros(2, dtype=torch.int64, device=DEV, requires_grad=True)


def test_out():
    for make in (
        lambda **o: torch.zeros(2, 3, **o),
        lambda **o: torch.ones(2, 3, **o),
        lambda **o: torch.full((2, 3), 4.0, **o),
        lambda **o: torch.arange(6, **o),
        lambda **o: torch.linspace(0, 1, 6, **o),
        lambda **o: torch.eye(3, **o),
    ):
        got, want = torch.empty(0, device=DEV), torch.empty(0)
        assert make(out=got) is got
        make(out=want)
        assert_tensor(got, want)


# ---- from data, and where


@pytest.mark.parametrize(
    "data", [3, 2.5, True, 1j, [], [[1, 2], [3, 4]], [[True], [False]], [2**40, -(2**40)], [0.5, 1]], ids=str
)
def test_tensor_from_python(data):
    agree(lambda device: torch.tensor(data, device=device))
    agree(lambda device: torch.as_tensor(data, device=device))


def test_scalar_tensor_and_complex():
    agree(lambda device: torch.scalar_tensor(2.5, device=device))
    agree(lambda device: torch.complex(torch.ones(2, device=device), torch.arange(2.0, device=device)))
    agree(lambda device: torch.polar(torch.ones(3, device=device), torch.arange(3.0, device=device)), tol=(1e-4, 1e-5))


@needs_two_devices
def test_each_device_gets_its_own():
    for i in (1, 0):
        for x in (torch.zeros(2, device=index(i)), torch.arange(3, device=index(i)), torch.rand(2, device=index(i))):
            assert x.device == index(i)
    with module().device(1):
        assert torch.ones(2, device=TYPE).device == index(1)


def test_default_device():
    with torch.device(DEV):
        made = [torch.zeros(2), torch.arange(3), torch.tensor([1.0]), torch.rand(2), torch.eye(2), torch.empty(1)]
    assert all(t.device.type == TYPE for t in made)


def test_no_factory_goes_to_the_host():
    """Filling is the device's work: a round trip over the host would be a fallback."""
    if SELF_CHECK:
        pytest.skip("the host is the device")
    import torch_fl

    with torch_fl.census() as census:
        torch.zeros(4, device=DEV)
        torch.ones(4, dtype=torch.float16, device=DEV)
        torch.full((4,), 2.5, device=DEV)
        torch.full((4,), 7, dtype=torch.int64, device=DEV)
        torch.arange(4, dtype=torch.int32, device=DEV)
        torch.zeros_like(torch.empty(3, dtype=torch.int64, device=DEV))
    fallbacks = {row.op for row in census.rows() if row.lane == "none" and len(lanes.lanes()) > 1}
    assert fallbacks == set()
