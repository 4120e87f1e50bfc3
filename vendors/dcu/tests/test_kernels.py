"""What OpInfo's small samples do not reach in the kernels.

Several blocks and parts, sums in one order, addresses that are not aligned, and both widths of a wavefront.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

pytest.importorskip("torch_fl_dcu", reason="torch-fl-dcu is not installed: nox -s dcu-sim")
from harness.compare import close, same  # noqa: E402
from harness.device import DEV, vendor_name  # noqa: E402
from harness.lanes import forced, served_by  # noqa: E402

pytestmark = pytest.mark.skipif(vendor_name() != "dcu", reason="FLAGOS_ACCELERATOR is not dcu")

# A tile of a sort has 2048 elements; a part of a selection too.
LENGTHS = [1, 2, 3, 31, 64, 65, 2047, 2048, 2049, 4096, 5000, 20000]


@pytest.fixture(autouse=True)
def _own_lane():
    """With a PyTorch for the device, its kernels come before these."""
    with forced("vendor"):
        yield


def put(x, indices, values, accumulate=False):
    """index_put_, which is another lane's where PyTorch has kernels for the device."""
    return torch.ops.aten._index_put_impl_(x, indices, values, accumulate)


def numbers(*sizes, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point:
        return torch.randn(*sizes, generator=generator).to(dtype)
    return torch.randint(0, 2 if dtype is torch.bool else 100, sizes, generator=generator).to(dtype)


# ------------------------------------------------------------------------------------------------------------ order


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_is_stable(length, descending):
    few = numbers(3, length, dtype=torch.int64) % 5
    with served_by("vendor", "sort.stable"):
        same(lambda x: torch.sort(x, stable=True, dim=1, descending=descending), few)
        same(lambda x: torch.sort(x, stable=True, dim=0, descending=descending), few.t().contiguous())


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
    + [torch.float16, torch.bfloat16, torch.float32, torch.float64],
)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_of_every_dtype(dtype, descending):
    x = numbers(2, 3000, dtype=dtype)
    if dtype.is_floating_point:
        special = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, float("nan")], dtype=dtype)
        x[:, 100:106] = special
        x[:, 2500:2506] = special
    elif dtype is not torch.bool:
        x[0, 7], x[1, 2900] = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    with served_by("vendor", "sort.stable"):
        same(lambda x: torch.sort(x, stable=True, dim=-1, descending=descending), x)


def test_sort_moves_all_of_a_64_bit_number():
    x = (numbers(3000, dtype=torch.int64) - 50) * (1 << 40) + numbers(3000, dtype=torch.int64, seed=1)
    same(lambda x: torch.sort(x, stable=True), x)


@pytest.mark.parametrize("length", [5, 2048, 2049, 70000])
@pytest.mark.parametrize("k", [1, 5, 1024, 1500])
@pytest.mark.parametrize("largest", [True, False])
def test_topk(length, k, largest):
    x = torch.randperm(2 * length, generator=torch.Generator().manual_seed(0)).view(2, length)
    with served_by("vendor", "topk"):
        same(lambda x: torch.topk(x, min(k, length), largest=largest), x)
        same(lambda x: torch.topk(x.t(), min(k, length), dim=0, largest=largest), x.double())


def test_of_equal_elements_topk_takes_the_first():
    got = torch.topk(torch.zeros(5000, device=DEV), 3).indices
    close(got, torch.tensor([0, 1, 2]))


def test_sorted_into_the_sorted_tensor():
    x, index = numbers(4000).to(DEV), torch.empty(4000, dtype=torch.int64, device=DEV)
    want = x.cpu().sort(stable=True)
    torch.sort(x, stable=True, out=(x, index))
    close(x, want.values)
    close(index, want.indices)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32])
def test_randperm(dtype):
    for count in (0, 1, 5000):
        torch.manual_seed(3)
        with served_by("vendor", *["randperm.generator_out"][:count]):
            got = torch.randperm(count, device=DEV, dtype=dtype)
        close(got.sort().values, torch.arange(count, dtype=dtype))
        torch.manual_seed(3)
        assert torch.equal(got, torch.randperm(count, device=DEV, dtype=dtype))
    assert not torch.equal(got, torch.randperm(5000, device=DEV, dtype=dtype))


# ------------------------------------------------------------------------------------------------------------ choice


