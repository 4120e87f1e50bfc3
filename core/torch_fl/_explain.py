"""Which lane would serve a call, by which line, and why not the others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from torch_fl import _native


@dataclass(frozen=True)
class Verdict:
    """What one lane says to a call."""

    lane: str
    chosen: bool
    reason: str


@dataclass(frozen=True)
class Step:
    """The decision for one op that the call reaches."""

    op: str
    call: str  # dtypes and shapes of the tensors
    lane: str  # "core" for what no route changes
    source: str  # the line of the conf, the override, torch_fl.routes(), the vendor's lane order, or core
    routed: str  # the lane that the lines in force name, whether or not it is installed here; "" for no line
    lanes: tuple[Verdict, ...]
    plan: str  # conversions and output layout

    def __str__(self) -> str:
        if self.lane == "core":
            return f"{self.op} ({self.call}) -> core"
        lines = [f"{self.op} ({self.call}) -> {self.lane}    by {self.source}"]
        for verdict in self.lanes:
            lines.append(f"  {'*' if verdict.chosen else ' '} {verdict.lane:10} {verdict.reason}".rstrip())
        if self.plan:
            lines.append(f"    plan: {self.plan}")
        return "\n".join(lines)


@dataclass
class Explanation:
    """What a call would do on the device: printed as a table, or read through `steps`."""

    steps: list[Step] = field(default_factory=list)
    ended: str = ""  # why the ops after the last step are not known

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        if not self.steps:
            return "no op of aten reaches the device" + (f" ({self.ended})" if self.ended else "")
        lines = [str(step) for step in self.steps]
        if self.ended:
            lines.append(f"... {self.ended}")
        return "\n".join(lines)

    __repr__ = __str__


def explain(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Explanation:
    """Says how a call would be served, without running it on the device.

    >>> print(torch_fl.explain(torch.add, x, y))

    The first call of a process may take seconds, and says so on stderr after two: PyTorch's shape functions import its
    compiler.

    Args:
        fn: a function of PyTorch, a module, or any function made of such.
        args, kwargs: its arguments. Tensors on flagos, and tensors on ``meta`` (taken as ones of flagos:0), count as
            the device's; ones on the CPU stay there.

    Returns:
        One step per aten op that the call reaches, in order. Where the next op depends on values (`nonzero`, `.item()`)
        the list ends with that op, and `ended` says why. Casts that autocast would insert are not among them.

    Raises:
        RuntimeError: there is no vendor, or it cannot be loaded.
        TypeError: an argument is a nested tensor.
        Whatever ``fn`` raises for wrong shapes or dtypes.
    """
    native = _native.module()
    native.load()
    recorder = _Recorder(native)
    args, kwargs = tree_map(recorder.to_meta, (args, kwargs))
    try:
        with _told_if_slow(), recorder:
            fn(*args, **kwargs)
    except _Ended as end:
        recorder.result.ended = str(end)
    return recorder.result


# How long the first call of a process may take before it says why.
PATIENCE = 2.0
SLOW = "torch_fl.explain: PyTorch is importing its shape functions and its compiler, once per process ..."


@contextmanager
def _told_if_slow() -> Iterator[None]:
    if "torch._dynamo" in sys.modules:
        yield
        return
    timer = threading.Timer(PATIENCE, print, [SLOW], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def explain_op(native: Any, op: str, args: Any, kwargs: Any) -> Step:
    """The decision for one op; tensors on ``meta`` count as flagos:0's.

    Args:
        native: the native module.
        op: ``"add.Tensor"``
        args, kwargs: of the op's schema.
    """
    decision = native.explain(op, *args, **kwargs)
    return Step(
        op=decision["op"],
        call=", ".join(_describe(t) for t in _tensors(args, kwargs)),
        lane="core" if decision["source"] == "core" else decision["lane"],
        source=decision["source"],
        routed=decision["routed"],
        lanes=tuple(Verdict(*verdict) for verdict in decision["lanes"]),
        plan=decision["plan"],
    )


class _Ended(Exception):
    """The next op depends on values."""


class _Recorder(TorchDispatchMode):
    """Runs ops on ``meta`` copies, asking for the decision on each."""

    def __init__(self, native: Any):
        super().__init__()
        self.native = native
        self.result = Explanation()
        self._entries = {name for name, *_ in native.ops()}
        self._copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def to_meta(self, value: Any) -> Any:
        """The copy of a device's tensor, always the same one; other values as they are."""
        if not isinstance(value, torch.Tensor) or value.device.type != "flagos":
            return value
        if value.is_nested and value.layout == torch.strided:
            raise TypeError(
                "torch_fl.explain: nested tensors cannot be followed without their values; explain the call on their "
                "parts (x.unbind()), or see what it did with torch_fl.census()"
            )
        if id(value) not in self._copies:
            with torch._C._DisableTorchDispatch():
                if value.layout == torch.strided:
                    copy = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
                else:
                    copy = torch.empty_like(value, device="meta")
                copy.requires_grad_(value.requires_grad)
            self._copies[id(value)] = (value, copy)  # the original is kept so that its id is not given away
        return self._copies[id(value)][1]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        args, kwargs = tree_map(self.to_meta, (args, kwargs))
        if func.namespace != "aten":
            return func(*args, **self._on_meta(kwargs))
        name = func._schema.name.removeprefix("aten::")
        if func._schema.overload_name:
            name = f"{name}.{func._schema.overload_name}"
        if name not in self._entries:
            key = torch._C.DispatchKey
            if func.has_kernel_for_dispatch_key(key.CompositeImplicitAutograd):
                with self:
                    return func._op_dk(key.CompositeImplicitAutograd, *args, **self._on_meta(kwargs))
            if func.has_kernel_for_dispatch_key(key.CompositeExplicitAutograd):
                return self._composite(func, args, kwargs)
        if self._concerns_device(args, kwargs):
            self.result.steps.append(explain_op(self.native, name, args, kwargs))
        return self._run(func, args, self._on_meta(kwargs))

    def _composite(self, func: Any, args: Any, kwargs: Any) -> Any:
        # The device has no entry for it: PyTorch serves it through other ops, and those are the steps.
        try:
            with self:
                func._op_dk(torch._C.DispatchKey.CompositeExplicitAutograd, *args, **self._on_meta(kwargs))
        except (RuntimeError, NotImplementedError, _Ended):
            pass  # meta cannot follow it further; the ops seen so far stand
        return self._run(func, args, self._on_meta(kwargs))

    def _run(self, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        except NotImplementedError:
            raise _Ended(f"what follows {func} depends on values") from None
        except RuntimeError as error:
            if "meta" in str(error).lower():
                raise _Ended(f"what follows {func} depends on values") from None
            raise

    @staticmethod
    def _concerns_device(args: Any, kwargs: Any) -> bool:
        device = kwargs.get("device")
        if device is not None and torch.device(device).type in ("flagos", "meta"):
            return True
        return any(t.device.type == "meta" for t in _tensors(args, kwargs))

    @staticmethod
    def _on_meta(kwargs: dict[str, Any]) -> dict[str, Any]:
        device = kwargs.get("device")
        if device is None or torch.device(device).type != "flagos":
            return kwargs
        return {**kwargs, "device": torch.device("meta")}


def _tensors(args: Any, kwargs: Any) -> list[torch.Tensor]:
    from torch.utils._pytree import tree_leaves

    return [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]


def _describe(tensor: torch.Tensor) -> str:
    dtype = str(tensor.dtype).removeprefix("torch.")
    where = "" if tensor.device.type == "meta" else f" on {tensor.device}"
    if tensor.layout != torch.strided:
        layout = f" {str(tensor.layout).removeprefix('torch.')}"
    else:
        layout = "" if tensor.is_contiguous() else f" strides {list(tensor.stride())}"
    return f"{dtype}{list(tensor.shape)}{layout}{where}"
