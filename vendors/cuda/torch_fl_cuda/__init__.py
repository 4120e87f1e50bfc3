"""torch-fl on NVIDIA: `flagos` over the CUDA driver API, with PyTorch's own CUDA kernels.

Found by torch_fl through the entry-point group `torch_fl.vendors`. Next to this file lie `libtorch_fl_cuda.so`,
`vendor.toml` and `routes.conf`.
"""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "cuda"

# What the driver makes for each device, and under WSL for all of them.
DEVICE_NODES = "/dev"
_PATTERNS = ("nvidia[0-9]*", "dxg")
LIBRARY = "libcuda.so.1"


def _driver():
    """The driver's library, opened but not initialised: that would spoil a later fork. None where there is none."""
    import ctypes

    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:
        return None


def on_standin() -> bool:
    """Whether the driver that would be used is the stand-in for tests, which needs no device."""
    return hasattr(_driver(), "flCudaStandin")


def is_available() -> bool:
    """True where the device can be used: its node, the driver's library, and a torch that is built for CUDA.

    The torch in use is asked only where it is imported. Initialises nothing.
    """
    if any(any(Path(DEVICE_NODES).glob(pattern)) for pattern in _PATTERNS):
        return _driver() is not None and (on_standin() or _torch_has_cuda())
    return on_standin()


def _torch_has_cuda() -> bool:
    version = getattr(sys.modules.get("torch"), "version", None)
    return version is None or bool(getattr(version, "cuda", None))
