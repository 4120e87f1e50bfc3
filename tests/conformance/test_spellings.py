"""Every spelling that a row of the vendor serves (functional, in-place, out=), against the host, on the vendor's lane.

OpInfo calls what Python spells: few of the overloads with out=, and some in-place ones never. The calls that OpInfo
makes, gradients included, are recorded as overloads here, and each is made again as its siblings: `silu` as `silu.out`
and `silu_`.
"""

import functools
import itertools
import warnings
from collections import defaultdict

import pytest
import torch
from harness import lanes, opinfo
from harness.compare import assert_same_call, move
from harness.device import SELF_CHECK, needs_device, vendor_name
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

if not SELF_CHECK:
    import torch_fl

pytestmark = needs_device

_SAMPLES, _CALLS = 3, 12
# Spellings that no sibling has, called by hand.
_BY_HAND = {"random_": ((torch.zeros(64, dtype=torch.int32),), {})}
# Where the host is no yardstick.
_HOST_IS_WRONG = {"binary_cross_entropy.out": "the host keeps the first element of what it should sum up"}
_RANDOM = torch.Tag.nondeterministic_seeded


class _Recorder(TorchDispatchMode):
    """Functional calls of aten by the base name of their op: (names of the arguments, arguments, result)."""

    def __init__(self):
        super().__init__()
        self.calls = defaultdict(list)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        kept = self.calls[func._schema.name.removeprefix("aten::")]
        wanted = func.namespace == "aten" and not func._schema.is_mutable and len(kept) < _CALLS
        arguments = move((args, kwargs), "cpu") if wanted else None
        result = func(*args, **kwargs)
        if wanted:
            names = [a.name for a in func._schema.arguments]
            given = dict(zip(names, arguments[0], strict=False)) | arguments[1]
            kept.append((given, move(result, "cpu")))
        return result


@functools.cache
def _recorded() -> dict[str, list]:
    recorder = _Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The widest integers are few devices' own.
        for op, dtype in opinfo.cases((torch.float32, torch.int32)):
            if dtype == torch.int32 and opinfo.first_dtype(op).is_floating_point:
                continue
            gradient = dtype.is_floating_point and op.supports_autograd
            for sample in itertools.islice(opinfo.samples(op, dtype, _SAMPLES, requires_grad=gradient), _SAMPLES):
                try:
                    with recorder:
                        result = op.op(sample.input, *sample.args, **sample.kwargs)
                        leaves = [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]
                        loss = [t.sum() for t in leaves if t.requires_grad and not t.is_complex()]
                        if gradient and loss:
                            sum(loss).backward()
                except Exception:
                    continue  # test_opinfo.py says whether it should
    return recorder.calls


def _functional(base: str) -> str:
    if base.startswith("__i") and base.endswith("__"):
        return "__" + base[3:]
    return base.removesuffix("_")


def _as(overload, given: dict, result) -> tuple | None:
    """The arguments of `overload` for a recorded call of its functional sibling, or None where they do not fit."""
    schema = overload._schema
    results = [result] if isinstance(result, torch.Tensor) else list(result) if isinstance(result, tuple | list) else []
    if not results or not all(isinstance(t, torch.Tensor) for t in results):
        return None
    outs = [a.name for a in schema.arguments if a.is_out]
    kwargs = {}
    if outs:
        if len(outs) != len(results):
            return None
        kwargs = {name: torch.empty_like(t) for name, t in zip(outs, results, strict=True)}
    elif not isinstance(given.get("self"), torch.Tensor) or (given["self"].shape, given["self"].dtype) != (
        results[0].shape,
        results[0].dtype,
    ):
        return None
    names = [a.name for a in schema.arguments if not a.is_out]
    needed = [a.name for a in schema.arguments if not a.is_out and not a.has_default_value()]
    if set(given) - set(names) or set(needed) - set(given):
        return None
    for a in schema.arguments:
        is_tensor = isinstance(given.get(a.name), torch.Tensor)
        if a.name in given and (is_tensor > ("Tensor" in str(a.type)) or is_tensor < (str(a.type) == "Tensor")):
            return None
    if any(t.requires_grad for t in pytree.tree_leaves(given) if isinstance(t, torch.Tensor)):
        given = pytree.tree_map(lambda t: t.detach() if isinstance(t, torch.Tensor) else t, given)
    return (), {**given, **kwargs}


def _calls(name: str) -> list[tuple]:
    if name in _BY_HAND:
        return [_BY_HAND[name]]
    overload = _overload(name)
    found = (_as(overload, *recorded) for recorded in _recorded()[_functional(name.partition(".")[0])])
    return [arguments for arguments in found if arguments is not None]


def _overload(name: str):
    base, _, variant = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), variant or "default")


def _spellings() -> list[str]:
    """What the vendor's rows serve and OpInfo does not spell: overloads that write."""
    if SELF_CHECK:
        return []
    own = [op.name for op in torch_fl.ops() if vendor_name() in op.lanes and not op.primitive]
    return [name for name in own if _overload(name)._schema.is_mutable and not name.startswith("_foreach")]


@pytest.mark.parametrize("name", _spellings())
def test_spelling(name):
    overload, lane = _overload(name), vendor_name()
    calls = _calls(name)
    if name in _HOST_IS_WRONG:
        pytest.skip(_HOST_IS_WRONG[name])
    if not calls:
        pytest.skip("OpInfo never calls its functional sibling with arguments that fit")
    values = _RANDOM not in overload.tags
    with lanes.forced("vendor"), torch_fl.census() as census, torch.no_grad():
        for arguments in calls:
            assert_same_call(overload, arguments, values=values, tol=(1e-3, 1e-3))
    served = {row.lane for row in census.rows() if row.op == name}
    assert lane in served, f"{name} was served by {sorted(served)}, never by {lane}"
