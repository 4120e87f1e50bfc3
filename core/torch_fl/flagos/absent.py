"""Names of `torch.cuda` that `torch.flagos` does not have, and what serves instead."""

from __future__ import annotations

_GRAPHS = (
    "where the device shares the runtime of another PyTorch device, that one's own module captures its calls; else run "
    "them as they are, or use torch.compile"
)
_POOLS = "there is one memory pool per device, which core manages"
_CARD = "the vendor's own tool says this of a card; torch.flagos.device_map() gives the card of a device"
_CUDA = "it is of CUDA alone"
_EXTERNAL = "a stream of the vendor's SDK cannot be taken over; torch.flagos.Stream().native_handle gives one to it"
_NO_BINDING = "core does not report it yet"

_WHY = {
    "memory_snapshot": f"{_NO_BINDING}; torch.flagos.memory_stats() and memory_summary() give totals",
    "host_memory_stats": _NO_BINDING,
    "host_memory_stats_as_nested_dict": _NO_BINDING,
    "reset_accumulated_host_memory_stats": _NO_BINDING,
    "reset_peak_host_memory_stats": _NO_BINDING,
    "CUDAGraph": _GRAPHS,
    "graph": _GRAPHS,
    "graphs": _GRAPHS,
    "graph_pool_handle": _GRAPHS,
    "make_graphed_callables": _GRAPHS,
    "MemPool": _POOLS,
    "use_mem_pool": _POOLS,
    "CUDAPluggableAllocator": _POOLS,
    "change_current_allocator": _POOLS,
    "caching_allocator_enable": _POOLS,
    "caching_allocator_disabled": _POOLS,
    "ExternalStream": _EXTERNAL,
    "get_stream_from_external": _EXTERNAL,
    "clock_rate": _CARD,
    "list_gpu_processes": _CARD,
    "memory_usage": _CARD,
    "power_draw": _CARD,
    "temperature": _CARD,
    "utilization": _CARD,
    "nccl": "use torch.distributed",
    "nvtx": "use torch.profiler.record_function",
    "profiler": "use torch.profiler",
    "sparse": "use torch.sparse",
    "tunable": "use torch_fl.routes() to choose who serves an op",
    "jiterator": "use torch.compile",
} | dict.fromkeys(
    (
        "CudaError",
        "DeferredCudaCallError",
        "GreenContext",
        "check_error",
        "cudaStatus",
        "cudart",
        "current_blas_handle",
        "current_solver_handle",
        "gds",
        "get_arch_list",
        "get_gencode_flags",
        "green_contexts",
        "has_half",
        "has_magma",
        "is_tf32_supported",
    ),
    _CUDA,
)


def why(name: str) -> str:
    """``": why it is not there, and what serves instead"``, or nothing for a name that is unknown here."""
    if name in _WHY:
        return f": {_WHY[name]}"
    if name.endswith(("Tensor", "Storage")):
        return ": give torch.tensor() or torch.empty() a dtype and device='flagos'"
    return ""
