"""Faults that users of other accelerator backends reported: random numbers and generators."""

import math

import pytest
import torch
from harness.device import DEV, TYPE, module, needs_device


def test_generator_state():
    """Set_state on a new generator rewound to the seed -> stream continues exactly where it was saved.

    Report: pytorch/pytorch#130613 (generator state not restored)
    """
    g = torch.Generator(device=DEV).manual_seed(42)

    def draw(gen):
        return torch.empty(3, 3, device=DEV).exponential_(1, generator=gen).cpu()

    a, b = draw(g), draw(g)
    st = g.get_state()
    c, d = draw(g), draw(g)
    g2 = torch.Generator(device=DEV)
    g2.set_state(st)
    assert (
        torch.equal(draw(g2), c)
        and torch.equal(draw(g2), d)
        and not torch.equal(a, b)
        and g2.initial_seed() == 42
        and g.device.type == TYPE
    )
    g.manual_seed(42)
    assert torch.equal(draw(g), a) and st.device.type == "cpu" and st.dtype == torch.uint8


@pytest.mark.parametrize("n", [0, 1, 100, 5000, 40000])
def test_randperm_quality(n):
    """Result was a few ascending runs -> a real permutation: about half the steps descend.

    Report: pytorch/pytorch#104170 (randperm barely shuffles)
    """
    p = torch.randperm(n, device=DEV)
    assert p.dtype == torch.int64 and p.device.type == TYPE and sorted(p.cpu().tolist()) == list(range(n))
    if n >= 100:
        frac = (p.cpu().diff() < 0).float().mean().item()
        assert abs(frac - 0.5) < 5 / math.sqrt(n), frac


@needs_device
def test_device_rng_state_api():
    """Device state must be saved/restored by get/set_rng_state and fork_rng, without disturbing the host stream.

    Report: derived: candle-org/MindAct#2529 (per-device RNG state API)
    """
    module().manual_seed_all(5)
    st = module().get_rng_state()
    a = torch.rand(8, device=DEV).cpu()
    module().set_rng_state(st)
    assert torch.equal(torch.rand(8, device=DEV).cpu(), a)
    with torch.random.fork_rng(devices=[torch.device(DEV).index or 0], device_type=TYPE):
        torch.rand(100, device=DEV)
    b = torch.rand(8, device=DEV).cpu()
    module().set_rng_state(st)
    torch.rand(8, device=DEV)
    assert torch.equal(torch.rand(8, device=DEV).cpu(), b)
    torch.manual_seed(9)
    h = torch.rand(4)
    torch.manual_seed(9)
    torch.rand(4, device=DEV)
    assert torch.equal(torch.rand(4), h)
    assert module().initial_seed() == 9
