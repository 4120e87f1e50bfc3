"""What the shared suite must skip on NVIDIA for ever, or expect to fail for now: {pattern of test ids: reason}.

A pattern is a file and a test, ``test_streams.py::test_priorities``, with ``*`` for anything. One that matches no test
is an error, and so is an expected failure that passes.
"""

# What the device cannot do by its nature.
UNSUPPORTED: dict[str, str] = {}

# What is wrong today; each entry names when it was seen.
EXPECTED_FAILURES: dict[str, str] = {}
