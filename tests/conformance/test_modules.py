"""Every ModuleInfo that PyTorch defines, forward and backward, against the host."""

import copy
import functools
import warnings

import pytest
import torch
from harness.compare import Mover, assert_tree
from harness.device import DEV
from torch.testing._internal.common_modules import module_db
from torch.utils import _pytree as pytree


@functools.cache
def _inputs(index: int, training: bool) -> list:
    info = module_db[index]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=True, training=training)


def _leaves(value):
    return [t for t in pytree.tree_leaves(value) if isinstance(t, torch.Tensor)]


def _run(module, arguments):
    """(results, gradients of arguments, gradients of parameters, buffers)."""
    torch.manual_seed(1)
    args, kwargs = arguments
    result = module(*args, **kwargs)
    outputs = [t for t in _leaves(result) if t.requires_grad]
    wanted = [t for t in _leaves(arguments) if t.requires_grad] + list(module.parameters())
    grads = []
    if outputs and wanted:
        cotangents = [((torch.arange(t.numel()) % 5) - 2.0).view(t.shape).to(t.device, t.dtype) for t in outputs]
        grads = list(torch.autograd.grad(outputs, wanted, cotangents, allow_unused=True))
    return result, grads, dict(module.named_buffers())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("index", range(len(module_db)), ids=[info.name for info in module_db])
def test_module(request, index, training):
    info = module_db[index]
    inputs = _inputs(index, training)
    for given in inputs if request.config.getoption("--full") else inputs[:4]:
        torch.manual_seed(0)
        host = info.module_cls(*given.constructor_input.args, **given.constructor_input.kwargs).train(training)
        if given.forward_input is None:
            continue
        arguments = (given.forward_input.args, given.forward_input.kwargs)
        try:
            # A lazy module gets its parameters here: moved while it has none, it stays without
            # (Module.to() makes new Parameters on devices that are not PyTorch's own).
            random = _draws(host, Mover("cpu").tree(arguments))
        except (RuntimeError, NotImplementedError, TypeError):
            random = False
        device = copy.deepcopy(host).to(DEV)
        device_arguments = Mover(DEV).tree(arguments)
        try:
            want = _run(host, Mover("cpu").tree(arguments))
        except (RuntimeError, NotImplementedError, TypeError) as error:
            with pytest.raises(type(error)):
                _run(device, device_arguments)
            continue
        got = _run(device, device_arguments)
        for what, g, w in zip(("result", "gradient", "buffer"), got, want, strict=True):
            assert_tree(g, w, what, values=not random, strides=False, tol=(1e-3, 1e-4))


def _draws(module, arguments) -> bool:
    """A forward pass takes random numbers."""
    torch.manual_seed(1)
    before = torch.get_rng_state()
    with torch.no_grad():
        module(*arguments[0], **arguments[1])
    return not torch.equal(torch.get_rng_state(), before)


def test_a_module_that_moves_keeps_its_parameters():
    """Tied weights stay tied, and an optimizer made before the move trains what the module uses, as on CUDA."""
    model = torch.nn.ModuleDict({"embed": torch.nn.Embedding(5, 3), "out": torch.nn.Linear(3, 5, bias=False)})
    model["out"].weight = model["embed"].weight
    before = model["embed"].weight
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    host = copy.deepcopy(model)
    model.to(DEV)
    assert model["embed"].weight is model["out"].weight is before and before.device == DEV
    for m, device in ((host, "cpu"), (model, DEV)):
        m["out"](m["embed"](torch.tensor([1, 2], device=device))).square().sum().backward()
    torch.testing.assert_close(before.grad.cpu(), host["embed"].weight.grad)
    optimizer.step()
    torch.testing.assert_close(before.detach().cpu(), (host["embed"].weight - host["embed"].weight.grad).detach())
    model.cpu()
    assert model["embed"].weight is model["out"].weight is before and before.device.type == "cpu"
    before.data = before.data.to(DEV)
    assert before.device == DEV and before.requires_grad


def test_attention_with_a_mask_that_is_trained():
    q, mask = torch.randn(1, 2, 4, 8), torch.randn(1, 2, 4, 4)
    grads = []
    for device in ("cpu", DEV):
        m = mask.to(device, copy=True).requires_grad_()
        x = q.to(device)
        torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=m).sum().backward()
        grads.append(m.grad.cpu())
    torch.testing.assert_close(*grads)
