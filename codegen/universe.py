"""Which ops a device could serve, and which of them the boxing lane has."""

from __future__ import annotations

from pathlib import Path

from torchgen.model import DispatchKey

from codegen.schemas import Schemas
from codegen.source import Problem, Problems, did_you_mean


def primitives(path: Path, root: Path, schemas: Schemas) -> frozenset[str]:
    """The ops that core serves itself, from the file that core reads too: one name a line, `#` starts a comment.

    A name that this torch lacks is left out only where it looks like another minor's: its base name must exist.
    """
    file = path.relative_to(root).as_posix()
    bases = {name.split(".")[0] for name in schemas.functions}
    found: set[str] = set()
    problems: list[Problem] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        name = text.split("#")[0].strip()
        if not name:
            continue
        if name.split(".")[0] not in bases:
            problems.append(Problem(file, number, f"no op `{name}`{did_you_mean(name, schemas.functions)}"))
        if name in found:
            problems.append(Problem(file, number, f"`{name}` is given twice"))
        found.add(name)
    if problems:
        raise Problems(problems)
    return frozenset(found)


def is_composite(schemas: Schemas, op: str) -> bool:
    """Without a kernel of the device, PyTorch serves it by other ops."""
    f = schemas.functions[op]
    return (
        f.has_composite_implicit_autograd_kernel
        or f.has_composite_explicit_autograd_kernel
        or f.has_composite_explicit_autograd_non_functional_kernel
    )


def decomposes(schemas: Schemas, op: str) -> bool:
    """Only ever served by other ops, above autograd: a kernel of its own would lose the gradient."""
    f = schemas.functions[op]
    return f.has_composite_implicit_autograd_kernel and not _device_kernel(schemas, op)


def universe(schemas: Schemas, served_by_core: frozenset[str]) -> frozenset[str]:
    """Overloads with a CPU or CUDA kernel (their own or their structured delegate's) or a CompositeExplicitAutograd
    one, less what decomposes and what core serves itself."""
    return frozenset(
        op
        for op, f in schemas.functions.items()
        if op not in served_by_core
        and not decomposes(schemas, op)
        and (_device_kernel(schemas, op) or f.has_composite_explicit_autograd_kernel)
    )


def device_ops(schemas: Schemas) -> list[str]:
    """Overloads that a device has a kernel for, sorted. Each needs an entry of its own in core: without one, PyTorch
    would serve some of them by a composite, with other numerics (_foreach_*, native_layer_norm, ...)."""
    return sorted(op for op in schemas.functions if _device_kernel(schemas, op))


def boxed(schemas: Schemas, key: str) -> frozenset[str]:
    """What the boxing lane serves: ops with a kernel for `key`, and ops whose CompositeExplicitAutograd kernel stands
    in for one that another device has (they have to run whole on the key, or their numerics differ)."""
    dispatch_key = DispatchKey.parse(key)
    return frozenset(
        op
        for op, f in schemas.functions.items()
        if schemas.has_kernel(op, dispatch_key)
        or (f.has_composite_explicit_autograd_kernel and _device_kernel(schemas, op))
    )


def _device_kernel(schemas: Schemas, op: str) -> bool:
    return schemas.has_kernel(op, DispatchKey.CPU) or schemas.has_kernel(op, DispatchKey.CUDA)
