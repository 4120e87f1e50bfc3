"""The calls of one op on the device, in the process that was made for it."""

from __future__ import annotations

import contextlib
import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

from torch_fl._ops import schema_of
from torch_fl.survey import cases, compare, opinfos
from torch_fl.survey.moving import move

# The place of equal elements is not promised: what the indices point at is compared.
_PLACES = {"sort", "topk", "kthvalue", "median", "nanmedian", "mode", "max", "min", "argmax", "argmin"}
# Core's words where a lane refuses a call and no other one takes it.
_NOWHERE = "torch_fl: no lane of flagos serves"
# Elements from which on sums are compared by how near they are.
_LONG = 1 << 16
_UNINITIALISED = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_"}


def set_up(setup: str) -> None:
    """Calls ``module:function``.

    Raises:
        ValueError: the text is no such name.
    """
    if not setup:
        return
    module, colon, name = setup.partition(":")
    if not colon:
        raise ValueError(f"--setup {setup}: say module:function")
    function = getattr(importlib.import_module(module), name)
    if not callable(function):
        raise ValueError(f"--setup {setup}: {name} of {module} is no function")
    function()


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None]) -> None:
    """Makes every call of a job's op, telling `emit` before and after each.

    Args:
        job: "op", "lane", "device", "setup" (``module:function``, or ""), "grid", "samples", "skip" (names of cases and
            dtypes), "budget" (seconds after which no further case is begun).

    Raises:
        DeadDeviceError: a case left the device unusable for this process.
    """
    import torch_fl
    from torch_fl import _native, flaggems

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    set_up(job["setup"])
    _native.module().load()
    op, lane = job["op"], job["lane"]
    if lane == flaggems.LANE:
        flaggems.keep_apart()
        flaggems.offer_also(op)
        # Importing it takes seconds, which are no case's. What is wrong with it each call tells.
        with contextlib.suppress(Exception):
            flaggems.functions()
    started = time.monotonic()
    samples, words = job["samples"], ""
    if samples and (words := opinfos.why_not()):
        samples = 0
        emit({"note": words})
    infos = opinfos.infos_of(op) if samples else []

    group = ""

    def announce(name: str, dtype: str) -> None:
        nonlocal group
        group = dtype
        emit({"begin": name, "dtype": dtype, "group": dtype, "on": "host"})

    with torch_fl.routes({op: lane}):
        for case in cases.of_op(op, grid=job["grid"], samples=samples, skip=job["skip"], announce=announce):
            if isinstance(case, cases.Refused):
                emit({"name": case.name, "dtype": case.dtype, "status": "invalid", "text": case.text})
                continue
            if time.monotonic() - started > job["budget"]:
                emit({"note": f"the cases from {case.name} on were not run: {job['budget']:g} seconds had passed"})
                return
            call = {"call": cases.describe(case.arguments)}
            emit({"begin": case.name, "dtype": case.dtype, "group": group, "on": "device", **call})
            tolerance = opinfos.tolerance_of(infos, getattr(torch, case.dtype)) if infos and case.dtype else None
            found = _one(op, lane, job["device"], case, tolerance)
            if found["status"] == "error" and not _works(job["device"]):
                emit({"dead": f"{found['text']}; after it the device did not work in this process"})
                raise DeadDeviceError(found["text"])
            emit({"name": case.name, "dtype": case.dtype, **found})


class DeadDeviceError(RuntimeError):
    """What a kernel did makes every later call of the process fail, as an illegal address does on CUDA."""


def _works(device: str) -> bool:
    """What is sent to the device comes back. No lane takes part."""
    try:
        there = torch.arange(3).to(device)
        torch.flagos.synchronize(device)
        return there.tolist() == [0, 1, 2]
    except Exception:
        return False


def _one(op: str, lane: str, device: str, case: cases.Case, tolerance: tuple[float, float] | None) -> dict[str, Any]:
    import torch_fl

    given = move(case.arguments, device)
    torch.manual_seed(0)
    begun = time.perf_counter()
    error: Exception | None = None
    got: Any = None
    with torch_fl.census() as census, torch.no_grad():
        try:
            got = cases.function_of(op)(*given[0], **given[1])
            torch.flagos.synchronize(device)
        except Exception as raised:
            error = raised
    seconds = round(time.perf_counter() - begun, 4)
    rows = [row for row in census.rows() if row.op == op]
    if error is None and not any(row.lane == lane for row in rows):
        return {"status": "refused", "text": _why(rows, lane), "seconds": seconds}
    call = {"seconds": seconds, "call": cases.describe(case.arguments)}
    if error is not None and str(error).startswith(_NOWHERE):
        said = (line.strip() for line in str(error).splitlines())
        text = next((line for line in said if line.startswith(f"{lane}: ")), str(error))
        return {"status": "refused", "text": text, "seconds": seconds}
    if error is not None:
        return {"status": "error", "text": f"{type(error).__name__}: {error}", **call}
    try:
        found = difference(op, got, given, case, tolerance)
    except Exception as failed:  # of the comparison: it says nothing about the op
        return {"status": "invalid", "text": f"the results could not be compared: {failed}", **call}
    return {"status": "right", "seconds": seconds} if found is None else {"status": "wrong", **found, **call}


