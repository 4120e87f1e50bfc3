"""A process of its own on the device: what depends on the environment, on the first call, or on a failure."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

PREAMBLE = """
import warnings
import torch, torch_fl
DEV = torch.device("flagos", 0)
def failure(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")
"""


def python(code: str, **variables: str) -> str:
    """Runs `code` behind PREAMBLE with FLAGOS_ACCELERATOR=gcu; what it printed, both streams together."""
    environment = {**os.environ, "FLAGOS_ACCELERATOR": "gcu", **variables}
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + textwrap.dedent(code)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
