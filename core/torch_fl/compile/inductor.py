"""Inductor's C++ backend, writing code that runs on the device's memory."""

from __future__ import annotations

from typing import Any

import torch
from torch._inductor import config
from torch._inductor.codegen.common import (
    get_device_op_overrides,
    register_backend_for_device,
    register_device_op_overrides,
)
from torch._inductor.codegen.cpp import CppScheduling
from torch._inductor.codegen.wrapper import PythonWrapperCodegen, SubgraphPythonWrapperCodegen
from torch._inductor.custom_graph_pass import CustomGraphModulePass, get_hash_for_files
from torch._inductor.virtualized import V

from torch_fl import compile

TYPE = "flagos"
aten = torch.ops.aten


class Preparation(CustomGraphModulePass):
    """What is done to a graph with tensors of the device before inductor makes code of it."""

    def __call__(self, module: torch.fx.GraphModule) -> None:
        if (why := compile.why_not()) is not None:
            raise NotImplementedError(f"torch_fl: {why}")
        if config.cpp_wrapper or config.fx_wrapper:
            raise NotImplementedError(
                "torch_fl: for flagos devices inductor writes its wrapper in Python only: set "
                "torch._inductor.config.cpp_wrapper and fx_wrapper to False. AOTInductor, which needs the C++ wrapper, "
                "is not supported; torch.export is."
            )
        hide_convolutions(module.graph)

    def uuid(self) -> Any:
        # Part of the key of inductor's caches on disk. Its code is the same for all vendors that it can be made for.
        return get_hash_for_files((__file__,)), compile.why_not()


def hide_convolutions(graph: torch.fx.Graph) -> None:
    """Spells convolutions of the device in a way that keeps inductor from making a whole graph channels-last for them.

    It would plan their results by fake tensors, and those of this device say that a convolution's result is contiguous,
    whatever its arguments. So they are left contiguous.
    """
    for node in graph.find_nodes(op="call_function", target=aten.convolution.default):
        if node.args[0].meta["val"].device.type == TYPE:
            node.target = aten._convolution.default
            node.args += (False, False, False, False)  # these choose among the kernels of another device


class Scheduling(CppScheduling):
    """C++ kernels, made as inductor makes them for the host.

    Inductor tells the host by the device's type alone, and else takes a kernel for one of its GPUs.
    """

    def __init__(self, scheduler: Any):
        super().__init__(scheduler)
        if scheduler is not None:
            # This scheduler's graph is on this device and the host. The answers are those for the host.
            scheduler.shared_data_after_reordering_loop = lambda *_: -1
            scheduler.shared_data_after_inverting_indexing = lambda *_: -1
            scheduler._try_reindex_pointwise_for_reduction = lambda *_: False

    def codegen_node(self, node: Any) -> None:
        with V.graph.set_current_device(torch.device("cpu")):
            super().codegen_node(node)


class _OnDevice:
    """Allocations on the device, and kernels that run on its memory."""

    def make_allocation(self, name: str, device: torch.device, *args: Any, **kwargs: Any) -> str:
        line = super().make_allocation(name, device, *args, **kwargs)
        # Of a device that it does not know, inductor names the type and not the index.
        return line.replace(f"device='{TYPE}'", f"device='{device}'") if device.type == TYPE else line

    def _generate_kernel_call_helper(
        self, kernel_name: str, call_args: list[str], *, device: Any = None, triton: bool = True, **kwargs: Any
    ) -> None:
        device = device or V.graph.get_current_device_or_throw()
        if triton or device.type != TYPE:
            super()._generate_kernel_call_helper(kernel_name, call_args, device=device, triton=triton, **kwargs)
        else:
            self.writeline(self.wrap_kernel_call("run_on_host", [kernel_name, *call_args]))


class Wrapper(_OnDevice, PythonWrapperCodegen):
    """The Python around the kernels of a graph."""

    @staticmethod
    def create(
        is_subgraph: bool, subgraph_name: str | None, parent_wrapper: Any, partition_signatures: Any = None
    ) -> PythonWrapperCodegen:
        """A new one, as inductor asks for it: for a graph, or for a graph inside of another (a branch, a loop)."""
        return SubgraphWrapper(subgraph_name, parent_wrapper, partition_signatures) if is_subgraph else Wrapper()

    def write_header(self) -> None:
        super().write_header()
        self.imports.writeline("from torch_fl._C import run_on_host")


class SubgraphWrapper(_OnDevice, SubgraphPythonWrapperCodegen):
    """The same inside of another graph, whose header it shares."""


def register() -> None:
    """Makes inductor know the device."""
    # Some releases of torch register those of their own devices only while nothing else is registered.
    overrides = get_device_op_overrides("cpu")
    register_device_op_overrides(TYPE, overrides)
    register_backend_for_device(TYPE, Scheduling, Wrapper, device_custom_pass=Preparation())