@pytest.mark.parametrize("length", LENGTHS)
def test_nonzero(length):
    x = numbers(3, length, dtype=torch.int32) % 3
    with served_by("vendor", "nonzero"):
        same(torch.nonzero, x)
        same(lambda x: torch.nonzero(x.t()), x)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_a_negative_zero_is_zero_and_a_nan_is_not(dtype):
    x = torch.tensor([0.0, -0.0, float("nan"), 1.0, -float("inf")]).to(dtype)
    if dtype.is_complex:
        x = torch.cat([x, torch.complex(torch.tensor(-0.0), torch.tensor(-0.0)).to(dtype)[None], 1j * x])
    same(torch.nonzero, x)


@pytest.mark.parametrize("dtype", [torch.bool, torch.float16, torch.float32, torch.int64, torch.complex128])
def test_masked_select(dtype):
    x = numbers(70, 1, 90).to(dtype)
    mask = numbers(60, 90, dtype=torch.bool)
    with served_by("vendor", "masked_select"):
        same(torch.masked_select, x, mask)
        same(lambda x, mask: torch.masked_select(x.transpose(0, 2), mask.t()[:, :, None]), x, mask)
        same(lambda x, mask: torch.masked_select(x, torch.zeros_like(mask)), x, mask)


def test_masked_scatter():
    x, mask = numbers(4, 3000), numbers(3000, dtype=torch.bool)
    with served_by("vendor", "masked_scatter_"):
        same(lambda x, mask, source: x.masked_scatter_(mask, source), x, mask, numbers(12000, seed=1))


# ------------------------------------------------------------------------------------------------------------ one order


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


def in_order(start, index, values):
    """What a loop over the index makes of it."""
    for i, value in zip(index.tolist(), values, strict=True):
        start[i] += value
    return start


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int64])
def test_index_put_adds_up_in_one_order(dtype):
    index, values = numbers(3000, dtype=torch.int64) % 10, numbers(3000, 5, dtype=dtype)
    want = in_order(torch.zeros(10, 5, dtype=torch.float64), index, values.double()).to(dtype)
    runs = []
    for _ in range(2):
        x = torch.zeros(10, 5, dtype=dtype, device=DEV)
        with served_by("vendor", "_index_put_impl_"):
            put(x, [index.to(DEV)], values.to(DEV), accumulate=True)
        runs.append(x)
    # Sums of halves are rounded once.
    close(runs[0], want)
    assert torch.equal(runs[0], runs[1])


def test_index_put_with_indices_apart():
    i, j = torch.tensor([[0, 1], [2, 0]]), torch.tensor([1, 1])
    x, values = numbers(3, 4, 2), numbers(2, 2, 4, seed=1)
    with served_by("vendor", "_index_put_impl_"):
        same(lambda x, i, j, v: put(x, [i, None, j], v, True), x, i, j, values)
        same(lambda x, i, j, v: put(x, [None, i + 1, j], v, True), x, i, j, values[:1, :, :2])


def test_of_several_values_for_one_place_the_last_stays(deterministic):
    index, values = numbers(5000, dtype=torch.int64) % 7, numbers(5000, 3)
    with served_by("vendor", "_index_put_impl_"):
        same(lambda x, i, v: put(x, [i], v), torch.zeros(7, 3), index, values)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64])
def test_scatter_add_and_index_add_in_one_order(deterministic, dtype):
    index, values = numbers(6, 700, dtype=torch.int64) % 9, numbers(6, 700, dtype=dtype)
    tolerance = {"rtol": 2e-2, "atol": 2e-1} if dtype is torch.float16 else {"rtol": 1e-5, "atol": 1e-4}
    with served_by("vendor", "scatter_add", "index_add"):
        same(lambda x, i, v: x.scatter_add(1, i, v), torch.ones(6, 9, dtype=dtype), index, values, **tolerance)
        same(
            lambda x, i, v: x.index_add(1, i, v, alpha=2), torch.ones(6, 9, dtype=dtype), index[0], values, **tolerance
        )
    once, again = (torch.zeros(9, device=DEV).scatter_add(0, index[0].to(DEV), values[0].float().to(DEV)) for _ in "ab")
    assert torch.equal(once, again)


@pytest.mark.parametrize("by_frequency", [False, True])
@pytest.mark.parametrize("padding", [-1, 2])
def test_embedding_backward_in_one_order(deterministic, by_frequency, padding):
    grad, index = numbers(40, 50, 16), numbers(40, 50, dtype=torch.int64) % 20
    backward = torch.ops.aten.embedding_dense_backward
    with served_by("vendor", "embedding_dense_backward"):
        same(lambda g, i: backward(g, i, 20, padding, by_frequency), grad, index, rtol=1e-4, atol=1e-4)


