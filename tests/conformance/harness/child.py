"""Code run in a process of its own: for the first call in a process, faults, environment variables and logs."""

import os
import subprocess
import sys
import textwrap

from harness.device import NAME, SELF_CHECK

_HEAD = "" if SELF_CHECK else "import torch_fl\n"


def run(code: str, env: dict | None = None, head: bool = True, timeout: float = 300) -> subprocess.CompletedProcess:
    """Runs Python ``code`` in a new process; ``DEV`` is the device's name there. A value None in ``env`` unsets it.

    ``head=False`` leaves out ``import torch_fl; import torch; DEV = ...``.
    """
    full = {**os.environ, **(env or {})}
    full = {key: value for key, value in full.items() if value is not None}
    start = f"{_HEAD}import torch\nDEV = {NAME!r}\n" if head else ""
    return subprocess.run(
        [sys.executable, "-c", start + textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout, env=full
    )


def check(code: str, env: dict | None = None, head: bool = True, timeout: float = 300) -> subprocess.CompletedProcess:
    """As run(), and the process must end well."""
    result = run(code, env, head, timeout)
    assert result.returncode == 0, f"exit {result.returncode}\n{result.stdout[-1500:]}\n{result.stderr[-3000:]}"
    return result
