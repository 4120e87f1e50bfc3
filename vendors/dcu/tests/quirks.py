"""What the shared suite must skip on DCU for ever, or expect to fail for now: {pattern of test ids: reason}.

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
