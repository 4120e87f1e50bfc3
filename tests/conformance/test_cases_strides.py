"""Faults that users of other accelerator backends reported: strides, offsets, outputs that are not contiguous."""

import numpy as np
import pytest
import torch
from harness.compare import close, same
from harness.device import DEV, on_device
from torch.nn import functional as F


def test_where_transposed_condition():
    """Where() read a transposed bool cond as if dense -> pick by logical index.

    Report: pytorch/pytorch#150967 (where, transposed condition)
    """
    cond = on_device([[True, False, True], [False, False, True]]).t()
    close(torch.where(cond, on_device([[1, 2], [3, 4], [5, 6]]), 0), [[1, 0], [0, 0], [5, 6]])


def test_out_into_strided_view_keeps_gaps():
    """Out= with gaps was filled densely -> only the viewed elements change, gaps keep their bytes.

    Report: pytorch/pytorch#125696 (result saved to a strided buffer)
    """
    buf = torch.full((3, 6), -7.0).to(DEV)
    view = buf[:, 1::2]
    r = torch.add(on_device([[1.0, 2.0, 3.0]] * 3), 10.0, out=view)
    assert r.data_ptr() == view.data_ptr()
    close(buf, [[-7.0, 11.0, -7.0, 12.0, -7.0, 13.0]] * 3)


def test_stack_offset_halves():
    """Stack/cat of two halves of one tensor duplicated the first half -> interleave both.

    Report: pytorch/pytorch#91071 (stack of offset slices)
    """
    t = on_device([1, 2, 3, 4])
    close(torch.stack((t[:2], t[2:]), dim=-1), [[1, 3], [2, 4]])
    close(torch.cat((t[2:].unsqueeze(-1), t[1:3].unsqueeze(-1)), -1), [[3, 2], [4, 3]])


def test_slice_rows_and_leading_columns():
    """Slice of rows and leading columns came out shifted -> plain numpy slicing.

    Report: pytorch/pytorch#95381 (two sliced dims, zero offset in the last)
    """
    n = np.arange(12.0).reshape(3, 4)
    t = torch.from_numpy(n).float().to(DEV)
    for sl in (np.s_[2:3, 0:2], np.s_[1:, :1], np.s_[:2, 3:], np.s_[1:2, 1:3]):
        close((t[sl] + 0).contiguous(), torch.from_numpy(n[sl]).float())


def test_upload_noncontiguous_host_tensor():
    """Host tensor with swapped or gapped strides arrived scrambled -> same logical values, round trip exact.

    Report: pytorch/pytorch#80859, #86056 (upload of permuted / ndarray-backed host tensors)
    """
    p = torch.arange(24).view(2, 3, 4).permute(2, 0, 1)
    s = torch.from_numpy(np.arange(20.0).reshape(4, 5)[1:, 1:4])
    e = torch.arange(3).expand(4, 3)
    for h in (p, s, e, p[1:, :, ::2], torch.arange(8)[::3]):
        d = h.to(DEV)
        close(d, h.contiguous())
        close(d + 0, h + 0)


def test_conv_weight_slice():
    """Conv read the sliced kernel densely -> result equals the contiguous-weight one.

    Report: pytorch/pytorch#192212 (conv2d with a slice of a 5-D weight)
    """
    w, x = torch.arange(2 * 3 * 3 * 9.0).view(2, 3, 3, 3, 3) % 4, torch.arange(2 * 3 * 36.0).view(2, 3, 6, 6) % 5
    same(lambda w, x: F.conv2d(x, w[:, :, 1]), w, x)
    same(lambda w, x: F.conv2d(x.transpose(2, 3), w[:, :, 2], padding=1), w, x)


def test_clamp_transposed_bounds():
    """Tensor bounds with other strides than self were mis-read -> elementwise by logical index.

    Report: pytorch/pytorch#87348 (clamp with transposed bounds)
    """
    lo, hi = on_device([[0.0, 2.0], [-9.0, 1.0]]).t(), on_device([[3.0, 4.0], [-8.0, 1.5]]).t()
    close(torch.clamp(on_device([[5.0, -20.0], [2.0, 7.0]]), lo, hi), [[3.0, -9.0], [2.0, 1.5]])


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5, 6])
def test_scalar_slice_assignment(rank):
    """Slice assignment of a scalar crashed in the pointwise code generator -> slice filled, rest kept.

    Report: flagos-ai/FlagGems#2347 (scalar fill of a rank>=2 slice)
    """
    m = torch.zeros([2] * (rank - 1) + [9], dtype=torch.bool).to(DEV)
    m[..., 6:] = True
    assert m.cpu()[..., 6:].all() and not m.cpu()[..., :6].any()
    x = torch.zeros([3] * rank).to(DEV)
    x[..., 1:] = float("-inf")
    assert torch.isneginf(x.cpu()[..., 1:]).all() and (x.cpu()[..., 0] == 0).all()


@pytest.mark.parametrize("off", [0, 1, 2, 3])
@pytest.mark.parametrize("op", ["scatter_add_", "index_add_", "index_put_"])
@pytest.mark.parametrize("dt", [torch.bool, torch.uint8, torch.int16])
def test_accumulate_on_byte_offset(op, off, dt):
    """Bool scatter_add_/index_add_/index_put_ wrote at the enclosing 4-byte word -> write at the view only.

    Report: pytorch/pytorch#195074 (accumulate into a misaligned bool view)
    """
    base = torch.zeros(8, dtype=dt).to(DEV)
    idx, src, v = on_device([0, 2]), torch.ones(2, dtype=dt).to(DEV), base.narrow(0, off, 4)
    v.index_put_((idx,), src, accumulate=True) if op == "index_put_" else getattr(v, op)(0, idx, src)
    assert [i for i, b in enumerate(base.cpu().tolist()) if b] == [off, off + 2]


def test_item_assignment_loop():
    """Tmp[i,j,k]=(slice*kernel).sum() in a loop gave wrong totals -> exact small integers.

    Report: microsoft/DirectML#696 (element-wise window sums via item assignment)
    """
    f = torch.stack([torch.arange(9.0).view(3, 3), torch.arange(1.0, 10.0).view(3, 3)]).to(DEV)
    ker, out = on_device([[[0.0, 1.0], [2.0, 3.0]], [[1.0, 2.0], [3.0, 4.0]]]), torch.zeros(2, 2, 2).to(DEV)
    for i in range(2):
        for j in range(2):
            for k in range(2):
                out[i, j, k] = (f[i, j : j + 2, k : k + 2] * ker[i]).sum()
    close(out.sum(0), [[56.0, 72.0], [104.0, 120.0]])
