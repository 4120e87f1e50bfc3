"""torch_fl.explain: what it says is what a real call does, and the call leaves nothing behind."""

import warnings

import pytest
import torch
from harness.compare import close
from harness.device import DEV, needs_two_devices
from torch import nn

import torch_fl


def meta(*shape, **options):
    return torch.empty(*shape, device="meta", **options)


def ops(explanation):
    return [step.op for step in explanation.steps]


def agrees(fn, *args):
    """The call reaches the ops that explain lists, on the lanes that it names."""
    explanation = torch_fl.explain(fn, *args)
    assert explanation.ended == ""
    said = [(step.op, step.lane) for step in explanation.steps if step.lane != "core"]
    with torch_fl.census() as census:
        fn(*args)
    done = [(row.op, row.lane) for row in census.rows()]
    assert set(done) <= set(said), f"not foreseen: {set(done) - set(said)}"
    return explanation


def test_line_and_reasons_are_named():
    x = torch.ones(2, 3, device=DEV)
    with torch_fl.routes({"add.Tensor": "none"}):
        explanation = torch_fl.explain(torch.add, x, 1)
    text = str(explanation)
    assert "add.Tensor" in text and "none" in text and "torch_fl.routes()" in text
    (step,) = explanation.steps
    assert step.lane == "none" and {v.lane for v in step.lanes} >= {"none"}
    assert sum(v.chosen for v in step.lanes) == 1


def test_nothing_runs():
    x = torch.ones(3, device=DEV)
    torch_fl.explain(lambda t: t.add_(1), x)
    assert x.tolist() == [1, 1, 1]
    a, b = meta(1 << 16, 1 << 16), meta(1 << 16, 2)
    assert ops(torch_fl.explain(torch.mm, a, b))[-1] == "mm"
    host = torch.tensor(0.0)
    assert "add.Tensor" in ops(torch_fl.explain(lambda: torch.ones(2, device=DEV) + host.add_(1)))
    assert host.item() == 0


def test_composites_are_followed():
    assert ops(torch_fl.explain(nn.Linear(4, 2, device="meta"), meta(3, 4)))[-1] == "addmm"
    assert ops(torch_fl.explain(nn.Linear(4, 2, device=DEV), torch.ones(3, 4, device=DEV)))[-1] == "addmm"


def test_strides_are_kept():
    (step,) = torch_fl.explain(torch.relu, meta(2, 3).t()).steps
    assert step.call == "float32[3, 2] strides [1, 3]"


@pytest.mark.parametrize("device", ["meta", DEV])
def test_factories(device):
    assert ops(torch_fl.explain(torch.ones, 3, device=device))[-1] == "fill_.Scalar"


def test_ops_that_depend_on_values_end_the_list():
    result = torch_fl.explain(lambda x: torch.relu(x.nonzero().float()), meta(4))
    assert ops(result) == ["nonzero"]
    assert "depends on values" in result.ended and result.ended in str(result)


def test_wrong_calls_raise_as_ever():
    # The second is what the meta function of torch 2.11 says.
    with pytest.raises(RuntimeError, match=r"must match the size|broadcast a dimension"):
        torch_fl.explain(torch.add, meta(2), meta(3))


def test_host_tensors_are_not_the_devices():
    assert torch_fl.explain(torch.relu, torch.ones(2)).steps == []
    (step,) = torch_fl.explain(torch.mul, meta(2), torch.tensor(2.0)).steps
    assert step.call == "float32[2], float32[] on cpu"


def test_results_of_lists_have_their_layouts():
    x = torch.ones(2, 3, device=DEV)
    text = str(torch_fl.explain(torch._foreach_add, [x, x], [x, x]))
    assert "UNKNOWN" not in text


def test_the_device_is_the_devices_own():
    def by_device(x):
        return x.mm(x) if x.device == DEV and x.is_flagos and not x.is_meta else x.sin()

    assert ops(torch_fl.explain(by_device, torch.ones(2, 2, device=DEV))) == ["mm"]


@needs_two_devices
def test_devices_are_told_apart():
    x, y = torch.ones(2, device="flagos:0"), torch.ones(2, device="flagos:1")
    assert ops(torch_fl.explain(torch.add, y, y)) == ["add.Tensor"]
    with pytest.raises(RuntimeError, match="flagos:0 and flagos:1"):
        torch_fl.explain(torch.add, x, y)


