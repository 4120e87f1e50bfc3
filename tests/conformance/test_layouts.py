"""Ops that PyTorch has no structured meta function for: layouts, checks and out= as on the host, also on a plan hit.

Each call is made on the routes in force and on the vendor's own lane, where core's layout rules size the results.
"""

import pytest
import torch
from harness.compare import assert_same_call
from harness.device import DEV, SELF_CHECK, on_device
from harness.lanes import forced
from torch.nn import functional as F

aten = torch.ops.aten


def values(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


IMAGE, VOLUME = values(2, 4, 5, 6), values(2, 4, 5, 6, 7)
IMAGE_LAST = IMAGE.contiguous(memory_format=torch.channels_last)
VOLUME_LAST = VOLUME.contiguous(memory_format=torch.channels_last_3d)
GRID, GRID_3D = values(2, 3, 2, 2, seed=1) / 2, values(2, 3, 2, 2, 3, seed=2) / 2
EDGES = torch.tensor([-1.0, 0.0, 0.5, 2.0])
CLASSES = (IMAGE[:, 0] > 0).long() + (IMAGE[:, 1] > 0)
WEIGHT = torch.tensor([1.0, 0.5, 2.0, 3.0])
MATRIX = values(4, 5, seed=3)
COMPLEX = torch.complex(values(3, 4, 5, seed=4), values(3, 4, 5, seed=5))


def last(x):
    """With another order of dimensions in memory."""
    return x.transpose(0, -1)


LAYOUTS = {
    "im2col": (lambda x: F.unfold(x, (2, 3), (1, 2), (1, 0), (2, 1)), IMAGE.transpose(2, 3)),
    "im2col of one": (lambda x: F.unfold(x, 2), IMAGE[0]),
    "col2im": (lambda x: F.fold(x, (5, 4), (2, 3), 1, (1, 0), (2, 1)), values(2, 12, 6)),
    "col2im of one": (lambda x: F.fold(x, (3, 3), 2), values(4, 4).t()),
    "grid": (lambda x, g: F.grid_sample(x, g, "bicubic", align_corners=False), IMAGE_LAST, GRID),
    "grid of a volume": (lambda x, g: F.grid_sample(x, g, align_corners=True), VOLUME_LAST, GRID_3D),
    "pool": (lambda x: F.max_pool3d(x, 2, return_indices=True), VOLUME),
    "pool, channels last": (lambda x: F.max_pool3d(x, 2, 1, 1, return_indices=True), VOLUME_LAST),
    "pool, permuted": (lambda x: F.max_pool3d(x, (2, 1, 3), 2, ceil_mode=True, return_indices=True), last(VOLUME)),
    "pool of one": (lambda x: F.max_pool3d(x, 2, dilation=2, return_indices=True), VOLUME[0].permute(1, 2, 3, 0)),
    "pool, one number": (lambda x: aten.max_pool3d_with_indices(x, [2], [], [1], [1]), VOLUME),
    "average, one number": (lambda x: aten.avg_pool3d(x, [2], [1], [1]), VOLUME),
    "shuffle": (lambda x: torch.channel_shuffle(x, 2), IMAGE.transpose(2, 3)),
    "shuffle, channels last": (lambda x: torch.channel_shuffle(x, 2), IMAGE_LAST),
    "shuffle of a volume": (lambda x: torch.channel_shuffle(x, 4), VOLUME_LAST),
    "weight norm": (lambda v, g: aten._weight_norm_interface(v, g, 0), MATRIX, values(4, 1)),
    "frexp": (torch.frexp, last(VOLUME)),
    "frexp of one": (torch.frexp, VOLUME[0, 0, 0, 0, 0]),
    "polar": (torch.polar, last(VOLUME).abs(), last(VOLUME)),
    "polar, broadcast": (torch.polar, MATRIX.t().abs(), values(4)),
    "polar of one": (torch.polar, torch.tensor(2.0), torch.tensor(0.5)),
    "bucketize": (lambda x, e: torch.bucketize(x, e, right=True), last(IMAGE).contiguous(), EDGES),
    "bucketize int": (lambda x, e: torch.bucketize(x, e, out_int32=True), MATRIX, EDGES),
    "bucketize of whole numbers": (torch.bucketize, torch.arange(-3, 5, dtype=torch.int32), EDGES),
    "bucketize a number": (lambda e: torch.bucketize(0.25, e), EDGES),
    "bucketize a fraction among whole numbers": (lambda e: torch.bucketize(2.5, e), torch.arange(5, dtype=torch.int32)),
    "histc": (lambda x: torch.histc(x, 3), MATRIX.t()),
    "histc, ends": (lambda x: torch.histc(x, 3, -1, 2), MATRIX),
    # Without a reduction the total weight is memory that nobody wrote.
    "nll_loss": (lambda x, t, w: aten.nll_loss2d_forward(x, t, w, 0, 1)[0], IMAGE_LAST, CLASSES, WEIGHT),
    "nll_loss, mean": (lambda x, t: aten.nll_loss2d_forward(x, t, None, 1, -100), IMAGE, CLASSES),
    "margin": (
        lambda x, t, w: F.multi_margin_loss(x, t, 2, 0.5, w, reduction="none"),
        MATRIX.t(),
        CLASSES[0, 0, :5],
        WEIGHT,
    ),
    "margin of one": (lambda x, t: F.multi_margin_loss(x, t, reduction="none"), WEIGHT, torch.tensor(2)),
    "margin of one in a list": (lambda x, t: F.multi_margin_loss(x, t, reduction="none"), WEIGHT, torch.tensor([2])),
    "fft": (torch.fft.fft, COMPLEX),
    "fft, permuted": (torch.fft.fft, COMPLEX.transpose(0, 2)),
    "fft of rows": (lambda x: torch.fft.fft(x, dim=0), COMPLEX),
    "fft of reals": (torch.fft.rfft, MATRIX),
    "fft of reals, whole": (torch.fft.fft, MATRIX),
    "fft to reals": (torch.fft.irfft, COMPLEX),
    "fft to reals, odd": (lambda x: torch.fft.irfft(x, 7), COMPLEX),
    "linspace": (lambda o: torch.linspace(-1, 3, 6, out=o), torch.zeros(6)),
    "linspace, in its own shape": (lambda o: torch.linspace(-1, 3, 6, out=o), torch.zeros(3, 2).t()),
    "linspace, empty": (lambda o: torch.linspace(-1, 3, 6, out=o), torch.zeros(0)),
    "linspace, resized": (lambda o: torch.linspace(-1, 3, 6, out=o), torch.zeros(2)),
    "logspace": (lambda o: torch.logspace(-1, 2, 4, 3.0, out=o), torch.zeros(8)[::2]),
    "eye": (lambda o: torch.eye(3, out=o), torch.ones(3, 3).t()),
    "eye, empty": (lambda o: torch.eye(2, 3, out=o), torch.zeros(0)),
    "eye, resized": (lambda o: torch.eye(2, 3, out=o), torch.zeros(4)),
}
# Drawn numbers differ: their layouts are what is compared.
DRAWN = {
    "normal": (torch.normal, last(IMAGE), last(IMAGE).abs()),
    "normal, broadcast": (torch.normal, MATRIX, MATRIX[:1].abs()),
    "normal of a mean": (lambda m: torch.normal(m, 0.5), last(IMAGE)),
    "normal of a deviation": (lambda s: torch.normal(0.5, s), last(IMAGE).abs()),
    "normal of one": (lambda m: torch.normal(m, 0.5), torch.tensor(1.0)),
}
WRONG = {
    "im2col": (lambda x: F.unfold(x, 9), IMAGE),
    "im2col, one number": (lambda x: aten.im2col(x, [2], [1, 1], [0, 0], [1, 1]), IMAGE),
    "im2col, rank": (lambda x: F.unfold(x, 2), IMAGE[0, 0]),
    "col2im": (lambda x: F.fold(x, (4, 4), 2), values(2, 5, 9)),
    "col2im, places": (lambda x: F.fold(x, (4, 4), 2), values(2, 4, 8)),
    "grid": (lambda x, g: aten.grid_sampler_2d(x, g, 0, 0, False), IMAGE, GRID[:1]),
    "grid, width": (lambda x, g: aten.grid_sampler_2d(x, g, 0, 0, False), IMAGE, values(2, 3, 2, 3)),
    "grid, bicubic": (lambda x, g: aten.grid_sampler_3d(x, g, 2, 0, False), VOLUME, GRID_3D),
    "pool, kernel": (lambda x: aten.max_pool3d_with_indices(x, [2, 2]), VOLUME),
    "pool, stride": (lambda x: aten.max_pool3d_with_indices(x, [2], [2, 2]), VOLUME),
    "pool, no stride": (lambda x: F.max_pool3d(x, 2, 0), VOLUME),
    "pool, padding": (lambda x: F.max_pool3d(x, 2, padding=2), VOLUME),
    "pool, size": (lambda x: F.max_pool3d(x, 9), VOLUME),
    "pool, rank": (lambda x: F.max_pool3d(x, 2), IMAGE[0]),
    "pool, large": (lambda x: F.max_pool3d(x, 2**33), VOLUME),
    "shuffle": (lambda x: torch.channel_shuffle(x, 3), IMAGE),
    "shuffle, none": (lambda x: torch.channel_shuffle(x, 0), IMAGE),
    "shuffle, rank": (lambda x: torch.channel_shuffle(x, 2), MATRIX),
    "frexp": (torch.frexp, CLASSES),
    "polar": (torch.polar, MATRIX, MATRIX.double()),
    "polar, whole": (torch.polar, CLASSES, CLASSES),
    "polar, sizes": (torch.polar, MATRIX, values(3)),
    "bucketize": (torch.bucketize, MATRIX, MATRIX),
    "histc, bins": (lambda x: torch.histc(x, 0), MATRIX),
    "histc, order": (lambda x: torch.histc(x, 3, 2, 1), MATRIX),
    "histc, infinite": (lambda x: torch.histc(x, 3, 0, float("inf")), MATRIX),
    "histc of what is not finite": (lambda x: torch.histc(x / 0, 3), MATRIX),
    "nll_loss": (lambda x, t: aten.nll_loss2d_forward(x, t, None, 1, -100), IMAGE, CLASSES[:, 1:]),
    "nll_loss, weights": (lambda x, t, w: aten.nll_loss2d_forward(x, t, w, 1, -100), IMAGE, CLASSES, WEIGHT[:3]),
    "nll_loss, rank": (lambda x, t: aten.nll_loss2d_forward(x, t, None, 1, -100), IMAGE[0], CLASSES),
    "margin": (lambda x, t: aten.multi_margin_loss(x, t, 3), MATRIX, CLASSES[0, 0, :4]),
    "margin, target": (lambda x, t: F.multi_margin_loss(x, t), MATRIX, CLASSES[0, 0, :3]),
    "margin, weights": (lambda x, t, w: F.multi_margin_loss(x, t, 1, 1.0, w), MATRIX, CLASSES[0, 0, :4], WEIGHT),
    "normal": (lambda m: torch.normal(m, -1.0), MATRIX),
    "normal, sizes": (torch.normal, MATRIX, values(3).abs()),
    "normal of negative deviations": (lambda s: torch.normal(0.0, s), -MATRIX.abs()),
    "linspace": (lambda o: torch.linspace(0, 1, -1, out=o), torch.zeros(3)),
    "eye": (lambda o: torch.eye(-1, out=o), torch.zeros(3)),
    "eye, columns": (lambda o: torch.eye(2, -1, out=o), torch.zeros(3)),
}
# A call that is right, before the one that is wrong by its numbers alone: the plan of the first may not serve it.
RIGHT = {
    "histc, order": (lambda x: torch.histc(x, 3, 1, 2), MATRIX),
    "histc, infinite": (lambda x: torch.histc(x, 3, 0, 1), MATRIX),
    "margin": (lambda x, t: aten.multi_margin_loss(x, t, 1), MATRIX, CLASSES[0, 0, :4]),
    "normal": (lambda m: torch.normal(m, 1.0), MATRIX),
}
LANES = ["default"] if SELF_CHECK else ["default", "vendor"]
on_lanes = pytest.mark.parametrize("lane", LANES)


@on_lanes
@pytest.mark.parametrize("name", LAYOUTS)
def test_results_are_laid_out_as_on_the_host(name, lane):
    function, *inputs = LAYOUTS[name]
    with forced(lane):
        for _ in range(2):
            assert assert_same_call(function, (tuple(inputs), {})).error is None


@on_lanes
@pytest.mark.parametrize("name", DRAWN)
def test_drawn_results_are_laid_out_as_on_the_host(name, lane):
    function, *inputs = DRAWN[name]
    with forced(lane):
        for _ in range(2):
            assert assert_same_call(function, (tuple(inputs), {}), values=False).error is None


@on_lanes
@pytest.mark.parametrize("name", WRONG)
def test_what_the_host_refuses_is_refused(name, lane):
    function, *inputs = WRONG[name]
    with forced(lane):
        if name in RIGHT:
            right, *given = RIGHT[name]
            right(*[x.to(DEV) for x in given])
        for _ in range(2):
            want = assert_same_call(function, (tuple(inputs), {})).error
            with pytest.raises(type(want)) as got:
                function(*[x.to(DEV) for x in inputs])
            assert str(got.value).split("\n")[0] == str(want).split("\n")[0]


def test_a_wrong_size_of_out_is_mended_without_a_warning(recwarn):
    out = on_device([1.0, 2.0, 3.0])
    torch.linspace(0, 1, 5, out=out)
    torch.eye(2, out=out)
    assert out.shape == (2, 2) and not [w for w in recwarn if "resized" in str(w.message)]
