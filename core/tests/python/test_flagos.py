"""The names of torch.flagos next to those of torch.cuda. What they do on a device is for the conformance suite."""

import pytest
import torch

import torch_fl  # noqa: F401 (makes torch.flagos)
from torch_fl.flagos import absent


def test_each_name_of_torch_cuda_is_there_or_says_what_serves_instead():
    silent = [n for n in torch.cuda.__all__ if n not in dir(torch.flagos) and not absent.why(n)]
    assert silent == []
    assert [n for n in absent._WHY if n in dir(torch.flagos)] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CUDAGraph", "torch.compile"),
        ("FloatTensor", "device='flagos'"),
        ("temperature", "device_map()"),
        ("memory_snapshot", "memory_summary()"),
    ],
)
def test_what_is_not_there(name, words):
    with pytest.raises(AttributeError, match=f"module 'torch.flagos' has no attribute '{name}': ") as error:
        getattr(torch.flagos, name)
    assert words in str(error.value)
    assert not hasattr(torch.flagos, "nothing_of_the_kind")


def test_aliases():
    assert torch.flagos.OutOfMemoryError is torch.OutOfMemoryError
    assert torch.flagos.AcceleratorError is torch.AcceleratorError
    assert torch.flagos.ipc_collect() is None and torch.flagos.is_current_stream_capturing() is False


def test_sync_debug_mode_is_refused_but_for_none():
    torch.flagos.set_sync_debug_mode("default")
    torch.flagos.set_sync_debug_mode(0)
    assert torch.flagos.get_sync_debug_mode() == 0
    with pytest.raises(NotImplementedError, match="FLAGOS_LOG=fallback"):
        torch.flagos.set_sync_debug_mode("warn")
    with pytest.raises(RuntimeError, match="'default', 'warn' or 'error', not 'loud'"):
        torch.flagos.set_sync_debug_mode("loud")
