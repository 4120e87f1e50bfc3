"""Builds the stand-in SDK once, and gives tests the libraries."""

import os
import pathlib
import sys

import pytest

# An installed torch-fl would load its own libraries of the same names.
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[4] / "tests" / "conformance"))

import sdk as sdk_module
from harness import child


@pytest.fixture(scope="session")
def home() -> pathlib.Path:
    """The folder of the built stand-in."""
    sdk_module.build()
    return sdk_module.HOME


@pytest.fixture(scope="session")
def sdk(home) -> sdk_module.Sdk:
    """The libraries in this process, with their default settings."""
    return sdk_module.Sdk()


@pytest.fixture
def script(home):
    """Runs Python in a process of its own, with other settings; returns (exit status, stdout, stderr)."""

    def runner(text: str, **variables: object) -> tuple[int, str, str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TOPS_STANDIN_")}
        environment["TOPS_STANDIN_HOME"] = str(home)
        environment["PYTHONPATH"] = str(pathlib.Path(__file__).parent)
        environment |= {k if "_" in k else f"TOPS_STANDIN_{k}": str(v) for k, v in variables.items()}
        module, loaded = ("sdk", "Sdk") if "s.call" in text else ("rt", "Runtime")
        prelude = f"import ctypes\nfrom {module} import *\ns = {loaded}()\nrt = s.rt\n"
        done = child.forked(prelude + text, environment, 120)
        return done.returncode, done.stdout, done.stderr

    return runner
