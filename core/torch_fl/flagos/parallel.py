"""What `torch.nn.parallel` and `torch.nn.DataParallel` call to spread tensors over devices.

PyTorch has these functions in ``torch._C``, for CUDA alone and only where it is built for CUDA. `install` puts these in
their place. Devices are indices of flagos devices. What does not fit raises RuntimeError, as PyTorch's own do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import torch
from torch._prims_common import suggest_memory_format
from torch._utils import _flatten_dense_tensors, _reorder_tensors_as, _take_tensors, _unflatten_dense_tensors

from torch_fl import _native
from torch_fl.flagos.streams import StreamContext


def install() -> None:
    """Puts the functions into ``torch._C``. PyTorch's own keep what concerns its CUDA devices."""
    for function in (broadcast, broadcast_out, broadcast_coalesced, scatter, scatter_out, gather, gather_out):
        name = f"_{function.__name__}"
        setattr(torch._C, name, _by_device(function, getattr(torch._C, name, None)))


def _by_device(ours: Callable, theirs: Callable | None) -> Callable:
    # Indices do not say of which devices they are: with tensors of the CPU alone, CUDA's go first where there are any.
    if theirs is None:
        return ours

    @functools.wraps(ours)
    def function(*arguments, **keywords):
        tensors = [
            t
            for argument in (*arguments, *keywords.values())
            for t in (argument if isinstance(argument, (list, tuple)) else [argument])
            if isinstance(t, torch.Tensor)
        ]
        mine = any(t.device.type == "flagos" for t in tensors) or not torch.cuda.is_available()
        return (ours if mine else theirs)(*arguments, **keywords)

    return function


def broadcast(tensor: torch.Tensor, devices: Sequence[int]) -> list[torch.Tensor]:
    """A copy of a tensor on each device; where it is there already, the tensor itself."""
    copies = []
    for index in devices:
        _check(index >= 0, f"Expected non-negative device index, but got {index}")
        here = tensor.device == torch.device("flagos", index)
        copies.append(tensor if here else _to(tensor, index, copy=True))
    return copies


