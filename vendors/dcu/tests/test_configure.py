"""What CMake says of a DTK that is not there, or is another one than before: each message names what to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")


@pytest.fixture
def configure(tmp_path):
    """configure(*arguments, **environment) -> (whether it went well, its words on one line)."""

    def run(*arguments, folder="build", **variables):
        outer = {k: v for k, v in os.environ.items() if not k.startswith(("DTK_", "HIP_", "CMAKE_"))}
        done = subprocess.run(
            ["cmake", "-S", str(VENDOR), "-B", str(tmp_path / folder), *map(str, arguments)],
            env={**outer, **{k: str(v) for k, v in variables.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return done.returncode == 0, " ".join(done.stdout.split())

    return run


@pytest.fixture
def dtk(tmp_path):
    """A folder with a hipcc, which is as much of DTK as decides what is built."""
    hipcc = tmp_path / "dtk/bin/hipcc"
    hipcc.parent.mkdir(parents=True)
    hipcc.write_text('#!/bin/sh\nexec c++ "$@"\n')
    hipcc.chmod(0o755)
    return tmp_path / "dtk"


def platform(tmp_path):
    return (tmp_path / "build/platform.txt").read_text().strip()


def test_a_folder_for_the_stand_in_is_not_turned_into_one_for_dtk(configure, dtk, tmp_path):
    assert configure()[0] and platform(tmp_path) == "standin"
    for arguments, variables in (((), {"DTK_ROOT": dtk}), ((f"-DDTK_ROOT={dtk}",), {})):
        well, said = configure("-DDCU_ARCH=gfx936", *arguments, **variables)
        assert not well and "was configured for standin with DTK_ROOT=''" in said, said
        assert f"now it is dtk with DTK_ROOT='{dtk}'" in said and "another folder with -B" in said
    assert configure("-UDTK_ROOT")[0] and platform(tmp_path) == "standin"


def test_the_dtk_of_a_folder_stays_its_own(configure, tmp_path):
    sdk = tmp_path / "sdk"  # as DTK is laid out, without hipcc
    (sdk / "include/hip").mkdir(parents=True)
    (sdk / "lib").mkdir()
    (sdk / "include/hip/hip_runtime_api.h").touch()
    (sdk / "lib/libamdhip64.so").touch()
    assert configure(DTK_ROOT=sdk)[0] and configure(DTK_ROOT=sdk)[0]
    assert configure()[0]  # where the build system does it again, in a shell without the variable
    well, said = configure(DTK_ROOT=tmp_path / "other")
    assert not well and f"DTK_ROOT='{sdk}', and now it is standin with DTK_ROOT='{tmp_path}/other'" in said, said


def test_what_is_not_there_is_named(configure, dtk, tmp_path):
    well, said = configure("-DDCU_PLATFORM=dtk", folder="a")
    assert not well and "needs hipcc, and there is no /bin/hipcc. Set DTK_ROOT" in said, said
    well, said = configure(folder="b", DTK_ROOT=dtk)
    assert not well and f"not found under DTK_ROOT={dtk}" in said and "-DHIP_INCLUDE and -DHIP_LIBRARY" in said, said
    well, said = configure("-DDCU_PLATFORM=nvidia", "-DHIP_INCLUDE=/nowhere", folder="c")
    assert not well and "HIP's headers for NVIDIA were not found (HIP_INCLUDE=/nowhere)" in said, said
    well, said = configure("-DHIP_INCLUDE=/nowhere", "-DHIP_LIBRARY=/nowhere.so", folder="d")
    assert not well and "(HIP_INCLUDE=/nowhere, HIP_LIBRARY=/nowhere.so)" in said, said
    well, said = configure("-DDCU_PLATFORM=other", folder="e")
    assert not well and "it is dtk, nvidia or standin" in said, said
