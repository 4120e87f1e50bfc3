"""Code run in a process of its own: for the first call in a process, faults, environment variables and logs."""

import atexit
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

from harness.device import NAME, SELF_CHECK

_HEAD = "" if SELF_CHECK else "import torch_fl\n"
_HERE = str(pathlib.Path(__file__).resolve().parent)
# What is read after the fork: by torch_fl, by a vendor's libraries, by the server itself.
_EARLY = ("LD_", "MALLOC_", "OMP_", "PYTHON", "TORCH")


def _early(env: dict) -> dict:
    """What a process reads when it starts and while it imports PyTorch."""
    return {key: value for key, value in env.items() if key.startswith(_EARLY) and key != "PYTHONPATH"}


@functools.cache
def _server() -> tuple[subprocess.Popen, dict]:
    """The process that forks, and the environment that it was started in."""
    env = dict(os.environ)
    boot = f"import sys; sys.path.insert(0, {_HERE!r}); import fork_server, gc, torch; del sys.path[0]; gc.freeze()"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{boot}; exec(fork_server.serve())"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**env, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
    )
    atexit.register(process.__exit__, None, None, None)
    return process, env


def forked(code: str, env: dict, timeout: float = 300) -> subprocess.CompletedProcess:
    """Runs Python ``code`` in a fork of a process that has imported PyTorch alone; ``env`` is the whole environment."""
    server, _ = _server()
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: pathlib.Path(folder, name) for name in ("stdout", "stderr")}
        for path in paths.values():
            path.touch()
        request = {"code": code, "env": env, "timeout": timeout, **{name: str(path) for name, path in paths.items()}}
        print(json.dumps(request), file=server.stdin, flush=True)
        status = json.loads(server.stdout.readline())
        texts = {name: path.read_text(errors="replace") for name, path in paths.items()}
    if status is None:
        raise subprocess.TimeoutExpired(code, timeout, texts["stdout"], texts["stderr"])
    return subprocess.CompletedProcess(code, status, **texts)


def run(code: str, env: dict | None = None, head: bool = True, timeout: float = 300) -> subprocess.CompletedProcess:
    """Runs Python ``code`` in a new process; ``DEV`` is the device's name there. A value None in ``env`` unsets it.

    ``head=False`` leaves out ``import torch_fl; import torch; DEV = ...``: for tests of the imports themselves, which
    get a process that has imported nothing. Others get one that has imported PyTorch alone, where ``env`` allows.
    """
    full = {**os.environ, **(env or {})}
    full = {key: value for key, value in full.items() if value is not None}
    start = f"{_HEAD}import torch\nDEV = {NAME!r}\n" if head else ""
    code = start + textwrap.dedent(code)
    if head and _early(full) == _early(_server()[1]):
        return forked(code, full, timeout)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, env=full)


def check(code: str, env: dict | None = None, head: bool = True, timeout: float = 300) -> subprocess.CompletedProcess:
    """As run(), and the process must end well."""
    result = run(code, env, head, timeout)
    assert result.returncode == 0, f"exit {result.returncode}\n{result.stdout[-1500:]}\n{result.stderr[-3000:]}"
    return result
