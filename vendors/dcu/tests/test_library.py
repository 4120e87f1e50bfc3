"""Drives libtorch_fl_dcu.so from C++: over the stand-in of HIP, or over HIP where the library was built for a device.

Needs neither torch nor torch_fl; the launch of a kernel that Triton compiled needs Triton.
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


def installed():
    """The package of the library that is installed: it is not built twice."""
    torch_fl_dcu = pytest.importorskip("torch_fl_dcu", reason="torch-fl-dcu is not installed: nox -s dcu-sim")
    libraries = [Path(folder) / "libtorch_fl_dcu.so" for folder in torch_fl_dcu.__path__]
    found = next(filter(Path.is_file, libraries), None)
    return torch_fl_dcu, found or pytest.skip("torch-fl-dcu has no library here: nox -s dcu-sim")


@pytest.fixture(scope="session")
def built():
    """The library over the stand-in that it was built against."""
    package, library = installed()
    if not package.on_standin():
        pytest.skip(f"the installed library is for {package.platform()}, not for the stand-in")
    return library


@pytest.fixture(scope="session")
def on_device():
    """The library over a device."""
    package, library = installed()
    if package.on_standin() or not package.is_available():
        pytest.skip("no device, or a library for the stand-in")
    return library


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


@pytest.fixture(scope="session")
def image(on_device, tmp_path_factory):
    """The kernel `scale` for the device: PTX on NVIDIA, else what DTK's compiler makes of module.hip."""
    package, _ = installed()
    if package.platform() == "nvidia":
        return VENDOR.parent / "cuda/tests/module.ptx"
    compiler = shutil.which("hipcc") or Path(os.environ.get("DTK_ROOT", "/opt/dtk"), "bin/hipcc")
    made = tmp_path_factory.mktemp("image") / "scale.hsaco"
    run([compiler, "--genco", VENDOR / "tests/module.hip", "-o", made])
    return made


def test_on_the_device(on_device, programs, image):
    output = run([programs / "dcu_test", on_device, image])
    assert " 0 failed checks" in output


def test_a_kernel_of_tritons(on_device, programs, tmp_path):
    """Compiled by Triton for this device and launched through the extension `module`, without Triton's launcher."""
    kernel = pytest.importorskip("triton_kernel", reason="Triton is not installed")
    made = tmp_path / "scale.image"
    made.write_bytes(kernel.compiled())
    output = run([programs / "dcu_test", on_device, made, "modules_launch"])
    assert "ok   modules_launch_kernels\n1 tests, 0 failed checks" in output


def test_no_device(built, programs):
    for hidden in ("", "-1"):
        run([programs / "dcu_test", built, "--refused", "hipErrorNoDevice"], HIP_VISIBLE_DEVICES=hidden)


def test_library_links_neither_torch_nor_python(built):
    needed = re.findall(r"NEEDED.*\[(.+)\]", run(["readelf", "-d", built]))
    known = re.compile(r"lib(amdhip64|stdc\+\+|gcc_s|c|m|dl|pthread)\.so|ld-linux")
    assert needed and all(map(known.match, needed)), needed
    exported = re.findall(r" GLOBAL +DEFAULT +\d+ (\S+)", run(["readelf", "-W", "--dyn-syms", built]))
    assert exported == ["fl_vendor_init"]
