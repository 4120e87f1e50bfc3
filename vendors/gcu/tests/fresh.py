"""A process of its own on the device: what depends on the environment, on the first call, or on a failure."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "tests" / "conformance"))

from harness import child

PREAMBLE = """
import warnings
def failure(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")
"""


def python(code: str, **variables: str) -> str:
    """Runs `code` behind PREAMBLE with FLAGOS_ACCELERATOR=gcu; what it printed, errors before results."""
    done = child.check(PREAMBLE + textwrap.dedent(code), {"FLAGOS_ACCELERATOR": "gcu", **variables})
    return done.stderr + done.stdout
