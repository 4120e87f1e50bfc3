"""Where the OpInfo suites do not compare, and where a result differs from the host's, each with its reason.

Keys are patterns of test ids, ``test_opinfo.py::test_forward[lane-dtype-op]``. A pattern that matches nothing is an
error, and a difference that is gone is one too (strict). These hold for every vendor; a vendor's own are in its
quirks.py.
"""

NOT_COMPARED: dict[str, str] = {}

DIFFERENCES: dict[str, str] = {}
