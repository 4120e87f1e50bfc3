"""FlagGems on `flagos`: the module by which FlagGems knows an accelerator, given from outside of it.

FlagGems imports the module of its vendor by a bare name (`_nvidia`), and takes the one that is there. `register` puts one
there which is FlagGems' own but for the device that it names, so that FlagGems' kernels, tunings and heuristics for that
vendor serve the tensors of `flagos`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import torch

from torch_fl import flagos

# Of the vendor's, the name of the device, and the Triton library of mathematical functions.
_registered: tuple[str, str, str] | None = None


def register(name: str, device: str, extra: str) -> None:
    """Tells FlagGems, which is not imported yet, what it runs on. Again the same has no effect.

    Args:
        name: FlagGems' name of the vendor whose kernels and tunings fit: ``"nvidia"``.
        device: PyTorch's name of the device: ``"flagos"``.
        extra: which ``triton.language.extra.<extra>.libdevice`` the kernels use: ``"cuda"``, or `libdevice.NAME` where
            they are interpreted.

    Raises:
        ImportError: FlagGems is not installed.
        ValueError: the FlagGems that is installed has no such vendor.
        RuntimeError: FlagGems is imported already, or was told something else before.
    """
    global _registered
    if _registered == (name, device, extra):
        return
    if _registered is not None:
        raise RuntimeError(f"torch_fl: FlagGems was told to use {_registered}, and can be told once per process")
    if "flag_gems" in sys.modules:
        raise RuntimeError(
            "torch_fl: FlagGems was imported before its device was there; import torch_fl, or call torch_fl.activate(), "
            "before flag_gems"
        )
    folder = _package() / "runtime" / "backend"
    _modules(folder, name, device, extra)
    os.environ["GEMS_VENDOR"] = name
    # FlagGems asks for the size of a cache that no vendor tells, and uses it for nothing.
    warnings.filterwarnings("ignore", message=r"\[device_info\] Failed to get l2_cache_size")
    _registered = name, device, extra


def _package() -> Path:
    spec = importlib.util.find_spec("flag_gems")
    if spec is None or spec.origin is None:
        from torch_fl.flaggems import source

        raise ImportError(f"torch_fl: {source.supported() or 'flag_gems cannot be found'}")
    return Path(spec.origin).parent


def _modules(folder: Path, name: str, device: str, extra: str) -> None:
    """Puts the vendor's module, and its heuristics, where FlagGems looks for them."""
    bare = f"_{name}"
    init = folder / bare / "__init__.py"
    if not init.is_file():
        known = ", ".join(sorted(p.parent.name.removeprefix("_") for p in folder.glob("_*/__init__.py")))
        raise ValueError(f"torch_fl: FlagGems has no vendor {name!r} in {folder}, but {known}")
    # FlagGems does the same, for its vendors import their neighbours by bare names.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location(bare, init, submodule_search_locations=[str(init.parent)])
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(bare)
    sys.modules[bare] = module
    try:
        spec.loader.exec_module(module)
        parts = importlib.import_module("backend_utils")
        # VendorInfoBase up to 5.0, VendorDescriptor after.
        describe = getattr(parts, "VendorDescriptor", None) or parts.VendorInfoBase
        module.vendor_info = describe(
            vendor_name=name,
            device_name=device,
            device_query_cmd="",
            dispatch_key="PrivateUse1",
            triton_extra_name=extra,
        )
        _choose_architecture(module)
        _on_our_device(importlib.import_module(f"{bare}.heuristics_config_utils"))
    except BaseException:
        sys.modules.pop(bare)
        if before is not None:
            sys.modules[bare] = before
        raise


def _choose_architecture(module: types.ModuleType) -> None:
    """Leaves FlagGems' kernels for single architectures to devices that have one of them.

    FlagGems prints to standard output where it knows no kernels for a device.
    """
    known = module.__dict__.pop("ARCH_MAP", None)

    def when_asked(name: str) -> Any:
        if name == "ARCH_MAP" and known is not None and flagos.is_available():
            if str(flagos.get_device_properties(0).major) in known or os.environ.get("ARCH"):
                return known
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    module.__getattr__ = when_asked


class _Torch(types.ModuleType):
    """`torch` for a module of FlagGems' that asks `torch.cuda` about the device: `torch.flagos` answers."""

    cuda = flagos

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


_TORCH = _Torch("torch")


def _on_our_device(module: types.ModuleType) -> None:
    if getattr(module, "torch", None) is torch:
        module.torch = _TORCH


def load() -> types.ModuleType:
    """Imports FlagGems, which takes seconds, for the device that it was told of.

    Raises:
        RuntimeError: `register` was not called.
    """
    if _registered is None:
        raise RuntimeError("torch_fl: FlagGems has not been told its device: torch_fl.flaggems.vendor.register()")
    first = "flag_gems" not in sys.modules
    package = importlib.import_module("flag_gems")
    if first:
        root = str(Path(package.__file__).parent)
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None) or ""
            if file.startswith(root) and "torch.cuda" in Path(file).read_text(encoding="utf-8"):
                _on_our_device(module)
    return package
