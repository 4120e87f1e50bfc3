"""What the shared suite must skip on NVIDIA for ever, or expect to fail for now: {pattern of test ids: reason}.

A pattern is a file and a test, ``test_streams.py::test_priorities``, with ``*`` for anything. One that matches no test
is an error, and so is an expected failure that passes.
"""

from harness import cuda_kernels
from torch_fl_cuda import on_standin

# What the device cannot do by its nature.
UNSUPPORTED = cuda_kernels.UNSUPPORTED

# What is wrong today; each entry names when it was seen.
EXPECTED_FAILURES: dict[str, str] = {}

if on_standin():  # which has no kernels: every op is served on the CPU
    EXPECTED_FAILURES["test_device.py::test_a_host_tensor_among_the_devices_is_named?shape0?"] = (
        "2026-11-30: the lane `none` takes a host tensor of one dimension among the device's as if it were there"
    )
