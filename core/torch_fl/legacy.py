"""Names that users may still have in old conf files and environments, and what took their place.

The one file of core that knows names of vendors.
"""

# Old names of lanes -> today's lane.
LANES = {
    "flagos": "flaggems",
    "flagos_python": "flaggems",
    "flaggems_python": "flaggems",
    "flaggems_cpp": "flaggems",
    "cuda": "boxing",
}

# Retired environment variables -> what to do instead.
_OVERRIDE = "set FLAGOS_OP_<op>=<lane> for one op, or FLAGOS_BACKEND_CONFIG for a whole conf"
_LOG = "set FLAGOS_LOG=dispatch,fallback"
_VENDOR_WHEEL = "install the vendor's wheel (torch-fl-<vendor>); FLAGOS_ACCELERATOR picks one at run time"
_GONE = "it has no effect any more; unset it"
VARIABLES = {
    "ACCELERATOR": "set FLAGOS_ACCELERATOR",
    "CUDA_KERNEL": _VENDOR_WHEEL,
    "METAX_KERNEL": _VENDOR_WHEEL,
    "GCU_KERNEL": _VENDOR_WHEEL,
    "ASCEND_KERNEL": _VENDOR_WHEEL,
    "MUSA_KERNEL": _VENDOR_WHEEL,
    "TSINGMICRO_KERNEL": _VENDOR_WHEEL,
    "FLAGGEMS_PYTHON": _OVERRIDE,
    "FLAGGEMS_KERNEL": _OVERRIDE,
    "ALL_USE_FLAGGEMS": _OVERRIDE,
    "ALL_USE_VENDOR": _OVERRIDE,
    "FLAGOS_USE_FLAGGEMS": _OVERRIDE,
    "FLAGOS_USE_FLAGGEMS_CPP": _OVERRIDE,
    "FLAGOS_USE_VENDOR_OPS": _OVERRIDE,
    "FLAGOS_USE_TILEOPS": _OVERRIDE,
    "FLAGOS_DISABLE_FLAGGEMS_PY": _OVERRIDE,
    "FLAGOS_FORCE_BACKEND": _OVERRIDE,
    "FLAGOS_STARTUP_PROFILE": _GONE,
    "FLAGOS_LOG_DISPATCH": _LOG,
    "FLAGOS_LOG_FALLBACK": _LOG,
    "FLAGOS_TRACE": "use torch.profiler",
    "FLAGOS_TRACER_LIBRARY": "use torch.profiler",
    "FLAGOS_CACHE_STATS": "use torch.flagos.memory_stats()",
    "FLAGOS_USE_CACHING_ALLOCATOR": "the caching allocator is always on; unset it",
    "FLAGOS_BUILD_VENDOR": _VENDOR_WHEEL,
    "FLAGOS_BUILD_FLAGGEMS": _VENDOR_WHEEL,
    "FLAGOS_BUILD_FLAGGEMS_CPP": _VENDOR_WHEEL,
    "FLAGOS_BUILD_BOXING": _VENDOR_WHEEL,
    "FLAGOS_BUILD_TILEOPS": _VENDOR_WHEEL,
    "FLAGOS_BUILD_JOBS": "set CMAKE_BUILD_PARALLEL_LEVEL",
    "FLAGOS_ALIAS_CUDA": 'no name is an alias of "cuda" any more: use the device "flagos"',
    "FLAGOS_DISABLE_CUDA_SHIM": 'no name is an alias of "cuda" any more: use the device "flagos"',
    "FLAGOS_DCU_VENDOR_CORE": _GONE,
    "FLAGOS_DCU_TORCH_LIB": _GONE,
    "FLAGOS_MACA_TORCH_LIB": _GONE,
    "FLAGOS_PPU_TORCH_LIB": _GONE,
    "FLAGOS_DISABLE_CUDA_ASSETS": _GONE,
    "FLAGOS_CUDA_ASSETS_DIR": _GONE,
    "FLAGOS_VENDOR_TORCH_LIB": _GONE,
    "FLAGOS_EXEC_CACHE": "plans are always cached; unset it",
    "FLAGOS_CODEGEN_ALL": "run `python -m codegen`",
}
