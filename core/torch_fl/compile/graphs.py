"""Graphs of the device rewritten as graphs of its boxing key."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._guards import detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensor, in_kernel_invocation_manager
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from torch_fl import _native

TYPE = "flagos"
aten = torch.ops.aten


def is_ours(value: Any) -> bool:
    """True for a tensor of the device, or the device."""
    if isinstance(value, torch.Tensor):
        value = value.device
    return isinstance(value, torch.device) and value.type == TYPE


def modules(module: torch.fx.GraphModule) -> Iterator[torch.fx.GraphModule]:
    """The graph, and those inside of it: branches, bodies of loops."""
    return (m for m in module.modules() if isinstance(m, torch.fx.GraphModule))


def devices(module: torch.fx.GraphModule, inputs: Any = ()) -> list[int]:
    """The indices of the devices of flagos whose tensors are in a graph; one without an index is the current one."""
    found: dict[int, None] = {}

    def see(value: Any) -> None:
        if is_ours(value):
            index = value.device.index if isinstance(value, torch.Tensor) else value.index
            found.setdefault(_native.module().current_device() if index is None else index)

    for value in inputs:
        see(value)
    for graph in modules(module):
        for node in graph.graph.nodes:
            for key in ("val", "example_value"):
                pytree.tree_map_(see, node.meta.get(key))
            if node.op == "get_attr" and isinstance(value := _attribute(graph, node.target), torch.Tensor):
                see(value)
            torch.fx.node.map_aggregate((node.args, node.kwargs), lambda leaf: see(leaf) or leaf)
    return list(found)


def outputs(module: torch.fx.GraphModule) -> tuple[list[int], list[int]]:
    """Of each output of a graph: the index of its device of flagos, and of the input that it is; -1 where none."""
    inputs = {node: i for i, node in enumerate(n for n in module.graph.nodes if n.op == "placeholder")}
    result = next(iter(reversed(module.graph.nodes))).args[0]
    where, which = [], []
    for value in result:
        meta = value.meta.get("val") if isinstance(value, torch.fx.Node) else None
        where.append(meta.device.index if is_ours(meta) else -1)
        which.append(inputs.get(value, -1) if isinstance(value, torch.fx.Node) else -1)
    return where, which


def draws_random_numbers(module: torch.fx.GraphModule) -> bool:
    """True where an op of the graph does, or may."""
    for graph in modules(module):
        for node in graph.graph.nodes:
            if isinstance(node.target, torch._ops.OpOverload):
                if torch.Tag.nondeterministic_seeded in node.target.tags:
                    return True
            elif isinstance(node.target, torch._ops.HigherOrderOperator) and "rng" in node.target.name():
                return True
    return False


class Rewriter:
    """Rewrites graphs, and the tensors that stand for their inputs, for the boxing key.

    Args:
        key: PyTorch's name of the key's device type.
    """

    def __init__(self, key: str):
        self.key = key
        self._known: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # with what keeps the id from being used again
        self.constants = False  # whether tensors of the graph itself are aliases of the device's

    def device(self, device: torch.device) -> torch.device:
        """The key's device for one of flagos."""
        return torch.device(self.key) if self.key == "cpu" else torch.device(self.key, device.index)

    def tensor(self, value: Any) -> Any:
        """What stands for a tensor of the device, or a real one, as the key's; anything else is given back."""
        if not isinstance(value, torch.Tensor) or not is_ours(value):
            return value
        if id(value) not in self._known:
            made = self._fake(value) if isinstance(value, FakeTensor) else self._real(value)
            self._known[id(value)] = value, made
        return self._known[id(value)][1]

    def _fake(self, value: FakeTensor) -> FakeTensor:
        # The same storage, sizes and strides, symbols and all, by which no new guard comes up.
        with torch.no_grad(), in_kernel_invocation_manager(value.fake_mode):
            inner = aten.detach.default(value)
        return FakeTensor(value.fake_mode, inner, self.device(value.device))

    def _real(self, value: torch.Tensor) -> torch.Tensor:
        self.constants = True
        with torch.no_grad(), _disable_current_modes():
            alias = _native.module().as_key(value.detach())
        alias.__dict__.update(value.__dict__)  # inductor's marks: what is frozen, what is static
        return alias

    def module(self, module: torch.fx.GraphModule) -> None:
        """Rewrites a graph in place, and those inside of it."""
        respell(module)
        for graph in modules(module):
            for node in graph.graph.nodes:
                self._copy(node)
            for node in graph.graph.nodes:
                self._node(graph, node)
            graph.graph.lint()
            graph.recompile()

    def _copy(self, node: torch.fx.Node) -> None:
        source = node.args[0] if node.args and isinstance(node.args[0], torch.fx.Node) else None
        before, after = (n.meta.get("val") if n is not None else None for n in (source, node))
        if node.op != "call_function" or node.target not in COPIES:
            return
        if not all(isinstance(v, torch.Tensor) for v in (before, after)):
            return
        # Between two devices that are one for the key, such a copy would be no op.
        if before.device != after.device and self._of(before) == self._of(after) and before.dtype == after.dtype:
            node.target, node.args, node.kwargs = aten.clone.default, (source,), {}

    def _of(self, value: torch.Tensor) -> torch.device:
        return self.device(value.device) if is_ours(value) else value.device

    def _node(self, graph: torch.fx.GraphModule, node: torch.fx.Node) -> None:
        constant = _attribute(graph, node.target) if node.op == "get_attr" else None
        if isinstance(constant, torch.Tensor) and is_ours(constant):
            _set_attribute(graph, node.target, self.tensor(constant))
        swap: Callable[[Any], Any] = lambda leaf: self.device(leaf) if is_ours(leaf) else leaf  # noqa: E731
        node.args = torch.fx.node.map_aggregate(node.args, swap)
        node.kwargs = torch.fx.node.map_aggregate(node.kwargs, swap)
        for key, value in node.meta.items():
            if key in ("val", "example_value", "eager_input_vals"):
                node.meta[key] = pytree.tree_map(self.tensor, value)


