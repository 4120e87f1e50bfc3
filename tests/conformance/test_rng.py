"""Random numbers: seeds and states are exact on every lane, and the numbers have the right distribution."""

import pytest
import torch
from harness import child, lanes
from harness.device import DEV, SELF_CHECK, TYPE, index, module, needs_device, needs_two_devices

DRAWS = {
    "rand": lambda g: torch.rand(50, device=DEV, generator=g),
    "randn": lambda g: torch.randn(50, device=DEV, generator=g),
    "randint": lambda g: torch.randint(1000, (50,), device=DEV, generator=g),
    "randperm": lambda g: torch.randperm(50, device=DEV, generator=g),
    "uniform_": lambda g: torch.empty(50, device=DEV).uniform_(generator=g),
    "normal_": lambda g: torch.empty(50, device=DEV).normal_(generator=g),
    "exponential_": lambda g: torch.empty(50, device=DEV).exponential_(generator=g),
    "geometric_": lambda g: torch.empty(50, device=DEV).geometric_(0.3, generator=g),
    "cauchy_": lambda g: torch.empty(50, device=DEV).cauchy_(generator=g),
    "log_normal_": lambda g: torch.empty(50, device=DEV).log_normal_(generator=g),
    "random_": lambda g: torch.empty(50, dtype=torch.int64, device=DEV).random_(generator=g),
    "bernoulli": lambda g: torch.bernoulli(torch.full((50,), 0.5, device=DEV), generator=g),
    "bernoulli_": lambda g: torch.empty(50, device=DEV).bernoulli_(0.5, generator=g),
    "multinomial": lambda g: torch.multinomial(torch.ones(50, device=DEV), 20, generator=g),
    "poisson": lambda g: torch.poisson(torch.full((50,), 4.0, device=DEV), generator=g),
    "normal": lambda g: torch.normal(torch.zeros(50, device=DEV), 1.0, generator=g),
}
# These take no generator.
DEFAULT_DRAWS = {
    "dropout": lambda: torch.nn.functional.dropout(torch.ones(50, device=DEV), 0.5),
    "alpha_dropout": lambda: torch.nn.functional.alpha_dropout(torch.ones(50, device=DEV), 0.5, training=True),
    "rrelu": lambda: torch.nn.functional.rrelu(torch.full((50,), -1.0, device=DEV), training=True),
    "rand_like": lambda: torch.rand_like(torch.ones(50, device=DEV)),
    "randint_like": lambda: torch.randint_like(torch.ones(50, device=DEV), 9),
    "gumbel_softmax": lambda: torch.nn.functional.gumbel_softmax(torch.ones(50, device=DEV)),
}

LANES = ["default"] if SELF_CHECK else ["default", *lanes.lanes()]


def _equal(a, b):
    return torch.equal(a.cpu(), b.cpu())


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_own_generator(draw, lane):
    with lanes.forced(lane):
        g = torch.Generator(DEV).manual_seed(11)
        first, second = draw(g), draw(g)
        assert first.device == DEV and not _equal(first, second)
        g.manual_seed(11)
        assert _equal(draw(g), first)
        state = g.get_state()
        third = draw(g)
        assert _equal(third, second)
        other = torch.Generator(DEV)
        other.set_state(state)
        assert _equal(draw(other), second) and _equal(draw(other), draw(g))
        g.manual_seed(12)
        assert not _equal(draw(g), first)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("draw", DEFAULT_DRAWS.values(), ids=DEFAULT_DRAWS)
def test_default_generator(draw, lane):
    with lanes.forced(lane):
        torch.manual_seed(5)
        first, second = draw(), draw()
        assert first.device == DEV and not _equal(first, second)
        torch.manual_seed(5)
        assert _equal(draw(), first) and _equal(draw(), second)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_own_generator_leaves_the_default_one_alone(draw, lane):
    with lanes.forced(lane):
        torch.manual_seed(3)
        want = torch.rand(8, device=DEV)
        torch.manual_seed(3)
        draw(torch.Generator(DEV).manual_seed(1))
        assert _equal(torch.rand(8, device=DEV), want)


@needs_device
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_host_stream_is_not_disturbed(draw, lane):
    with lanes.forced(lane):
        torch.manual_seed(3)
        want = torch.rand(8)
        torch.manual_seed(3)
        draw(None)
        assert torch.equal(torch.rand(8), want)


@needs_device
def test_state():
    g = torch.Generator(DEV)
    state = g.get_state()
    assert state.device.type == "cpu" and state.dtype == torch.uint8
    assert g.device == DEV and "flagos" in repr(g.device)
    with pytest.raises((RuntimeError, TypeError)):
        g.set_state(torch.zeros(3, dtype=torch.uint8))
    with pytest.raises((RuntimeError, TypeError)):
        g.set_state(state.to(torch.float32))
    assert _equal(g.get_state(), state)
    clone = g.clone_state() if hasattr(g, "clone_state") else None
    assert clone is None or _equal(clone.get_state(), state)


def test_seeds():
    g = torch.Generator(DEV)
    for seed in (0, 1, 2**31, 2**63 - 1, -1):
        g.manual_seed(seed)
        assert g.initial_seed() % 2**64 == seed % 2**64
        torch.rand(3, device=DEV, generator=g)
        assert g.initial_seed() % 2**64 == seed % 2**64
    assert g.seed() == g.initial_seed()


