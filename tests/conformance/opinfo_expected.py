"""Where the OpInfo suites do not compare, and where a result differs from the host's, each with its reason.

Keys are patterns of test ids, ``test_opinfo.py::test_forward[lane-dtype-op]``. A pattern that matches nothing is an
error, and a difference that is gone is one too (strict). These hold for every vendor; a vendor's own are in its
quirks.py.
"""

NOT_COMPARED: dict[str, str] = {}

_SPARSE = "tensors of sparse layouts stay on the host; the error says to move the operand there"
DIFFERENCES: dict[str, str] = {
    "test_opinfo.py::test_forward[*-to_sparse]": _SPARSE,
    "test_opinfo.py::test_forward[*-sparse.mm.reduce]": _SPARSE,
    "test_opinfo.py::test_forward[*-sparse.sampled_addmm]": _SPARSE,
    "test_opinfo.py::test_out[*-sparse.sampled_addmm]": _SPARSE,
    "test_autograd.py::test_gradients[*-to_sparse]": _SPARSE,
    "test_autograd.py::test_gradients[*-sparse.mm.reduce]": _SPARSE,
    "test_autograd.py::test_gradients[*-sparse.sampled_addmm]": _SPARSE,
}
