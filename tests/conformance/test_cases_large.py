"""Faults that users of other accelerator backends reported: more than 2**32 elements."""

import pytest
import torch
from harness.device import DEV


@pytest.mark.big
def test_bmm_large_output():
    """Uint32 index wrapped silently -> last batch equals a small recomputation.

    Report: pytorch/pytorch#197636 (bmm output past 2**32 elements)
    """
    a = torch.ones(65537, 256, 1, dtype=torch.float16, device=DEV).transpose(1, 2).contiguous().transpose(1, 2)
    a[-1] = 2.0
    r = torch.bmm(a, a.transpose(1, 2))
    assert r.numel() > 2**32 and r[-1].eq(4).all().item() and r[0].eq(1).all().item() and r[32768].eq(1).all().item()