def _why(rows: list[Any], lane: str) -> str:
    for row in rows:
        if row.reason:
            return row.reason
    return f"the call went to {', '.join(row.lane for row in rows) or 'no lane'}, and no reason is told"


def difference(
    op: str, got: Any, given: Any, case: cases.Case, tolerance: tuple[float, float] | None
) -> dict[str, Any] | None:
    base = op.partition(".")[0]
    values = "equal"
    if base in _UNINITIALISED:
        values = "any"
    elif torch.Tag.nondeterministic_seeded in cases.function_of(op).tags:
        values = "random"
    found = compare.difference(got, case.want, tolerance, values)
    if found and found["wrong"] == "values" and values == "equal":
        places = base.removesuffix("_") in _PLACES and _same_elements(op, got, case, tolerance)
        found = None if places or _right_in_double(op, got, case, tolerance) else found
    if found is None:
        written, expected = _written(op, given), _written(op, case.after)
        if found := compare.difference(written, expected, tolerance, values):
            if found["wrong"] == "values" and _close_in_double(op, written, case, tolerance):
                return None
            found["text"] = f"an argument that the op writes: {found['text']}"
    if found is None and (found := compare.difference(_around(written), _around(expected), on_device=False)):
        found["text"] = f"beside an argument that the op writes: {found['text']}"
    return found


def _around(tensors: list[Any]) -> list[torch.Tensor]:
    """The memory of tensors that have gaps, with 0 in the place of the tensor itself."""
    found = []
    for t in pytree.tree_leaves(tensors):
        if not isinstance(t, torch.Tensor) or t.layout != torch.strided or not t.numel():
            continue
        if t.numel() > sum((size - 1) * stride for size, stride in zip(t.shape, t.stride(), strict=True)):
            continue
        memory = torch.empty(0, dtype=t.dtype, device=t.device)
        memory.set_(t.untyped_storage(), 0, (t.untyped_storage().nbytes() // t.element_size(),))
        memory = memory.cpu().clone()
        memory.as_strided(t.shape, t.stride(), t.storage_offset()).zero_()
        found.append(memory)
    return found


def _written(op: str, arguments: Any) -> list[Any]:
    """The arguments that the op writes."""
    args, kwargs = arguments
    schema = schema_of(op).arguments
    named = {**{a.name: v for a, v in zip(schema, args, strict=False)}, **kwargs}
    return [named[a.name] for a in schema if a.name in named and a.alias_info is not None and a.alias_info.is_write]


def _same_elements(op: str, got: Any, case: cases.Case, tolerance: tuple[float, float] | None) -> bool:
    left, right = pytree.tree_leaves(got), pytree.tree_leaves(case.want)
    # The last one holds the indices; without a dimension there may be only values.
    if right[-1].dtype != torch.int64 or compare.difference(left[:-1], right[:-1], tolerance):
        return False
    args, kwargs = case.arguments
    schema = schema_of(op).arguments
    named = {a.name: a.default_value for a in schema if a.has_default_value()}
    named |= {**{a.name: v for a, v in zip(schema, args, strict=False)}, **kwargs}
    x, dim = named["self"], named.get("dim")
    places = left[-1].cpu()
    size = x.shape[dim] if dim is not None and x.dim() else max(1, x.numel())
    if places.numel() and (places.min() < 0 or places.max() >= size):
        return False
    return compare.difference(_at(x, places, dim), _at(x, right[-1], dim), on_device=False) is None


def _at(x: torch.Tensor, places: torch.Tensor, dim: int | None) -> torch.Tensor:
    """The elements at the results of a reduction, or a sort, over a dimension (None: over all)."""
    if dim is None or not x.dim():
        return x.reshape(-1)[places.reshape(-1)]
    return torch.take_along_dim(x, places if places.dim() == x.dim() else places.unsqueeze(dim), dim)


def _in_double(op: str, case: cases.Case) -> Any:
    wide = compare.widened(case.arguments)
    if wide is None:
        return None
    found = cases.answer(case.name, case.dtype, op, wide)
    return found if isinstance(found, cases.Case) else None


def _right_in_double(op: str, got: Any, case: cases.Case, tolerance: tuple[float, float] | None) -> bool:
    """A result that agrees with the host's in double precision is right too, and of a long tensor one that is about as
    near to that as the host's own: errors of sums grow with the length, and no tolerance does."""
    found = _in_double(op, case)
    if found is None:
        return False
    if compare.difference(got, compare.as_dtypes(found.want, case.want), tolerance) is None:
        return True
    long = any(t.numel() > _LONG for t in pytree.tree_leaves(case.arguments) if isinstance(t, torch.Tensor))
    return long and compare.as_near(got, case.want, found.want)


def _close_in_double(op: str, written: Any, case: cases.Case, tolerance: tuple[float, float] | None) -> bool:
    found = _in_double(op, case)
    if found is None:
        return False
    want = compare.as_dtypes(_written(op, found.after), _written(op, case.after))
    return compare.difference(written, want, tolerance) is None
