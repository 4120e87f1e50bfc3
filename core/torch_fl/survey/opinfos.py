"""Calls of an op that PyTorch's own tests make: its OpInfos run on the host, and what reaches the op is kept."""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from torch_fl._ops import schema_of
from torch_fl.survey.inputs import Arguments
from torch_fl.survey.moving import move

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool, torch.complex64)
# Ops whose OpInfo has another name, by pattern of the op's name without its overload.
_ELSEWHERE = (
    (r"_?upsample_(nearest|nearest_exact|linear|bilinear|bicubic|trilinear)\w*", ("nn.functional.interpolate",)),
    (r"index", ("__getitem__",)),
    (r"index_put_?|_index_put_impl_", ("index_put",)),
    (r"_scaled_dot_product\w+|_flash_attention\w+", ("nn.functional.scaled_dot_product_attention",)),
    (r"linalg_vector_norm", ("linalg.vector_norm",)),
    (r"threshold\w*", ("nn.functional.threshold",)),
    (r"_weight_norm\w*|weight_norm\w*", ("_weight_norm",)),
    (r"_conv_depthwise2d|\w*conv2d|convolution\w*", ("nn.functional.conv2d",)),
    (r"_?native_dropout\w*", ("nn.functional.dropout",)),
    (r"_(log_)?softmax\w*", ("softmax", "log_softmax")),
    (r"_unique2?", ("unique",)),
    (r"special_(\w+)", ("special.",)),
)
_PREFIXES = r"^(_+|native_|thnn_|linalg_|special_|slow_|cudnn_)"
_SUFFIXES = r"(_backward_data|_dense_backward|_backward|_forward|_with_indices|_impl|2|_)$"


def why_not() -> str:
    """Why there are no OpInfos here; "" where there are. Imports them, which takes seconds."""
    try:
        import torch.testing._internal.common_methods_invocations  # noqa: F401
    except ImportError as error:
        return f"PyTorch's OpInfos cannot be imported ({error}): pip install expecttest numpy"
    return ""


def infos_of(op: str) -> list[Any]:
    """The OpInfos that may reach an op (``"native_layer_norm"``, ``"add.out"``), by name."""
    from torch.testing._internal.common_methods_invocations import op_db

    base = op.partition(".")[0]
    wanted = {base, _bare(base)}
    exact = {name for pattern, names in _ELSEWHERE if re.fullmatch(pattern, base) for name in names}
    found = []
    for info in op_db:
        names = {info.name, getattr(info, "aten_name", "") or info.name, *(a.name for a in info.aliases)}
        if names & exact or {_bare(name) for name in names} & wanted:
            found.append(info)
    return found


def _bare(name: str) -> str:
    name = name.rpartition(".")[2]
    before = ""
    while name != before:
        before, name = name, re.sub(_SUFFIXES, "", re.sub(_PREFIXES, "", name)) or name
    return re.sub(r"[123]d$", "", name) if name.startswith("nll_loss") else name


def tolerance_of(infos: list[Any], dtype: torch.dtype) -> tuple[float, float] | None:
    """The widest (rtol, atol) that PyTorch's own tests grant these OpInfos for a dtype."""
    from torch.testing._internal.common_device_type import toleranceOverride

    decorators = itertools.chain.from_iterable(
        getattr(d, "decorators", None) or [d] for info in infos for d in info.decorators
    )
    found = [d.d[dtype] for d in decorators if isinstance(d, toleranceOverride) and dtype in d.d]
    return (max(t.rtol for t in found), max(t.atol for t in found)) if found else None


