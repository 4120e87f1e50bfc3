"""Making `flagos` the name of PyTorch's PrivateUse1 device, once per process."""

from __future__ import annotations

import os
import sys
import warnings

import torch

NAME = "flagos"
UNCLAIMED = "privateuseone"


def is_active() -> bool:
    """True where this process has the device ``flagos`` (a vendor may still be missing)."""
    return torch._C._get_privateuse1_backend_name() == NAME


def activate() -> None:
    """Loads the native half, names the device, and tells it which vendor and which routes to use.

    Everything that is wrong with a vendor or a conf is told at the first use of the device.

    Raises:
        ImportError: another package has PrivateUse1, or there is no build for the torch in use.
    """
    if is_active():
        return
    claimed = torch._C._get_privateuse1_backend_name()
    if claimed != UNCLAIMED:
        raise ImportError(
            f"torch_fl: PyTorch has room for one out-of-tree device per process, and {claimed!r} has taken it"
            f"{_claimants()}. Import torch_fl first, or start Python with TORCH_DEVICE_BACKEND_AUTOLOAD=0, or "
            "uninstall that package. `torch-fl doctor` lists such packages."
        )
    from torch_fl import _native, _routes, compile, discovery, env, flaggems, flagos, other_torch, tileops

    native = _native.load()
    choice = discovery.choose()
    if choice.vendor is not None and (problem := other_torch.load(choice.vendor.facts, os.environ)):
        warnings.warn(f"torch_fl: the lane boxing has no kernels: {problem}", stacklevel=2)
    discovery.tell(choice, native)
    env.apply(native, choice)
    _routes.install(native, choice)
    if choice.vendor is not None:
        flaggems.install(native, choice.vendor.facts)
        tileops.install(native)
    # Last, so that whatever fails before leaves PyTorch as it was, and importing again tries again.
    torch.utils.rename_privateuse1_backend(NAME)
    torch._register_device_module(NAME, flagos)
    flagos.backends.install()
    flagos.parallel.install()
    flagos.printing.install()
    flagos.sharing.install()
    compile.install()
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
    if path := os.environ.get("FLAGOS_CENSUS"):
        from torch_fl import _census

        try:
            _census.start_writer(path)
        except OSError as error:
            warnings.warn(f"torch_fl: cannot write FLAGOS_CENSUS={path}: {error.strerror}", stacklevel=2)


def autoload() -> None:
    """Called by `import torch`: activates, or sleeps until `import torch_fl`. Never raises."""
    try:
        if why_asleep() is None:
            activate()
            return
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # `import torch` must work for everybody on the machine
        _warn(str(error) or type(error).__name__)
    _sleep()


def why_asleep() -> str | None:
    """Why `import torch` alone does not activate the device here; None where it does.

    Once PrivateUse1 has a name it is `torch.accelerator`, and on a CUDA build each backward of a ``cuda`` tensor in
    that process aborts. So a machine with an accelerator that PyTorch knows is not taken over unasked.
    """
    if os.environ.get("FLAGOS_ACCELERATOR"):
        return None
    if own := _own_accelerator():
        return f"PyTorch has an accelerator of its own here ({own})"
    if others := other_plugins():
        return f"{', '.join(others)} may want PyTorch's one out-of-tree device as well"
    return None


def other_plugins() -> list[str]:
    """Names of the other entry points that `import torch` calls."""
    from torch_fl import discovery

    return sorted({e.name for e in discovery.entries("torch.backends") if e.value != "torch_fl:_autoload"})


def _own_accelerator() -> str | None:
    # This asks what PyTorch was built for, and starts no driver: a driver started here would not survive a fork.
    device = torch._C._accelerator_getAccelerator()
    if device is None or device.type == NAME:
        return None
    if device.type == "cuda":
        return "cuda" if torch.cuda.device_count() > 0 else None
    return device.type if torch.accelerator.is_available() else None


def _sleep() -> None:
    # Forgotten, so that `import torch_fl` runs the package anew, and activates.
    for name in [n for n in sys.modules if n == "torch_fl" or n.startswith("torch_fl.")]:
        if name != "torch_fl._C":
            del sys.modules[name]


def _claimants() -> str:
    others = other_plugins()
    return f" (installed: {', '.join(others)})" if others else ""


def _warn(text: str) -> None:
    try:
        warnings.warn(f"torch_fl is not active: {text}", RuntimeWarning, stacklevel=2)
    except RuntimeWarning:  # -W error
        print(f"torch_fl is not active: {text}", file=sys.stderr)
