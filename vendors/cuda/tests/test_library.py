"""Builds libtorch_fl_cuda.so alone and drives it from C++ over the stand-in driver, and over NVIDIA's where that is.

Needs neither torch nor torch_fl.
"""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[1]
MODES = {"default": {}, "slow": {"CUDA_STANDIN_DELAY": "1"}, "one device": {"CUDA_VISIBLE_DEVICES": "1"}}

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "FLAGOS_"))}
    done = subprocess.run(
        [str(c) for c in command],
        env={**environment, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """The folder of a fresh build: the library, the tests' program, and `lib` with the stand-in."""
    folder = tmp_path_factory.mktemp("cuda")
    run(["cmake", "-S", VENDOR, "-B", folder])
    run(["cmake", "--build", folder, "--parallel", "2", "--target", "cuda_test"])
    run(["cmake", "-S", VENDOR / "sdk", "-B", folder / "sdk"])
    run(["cmake", "--build", folder / "sdk", "--parallel", "2"])
    return folder


def drive(build, *words, driver, **variables):
    """cuda_test, with the libcuda.so.1 of a folder."""
    program = [build / "cuda_test", build / "libtorch_fl_cuda.so", *words]
    return run(program, LD_LIBRARY_PATH=str(driver), **variables)


@pytest.mark.parametrize("mode", MODES)
def test_on_the_standin(build, mode):
    output = drive(build, build / "cuda_test_module.so", driver=build / "sdk/lib", **MODES[mode])
    assert "over the stand-in" in output and " 0 failed checks" in output


def real_driver() -> bool:
    try:
        return not hasattr(ctypes.CDLL("libcuda.so.1"), "flCudaStandin") and any(Path("/dev").glob("nvidia[0-9]*"))
    except OSError:
        return False


@pytest.mark.skipif(not real_driver(), reason="no NVIDIA device")
def test_on_the_device(build):
    output = run([build / "cuda_test", build / "libtorch_fl_cuda.so", VENDOR / "tests/module.ptx"])
    assert "over NVIDIA's driver" in output and " 0 failed checks" in output


def test_no_device(build):
    for hidden in ("", "-1"):
        drive(build, "--refused", "CUDA_ERROR_NO_DEVICE", driver=build / "sdk/lib", CUDA_VISIBLE_DEVICES=hidden)


def test_no_driver(build, tmp_path):
    # Before any driver that this machine may have.
    (tmp_path / "libcuda.so.1").write_bytes(b"")
    output = drive(build, "--refused", "NVIDIA's driver is missing: ", driver=tmp_path)
    assert "--gpus all" in output


def test_a_driver_that_is_too_old(build, tmp_path):
    (tmp_path / "empty.c").write_text("int cuInit(unsigned flags) { return (int)flags; }\n")
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    run([compiler, "-shared", "-fPIC", "-o", tmp_path / "libcuda.so.1", tmp_path / "empty.c"])
    drive(build, "--refused", "driver is too old: libcuda.so.1 has no cu", driver=tmp_path)


def test_library_is_small_and_links_neither_torch_nor_python_nor_the_driver(build):
    library = build / "libtorch_fl_cuda.so"
    needed = re.findall(r"NEEDED.*\[(.+)\]", run(["readelf", "-d", library]))
    assert needed and all(re.match(r"lib(stdc\+\+|gcc_s|c|m|dl|pthread)\.so|ld-linux", name) for name in needed), needed
    exported = re.findall(r" GLOBAL +DEFAULT +\d+ (\S+)", run(["readelf", "-W", "--dyn-syms", library]))
    assert exported == ["fl_vendor_init"]
    stripped = build / "stripped.so"
    run(["strip", "-o", stripped, library])
    # A compiler may have the C++ library as an archive alone.
    shared = any(name.startswith("libstdc++") for name in needed)
    assert stripped.stat().st_size < (100_000 if shared else 300_000)
