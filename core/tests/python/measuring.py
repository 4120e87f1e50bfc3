"""The command over an installed vendor, in a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MAIN = "from torch_fl.cli import main; main()"


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("FLAGOS_") and k != "TORCH_DEVICE_BACKEND_AUTOLOAD"}
    path = os.pathsep.join(filter(None, [kept.get("PYTHONPATH", ""), str(HERE)]))
    # One thread: others on the machine must not decide what is faster.
    return kept | {"FLAGOS_ACCELERATOR": "sim", "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": "200"} | more


def start(*words, folder, **environ):
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *map(str, words)],
        cwd=folder,
        env=environment(**environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts jobs in the background with Ctrl-C ignored, which their children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def invoke(*words, folder, timeout=300, **environ):
    """The finished process of ``torch-fl WORDS``."""
    process = start(*words, folder=folder, **environ)
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
        process.wait()
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def skip_without_sim(folder):
    code = "import torch_fl, torch\nassert torch.flagos.is_available()\n"
    probe = subprocess.run([sys.executable, "-c", code], env=environment(), cwd=folder, capture_output=True)
    if probe.returncode != 0:
        pytest.skip("the simulated device is not installed")
