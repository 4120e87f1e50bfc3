"""Where inductor is given a graph of the device: it compiles that of the boxing key, which is run behind an edge."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import torch
from torch._functorch import config as functorch_config
from torch._inductor import config
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files
from torch._inductor.virtualized import V

from torch_fl import _native, compile
from torch_fl.compile import graphs

MARK = "_torch_fl_boundary"


def install(module: ModuleType) -> None:
    """Wraps the two functions by which others enter inductor; again has no effect."""
    if hasattr(module.compile_fx, MARK):
        return
    inner, whole = module.compile_fx_inner, module.compile_fx

    @functools.wraps(inner)
    def compile_fx_inner(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        if not graphs.devices(gm, example_inputs):
            return inner(gm, example_inputs, *args, **kwargs)
        return Boundary(inner)(gm, example_inputs, *args, **kwargs)

    @functools.wraps(whole)
    def compile_fx(
        model_: Any,
        example_inputs_: Sequence[Any],
        inner_compile: Callable[..., Any] = inner,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        # It calls itself, with what it was given.
        if hasattr(inner_compile, MARK) or not _concerns(model_, example_inputs_):
            return whole(model_, example_inputs_, inner_compile, *args, **kwargs)
        boundary = Boundary(inner_compile)
        with boundary.around():
            return whole(model_, example_inputs_, boundary, *args, **kwargs)

    setattr(compile_fx, MARK, True)
    module.compile_fx_inner, module.compile_fx = compile_fx_inner, compile_fx


def _concerns(model: Any, inputs: Sequence[Any]) -> bool:
    if any(graphs.is_ours(value) for value in torch.utils._pytree.tree_leaves(list(inputs))):
        return True
    return isinstance(model, torch.fx.GraphModule) and bool(graphs.devices(model))


class Boundary:
    """Compiles the graphs of one function: forward, backward, or one for inference.

    Args:
        inner_compile: compiles a graph of the boxing key, as `torch._inductor.compile_fx.compile_fx_inner` does.

    Raises:
        NotImplementedError: the vendor has no boxing key, or the graph is compiled ahead of time; says what to do.
    """

    def __init__(self, inner_compile: Callable[..., Any]):
        if (why := compile.why_not()) is not None:
            raise NotImplementedError(f"torch_fl: {why}")
        if V.aot_compilation:
            raise NotImplementedError(
                "torch_fl: AOTInductor's packages take tensors of the device that they were compiled for, which is not "
                "flagos; torch.export is supported, and so is torch.compile"
            )
        self.inner = inner_compile
        self.key = _native.module().sharing_key()
        self.inference: _Graph | None = None  # what is known of a graph that the joint passes were given
        setattr(self, MARK, True)

    @contextlib.contextmanager
    def around(self) -> Any:
        """What holds while inductor is given the whole function."""
        theirs = config.joint_custom_pre_pass
        passes = _JointPass(self, theirs)
        # Autograd's cache would give back graphs without their edge. Inductor's own cache is of the key's graphs.
        with config.patch(joint_custom_pre_pass=passes), functorch_config.patch(enable_autograd_cache=False):
            yield

    def prepare(self, module: torch.fx.GraphModule) -> None:
        """What is done to a graph of the device before inductor looks for patterns in it, and splits off a backward.

        Ops are spelled as the key has them, because what a forward keeps depends on them. A graph for inference is
        rewritten for the key; not one with gradients, whose patterns are traced with autograd, which in a process of
        flagos serves no other device; and not one whose parameters are about to be frozen, which are computed with.
        """
        if not graphs.devices(module):
            return
        graphs.respell(module)
        has_tangents = any(n.op == "placeholder" and "tangents" in str(n.target) for n in module.graph.nodes)
        if has_tangents or (config.freezing and not torch.is_grad_enabled()):
            return
        self.inference = _Graph(module, (), self.key)
        self.inference.rewrite()

    def __call__(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        graph, self.inference = self.inference, None
        if graph is None:
            if not graphs.devices(gm, example_inputs):
                return self.inner(gm, example_inputs, *args, **kwargs)
            graph = _Graph(gm, example_inputs, self.key)
            graph.rewrite()
        inputs = [graph.rewriter.tensor(value) for value in example_inputs]
        # Small constants are read while code is made of them.
        read = graph.rewriter.constants and self.key == "cpu"
        with _native.module().HostMemory(graph.devices) if read else contextlib.nullcontext():
            code = self.inner(gm, inputs, *args, **kwargs)
        return graph.behind_edge(code)


class _Graph:
    """A graph of the device, as it was given to inductor."""

    def __init__(self, module: torch.fx.GraphModule, inputs: Sequence[Any], key: str):
        self.module = module
        self.devices = graphs.devices(module, inputs)
        self.outputs, self.returned = graphs.outputs(module)
        self.random = graphs.draws_random_numbers(module)
        self.rewriter = graphs.Rewriter(key)

    def rewrite(self) -> None:
        self.rewriter.module(self.module)

    def behind_edge(self, code: Any) -> Any:
        """The compiled graph of the key as one that takes and gives tensors of the device."""
        compiled = getattr(code, "current_callable", code)  # a graph without ops is a function
        edge = _native.module().Edge(compiled, self.outputs, self.returned, self.devices, self.random)
        if compiled is code:
            return edge
        # The same object, which inductor asks about what it compiled.
        code.current_callable = edge
        return code


class _JointPass(CustomGraphPass):
    """Hands graphs to the boundary before all passes, and then to the passes that the user has put there."""

    def __init__(self, boundary: Boundary, theirs: Any):
        self.boundary = boundary
        self.theirs = [] if theirs is None else list(theirs) if isinstance(theirs, (list, tuple)) else [theirs]

    def __call__(self, graph: torch.fx.Graph) -> None:
        self.boundary.prepare(graph.owning_module)
        for other in self.theirs:
            other(graph)

    def uuid(self) -> Any:
        """Part of the key of inductor's cache on disk; None where a pass of the user's says nothing of itself."""
        others = [other.uuid() if isinstance(other, CustomGraphPass) else None for other in self.theirs]
        return None if None in others else (get_hash_for_files((__file__, graphs.__file__)), *others)
