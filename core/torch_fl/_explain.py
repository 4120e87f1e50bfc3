"""Which lane would serve a call, by which line, and why not the others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

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
    plan: str  # conversions and output layout; of a FlagGems call whether it is replayed, or why not

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
    notes: list[str] = field(default_factory=list)  # what the steps do not tell of the call

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        if not self.steps:
            lines = ["no op of aten reaches the device" + (f" ({self.ended})" if self.ended else "")]
        else:
            lines = [str(step) for step in self.steps]
            if self.ended:
                lines.append(f"... {self.ended}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__


def explain(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Explanation:
    """Says how a call would be served, without running it on the device.

    >>> print(torch_fl.explain(torch.add, x, y))

    ``fn`` runs once, over tensors that have a device, a shape and a dtype, but no memory: flagos' own are left as they
    are, gradients and optimizers' states included. What is on the CPU is computed, on copies where ``fn`` writes it.
    Attributes that ``fn`` sets keep what it sets; a warning says so where that is one of those tensors.

    The first call of a process may take seconds, and says so on stderr after two: PyTorch's shape functions import its
    compiler.

    Args:
        fn: a function of PyTorch, a module, a training step, or any function made of such.
        args, kwargs: its arguments. Tensors on flagos, and tensors on ``meta`` (taken as ones of flagos:0), count as
            the device's; ones on the CPU stay there.

    Returns:
        One step per aten op that the call reaches, in order. Where the next op depends on values (`nonzero`, `.item()`)
        the list ends with that op, and `ended` says why.

    Raises:
        RuntimeError: there is no vendor, or it cannot be loaded.
        TypeError: an argument is a nested tensor.
        Whatever ``fn`` raises for wrong shapes or dtypes.
    """
    native = _native.module()
    native.load()
    with _told_if_slow():
        from torch_fl._explain_modes import Recorder

        return Recorder(native).run(fn, args, kwargs)


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
        call=", ".join(_describe(t) for t in tensors_of(args, kwargs)),
        lane="core" if decision["source"] == "core" else decision["lane"],
        source=decision["source"],
        routed=decision["routed"],
        lanes=tuple(Verdict(*verdict) for verdict in decision["lanes"]),
        plan=decision["plan"],
    )


def tensors_of(args: Any, kwargs: Any) -> list[torch.Tensor]:
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