def respell(module: torch.fx.GraphModule) -> None:
    """Writes ops that PyTorch has for unknown devices, in a graph and those inside of it, as those that the key has."""
    for graph in modules(module):
        for node in graph.graph.nodes:
            if node.op != "call_function" or node.target not in SPELLINGS:
                continue
            SPELLINGS[node.target](node)
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
            with torch.no_grad(), detect_fake_mode((args, kwargs)):
                node.meta["val"] = value = node.target(*args, **kwargs)
            for user in node.users:
                if user.target is operator.getitem and user.args[1] < len(value):
                    user.meta["val"] = value[user.args[1]]


def _attribute(module: torch.fx.GraphModule, path: str) -> Any:
    owner, _, name = path.rpartition(".")
    return getattr(module.get_submodule(owner), name, None)


def _set_attribute(module: torch.fx.GraphModule, path: str, value: torch.Tensor) -> None:
    owner, _, name = path.rpartition(".")
    holder = module.get_submodule(owner)
    delattr(holder, name)  # a parameter cannot be replaced by a tensor that is none
    setattr(holder, name, value)


# ---- ops that the key spells otherwise

COPIES = {torch.ops.prims.device_put.default, aten._to_copy.default}


def _attend(node: torch.fx.Node) -> None:
    """The form of fused attention for devices that PyTorch does not know, as the key's flash attention."""
    query, key, value, *rest = node.args
    node.target = aten._scaled_dot_product_flash_attention.default
    node.args = (query, key, value, *rest[1:])  # without the mask, which it takes none of


def _attend_backward(node: torch.fx.Node) -> None:
    grad, query, key, value, _, _, *rest = node.args
    node.target = aten._scaled_dot_product_flash_attention_backward.default
    node.args = (grad, query, key, value, *rest)


SPELLINGS: dict[Any, Callable[[torch.fx.Node], None]] = {
    aten._scaled_dot_product_fused_attention_overrideable.default: _attend,
    aten._scaled_dot_product_fused_attention_overrideable_backward.default: _attend_backward,
}