def broadcast_out(tensor: torch.Tensor, out_tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Copies a tensor into tensors of the same shape, each on any device."""
    for i, out in enumerate(out_tensors):
        _check_device(out, i, "output")
        _check(
            out.shape == tensor.shape,
            f"Expected all output tensors to have same shape as the source tensor {tuple(tensor.shape)}, but output "
            f"tensor at index {i} has shape {tuple(out.shape)}",
        )
    for out in out_tensors:
        out.copy_(tensor, non_blocking=True)
    return list(out_tensors)


def broadcast_coalesced(
    tensors: Sequence[torch.Tensor], devices: Sequence[int], buffer_size: int
) -> list[list[torch.Tensor]]:
    """Copies of tensors on each device, small ones together in one transfer.

    Args:
        tensors: on ``devices[0]``, of any shapes and dtypes.
        devices: where to.
        buffer_size: bytes of a transfer at most.

    Returns:
        A list for each device; the first one has the tensors themselves.
    """
    _check(
        all(t.device == torch.device("flagos", devices[0]) for t in tensors),
        f"All tensors must be on devices[0]: {devices[0]}",
    )
    outputs: list[list[torch.Tensor]] = [list(tensors), *([] for _ in devices[1:])]
    types = set()
    with torch.no_grad():
        for chunk in _take_tensors(tensors, buffer_size):
            types.add(chunk[0].type())
            if chunk[0].is_sparse:
                for index, output in zip(devices[1:], outputs[1:], strict=True):
                    output += [_to(t, index) for t in chunk]
                continue
            flat = broadcast(_flatten_dense_tensors(chunk), devices)
            for copy, output in zip(flat[1:], outputs[1:], strict=True):
                # The parts of a buffer are tensors of their own, so writing to one is no write to another.
                output += [part.data for part in _unflatten_dense_tensors(copy, chunk)]
    if len(types) > 1:
        outputs[1:] = [list(_reorder_tensors_as(output, tensors)) for output in outputs[1:]]
    return outputs


def scatter(
    tensor: torch.Tensor,
    devices: Sequence[int],
    chunk_sizes: Sequence[int] | None = None,
    dim: int = 0,
    streams: Sequence[torch.Stream | None] | None = None,
) -> list[torch.Tensor]:
    """Splits a tensor of any device along ``dim``, one part to each device.

    Args:
        chunk_sizes: of the parts; None for equal ones, of which there may be fewer than devices.
        streams: on which to copy the parts; None, for one or for all, is the current stream.
    """
    _check(len(devices) > 0, "Expected at least one device to scatter to")
    dim = _dimension(dim, tensor)
    if chunk_sizes is None:
        chunks = list(tensor.chunk(len(devices), dim))
    else:
        _check(
            len(chunk_sizes) == len(devices),
            "Expected devices and chunk_sizes to be of same length, but got "
            f"len(devices) = {len(devices)} and len(chunk_sizes) = {len(chunk_sizes)}",
        )
        chunks = list(tensor.split_with_sizes(chunk_sizes, dim))
    for i, chunk in enumerate(chunks):
        if chunk.device.type == "flagos" and chunk.device.index == devices[i]:
            continue
        _check(devices[i] >= 0, f"Expected non-negative device index, but got {devices[i]}")
        with StreamContext(_stream(streams, i, devices[i])):
            chunks[i] = _to(chunk, devices[i])
    return chunks


def scatter_out(
    tensor: torch.Tensor,
    out_tensors: Sequence[torch.Tensor],
    dim: int = 0,
    streams: Sequence[torch.Stream | None] | None = None,
) -> list[torch.Tensor]:
    """Splits a tensor along ``dim`` into tensors on any devices; their sizes there say where."""
    _check(len(out_tensors) > 0, "Expected at least one output tensor to scatter to")
    dim = _dimension(dim, tensor)
    for i, out in enumerate(out_tensors):
        _check_device(out, i, "output")
        expected = list(tensor.shape)
        if out.dim() == tensor.dim():
            expected[dim] = out.size(dim)
        _check(
            list(out.shape) == expected,
            f"Output tensor at index {i} has incorrect shape: {tuple(out.shape)}. Expected same shape except for "
            f"scatter dim {dim} as the source tensor: {tuple(tensor.shape)}",
        )
    sizes = [out.size(dim) for out in out_tensors]
    _check(
        sum(sizes) == tensor.size(dim),
        f"Total size for output tensors along scatter dim {dim} does not match the source tensor size at dim {dim}. "
        f"Expected {tensor.size(dim)}, but got total size {sum(sizes)}",
    )
    for i, (out, chunk) in enumerate(zip(out_tensors, tensor.split_with_sizes(sizes, dim), strict=True)):
        with StreamContext(_stream(streams, i, out.device.index)):
            out.copy_(chunk, non_blocking=True)
    return list(out_tensors)


def gather(tensors: Sequence[torch.Tensor], dim: int, destination_index: int | None = None) -> torch.Tensor:
    """Joins tensors of any devices along ``dim``.

    Args:
        destination_index: the device of the result; None for the current one, -1 for the CPU.
    """
    dim, shape = _joined(tensors, dim)
    formats = {suggest_memory_format(t) for t in tensors}
    if destination_index == -1:
        device = torch.device("cpu")
    else:
        current = _native.module().current_device
        device = torch.device("flagos", current() if destination_index is None else destination_index)
    result = torch.empty(
        shape,
        dtype=tensors[0].dtype,
        device=device,
        memory_format=formats.pop() if len(formats) == 1 else torch.contiguous_format,
    )
    return _join(tensors, result, dim)


def gather_out(tensors: Sequence[torch.Tensor], out_tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """Joins tensors of any devices along ``dim`` into a tensor of the CPU or a device."""
    dim, shape = _joined(tensors, dim)
    _check(
        list(out_tensor.shape) == shape,
        f"Expected out tensor to have shape {tuple(shape)}, but got {tuple(out_tensor.shape)}",
    )
    return _join(tensors, out_tensor, dim)


def _joined(tensors: Sequence[torch.Tensor], dim: int) -> tuple[int, list[int]]:
    # The dimension, from zero, and the shape of the result.
    _check(len(tensors) > 0, "Expected at least one tensor to gather from")
    dim = _dimension(dim, tensors[0])
    expected = list(tensors[0].shape)
    for i, t in enumerate(tensors):
        _check_device(t, i, "input")
        _check(
            t.dim() == len(expected),
            "Expected all input tensors to have the same number of dimensions, but "
            f"tensor at index {i} has {t.dim()} dimensions, (expected {len(expected)})",
        )
        expected[dim] = t.size(dim)
        _check(
            list(t.shape) == expected,
            f"Input tensor at index {i} has invalid shape {tuple(t.shape)}, but expected {tuple(expected)}",
        )
    expected[dim] = sum(t.size(dim) for t in tensors)
    return dim, expected


def _join(tensors: Sequence[torch.Tensor], result: torch.Tensor, dim: int) -> torch.Tensor:
    start = 0
    for t in tensors:
        # A copy to the host is over when this returns: its reader knows of no stream to wait for.
        result.narrow(dim, start, t.size(dim)).copy_(t, non_blocking=result.device.type == "flagos")
        start += t.size(dim)
    return result


def _to(tensor: torch.Tensor, index: int, copy: bool = False) -> torch.Tensor:
    return tensor.to(torch.device("flagos", index), non_blocking=True, copy=copy)


def _stream(streams: Sequence[torch.Stream | None] | None, i: int, index: int) -> torch.Stream | None:
    stream = streams[i] if streams is not None else None
    _check(
        stream is None or stream.device_index == index,
        f"Expected the device associated with the stream at index {i} (was {getattr(stream, 'device_index', None)}) "
        f"to match the device supplied at that index (expected {index})",
    )
    return stream


def _dimension(dim: int, tensor: torch.Tensor) -> int:
    rank = max(tensor.dim(), 1)
    if not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return dim % rank


def _check_device(tensor: torch.Tensor, i: int, what: str) -> None:
    _check(
        tensor.device.type == "flagos",
        f"Expected all {what} tensors to be flagos tensors, but {what} tensor at index {i} has device "
        f"'{tensor.device}'",
    )


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise RuntimeError(message)
