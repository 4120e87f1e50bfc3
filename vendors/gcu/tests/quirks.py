"""What the shared suite must skip on GCU for ever, or expect to fail for now: {pattern of test ids: reason}.

A pattern is a file and a test, ``test_streams.py::test_priorities``, with ``*`` for anything. One that matches no test
is an error, and so is an expected failure that passes.
"""

# What the device cannot do by its nature.
UNSUPPORTED: dict[str, str] = {
    "test_views.py::test_writes_go_through?unfold?": "where a view's elements overlap, one written twice holds either "
    "value; PyTorch promises no more, and a device computes them side by side",
}

# What is wrong today; each entry names when it was seen.
EXPECTED_FAILURES: dict[str, str] = {}

# Calls of real work (test_workloads.py) that are served on the CPU: an op, the dtypes of its tensors, and why.
_INT64 = "topsaten has no arithmetic of 64 bits, and int64 is never narrowed: "
FALLBACKS: dict[str, str] = {
    "add.Tensor int64": _INT64 + "positions of tokens, a few numbers a step",
    "ge.Scalar int64": _INT64 + "a check of the attention mask",
    "all int64": _INT64 + "a check of the attention mask",
    "max.dim int64": _INT64 + "the length of the longest text",
    "copy_ float32,int64": _INT64 + "the attention mask as float32",
    "mul.Tensor complex64": "topsaten has no complex arithmetic: rotary positions of Qwen-Image",
    "copy_ complex64": "topsaten has no complex arithmetic: the conjugate in the gradient of rotary positions",
    "dot float32": "FlagGems has it, topsaten has not",
}