def test_a_wrong_index_among_ordered_ones_is_reported(deterministic):
    x = torch.zeros(4, device=DEV)
    with pytest.raises(IndexError, match="index 9 is out of bounds for dimension 0 with size 4"):
        x.index_add_(0, torch.tensor([0, 9, 1], device=DEV), torch.ones(3, device=DEV))
        torch.accelerator.synchronize()
    close(torch.ones(2, device=DEV) + 1, torch.full((2,), 2.0))


# ------------------------------------------------------------------------------------------------------------ rows


@pytest.mark.parametrize("length", [1, 7, 64, 1000, 1024, 16384, 16385, 40000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rows(length, dtype):
    x = numbers(3, length, dtype=dtype)
    w, b = numbers(length, dtype=dtype, seed=1), numbers(length, dtype=dtype, seed=2)
    close_enough = {"rtol": 1e-5, "atol": 1e-5} if dtype is torch.float32 else {"rtol": 2e-2, "atol": 2e-2}
    with served_by("vendor", "_softmax", "_log_softmax", "native_layer_norm", "sum.dim_IntList"):
        same(lambda x: torch.softmax(x, -1), x, **close_enough)
        same(lambda x: torch.log_softmax(x, -1), x, **close_enough)
        # Beside a device of PyTorch's the statistics are float32, on the host they have the input's dtype.
        norm = lambda x, w, b: [t.float() for t in torch.native_layer_norm(x, [length], w, b, 1e-5)]  # noqa: E731
        same(norm, x, w, b, **close_enough)
        same(lambda x: x.sum(-1), x, rtol=1e-2, atol=1e-2 * length**0.5)


@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.parametrize("correction", [0, 1, 2.5])
def test_the_spread_of_numbers_far_from_zero(dim, correction):
    x = numbers(30, 4100) + 3000
    with served_by("vendor", "var.correction", "std.correction"):
        same(lambda x: (x.var(dim, correction=correction), x.std(dim, correction=correction)), x, rtol=2e-3, atol=1e-4)
        same(lambda x: x[0, :2].var(dim=0, correction=correction), x)


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("length", [33, 64, 9000])
def test_gradients_of_rows_at_any_address(length, offset):
    backward = torch.ops.aten.native_layer_norm_backward

    def run(memory, grad, w):
        x = memory[offset : offset + 2 * length].view(2, length)
        _, mean, rstd = torch.native_layer_norm(x, [length], w, w, 1e-5)
        soft = torch.softmax(x, -1)
        return (
            *backward(grad, x, [length], mean, rstd, w, w, [True] * 3),
            torch.ops.aten._softmax_backward_data(grad, soft, -1, x.dtype),
        )

    same(run, numbers(2 * length + 1), numbers(2, length, seed=1), numbers(length, seed=2), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("sizes,groups", [((2, 6, 5, 7), 3), ((2, 32, 64, 64), 2), ((3, 4), 4), ((1, 8, 1000), 1)])
@pytest.mark.parametrize("affine", [True, False])
def test_group_norm_and_its_gradients(sizes, groups, affine):
    x, grad = numbers(*sizes), numbers(*sizes, seed=1)
    weights = [numbers(sizes[1], seed=2), numbers(sizes[1], seed=3)] if affine else []

    def run(x, grad, *weights):
        leaves = [x.requires_grad_(), *(w.requires_grad_() for w in weights)]
        torch.nn.functional.group_norm(x, groups, *weights).backward(grad)
        return [leaf.grad for leaf in leaves]

    with served_by("vendor", "native_group_norm", "native_group_norm_backward"):
        same(run, x, grad, *weights, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.bool])
@pytest.mark.parametrize("sizes,dim", [((200000,), 0), ((3, 20001), 1), ((20001, 3), 0), ((5, 40), 1)])
def test_running_sums_of_long_lines(sizes, dim, dtype):
    x = numbers(*sizes, dtype=dtype)
    with served_by("vendor", "cumsum"):
        same(lambda x: torch.cumsum(x, dim), x, rtol=1e-4, atol=1e-2)


def test_a_number_on_the_device_beside_tensors():
    x = numbers(4099)
    same(lambda x, s: (x * s, s - x, torch.where(x > 0, x, s)), x, torch.tensor(3.0))
    listed = [numbers(300), numbers(5, 5)]
    with served_by("vendor", "_foreach_mul_.Tensor", "_foreach_norm.Scalar"):
        got = [t.to(DEV) for t in listed]
        torch._foreach_mul_(got, torch.tensor(0.5, device=DEV))
        norms = torch._foreach_norm(got)
    for g, norm, t in zip(got, norms, listed, strict=True):
        close(g, t * 0.5)
        close(norm, (t * 0.5).norm())


# ------------------------------------------------------------------------------------------------------------ images


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear"])
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("to", [(3, 3), (16, 5), (31, 40)])
def test_images(mode, layout, to):
    x, grad = numbers(2, 3, 9, 10).to(memory_format=layout), numbers(2, 3, *to, seed=1)
    mode = "bilinear" if mode == "linear" else mode

    def run(x, grad):
        x.requires_grad_()
        y = torch.nn.functional.interpolate(x, to, mode=mode)
        y.backward(grad)
        return y, x.grad

    same(run, x, grad, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize(
    "sizes,to",
    [((1,), (7,)), ((5,), (1,)), ((5,), (8,))]
    + [((1, 4), (9, 7)), ((4, 1), (7, 9)), ((1, 1), (3, 5)), ((2, 1), (1, 6)), ((6, 5), (1, 9)), ((1, 4), (1, 9))]
    + [((1, 3, 4), (5, 7, 9)), ((3, 1, 4), (7, 5, 9)), ((3, 4, 1), (7, 9, 5)), ((1, 1, 1), (2, 3, 4))]
    + [((1, 1, 4), (6, 1, 9)), ((2, 3, 4), (1, 5, 1)), ((2, 3, 4), (4, 2, 7))],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_images_of_one_pixel_along_a_side(sizes, to, corners, dtype):
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(sizes)]
    x, grad = numbers(2, 3, *sizes, dtype=dtype), numbers(2, 3, *to, dtype=dtype, seed=1)

    def run(x, grad):
        x.requires_grad_()
        y = torch.nn.functional.interpolate(x, to, mode=mode, align_corners=corners)
        y.backward(grad)
        return y, x.grad

    with served_by("vendor", f"upsample_{mode}{len(sizes)}d", f"upsample_{mode}{len(sizes)}d_backward"):
        same(run, x, grad, rtol=1e-5, atol=1e-5)
    ones = torch.nn.functional.interpolate(torch.ones_like(x, device=DEV), to, mode=mode, align_corners=corners)
    close(ones, torch.ones(2, 3, *to, dtype=dtype))


# ------------------------------------------------------------------------------------------------------------ NaN


HALVES_AND_FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("dtype", HALVES_AND_FLOATS)
@pytest.mark.parametrize(
    "op,fn",
    [
        ("hardsigmoid", torch.nn.functional.hardsigmoid),
        ("hardswish", torch.nn.functional.hardswish),
        ("hardtanh", lambda x: torch.nn.functional.hardtanh(x, -0.5, 2)),
        ("hardtanh", torch.nn.functional.relu6),
        ("relu", torch.relu),
        ("threshold", lambda x: torch.nn.functional.threshold(x, 0.5, 2)),
        ("hardshrink", torch.nn.functional.hardshrink),
        ("softshrink", torch.nn.functional.softshrink),
        ("softplus", torch.nn.functional.softplus),
        ("elu", torch.nn.functional.elu),
        ("leaky_relu", torch.nn.functional.leaky_relu),
        ("clamp", lambda x: torch.clamp(x, -1, 2)),
        ("clamp", lambda x: torch.clamp(x, float("nan"), 2)),
        ("clamp_min", lambda x: torch.clamp_min(x, 0.5)),
        ("clamp_max", lambda x: torch.clamp_max(x, 0.5)),
        ("clamp.Tensor", lambda x: torch.clamp(x, x.flip(0), torch.ones_like(x))),
        ("maximum", lambda x: torch.maximum(x, x.flip(0))),
        ("minimum", lambda x: torch.minimum(x, x.flip(0))),
        ("fmax", lambda x: torch.fmax(x, x.flip(0))),
        ("fmin", lambda x: torch.fmin(x, x.flip(0))),
        ("threshold_backward", lambda x: torch.ops.aten.threshold_backward(torch.ones_like(x), x, 0.5)),
        ("threshold_backward", lambda x: torch.ops.aten.threshold_backward(x, torch.ones_like(x), 0.5)),
    ],
)
def test_a_nan_stays_where_the_host_keeps_it(op, fn, dtype):
    nan, inf = float("nan"), float("inf")
    x = torch.tensor([nan, -inf, -4.0, -3.0, -1.0, -0.0, 0.0, 0.25, 1.0, 3.0, 4.0, 7.0, inf, nan, 0.5]).to(dtype)
    with served_by("vendor", op):
        same(fn, x)


# ------------------------------------------------------------------------------------------------------------ random


def test_whole_numbers_have_their_bounds():
    torch.manual_seed(0)
    with served_by("vendor", "random_", "random_.from", "random_.to"):
        byte = torch.empty(20000, dtype=torch.uint8, device=DEV).random_().cpu()
        some = torch.empty(20000, dtype=torch.int64, device=DEV).random_(-3, 4).cpu()
        wide = torch.empty(20000, dtype=torch.int64, device=DEV).random_().cpu()
        half = torch.empty(20000, dtype=torch.float16, device=DEV).random_(7).cpu()
    assert set(byte.tolist()) == set(range(256))
    assert set(some.tolist()) == set(range(-3, 4))
    assert set(half.tolist()) == set(range(7))
    assert wide.min() >= 0 and wide.max() > 1 << 61
    assert (some.double().mean()).abs() < 0.1


def test_distributions_have_their_means():
    torch.manual_seed(0)
    empty = torch.empty(100000, device=DEV)
    with served_by("vendor", "log_normal_", "geometric_", "cauchy_", "bernoulli_.Tensor"):
        assert abs(empty.log_normal_(0.5, 0.25).log().mean().item() - 0.5) < 0.01
        tries = empty.geometric_(0.25).clone()
        assert abs(tries.mean().item() - 4) < 0.1 and tries.min().item() == 1
        assert abs(empty.cauchy_(2, 0.5).median().item() - 2) < 0.02
        chance = torch.linspace(0, 1, 100000).to(DEV)
        drawn = empty.bernoulli_(chance).cpu()
    assert abs(drawn.mean().item() - 0.5) < 0.01
    assert drawn[:1000].sum() < 50 and drawn[-1000:].sum() > 950


@pytest.mark.parametrize("wrong", [2.0, -0.5, float("nan")])
def test_a_wrong_probability_is_reported(wrong):
    chance = torch.tensor([0.5, wrong], device=DEV)
    with pytest.raises(RuntimeError, match="probability is outside of"):
        torch.bernoulli(chance)
        torch.accelerator.synchronize()
    close(torch.bernoulli(torch.ones(2, device=DEV)), torch.ones(2))


def test_a_source_with_too_few_elements_is_reported():
    with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
        torch.zeros(5, device=DEV).masked_scatter_(torch.ones(5, device=DEV) > 0, torch.ones(3, device=DEV))
        torch.accelerator.synchronize()
    done = torch.zeros(2, device=DEV).masked_scatter_(torch.ones(2, device=DEV) > 0, torch.ones(2, device=DEV))
    close(done, torch.ones(2))


# Kernels that take memory of their own.
HUNGRY = {
    "topk": lambda x, i: x.topk(5),
    "sort": lambda x, i: x.sort(),
    "randperm": lambda x, i: torch.randperm(x.numel(), device=DEV),
    "index": lambda x, i: x[i],
    "index_put_": lambda x, i: x.index_put_((i,), x.new_ones(())),
    "index_put_, added up": lambda x, i: x.index_put_((i,), x.new_ones(()), accumulate=True),
}


@pytest.mark.skipif("PYTORCH_NO_CUDA_MEMORY_CACHING" in os.environ, reason="nothing limits memory without a cache")
@pytest.mark.parametrize("name", HUNGRY)
def test_a_kernel_that_gets_no_memory_says_so(name):
    m = torch.flagos
    # Of more than 10 MiB, so that each has a segment of its own, with nothing left in it for the kernel.
    n = 3 << 20
    x, i = torch.ones(n, device=DEV), torch.zeros(n, dtype=torch.int64, device=DEV)
    m.empty_cache()
    total = m.mem_get_info()[1]
    try:
        m.set_per_process_memory_fraction((m.memory_reserved() + (5 << 20)) / total)
        with pytest.raises(torch.OutOfMemoryError):
            HUNGRY[name](x, i)
    finally:
        m.set_per_process_memory_fraction(1.0)
    close(x, torch.ones(n))
    HUNGRY[name](x, i)
    torch.accelerator.synchronize()


def test_dropout_backward():
    grad, mask = numbers(33, 65), numbers(33, 65, dtype=torch.bool)
    with served_by("vendor", "native_dropout_backward"):
        same(lambda g, m: torch.ops.aten.native_dropout_backward(g, m, 1.25), grad, mask)


# ------------------------------------------------------------------------------------------------------------ width


def test_with_the_other_width_of_a_wavefront():
    """The rest of this file once more, where a wavefront has 32 lanes and not 64."""
    import torch_fl_dcu

    if not torch_fl_dcu.on_standin() or os.environ.get("HIP_STANDIN_WARP"):
        pytest.skip("the width is the device's, or chosen already")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", __file__],
        env={**os.environ, "HIP_STANDIN_WARP": "32"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-3000:]
