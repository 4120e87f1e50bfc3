"""The sources with real HIP: Debian's headers and library, without a device, and device code for gfx906 and sm_90.

Debian's packages are downloaded where apt-get can (3 MB of headers and 19 MB of libraries, once, into build/), the
compiler for device code is used where it is installed.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[1]
ROOT = VENDOR.parents[1]
PACKAGES = ("libamdhip64-dev", "libamdhip64-5", "libhsa-runtime64-1", "libhsakmt1", "libamd-comgr2", "rocm-device-libs")
DEFINES = ("-D__HIP_PLATFORM_AMD__", "-D__HIP_PLATFORM_HCC__")
RUNTIME = ("device", "memory", "stream", "module", "runtime", "launch")


def run(*command, **variables):
    done = subprocess.run(
        [str(c) for c in command],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="session")
def hip():
    """The folder of Debian's HIP, unpacked: usr/include, usr/lib/x86_64-linux-gnu."""
    folder = ROOT / "build/dcu-debian"
    if not (folder / "usr/include/hip/hip_runtime_api.h").is_file():
        if not all(map(shutil.which, ("apt-get", "dpkg-deb"))):
            pytest.skip("no apt-get to download Debian's HIP with")
        folder.mkdir(parents=True, exist_ok=True)
        got = subprocess.run(["apt-get", "download", *PACKAGES], cwd=folder, capture_output=True, text=True)
        if got.returncode != 0:
            pytest.skip(f"apt-get does not give Debian's HIP: {got.stderr.strip().splitlines()[-1:]}")
        for package in folder.glob("*.deb"):
            run("dpkg-deb", "-x", package, folder)
    return folder


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dcu-program")
    run("cmake", "-S", VENDOR / "tests", "-B", folder)
    run("cmake", "--build", folder, "--target", "dcu_test")
    return folder / "dcu_test"


def test_the_runtime_on_debians_hip_without_a_device(hip, program, tmp_path):
    """5.2: its callback, properties and events compile and link, and init says in HIP's words that nothing is there."""
    rows = tmp_path / "rows.cpp"
    rows.write_text(
        '#include "rows.h"\nnamespace torch_fl_dcu {\nconst fl_row kRows[1] = {};\nconst size_t kRowCount = 0;\n}\n'
    )
    library = tmp_path / "libtorch_fl_dcu.so"
    libraries = hip / "usr/lib/x86_64-linux-gnu"
    sources = [VENDOR / f"src/{name}.cpp" for name in RUNTIME]
    flags = ["-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-DFL_KERNELS_ON_HOST", *DEFINES]
    flags += ["-isystem", hip / "usr/include", f"-I{VENDOR / 'src'}", f"-I{ROOT / 'core/include'}"]
    link = [f"-L{libraries}", "-lamdhip64", "-Wl,--no-undefined", "-Wl,--allow-shlib-undefined"]
    said = run(os.environ.get("CXX", "g++"), *flags, *sources, rows, *link, "-o", library)
    assert "warning" not in said
    needed = re.findall(r"NEEDED.*\[(libamdhip64.+)\]", run("readelf", "-d", library))
    assert needed == ["libamdhip64.so.5"]
    output = run(program, library, "--refused", "hipErrorNoDevice", LD_LIBRARY_PATH=str(libraries))
    assert output.startswith("hipGetDeviceCount: hipErrorNoDevice") and "\n0 failed checks" in output


@pytest.mark.parametrize("source", sorted(p.name for p in (VENDOR / "src/kernels").glob("*.cpp")))
def test_device_code_for_gfx906(hip, source, tmp_path):
    clang = next(filter(None, map(shutil.which, ("clang++-15", "clang++-14", "clang++"))), None)
    if clang is None or "amdgcn" not in run(clang, "--print-targets"):
        pytest.skip("no clang that compiles for amdgcn")
    bitcode = hip / "usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
    flags = ["-x", "hip", "--offload-arch=gfx906", "--cuda-device-only", "-std=c++17", "-O1", *DEFINES]
    flags += [f"--rocm-path={hip / 'usr'}", f"--rocm-device-lib-path={bitcode}", "-isystem", hip / "usr/include"]
    flags += [f"-I{VENDOR / 'src'}", f"-I{ROOT / 'core/include'}", "-Wno-pass-failed"]
    made = tmp_path / "kernels.o"
    run(clang, *flags, "-c", VENDOR / "src/kernels" / source, "-o", made)
    assert made.stat().st_size > 1000


@pytest.mark.parametrize("source", ["src/module.cpp", "src/kernels/blas.cpp", "src/kernels/move.cpp"])
def test_device_code_for_nvidia(hip, source, tmp_path):
    """The headers of HIP 5.2 beside this CUDA, by src/cuda_compat.h; `nox -s dcu-hip-on-nvidia` compiles all of it."""
    nvcc = shutil.which("nvcc") or pytest.skip("no nvcc")
    flags = ["-x", "cu", "-std=c++17", "-arch=sm_90", "--expt-relaxed-constexpr", "-Xcompiler=-fPIC,-Wall"]
    flags += ["-include", VENDOR / "src/cuda_compat.h", "-D__HIP_PLATFORM_NVIDIA__", "-D__HIP_PLATFORM_NVCC__"]
    flags += ["-isystem", hip / "usr/include", f"-I{VENDOR / 'src'}", f"-I{ROOT / 'core/include'}"]
    made = tmp_path / "kernels.o"
    run(nvcc, *flags, "-O1", "-c", VENDOR / source, "-o", made)
    assert made.stat().st_size > 1000
