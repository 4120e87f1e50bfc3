"""Faults that users of other accelerator backends reported: torch.compile."""

import pytest
import torch
from harness.compare import close
from harness.device import DEV, TYPE


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "aot_eager_decomp_partition"])
def test_compile_capture(backend):
    """Meta kernels saw 'tensor device should be privateuse1' / meta tensors -> fullgraph capture, right device and
    strides.

    Report: pytorch/pytorch#101326, #101245, #160909 (fake tensors for a custom device)
    """

    def f(x, y):
        z = torch.zeros(3, device=x.device) + x.t() @ y
        return z.relu(), torch.arange(3, device=x.device) * 2, x[:, 1:].contiguous()

    torch._dynamo.reset()
    c = torch.compile(f, backend=backend, fullgraph=True)
    x, y = (torch.arange(12.0) % 5 - 2).view(4, 3), (torch.arange(12.0) % 7 - 3).view(4, 3)
    for g, w in zip(c(x.to(DEV), y.to(DEV)), f(x, y)):
        close(g, w)
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        t = torch.empty(2, 3, device=DEV)
        assert (
            (t + 1).device.type == TYPE and (t @ t.t()).device.type == TYPE and torch.zeros_like(t).device == t.device
        )


def test_compile_data_dependent():
    """Nonzero dropped the graph -> still right with a graph break; dynamic shapes recompile correctly.

    Report: tenstorrent/pytorch2.0_ttnn#232 (data-dependent op in a compiled graph)
    """

    def f(x):
        return torch.nonzero(x > 0.5).flatten() * 2, x.cumsum(0)

    torch._dynamo.reset()
    c = torch.compile(f, backend="aot_eager", dynamic=True)
    for n in (3, 5, 16):
        x = torch.arange(float(n)) % 2
        for g, w in zip(c(x.to(DEV)), f(x)):
            close(g, w)
