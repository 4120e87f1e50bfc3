"""What the shared suite must skip on DCU for ever, or expect to fail for now: {pattern of test ids: reason}.

A pattern is a file and a test, ``test_streams.py::test_priorities``, with ``*`` for anything. One that matches no test
is an error, and so is an expected failure that passes.
"""

from harness import cuda_kernels
from torch_fl_dcu import on_standin

# What the device cannot do by its nature.
UNSUPPORTED: dict[str, str] = {
    "test_views.py::test_writes_go_through?unfold?": "where a view's elements overlap, one written twice holds either "
    "value; PyTorch promises no more, and a device computes them side by side",
    "test_opinfo.py::test_forward?*-*int*-topk?": "which of equal elements are the largest PyTorch leaves open: "
    "here the first; test_kernels.py compares the others",
    "test_opinfo.py::test_forward?*-bfloat16-nn.functional.interpolate.trilinear?": "the host rounds its weights to "
    "bfloat16, and is off by twice as much",
}

# With a PyTorch for HIP, or for CUDA on NVIDIA, boxing goes to its kernels.
if not on_standin():
    UNSUPPORTED |= cuda_kernels.UNSUPPORTED
    UNSUPPORTED |= dict.fromkeys(
        (
            "test_layouts.py::test_what_the_host_refuses_is_refused?nll_loss*",
            "test_as_on_the_host.py::test_what_kernels_refuse_is_refused?the gradient of group norm of other*-dcu?",
            "test_as_on_the_host.py::test_what_is_wrong_without_elements_is_wrong?mm of two dtypes?",
            "test_as_on_the_host.py::test_what_is_wrong_without_elements_is_wrong?linear of two dtypes?",
            "test_as_on_the_host.py::test_what_is_wrong_is_told_before_a_kernel_runs?trace of a line?",
            "test_as_on_the_host.py::test_products_of_two_dtypes?mv-*",
        ),
        "what core refuses has the host's words, and what it is compared with here those of PyTorch's device kernels",
    )

    for _case in ("forward?default-*float16-cumsum?", "inplace?default-*float16-cumsum?",
                  "forward?default-bfloat16-masked.cumsum?"):  # fmt: skip
        UNSUPPORTED[f"test_opinfo.py::test_{_case}"] = "CUDA adds halves up as halves, this vendor in float"
    UNSUPPORTED["test_opinfo.py::test_forward?default-*float16-topk?"] = (
        "which of equal elements are the largest PyTorch leaves open: here the first"
    )

# What is wrong today; each entry names when it was seen.
_HEADS = (
    "2026-11-30: without boxing attention is composed of products, whose result is not laid out as the host's kernel's"
)
EXPECTED_FAILURES: dict[str, str] = (
    {"test_as_on_the_host.py::test_heads_stay_next_to_each_other*": _HEADS} if on_standin() else {}
)

# Calls of real work (test_workloads.py) that are served on the CPU: an op, the dtypes of its tensors, and why. With
# Hygon's torch boxing serves them.
_MISSING = "no kernel of this vendor yet; with Hygon's torch boxing has one"
_COMPLEX = "no complex arithmetic in this vendor's kernels: rotary positions of Qwen-Image"
FALLBACKS: dict[str, str] = (
    {
        "convolution_overrideable float32": _MISSING,
        "convolution_backward float32": _MISSING,
        "mul.Tensor complex64": _COMPLEX,
        "copy_ complex64": _COMPLEX,
    }
    if on_standin()
    else {}
)
