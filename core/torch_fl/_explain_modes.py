"""Following a call without its device: FakeTensors stand for the device's tensors, and each op is asked about."""

from __future__ import annotations

import gc
import threading
import types
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
    unset_fake_temporarily,
)
from torch.optim.optimizer import Optimizer, register_optimizer_step_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from torch_fl._explain import Explanation, explain_op, tensors_of

VALUES_NEEDED = (DataDependentOutputException, DynamicOutputShapeException)
NO_SHAPE_FUNCTION = (UnsupportedFakeTensorException, UnsupportedOperatorException, NotImplementedError)


_thread = threading.local()


def active() -> Recorder | None:
    """The recorder that runs on this thread, the innermost one."""
    return getattr(_thread, "recorder", None)


class Ended(Exception):
    """Why the ops that follow are not known."""


class Recorder(TorchDispatchMode):
    """Runs ops on fake tensors, asking for the decision on each. For one call of `run`."""

    def __init__(self, native: Any):
        super().__init__()
        self.native = native
        self.result = Explanation()
        self._entries = {name for name, *_ in native.ops()}
        self._fakes = FakeTensorMode(allow_fallback_kernels=False, allow_non_fake_inputs=True)
        self._made: list[weakref.ref] = []
        self._kept: list[torch.Tensor] = []  # so that no id below is given away
        self._own: set[int] = set()  # host tensors that the call has made
        self._metas: dict[int, torch.Tensor] = {}  # the stand-ins of tensors on meta
        self._indices: dict[int, int] = {}  # of the devices whose memory was shared, by storage
        self._copies: dict[int, torch.Tensor] = {}  # of host tensors that the call has written
        self._grads: dict[int, tuple[torch.Tensor, torch.Tensor | None]] = {}
        self._optimizers: dict[int, tuple[Optimizer, dict, list[dict]]] = {}

    def run(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Explanation:
        """Calls ``fn`` and gives what it reaches. Leaves gradients and optimizers as they were."""
        handle = register_optimizer_step_pre_hook(self._keep_optimizer)
        outer, _thread.recorder = active(), self
        self.result.notes += _compiled_in(fn, args, kwargs)
        try:
            args, kwargs = tree_map(self._argument, (args, kwargs))
            with self._fakes, self:
                fn(*args, **kwargs)
        except Ended as end:
            self.result.ended = str(end)
        finally:
            _thread.recorder = outer
            handle.remove()
            self._restore()
        del args, kwargs
        self._tell_escaped()
        return self.result

    # ---- tensors

    def _argument(self, value: Any) -> Any:
        on_device = isinstance(value, torch.Tensor) and value.device.type in ("flagos", "meta")
        if on_device and value.is_nested and value.layout == torch.strided:
            raise TypeError(
                "torch_fl.explain: nested tensors cannot be followed without their values; explain the call on their "
                "parts (x.unbind()), or see what it did with torch_fl.census()"
            )
        return self._current(value)

    def _of_meta(self, value: torch.Tensor) -> torch.Tensor:
        """A tensor on ``meta`` counts as one of flagos:0; others as they are."""
        if value.device.type != "meta" or isinstance(value, FakeTensor):
            return value
        if id(value) not in self._metas:
            with torch._C._DisableTorchDispatch():
                fake = FakeTensor(self._fakes, value.detach(), torch.device("flagos", 0))
                self._metas[id(value)] = self._note(fake.requires_grad_(value.requires_grad))
            self._kept.append(value)
        return self._metas[id(value)]

    def _fake(self, tensor: torch.Tensor) -> torch.Tensor:
        """The stand-in of a tensor of the device, always the same one."""
        if tensor.is_leaf and tensor.requires_grad:
            self._grads.setdefault(id(tensor), (tensor, tensor.grad))
        return self._note(self._fakes.from_tensor(tensor, static_shapes=True))

    def _note(self, fake: torch.Tensor) -> torch.Tensor:
        self._made.append(weakref.ref(fake))
        return fake

    def _twin(self, value: Any) -> Any:
        """What the native half sees of a tensor: on ``meta`` for the device's, with the same sharing of memory."""
        if not isinstance(value, torch.Tensor):
            return value
        if not isinstance(value, FakeTensor):
            return value
        on_host = value.device.type == "cpu"
        with torch._C._DisableTorchDispatch():
            if on_host:
                return torch.zeros((), dtype=value.dtype).expand(value.size())
            if value.layout != torch.strided:
                return torch.empty(value.size(), dtype=value.dtype, layout=value.layout, device="meta")
            twin = torch.empty(0, dtype=value.dtype, device="meta")
            return twin.set_(value.untyped_storage(), value.storage_offset(), value.size(), value.stride())

    # ---- tensors of the boxing key over the same memory: what is done to them are no steps

    def as_key(self, tensor: torch.Tensor) -> torch.Tensor:
        key, tensor = self.native.sharing_key(), self._current(tensor)
        if tensor.device.type != "flagos":
            raise ValueError(f"torch_fl.as_key: expected a tensor of flagos, got one of {tensor.device}")
        return self._shared(
            tensor, "as_key", torch.device(key) if key == "cpu" else torch.device(key, tensor.device.index)
        )

    def from_key(self, tensor: torch.Tensor) -> torch.Tensor:
        key = self.native.sharing_key()
        if tensor.device.type != key:
            raise ValueError(f"torch_fl.from_key: expected a tensor of {key}, got one of {tensor.device}")
        if not isinstance(tensor, FakeTensor):  # made outside of the call
            tensor = self.native.from_key(tensor)
            return self._fake(tensor)
        return self._shared(tensor, "from_key", torch.device("flagos", self._indices.get(_storage(tensor), 0)))

    def _shared(self, tensor: torch.Tensor, function: str, device: torch.device) -> torch.Tensor:
        if tensor.layout != torch.strided or tensor.is_nested:
            raise TypeError(f"torch_fl.{function}: only strided tensors share their memory")
        if tensor.requires_grad:
            raise RuntimeError(f"torch_fl.{function}: the tensor requires grad; give it tensor.detach()")
        self._indices[_storage(tensor)] = device.index if device.type == "flagos" else tensor.device.index
        with torch._C._DisableTorchDispatch():
            twin = torch.empty(0, dtype=tensor.dtype, device="meta")
            twin.set_(tensor.untyped_storage(), tensor.storage_offset(), tensor.size(), tensor.stride())
            return self._note(FakeTensor(self._fakes, twin, device))

    # ---- ops

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = tree_map(self._current, (args, kwargs or {}))
        if not self._reaches_device(args, kwargs):
            return self._on_host(func, args, kwargs)
        if func.namespace != "aten":
            return self._run(func, args, kwargs)
        name = func._schema.name.removeprefix("aten::")
        if func._schema.overload_name:
            name = f"{name}.{func._schema.overload_name}"
        if name not in self._entries:
            key = torch._C.DispatchKey
            if func.has_kernel_for_dispatch_key(key.CompositeImplicitAutograd):
                with self:
                    return func._op_dk(key.CompositeImplicitAutograd, *args, **kwargs)
            if func.has_kernel_for_dispatch_key(key.CompositeExplicitAutograd):
                return self._composite(func, args, kwargs)
        if any(t.device.type == "flagos" for t in tensors_of(args, kwargs)) or _names_device(kwargs):
            twins = tree_map(self._twin, (args, kwargs))
            with torch._C._DisableTorchDispatch():
                self.result.steps.append(explain_op(self.native, name, *twins))
        return self._run(func, args, kwargs)

    def _composite(self, func: Any, args: Any, kwargs: Any) -> Any:
        # The device has no entry for it: PyTorch serves it through other ops, and those are the steps.
        try:
            with self:
                func._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **kwargs)
        except (RuntimeError, Ended):
            pass  # it cannot be followed further; the ops seen so far stand
        return self._run(func, args, kwargs)

    def _run(self, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            result = func(*args, **kwargs)
        except VALUES_NEEDED:
            raise Ended(f"what follows {func} depends on values") from None
        except NO_SHAPE_FUNCTION:
            raise Ended(f"what follows {func} is not known: PyTorch has no shape function for it") from None
        for tensor in tensors_of(result, {}):
            self._note(tensor)
        return result

    # ---- the host's own

    @staticmethod
    def _reaches_device(args: Any, kwargs: Any) -> bool:
        if _names_device(kwargs):
            return True
        return any(isinstance(t, FakeTensor) or t.device.type == "flagos" for t in tensors_of(args, kwargs))

    def _current(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            value = self._of_meta(self._copies.get(id(value), value))
            real = value.device.type == "flagos" and not isinstance(value, FakeTensor)
            return self._fake(value) if real else value
        on_meta = isinstance(value, torch.device) and value.type == "meta"
        return torch.device("flagos", 0) if on_meta else value

    def _on_host(self, func: Any, args: Any, kwargs: Any) -> Any:
        with unset_fake_temporarily():
            written = [
                a
                for a, declared in zip(args, func._schema.arguments, strict=False)
                if declared.alias_info is not None and declared.alias_info.is_write
            ] + [kwargs[a.name] for a in func._schema.arguments if a.is_out and a.name in kwargs]
            for tensor in tensors_of(written, {}):
                if id(tensor) not in self._own:
                    self._copies[id(tensor)] = copy = tensor.detach().clone()
                    self._kept.append(tensor)
                    self._remember(copy)
            result = func(*tree_map(self._current, args), **kwargs)
        for tensor in tensors_of(result, {}):
            self._remember(tensor)
        return result

    def _remember(self, tensor: torch.Tensor) -> None:
        self._own.add(id(tensor))
        self._kept.append(tensor)

    # ---- what the call leaves behind

    def _keep_optimizer(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if id(optimizer) not in self._optimizers:
            state = {key: dict(value) if isinstance(value, dict) else value for key, value in optimizer.state.items()}
            self._optimizers[id(optimizer)] = (optimizer, state, [dict(group) for group in optimizer.param_groups])

    def _restore(self) -> None:
        for tensor, grad in self._grads.values():
            if tensor.grad is not grad:
                tensor.grad = grad
        for optimizer, state, groups in self._optimizers.values():
            optimizer.state.clear()
            optimizer.state.update(state)
            for group, before in zip(optimizer.param_groups, groups, strict=True):
                group.clear()
                group.update(before)
        torch.clear_autocast_cache()  # holds casts of parameters, which are fake
        self._grads.clear()
        self._optimizers.clear()
        self._metas.clear()
        self._fakes = None

    def _tell_escaped(self) -> None:
        if not any(ref() is not None for ref in self._made):
            return
        gc.collect()
        if left := sum(ref() is not None for ref in self._made):
            warnings.warn(
                f"torch_fl.explain: {left} tensor(s) without memory are still in use: the function keeps them, in an "
                "attribute or a list. Calls that meet them fail; explain a copy of it (copy.deepcopy), or let it set "
                "them anew.",
                stacklevel=4,
            )


def _storage(tensor: torch.Tensor) -> int:
    with torch._C._DisableTorchDispatch():
        return tensor.untyped_storage()._cdata


def _compiled_in(fn: Any, args: Any, kwargs: Any) -> list[str]:
    """What there is to say where a function is, or calls, something compiled, as far as that can be seen from here."""
    cells = [cell.cell_contents for cell in getattr(fn, "__closure__", None) or () if cell != types.CellType()]
    code, known = getattr(fn, "__code__", None), getattr(fn, "__globals__", {})
    named = [known[name] for name in code.co_names if name in known] if code else []
    backends: set[bool] = set()
    for value in (fn, getattr(fn, "__self__", None), *cells, *named, *tree_leaves((args, kwargs))):
        inside = value.modules() if isinstance(value, torch.nn.Module) else (value,)
        for one in inside:
            for compiled in (one, getattr(one, "_compiled_call_impl", None), getattr(one, "forward", None)):
                if "get_compiler_config" in getattr(compiled, "__dict__", ()):
                    backends.add(compiled.get_compiler_config() is not None)
    notes = []
    if True in backends:
        notes.append(
            "the steps are those of the function as it is without torch.compile: compiled, inductor fuses them into "
            "kernels of its own, and no lane is asked; TORCH_LOGS=output_code shows what runs"
        )
    if False in backends:
        notes.append(
            "the steps are those of the function as it is without torch.compile: its backend may give the device other "
            "ops, each of which is routed"
        )
    return notes


def _names_device(kwargs: dict[str, Any]) -> bool:
    device = kwargs.get("device")
    return device is not None and torch.device(device).type == "flagos"
