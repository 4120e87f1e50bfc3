"""The process that forks for a survey touches no device before: drivers do not survive a fork."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

SERVER = Path(__file__).resolve().parents[2] / "torch_fl/survey/server.py"
INFOS = "torch.testing._internal.common_methods_invocations"
# Imported in the place of PyTorch's OpInfos: asks for devices, and may open one.
_SITE = """
import importlib.abc, importlib.util, os, sys

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == {infos!r} else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        import torch
        with open(os.environ["ASKED"], "a") as log:
            log.write(f"{{torch.cuda.is_available()}} {{torch.cuda.device_count()}} ")
            log.write(f"{{torch.accelerator.is_available()}} {{importlib.util.find_spec('numba')}}\\n")
        if os.environ["OPENS"]:
            module.kept = open(os.environ["OPENS"], "rb")

sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def server():
    spec = importlib.util.spec_from_file_location("survey_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_open_devices(server, tmp_path):
    for number, target in enumerate(
        ["/dev/null", "/dev/pts/3", "/dev/urandom", "/dev/nvidiactl", "/tmp", "socket:[7]"]
    ):
        (tmp_path / str(number)).symlink_to(target)
    assert server.devices_open(str(tmp_path)) == {"/dev/nvidiactl"}
    assert server.devices_open(str(tmp_path / "absent")) == set()


def test_infos_are_told_of_no_device_and_only_then(server, monkeypatch):
    pytest.importorskip("expecttest")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    before = torch.cuda.is_available
    server.import_infos()
    assert torch.cuda.is_available is before and INFOS in sys.modules


@pytest.mark.parametrize("opens", ["", "/dev/zero"])
def test_a_device_that_an_import_opens_is_not_forked(tmp_path, opens):
    """Then the server is one without OpInfos, and each child imports them."""
    (tmp_path / "sitecustomize.py").write_text(_SITE.format(infos=INFOS))
    (tmp_path / "numba.py").write_text("raise AssertionError('it would look for a device itself')")
    log = tmp_path / "asked"
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "ASKED": str(log), "OPENS": opens}
    with subprocess.Popen([sys.executable, SERVER], stdin=-1, stdout=-1, env=env) as process:
        assert b"ready" in process.stdout.readline()
        words = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
        process.stdin.close()
    assert log.read_text() == "False 0 False None\n"
    assert (b"--bare" in words) == bool(opens)
