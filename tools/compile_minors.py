"""Compiles core for the minors of torch that are supported, but not installed here.

    python tools/compile_minors.py [2.10 2.12]

A wheel of the minor for another platform is downloaded (the headers and schemas in it are the same, and it is small),
only those are unpacked, and core is compiled next to them. Nothing is linked and nothing runs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from torch_range import minor_of, torch_range

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "minors"
# A wheel of no more than 100 MB, without CUDA libraries.
PLATFORMS = ("macosx_14_0_arm64", "macosx_11_0_arm64")
PYTHON = "3.11"


def supported() -> list[str]:
    """The minors of core/include/torch_fl/version.h, oldest first: ["2.10", ...]."""
    (major, first), (end_major, end) = map(minor_of, torch_range())
    if major != end_major:
        raise SystemExit("core/include/torch_fl/version.h: the minors of a range over two majors cannot be counted")
    return [f"{major}.{minor}" for minor in range(first, end)]


def headers(minor: str) -> Path:
    """A folder with torch/include, torch/version.py and torchgen of the newest release of a minor."""
    folder = BUILD / minor / "headers"
    if (folder / "torch/__init__.py").is_file():
        return folder
    shutil.rmtree(BUILD / minor, ignore_errors=True)
    wheels = BUILD / minor / "wheel"
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", *platforms]
    command += ["--python-version", PYTHON, "-d", str(wheels), f"torch=={minor}.*"]
    subprocess.run(command, check=True)
    (wheel,) = wheels.glob("torch-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        parts = ("torch/include/", "torch/version.py", "torchgen/")
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(parts)])
    wheel.unlink()
    # Last: what CMake looks for, and the mark that the folder is whole.
    (folder / "torch/__init__.py").touch()
    return folder


def compile_for(minor: str) -> None:
    folder = headers(minor)
    build = BUILD / minor / "build"
    env = os.environ | {"PYTHONPATH": str(folder)}
    configure = ["cmake", "-G", "Ninja", "-S", str(ROOT / "core"), "-B", str(build), "-DTORCH_FL_COMPILE_ONLY=ON"]
    # Whether it compiles is the question; optimising would only take time.
    configure += [f"-DPython3_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    subprocess.run(configure, check=True, env=env, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(build)], check=True, env=env)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minors", nargs="*", help="default: those that no suite runs")
    options = parser.parse_args()
    known = supported()
    for minor in options.minors:
        if minor not in known:
            parser.error(f"torch {minor} is not supported; choose from {', '.join(known)}")
    for minor in options.minors or ONLY_COMPILED:
        print(f"-- core for torch {minor}", flush=True)
        compile_for(minor)
    return 0


# 2.11 and 2.13 are run by the suites (README.md).
ONLY_COMPILED = ("2.10", "2.12")

if __name__ == "__main__":
    sys.exit(main())
