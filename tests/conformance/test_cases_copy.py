"""Faults that users of other accelerator backends reported: copies, conversions, conj and neg bits."""

import pytest
import torch
from harness.compare import close
from harness.device import DEV, on_device


def test_copy_broadcasts():
    """Copy_ of (2,1) into (2,2) left garbage -> broadcast; too-big source must raise.

    Report: pytorch/pytorch#105277 (copy_ with same-rank broadcasting)
    """
    y = torch.full((2, 3), 9.0).to(DEV)
    y.copy_(on_device([[1], [2]]))
    close(y, [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    y.copy_(torch.tensor([7.0, 8.0, 9.0]))
    close(y, [[7.0, 8.0, 9.0]] * 2)  # host source
    h = torch.zeros(2, 3)
    h.copy_(on_device([[4], [5]]))
    assert h.tolist() == [[4.0] * 3, [5.0] * 3]
    with pytest.raises(RuntimeError):
        y.copy_(torch.zeros(4, 3).to(DEV))


@pytest.mark.parametrize("dt", [torch.float16, torch.int32, torch.float64, torch.uint8])
def test_casting_download_keeps_source(dt):
    """Device->host cast from an offset reused the live buffer -> source bit-identical afterwards.

    Report: pytorch/pytorch#189572 (converting download clobbers its source)
    """
    h = torch.arange(32.0)
    d = h.clone().to(DEV)
    for v, w in ((d[5:], h[5:]), (d.view(4, 8).t()[2:], h.view(4, 8).t()[2:]), (d[::3], h[::3])):
        assert torch.equal(v.to("cpu", dt), w.to(dt))
        close(d, h)


@pytest.mark.parametrize("dt", [torch.uint16, torch.uint32, torch.uint64])
def test_wide_unsigned_casts(dt):
    """Casts from/to uint16/32/64 raised -> value-preserving, including strided targets.

    Report: flagos-ai/Torch-FL#257, Ascend/pytorch#158 (unsigned 16/32/64)
    """
    x = on_device([1, 2, 65535], torch.int64).to(dt)
    assert x.dtype == dt and x.to(torch.int64).cpu().tolist() == [1, 2, 65535]
    dst = torch.zeros(3, 2, dtype=torch.int64).to(dt).to(DEV)
    dst[:, 1].copy_(x)
    assert dst.cpu().to(torch.int64).tolist() == [[0, 1], [0, 2], [0, 65535]]
    assert x.to(torch.float32).cpu().tolist() == [1.0, 2.0, 65535.0]


def test_int64_is_exact():
    """Int64 clone/copy/cat went through int32 or float -> exact for |v| > 2**53.

    Report: torch-spyre/torch-spyre#391, flagos-ai/FlagCX#554 (int64 copies via narrower types)
    """
    v = [2**53 + 1, -(2**62) - 3, 2**31, -(2**31) - 1, 2**63 - 1]
    d = on_device(v)
    for r in (
        d,
        d.clone(),
        d[1:],
        torch.cat([d, d])[5:],
        d.flip(0).flip(0),
        torch.empty_like(d).copy_(d),
        d.unsqueeze(1).expand(5, 2)[:, 1],
    ):
        assert r.cpu().tolist() == v[-len(r) :]
    assert (d[:3] + 2).cpu().tolist() == [x + 2 for x in v[:3]] and d.max().item() == 2**63 - 1
    assert d.eq(on_device([x - 1 for x in v])).any().item() is False


def test_conj_matmul():
    """R.T.conj() @ R came out complex / negative -> real, |R|^2.

    Report: pytorch/pytorch#148156 (matmul ignores the conj bit)
    """
    r = on_device([[3 + 4j], [1j]])
    close(r.t().conj() @ r, [[26 + 0j]])
    close(r.mH @ r, [[26 + 0j]])
    close(torch.vdot(r[:, 0], r[:, 0]), torch.tensor(26 + 0j))
    close(on_device([1j]) * on_device([1j]).conj(), [1 + 0j])


def test_copy_into_strided_view():
    """Slice assignment of an expanded source into a strided view -> each target element once.

    Report: pytorch/pytorch#182052 (same, small tensor)
    """
    x = torch.zeros(2, 3, 4, dtype=torch.int16).to(DEV)
    x[:, 1, ::2] = on_device([[5], [6]], torch.int16)
    w = torch.zeros(2, 3, 4, dtype=torch.int16)
    w[0, 1, ::2] = 5
    w[1, 1, ::2] = 6
    close(x, w)


@pytest.mark.parametrize("src", [torch.float32, torch.float16, torch.int64, torch.bool])
@pytest.mark.parametrize("dst", [torch.float32, torch.bfloat16, torch.int32, torch.bool])
def test_d2d_copy_across_layouts(src, dst):
    """D2d copy_ across layouts/dtypes failed in the vendor call -> all pairs work.

    Report: Ascend/pytorch#90 (device-to-device copy between layouts)
    """
    h = (torch.arange(24) % 3).view(2, 3, 2, 2)
    d = torch.empty(2, 3, 2, 2, dtype=dst).to(DEV, memory_format=torch.channels_last)
    d.copy_(h.to(src).to(DEV).transpose(2, 3))
    close(d, h.to(src).transpose(2, 3).to(dst).contiguous())