@needs_device
def test_wrong_device_of_a_generator_is_refused():
    for device, generator in ((DEV, torch.Generator()), ("cpu", torch.Generator(DEV))):
        with pytest.raises((RuntimeError, ValueError), match="enerator"):
            torch.rand(3, device=device, generator=generator)
        with pytest.raises((RuntimeError, ValueError), match="enerator"):
            torch.empty(3, device=device).normal_(generator=generator)


@needs_device
def test_module_functions():
    m = module()
    m.manual_seed_all(5)
    state = m.get_rng_state()
    a = torch.rand(8, device=DEV)
    m.set_rng_state(state)
    assert _equal(torch.rand(8, device=DEV), a) and m.initial_seed() == 5
    states = m.get_rng_state_all()
    assert len(states) == m.device_count()
    b = torch.rand(8, device=DEV)
    m.set_rng_state_all(states)
    assert _equal(torch.rand(8, device=DEV), b)
    m.seed()
    assert m.initial_seed() != 5
    with torch.random.fork_rng(devices=[0], device_type=TYPE):
        torch.manual_seed(1)
        torch.rand(100, device=DEV)
    assert len(m.default_generators) == m.device_count()


@needs_two_devices
def test_devices_have_their_own_streams():
    torch.manual_seed(4)
    a0 = torch.rand(4, device=index(0))
    a1 = torch.rand(4, device=index(1))
    torch.manual_seed(4)
    torch.rand(100, device=index(0))
    assert _equal(torch.rand(4, device=index(1)), a1)
    torch.manual_seed(4)
    assert _equal(torch.rand(4, device=index(0)), a0)


N = 200_000


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_distributions(lane, dtype):
    with lanes.forced(lane):
        u = torch.rand(N, dtype=dtype, device=DEV).double().cpu()
        assert u.min() >= 0 and u.max() < 1 and abs(u.mean() - 0.5) < 0.01 and abs(u.var() - 1 / 12) < 0.005
        u = torch.empty(N, dtype=dtype, device=DEV).uniform_(-3, 5).double().cpu()
        assert u.min() >= -3 and u.max() <= 5 and abs(u.mean() - 1) < 0.05
        z = torch.randn(N, dtype=dtype, device=DEV).double().cpu()
        # Some versions of PyTorch draw numbers of 16 bits that go no further than 3.33 on the CPU.
        tail = min(3.5, 0.99 * torch.randn(N, dtype=dtype).abs().max().item())
        assert abs(z.mean()) < 0.02 and abs(z.std() - 1) < 0.02 and tail < z.abs().max() < 7
        assert abs((z**4).mean() - 3) < 0.3
        b = torch.empty(N, dtype=dtype, device=DEV).bernoulli_(0.3).double().cpu()
        assert set(b.unique().tolist()) == {0.0, 1.0} and abs(b.mean() - 0.3) < 0.01
        e = torch.empty(N, dtype=dtype, device=DEV).exponential_(2.0).double().cpu()
        assert e.min() >= 0 and abs(e.mean() - 0.5) < 0.02
        # No value is drawn twice in a row: neighbours are independent.
        z = torch.randn(N, dtype=torch.float64, device=DEV).cpu()
        assert abs((z[1:] * z[:-1]).mean()) < 0.02


@pytest.mark.parametrize("lane", LANES)
def test_integers(lane):
    with lanes.forced(lane):
        r = torch.randint(-5, 6, (N,), device=DEV).cpu()
        assert r.min() == -5 and r.max() == 5 and (torch.bincount(r + 5) - N / 11).abs().max() < N * 0.01
        assert torch.randint(0, 2**62, (100,), device=DEV).max().item() > 2**55
        b = torch.empty(1000, dtype=torch.bool, device=DEV).random_().cpu()
        assert 300 < b.sum() < 700


@pytest.mark.parametrize("lane", LANES)
def test_dropout(lane):
    with lanes.forced(lane):
        x = torch.ones(N, device=DEV, requires_grad=True)
        y = torch.nn.functional.dropout(x, 0.25)
        kept = (y != 0).float().mean().item()
        assert abs(kept - 0.75) < 0.01 and abs(y.max().item() - 1 / 0.75) < 1e-5
        y.sum().backward()
        assert _equal(x.grad != 0, y.detach() != 0)


def test_strided_targets_get_all_their_numbers():
    buffer = torch.full((100, 100), -1.0, device=DEV)
    buffer[:, ::2].uniform_()
    host = buffer.cpu()
    assert (host[:, 1::2] == -1).all() and (host[:, ::2] >= 0).all() and host[:, ::2].unique().numel() > 4900


def test_graph_of_a_seed_does_not_depend_on_layout():
    torch.manual_seed(0)
    a = torch.empty(6, 4, device=DEV).normal_()
    torch.manual_seed(0)
    b = torch.empty(24, device=DEV).normal_()
    assert _equal(a.flatten(), b)


@needs_device
def test_seeding_does_not_start_the_device():
    """A process that has only seeded may fork; the device's generators begin with that seed."""
    code = """
        import os, torch, torch_fl
        from torch_fl import _native
        torch.manual_seed(3)
        torch.manual_seed(-5)
        child = os.fork()
        draw = lambda: [torch.rand(3, device=f"flagos:{i}").cpu() for i in range(torch.flagos.device_count())]
        first = draw()
        torch.manual_seed(-5)
        assert all(torch.equal(a, b) for a, b in zip(first, draw()))
        assert torch.flagos.initial_seed() == 2**64 - 5
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print("same")
    """
    assert "same" in child.run(code).stdout
    with pytest.raises((RuntimeError, ValueError, OverflowError)):
        torch.flagos.manual_seed_all(2**65)
