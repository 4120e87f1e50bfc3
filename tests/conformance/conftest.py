"""The frame of the suite: which device, which vendor, what that vendor is excused from."""

import fnmatch
import os
import pathlib
import sys

import pytest

_HERE = pathlib.Path(__file__).resolve().parent
if str(_HERE) not in sys.path:
    sys.path.insert(0, str(_HERE))


def pytest_addoption(parser):
    group = parser.getgroup("torch-fl conformance")
    group.addoption("--require-device", action="store_true", help="no device is a failure (for device runners)")
    group.addoption("--full", action="store_true", help="every sample of every OpInfo on every lane, and slow cases")
    group.addoption("--lane", help="the lane that takes the place of the vendor's order wherever it has a kernel")


def pytest_configure(config):
    from harness import device

    config.addinivalue_line("markers", "big: needs much memory or time; only with --full")
    import torch

    # The tensors are small: threads would only wait for each other.
    torch.set_num_threads(1)
    # Short mantissas are a choice of PyTorch's for speed on some devices, which gradients of the host do not share.
    torch.backends.cudnn.allow_tf32 = False
    if device.SELF_CHECK:
        return
    count = device.device_count()
    if count == 0 and config.getoption("--require-device"):
        pytest.exit("--require-device: torch.flagos.device_count() is 0; `torch-fl doctor` says why", returncode=1)
    config.stash[_COUNT] = count


_COUNT = pytest.StashKey()


def pytest_report_header(config):
    from harness import device

    if device.SELF_CHECK:
        return "conformance: self-check of the suite on the host"
    vendor = device.vendor_name()
    modes = [f"{name}={value}" for name, value in os.environ.items() if name.startswith(f"FLAGOS_{vendor.upper()}_")]
    mode = f" ({', '.join(sorted(modes))})" if modes else ""
    return f"conformance: vendor {vendor!r}, {config.stash[_COUNT]} devices{mode}"


def _short_id(item) -> str:
    """ "test_copy.py::test_x[float32]", whatever the root directory is."""
    return f"{item.path.name}::{item.nodeid.split('::', 1)[1]}"


def _matches(item, pattern: str) -> bool:
    # Brackets are part of test ids, so they are not character classes here.
    return fnmatch.fnmatchcase(_short_id(item), pattern.replace("[", "[[]"))


def _apply(items, table: dict, mark, where: str, selected_files: set, partial: bool):
    for pattern, reason in table.items():
        assert reason, f"{where}: {pattern!r} has no reason"
        hits = [item for item in items if _matches(item, pattern)]
        for item in hits:
            item.add_marker(mark(reason))
        known = pattern.split("::")[0] in selected_files or "*" in pattern.split("::")[0]
        if not hits and known and not partial:
            raise pytest.UsageError(f"{where}: {pattern!r} matches no test")


def pytest_collection_modifyitems(config, items):
    from harness import device, quirks

    mine = [item for item in items if _HERE in item.path.parents]
    if not config.getoption("--full"):
        for item in mine:
            if item.get_closest_marker("big"):
                item.add_marker(pytest.mark.skip(reason="only with --full"))
    if not device.SELF_CHECK and config.stash[_COUNT] == 0:
        for item in mine:
            item.add_marker(pytest.mark.skip(reason="no device; `torch-fl doctor` says why"))
        return

    # A run of single tests cannot tell whether a pattern is dead; a run of whole files can.
    partial = any("::" in arg for arg in config.args) or bool(config.getoption("ignore", None))
    files = {item.path.name for item in mine}
    skip = lambda reason: pytest.mark.skip(reason=reason)  # noqa: E731
    fails = lambda reason: pytest.mark.xfail(reason=reason, strict=True)  # noqa: E731

    vendor = device.vendor_name()
    for table, mark in (("UNSUPPORTED", skip), ("EXPECTED_FAILURES", fails)):
        where = f"vendors/{vendor}/tests/quirks.py: {table}"
        _apply(mine, quirks.load(vendor, table), mark, where, files, partial)

    import opinfo_expected

    where = "tests/conformance/opinfo_expected.py"
    _apply(mine, opinfo_expected.NOT_COMPARED, skip, f"{where}: NOT_COMPARED", files, partial)
    if not device.SELF_CHECK:
        _apply(mine, opinfo_expected.DIFFERENCES, fails, f"{where}: DIFFERENCES", files, partial)

    left_out = set()
    if not config.getoption("--full"):
        left_out |= {item for item in mine if _only_full(item)}
    if config.getoption("--lane"):
        left_out |= {item for item in mine if _of_another_lane(item)}
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def _only_full(item) -> bool:
    """The quick run takes all dtypes on the default routes, and one dtype of each op on the lanes behind them; in a
    hostile mode of a simulated device, whose faults do not depend on dtypes, one dtype everywhere."""
    from harness import device, opinfo

    call = getattr(item, "callspec", None)
    if call is None or item.path.name != "test_opinfo.py" or not {"op", "dtype"} <= call.params.keys():
        return False
    on_default = "default" in item.name.partition("[")[2].split("-")[0]
    return (device.HOSTILE or not on_default) and call.params["dtype"] != opinfo.first_dtype(call.params["op"])


def _of_another_lane(item) -> bool:
    """The test forces a lane itself, so that --lane changes nothing about it."""
    return getattr(item, "callspec", None) is not None and item.callspec.params.get("lane", "default") != "default"


@pytest.fixture(autouse=True, scope="session")
def _lane(request):
    from harness import lanes

    lane = request.config.getoption("--lane") or "default"
    if lane not in ("default", *lanes.lanes()):
        pytest.exit(f"--lane {lane}: the lanes here are {', '.join(lanes.lanes())}", returncode=2)
    with lanes.forced(lane):
        yield


@pytest.fixture(autouse=True)
def _clean_state():
    """Every test starts from the same seed and leaves the device as it found it."""
    import torch
    from harness import device

    device.seed(0)
    yield
    if device.SELF_CHECK or "torch_fl" not in sys.modules:
        return
    if device.HOSTILE:
        # Memory that is protected is protected segment by segment, for each kernel.
        torch.accelerator.empty_cache()
    if torch.accelerator.current_device_index() != 0:
        torch.accelerator.set_device_index(0)
