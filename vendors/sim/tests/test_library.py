"""Builds libtorch_fl_sim.so alone and drives it from C++ in each of sim's modes. Needs neither torch nor torch_fl.

TORCH_FL_TSAN=1 builds everything with ThreadSanitizer, which slows it about tenfold.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[1]
MODES = {"default": {}, "async": {"FLAGOS_SIM_ASYNC": "1"}, "protect": {"FLAGOS_SIM_PROTECT": "1"}}

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FLAGOS_")}
    done = subprocess.run(
        [str(c) for c in command],
        env={**environment, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """The folder of a fresh build: the library and the tests' programs."""
    folder = tmp_path_factory.mktemp("sim")
    flags = ["-DCMAKE_CXX_FLAGS=-fsanitize=thread -g"] if os.environ.get("TORCH_FL_TSAN") == "1" else []
    run(["cmake", "-S", VENDOR, "-B", folder, *flags])
    run(["cmake", "--build", folder, "--parallel", "2", "--target", "sim_test", "stream_test"])
    return folder


@pytest.mark.parametrize("mode", MODES)
def test_library(build, mode):
    output = run([build / "sim_test", build / "libtorch_fl_sim.so", build / "sim_test_module.so"], **MODES[mode])
    assert "0 failed checks" in output
    assert "ThreadSanitizer" not in output


@pytest.mark.parametrize("mode", MODES)
def test_streams_from_inside(build, mode):
    output = run([build / "stream_test"], **MODES[mode])
    assert "0 failed checks" in output
    assert "ThreadSanitizer" not in output


@pytest.mark.skipif(os.environ.get("TORCH_FL_TSAN") == "1", reason="an instrumented library has more in it")
def test_library_is_small_and_links_neither_torch_nor_python(build):
    library = build / "libtorch_fl_sim.so"
    needed = re.findall(r"NEEDED.*\[(.+)\]", run(["readelf", "-d", library]))
    assert needed and all(re.match(r"lib(stdc\+\+|gcc_s|c|m|dl|pthread)\.so|ld-linux", name) for name in needed), needed
    exported = re.findall(r" GLOBAL +DEFAULT +\d+ (\S+)", run(["readelf", "-W", "--dyn-syms", library]))
    assert exported == ["fl_vendor_init"]
    stripped = build / "stripped.so"
    run(["strip", "-o", stripped, library])
    assert stripped.stat().st_size < 1_000_000
