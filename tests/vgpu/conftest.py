"""The virtual GPU, once per process, and FlagGems on it."""

import os
import sys
from pathlib import Path

import pytest
import torch

import torch_fl

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent / "conformance"):  # for virtual_gpu, and for the harness of the suite
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def pytest_addoption(parser):
    parser.addoption("--require-vgpu", action="store_true", help="no virtual GPU is a failure, not a skip")


def _why_not():
    from torch_fl.flaggems import source

    if reason := source.supported():  # before anything imports Triton
        return reason
    import virtual_gpu

    return virtual_gpu.why_not()


def pytest_configure(config):
    torch.set_num_threads(1)
    # FlagGems writes `a and b` of blocks, and options of Triton's that go.
    for warning in ("Logical operators", "warmup, rep, and use_cuda_graph"):
        config.addinivalue_line("filterwarnings", f"ignore:{warning}")
    config.stash[_REASON] = _why_not()
    if config.stash[_REASON] and config.getoption("--require-vgpu"):
        pytest.exit(f"--require-vgpu: {config.stash[_REASON]}", returncode=1)


_REASON = pytest.StashKey()


def pytest_ignore_collect(collection_path, config):
    # They define kernels, so Triton has to be there to import them.
    if config.stash[_REASON] and collection_path.parent == HERE and collection_path.name.startswith("test_"):
        return True
    return None


def pytest_report_header(config):
    reason = config.stash[_REASON]
    return f"virtual GPU: {f'none, nothing is tested: {reason}' if reason else 'ready'}"


@pytest.fixture(scope="session")
def _gpu(tmp_path_factory):
    import virtual_gpu

    for name in ("TRITON_CACHE_DIR", "FLAGGEMS_CACHE_DIR"):
        os.environ[name] = str(tmp_path_factory.mktemp(name.lower()))
    gpu = virtual_gpu.VirtualGPU()
    gpu.install()
    yield gpu
    gpu.taken()


@pytest.fixture
def gpu(_gpu):
    """The virtual GPU, idle and with no launches; a kernel that failed in a test fails it."""
    from torch_fl import _C

    _gpu.taken()
    torch.manual_seed(0)
    yield _gpu
    _C.set_replay_audit(0)
    _C.switch_replay(True)
    _gpu.taken()


@pytest.fixture
def function(gpu, monkeypatch):
    """function(op, f): FlagGems' function of an op is `f`, and the op is routed to it."""
    from torch_fl import _packages, flaggems
    from torch_fl.flaggems import source

    def offer():
        _packages.offer(flaggems.LANE, source.listed(), flaggems._resolve)

    routes = []

    def replace(op, f):
        monkeypatch.setitem(flaggems.functions(), op, f)
        offer()
        routes.append(torch_fl.routes({op: "flaggems"}))
        routes[-1].__enter__()

    yield replace
    for route in reversed(routes):
        route.__exit__(None, None, None)
    monkeypatch.undo()
    offer()