class _Calls(TorchDispatchMode):
    """Keeps copies of the arguments of one op."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.found: list[Arguments] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.name == f"aten::{self.name.partition('.')[0]}" and (
            func._schema.overload_name == self.name.partition(".")[2]
        ):
            self.found.append(move((list(args), dict(kwargs)), "cpu"))
        return func(*args, **kwargs)


def picked(limit: int) -> list[int]:
    """``limit`` rising indices: the first ones, which are the plain cases, then ever wider apart."""
    head = (limit + 1) // 2
    found = list(range(head))
    index, gap = head - 1, 1
    for _ in range(limit - head):
        index, gap = index + gap, gap + 1
        found.append(index)
    return found


def calls(op: str, dtype: torch.dtype, limit: int) -> Iterator[Arguments]:
    """Arguments with which PyTorch's tests call an op for a dtype, at most ``limit`` of them.

    Those of an in-place or out= spelling are made of the functional one's.
    """
    spellings = [op] if (sibling := sibling_of(op)) is None else [op, sibling]
    wanted = picked(limit)
    seen: set[str] = set()
    for spelling in spellings:
        for info in infos_of(op):
            if dtype not in info.supported_dtypes("cpu") or len(seen) >= limit:
                continue
            for index, arguments in enumerate(_of_info(info, spelling, dtype, wanted)):
                if index >= limit or len(seen) >= limit:
                    break
                changed = arguments if spelling == op else respelt(op, spelling, arguments)
                if changed is not None and (key := _key(changed)) not in seen:
                    seen.add(key)
                    yield changed
        if seen:
            return


def _key(arguments: Arguments) -> str:
    from torch.utils._pytree import tree_map_only

    return repr(tree_map_only(torch.Tensor, lambda t: (tuple(t.shape), t.stride(), t.dtype), arguments))


def _of_info(info: Any, op: str, dtype: torch.dtype, wanted: list[int]) -> Iterator[Arguments]:
    backward = "backward" in op
    if backward and not (dtype.is_floating_point or dtype.is_complex):
        return
    torch.default_generator.manual_seed(0)
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        # Making the samples draws numbers: outside of the mode.
        samples = info.sample_inputs_func(info, "cpu", dtype, backward)
        every = list(itertools.islice(samples, wanted[-1] + 1))
        for sample in [every[i] for i in wanted if i < len(every)]:
            with _Calls(op) as mode, contextlib.suppress(Exception):
                result = info.op(sample.input, *sample.args, **sample.kwargs)
                if backward:
                    _backward(result)
            yield from mode.found


def _backward(result: Any) -> None:
    from torch.utils._pytree import tree_leaves

    sums = [t.sum() for t in tree_leaves(result) if isinstance(t, torch.Tensor) and t.requires_grad]
    if sums:
        sum(s.real if s.is_complex() else s for s in sums).backward()


def sibling_of(op: str) -> str | None:
    """The functional spelling of an in-place or out= op; None where it is functional itself, or there is none."""
    schema = schema_of(op)
    if schema is None or not any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments):
        return None
    base, _, overload = op.partition(".")
    names = [a.name for a in schema.arguments if not a.is_out]
    for candidate in dict.fromkeys((base.removesuffix("_") if not base.startswith("__") else base, base)):
        for other in torch._C._jit_get_schemas_for_operator(f"aten::{candidate}"):
            functional = not any(a.alias_info is not None and a.alias_info.is_write for a in other.arguments)
            same = [a.name for a in other.arguments] == names and [str(a.type) for a in other.arguments] == [
                str(a.type) for a in schema.arguments if not a.is_out
            ]
            if functional and same and (candidate, other.overload_name) != (base, overload):
                return f"{candidate}.{other.overload_name}" if other.overload_name else candidate
    return None


def respelt(op: str, spelling: str, arguments: Arguments) -> Arguments | None:
    """Arguments of the functional spelling as the op takes them: with empty results for out=; None where the host
    refuses them."""
    from torch_fl.survey.cases import function_of

    schema = schema_of(op)
    names = [a.name for a in schema_of(spelling).arguments]
    args, kwargs = arguments
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    outs = [a for a in schema.arguments if a.is_out]
    if outs:
        with contextlib.suppress(Exception), torch.no_grad():
            given = move((args, kwargs), "cpu")
            result = function_of(spelling)(*given[0], **given[1])
            results = result if isinstance(result, tuple) else (result,)
            for out, like in zip(outs, results, strict=True):
                named[out.name] = torch.empty_like(like, memory_format=torch.contiguous_format)
        if any(out.name not in named for out in outs):
            return None
    plain = [a for a in schema.arguments if not a.kwarg_only]
    last = max((i for i, a in enumerate(plain) if a.name in named), default=-1)
    if any(a.name not in named and not a.has_default_value() for a in plain[: last + 1]):
        return None
    return (
        [named.get(a.name, a.default_value) for a in plain[: last + 1]],
        {a.name: named[a.name] for a in schema.arguments if a.kwarg_only and a.name in named},
    )
