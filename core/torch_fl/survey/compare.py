"""A result of the device beside the host's: dtype, shape, values."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.utils import _pytree as pytree

# rtol, atol of a result whose last rounding may differ, where PyTorch's own tests grant the op no more.
TOLERANCES = {
    torch.float64: (1e-7, 1e-7),
    torch.complex128: (1e-7, 1e-7),
    torch.float32: (1e-5, 1e-5),
    torch.complex64: (1e-5, 1e-5),
    torch.float16: (2e-3, 2e-3),
    torch.bfloat16: (1.6e-2, 1e-2),
}
# Random results are judged by their distribution from this many elements on.
ENOUGH = 512


def difference(
    got: Any,
    want: Any,
    tolerance: tuple[float, float] | None = None,
    values: str = "equal",
    on_device: bool = True,
) -> dict[str, Any] | None:
    """What is wrong with a result; None where nothing is.

    Args:
        got: what the device gave: tensors, numbers, and structures of them.
        want: what the host gave.
        tolerance: (rtol, atol) that is granted beside `TOLERANCES`; the wider one counts.
        values: "equal", "random" (distributions are compared) or "any" (dtype and shape alone).
        on_device: a tensor on the host is wrong.

    Returns:
        ``{"wrong": "form" | "device" | "dtype" | "shape" | "values", "text": ..., "leaf": index}``, with "max_abs" (the
        largest absolute difference of finite values) for values.
    """
    left, right = parts(pytree.tree_leaves(got), pytree.tree_leaves(want))
    if len(left) != len(right):
        return {"wrong": "form", "text": f"{len(left)} results, on the host {len(right)}", "leaf": 0}
    for i, (g, w) in enumerate(zip(left, right, strict=True)):
        found = _tensor(g, w, tolerance, values) if isinstance(w, torch.Tensor) else _other(g, w, tolerance, values)
        if found is None and on_device and isinstance(w, torch.Tensor) and g.device.type == "cpu":
            found = {"wrong": "device", "text": "the result is on the CPU"}
        if found:
            return {**found, "leaf": i}
    return None


def parts(got: list[Any], want: list[Any]) -> tuple[list[Any], list[Any]]:
    """Leaves of two results with the strided tensors that sparse and nested ones are made of in their place, where both
    have the same layout; a result of another layout stays as it is."""
    left: list[Any] = []
    right: list[Any] = []
    for g, w in zip(got, want, strict=False):
        both = isinstance(g, torch.Tensor) and isinstance(w, torch.Tensor)
        if both and _composed(w) and _form(g) == _form(w):
            left += _parts(g)
            right += _parts(w)
        else:
            left.append(g)
            right.append(w)
    return left + got[len(want) :], right + want[len(got) :]


def _composed(t: torch.Tensor) -> bool:
    return t.is_nested or t.layout != torch.strided


def _form(t: torch.Tensor) -> tuple[Any, ...]:
    return t.layout, t.is_nested, t.dim() if t.is_nested else t.shape


def _parts(t: torch.Tensor) -> list[torch.Tensor]:
    if t.is_nested:
        return list(t.unbind())
    if t.layout == torch.sparse_coo:
        t = t.coalesce()  # the order of the elements is not promised
        return [t.indices(), t.values()]
    if t.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [t.crow_indices(), t.col_indices(), t.values()]
    return [t.ccol_indices(), t.row_indices(), t.values()]


def _other(got: Any, want: Any, tolerance: tuple[float, float] | None, values: str) -> dict[str, Any] | None:
    if isinstance(want, float | complex) and isinstance(got, int | float | complex):
        return _tensor_values(torch.tensor(got), torch.tensor(want), tolerance) if values == "equal" else None
    if type(got) is not type(want) or (values == "equal" and got != want):
        return {"wrong": "values", "text": f"{got!r}, on the host {want!r}"}
    return None


def _tensor(got: Any, want: torch.Tensor, tolerance: tuple[float, float] | None, values: str) -> dict[str, Any] | None:
    if not isinstance(got, torch.Tensor):
        return {"wrong": "form", "text": f"a {type(got).__name__}, on the host a tensor"}
    if got.dtype != want.dtype:
        return {"wrong": "dtype", "text": f"{_name(got.dtype)}, on the host {_name(want.dtype)}"}
    if got.layout != want.layout:
        return {"wrong": "form", "text": f"{got.layout}, on the host {want.layout}"}
    if got.shape != want.shape:
        return {"wrong": "shape", "text": f"{list(got.shape)}, on the host {list(want.shape)}"}
    if values == "any":
        return None
    got, want = got.detach().cpu().resolve_conj().resolve_neg(), want.detach().resolve_conj().resolve_neg()
    if values == "random":
        return _distribution(got, want)
    return _tensor_values(got, want, tolerance)


def _tensor_values(
    got: torch.Tensor, want: torch.Tensor, tolerance: tuple[float, float] | None
) -> dict[str, Any] | None:
    if torch.equal(got, want):
        return None
    rtol, atol = TOLERANCES.get(want.dtype, (0.0, 0.0))
    if tolerance is not None and want.dtype in TOLERANCES:
        rtol, atol = max(rtol, tolerance[0]), max(atol, tolerance[1])
    close = torch.isclose(got, want, rtol=rtol, atol=atol, equal_nan=want.is_floating_point() or want.is_complex())
    if bool(close.all()):
        return None
    wrong = ~close
    first = wrong.nonzero()[0].tolist() if wrong.dim() else []
    at = tuple(first)
    text = (
        f"{int(wrong.sum())} of {wrong.numel()} values, the first at {first}: "
        f"{got[at].item()!r}, on the host {want[at].item()!r}"
    )
    return {"wrong": "values", "text": text, "max_abs": _furthest(got[wrong], want[wrong])}


def _furthest(got: torch.Tensor, want: torch.Tensor) -> float | None:
    wide = torch.complex128 if want.is_complex() else torch.float64
    apart = (got.to(wide) - want.to(wide)).abs()
    apart = apart[apart.isfinite()]
    return float(apart.max()) if apart.numel() else None


def _distribution(got: torch.Tensor, want: torch.Tensor) -> dict[str, Any] | None:
    if want.numel() < ENOUGH or want.is_complex():
        return None
    g, w = got.double(), want.double()
    if not bool(g.isfinite().all()) and bool(w.isfinite().all()):
        return {"wrong": "values", "text": "random values that are not finite, on the host they are"}
    mean, deviation = float(w.mean()), max(float(w.std()), 1e-6)
    if abs(float(g.mean()) - mean) > 0.3 * deviation or not 0.5 <= max(float(g.std()), 1e-6) / deviation <= 2:
        text = (
            f"mean {float(g.mean()):.3g} and deviation {float(g.std()):.3g}, on the host {mean:.3g} and {deviation:.3g}"
        )
        return {"wrong": "values", "text": text}
    # These see little of a tail. How many values lie up to a number, two draws agree on within a deviation of that.
    for at in w.flatten().sort().values[:: w.numel() // 20][1:]:
        share, expected = (float((x <= at).double().mean()) for x in (g, w))
        if abs(share - expected) > 0.01 + 4 * math.sqrt(2 * expected * (1 - expected) / w.numel()):
            text = f"{share:.3g} of the values are at most {float(at):.3g}, on the host {expected:.3g}"
            return {"wrong": "values", "text": text}
    return None


def as_near(got: Any, want: Any, exact: Any, times: float = 4.0) -> bool:
    """Real results are as near to the exact ones as the host's, within a factor, and not finite at the same places.

    Args:
        got, want, exact: the device's results, the host's, and the host's in double precision, of one form.
    """
    for g, w, e in zip(*map(pytree.tree_leaves, (got, want, exact)), strict=True):
        if not isinstance(w, torch.Tensor) or not w.is_floating_point():
            if difference(g, w, on_device=False):
                return False
            continue
        g, w, e = (t.detach().cpu().double() for t in (g, w, e))
        finite = w.isfinite()
        if not torch.equal(finite, g.isfinite()) or not torch.equal(g[~finite].nan_to_num(), w[~finite].nan_to_num()):
            return False
        if finite.any() and (g - e)[finite].abs().max() > times * (w - e)[finite].abs().max():
            return False
    return True


def widened(value: Any) -> Any:
    """Arguments with each real number of less precision as a double; None where there is none."""
    found = False

    def widen(x: Any) -> Any:
        nonlocal found
        if isinstance(x, torch.Tensor) and x.dtype in (torch.float16, torch.bfloat16, torch.float32):
            found = True
            return x.double()
        return x

    wide = pytree.tree_map(widen, value)
    return wide if found else None


def as_dtypes(value: Any, like: Any) -> Any:
    """A result with the dtypes of another of the same form."""
    leaves, spec = pytree.tree_flatten(value)
    others = pytree.tree_leaves(like)
    return pytree.tree_unflatten(
        [
            a.to(b.dtype) if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) else a
            for a, b in zip(leaves, others, strict=True)
        ],
        spec,
    )


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
