"""Parts of PyTorch that reach a device through its generic hooks: profiler, loader, RNG forks, checkpoints, export."""

import json

import pytest
import torch
from harness.device import DEV, TYPE, module, needs_device
from torch import nn


def test_profiler_records_ops(tmp_path):
    from torch.profiler import ProfilerActivity, profile

    x = torch.randn(8, 8, device=DEV)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as p:
        (x @ x).relu().sum().item()
    assert "aten::mm" in {e.key for e in p.key_averages()}
    path = tmp_path / "trace.json"
    p.export_chrome_trace(str(path))
    assert json.loads(path.read_text())["traceEvents"]
    with profile() as p:  # every activity that this build of PyTorch knows
        (x @ x).sum().item()
    assert "aten::mm" in {e.key for e in p.key_averages()}


@needs_device
def test_loader_pins_batches():
    data = torch.utils.data.TensorDataset(torch.arange(10.0))
    for (batch,) in torch.utils.data.DataLoader(data, batch_size=4, pin_memory=True):
        assert batch.is_pinned()
        torch.testing.assert_close(batch.to(DEV, non_blocking=True).cpu(), batch)


@needs_device
def test_fork_rng_gives_the_state_back():
    with torch.random.fork_rng(devices=[0], device_type=TYPE):
        torch.manual_seed(7)
        inside = torch.rand(3, device=DEV)
    after = torch.rand(3, device=DEV)
    torch.manual_seed(0)  # as each test starts
    torch.testing.assert_close(torch.rand(3, device=DEV), after, rtol=0, atol=0)
    torch.manual_seed(7)
    torch.testing.assert_close(torch.rand(3, device=DEV), inside, rtol=0, atol=0)


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("autocast", [True, False])
def test_checkpoint_repeats_dropout(reentrant, autocast):
    from torch.utils.checkpoint import checkpoint

    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5)).to(DEV)
    grads = []
    for run in (net, lambda x: checkpoint(net, x, use_reentrant=reentrant)):
        torch.manual_seed(3)
        x = torch.ones(4, 8, device=DEV, requires_grad=True)
        with torch.autocast(TYPE, torch.bfloat16, enabled=autocast):
            run(x).float().sum().backward()
        grads.append(x.grad)
    torch.testing.assert_close(grads[1], grads[0])


def test_export_with_a_dynamic_batch():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).to(DEV)
    example = torch.randn(3, 4, device=DEV)
    program = torch.export.export(net, (example,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    x = torch.randn(7, 4, device=DEV)
    torch.testing.assert_close(program.module()(x), net(x))


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile_with_dynamic_shapes(backend):
    def f(x, w):
        return (x @ w).relu().sum(-1) * x.shape[0]

    torch._dynamo.reset()
    compiled = torch.compile(f, backend=backend, dynamic=True, fullgraph=True)
    w = torch.randn(4, 2, device=DEV, requires_grad=True)
    for n in (3, 5, 9):
        x = torch.randn(n, 4, device=DEV)
        torch.testing.assert_close(compiled(x, w), f(x, w))
        (got,) = torch.autograd.grad(compiled(x, w).sum(), w)
        (expected,) = torch.autograd.grad(f(x, w).sum(), w)
        torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile_writes_through_a_mask(backend):
    def f(x):
        y = x.clone()
        y[y > 0] *= 0.5
        return y

    torch._dynamo.reset()
    x = torch.tensor([[-1.6, 0.6], [0.2, -0.4]])
    torch.testing.assert_close(torch.compile(f, backend=backend)(x.to(DEV)).cpu(), f(x))


@needs_device
def test_memory_summary_says_what_is_allocated():
    x = torch.ones(1 << 20, dtype=torch.uint8, device=DEV)
    text = module().memory_summary()
    assert "allocated memory" in text and "device 0" in text
    assert len(module().memory_summary(abbreviated=True)) < len(text)
    del x