@pytest.mark.parametrize("module", [nn.LSTM, nn.RNN])
def test_recurrent_modules(module):
    explanation = torch_fl.explain(module(2, 2).to(DEV), torch.ones(1, 1, 2, device=DEV))
    assert len(explanation.steps) > 5 and explanation.ended == ""


def test_attention():
    agrees(nn.MultiheadAttention(4, 2, device=DEV), *[torch.rand(3, 2, 4, device=DEV)] * 3)


def test_casts_of_autocast_are_steps():
    module, x = nn.Linear(2, 2).to(DEV), torch.ones(2, 2, device=DEV)
    with torch.autocast("flagos", torch.bfloat16):
        (step,) = [s for s in torch_fl.explain(module, x).steps if s.op == "addmm"]
        assert step.call.startswith("bfloat16")
        assert module(x).dtype == torch.bfloat16

    def inside(x):
        with torch.autocast(x.device.type, torch.bfloat16):
            return module(x)

    agrees(inside, x)


@pytest.mark.parametrize("kept", [False, True])
def test_backward_leaves_gradients_as_they_were(kept):
    module, x = nn.Linear(2, 2).to(DEV), torch.ones(2, 2, device=DEV, requires_grad=True)

    def call(x):
        module(x).square().sum().backward()

    if kept:
        call(x)
    before = [p.grad for p in (*module.parameters(), x)]
    values = [None if g is None else g.cpu() for g in before]
    explanation = torch_fl.explain(call, x)
    assert "mm" in ops(explanation) and explanation.ended == ""
    for parameter, grad, value in zip((*module.parameters(), x), before, values, strict=True):
        assert parameter.grad is grad
        if kept:
            close(grad, value)
    assert ops(torch_fl.explain(lambda: torch.autograd.grad(module(x).sum(), list(module.parameters()))))


@pytest.mark.parametrize("options", [{}, {"foreach": False}], ids=["foreach", "one by one"])
@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
def test_optimizers_stay_as_they_were(optimizer, options):
    if optimizer is torch.optim.SGD:
        options = {**options, "momentum": 0.9}

    def trained(explained):
        p = nn.Parameter(torch.ones(3, device=DEV))
        p.grad = torch.ones_like(p)
        steps = optimizer([p], lr=0.1, **options)
        for _ in range(3):
            if explained:
                explanation = torch_fl.explain(steps.step)
                assert explanation.steps and explanation.ended == ""
            steps.step()
        return p.detach().cpu()

    assert torch.equal(trained(explained=True), trained(explained=False))


def test_a_training_step():
    module = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)).to(DEV)
    steps = torch.optim.AdamW(module.parameters())

    def step(x, y):
        steps.zero_grad()
        nn.functional.cross_entropy(module(x), y).backward()
        steps.step()

    x, y = torch.rand(5, 4, device=DEV), torch.randint(0, 2, (5,), device=DEV)
    before = {name: value.cpu() for name, value in module.state_dict().items()}
    explanation = torch_fl.explain(step, x, y)
    assert explanation.ended == "" and "addmm" in ops(explanation)
    for name, value in module.state_dict().items():
        assert torch.equal(value.cpu(), before[name]), name
    step(x, y)


def test_what_escapes_is_told():
    class Cache(nn.Module):
        def forward(self, x):
            self.seen = x * 2
            return self.seen

    module, x = Cache(), torch.ones(2, device=DEV)
    with pytest.warns(UserWarning, match="copy.deepcopy"):
        torch_fl.explain(module, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch_fl.explain(torch.mul, x, 2)
        close(module(x), torch.full((2,), 2.0))  # sets its attribute anew


class _Compiled(nn.Module):
    @torch.compile
    def forward(self, x):
        return x + 1


def test_of_what_is_compiled_the_steps_are_said_to_be_others():
    x = torch.ones(2, 3, device=DEV)
    inductor = torch.compile(lambda t: (t + 1).exp())
    part = nn.Sequential(nn.Linear(3, 2, device=DEV))
    part[0].compile(backend="aot_eager")
    for fn in (inductor, lambda t: inductor(t) * 2, _Compiled(), _Compiled().forward, torch.compile(nn.ReLU())):
        explanation = torch_fl.explain(fn, x)
        assert explanation.steps and "inductor" in " ".join(explanation.notes) and "\nnote: " in str(explanation)
        assert explanation.to_json()["notes"] == explanation.notes
    (note,) = torch_fl.explain(part, x).notes
    assert "without torch.compile" in note and "inductor" not in note
    assert torch_fl.explain(torch.add, x, 1).notes == []
