"""Drives libtorch_fl_dcu.so from C++, over the stand-in of HIP.

Needs neither torch nor torch_fl.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[1]
MODES = {"default": {}, "slow": {"HIP_STANDIN_DELAY": "1"}, "one device": {"HIP_VISIBLE_DEVICES": "1"}}

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HIP_", "FLAGOS_", "DTK_"))}
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
def built():
    """The library that is installed, and the stand-in that it was built against: they are not built twice."""
    torch_fl_dcu = pytest.importorskip("torch_fl_dcu", reason="torch-fl-dcu is not installed: nox -s dcu-sim")
    if not torch_fl_dcu.on_standin():
        pytest.skip(f"the installed library is for {torch_fl_dcu.platform()}, not for the stand-in")
    folders = [Path(folder) for folder in torch_fl_dcu.__path__]
    return next(folder / "libtorch_fl_dcu.so" for folder in folders if (folder / "libtorch_fl_dcu.so").is_file())


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """The folder of the tests' program and its module."""
    folder = tmp_path_factory.mktemp("dcu")
    run(["cmake", "-S", VENDOR / "tests", "-B", folder])
    run(["cmake", "--build", folder, "--parallel", "2"])
    return folder


@pytest.mark.parametrize("mode", MODES)
def test_on_the_standin(built, programs, mode):
    output = run([programs / "dcu_test", built, programs / "dcu_test_module.so"], **MODES[mode])
    assert " 0 failed checks" in output


def test_no_device(built, programs):
    for hidden in ("", "-1"):
        run([programs / "dcu_test", built, "--refused", "hipErrorNoDevice"], HIP_VISIBLE_DEVICES=hidden)


def test_library_links_neither_torch_nor_python(built):
    needed = re.findall(r"NEEDED.*\[(.+)\]", run(["readelf", "-d", built]))
    known = re.compile(r"lib(amdhip64|stdc\+\+|gcc_s|c|m|dl|pthread)\.so|ld-linux")
    assert needed and all(map(known.match, needed)), needed
    exported = re.findall(r" GLOBAL +DEFAULT +\d+ (\S+)", run(["readelf", "-W", "--dyn-syms", built]))
    assert exported == ["fl_vendor_init"]
