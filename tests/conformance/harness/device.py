"""The device under test.

``FLAGOS_TEST_DEVICE=cpu`` runs the suite against the host instead (the self-check of the suite: whatever fails there is
a fault of a test, not of a device). Tests that need a device of ours skip in that mode.
"""

import os
import random

NAME = os.environ.get("FLAGOS_TEST_DEVICE", "flagos")
SELF_CHECK = NAME == "cpu"
# A simulated device that queues all its work, and may protect its memory.
HOSTILE = any(os.environ.get(f"FLAGOS_SIM_{mode}") == "1" for mode in ("ASYNC", "PROTECT"))

if not SELF_CHECK:
    import torch_fl

import numpy  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402

TYPE = torch.device(NAME).type


def vendor_name() -> str:
    """The short name of the vendor that serves the device, "" in the self-check."""
    if SELF_CHECK:
        return ""
    return torch_fl.vendor_name() or ""


# What a kernel finds wrong is raised at a synchronisation: everywhere but on an idle simulated device.
QUEUES = HOSTILE or vendor_name() not in ("", "sim")


def device_count() -> int:
    """Devices that the suite may use; 1 in the self-check."""
    return 1 if SELF_CHECK else torch.accelerator.device_count()


def module():
    """``torch.flagos``."""
    return torch.get_device_module(TYPE)


needs_device = pytest.mark.skipif(SELF_CHECK, reason="the host has no such API")
needs_two_devices = pytest.mark.skipif(SELF_CHECK or device_count() < 2, reason="needs two devices")


def index(i: int) -> torch.device:
    """Device number i (the host in the self-check)."""
    return torch.device("cpu") if SELF_CHECK else torch.device(TYPE, i)


DEV = index(0)


def _reference() -> torch.device:
    key = None if SELF_CHECK or device_count() == 0 else torch_fl._C.shared_key()
    return torch.device("cpu") if key is None else torch.device(key, 0)


# The device of PyTorch's whose kernels serve ours, where there is one: what is theirs is compared with it.
REFERENCE = _reference()


def on_device(data, dtype=None) -> torch.Tensor:
    """Host data made into a tensor of the device."""
    return torch.tensor(data, dtype=dtype).to(DEV)


def synchronize() -> None:
    """Waits for all work of the device under test."""
    if not SELF_CHECK:
        torch.accelerator.synchronize()


def seed(value: int) -> None:
    """As torch.manual_seed(), which spends a millisecond on remembering its caller for devices that are not there."""
    random.seed(value)
    numpy.random.seed(value)
    torch.default_generator.manual_seed(value)
    if not SELF_CHECK:
        module().manual_seed_all(value)
