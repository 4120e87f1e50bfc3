"""torch_fl: one PyTorch device, ``flagos``, on every accelerator.

>>> import torch, torch_fl
>>> x = torch.ones(3, device="flagos")

`torch.flagos` is the device module (as `torch.cuda` is CUDA's). `explain`, `routes`, `census` and `ops` show and
change which lane serves an op; `replay_stats` counts the calls of FlagGems' functions that were done without Python.
`as_key` and `from_key` share a tensor's memory with the PyTorch device that sees it too.
The ``torch-fl`` command has the same for the shell.
"""


# PyTorch calls this at the end of `import torch` (entry point group torch.backends). It stands before `import torch`
# because with `import torch_fl` first, PyTorch asks for it while this module is only half made.
def _autoload() -> None:
    """Activates the device where that takes nothing from anybody, else leaves it to `import torch_fl`. Never raises."""
    if _complete:
        _activation.autoload()


_complete = False

import torch  # noqa: E402

from torch_fl import _activation  # noqa: E402

# What is reached through the package, and the module that holds it: imported at first use.
_LAZY = {
    "explain": "_explain",
    "routes": "_routes",
    "census": "_census",
    "replay_stats": "_replay",
    "ops": "_ops",
    "lanes": "_ops",
    "as_key": "_sharing",
    "from_key": "_sharing",
    "vendor_name": "discovery",
    "flagos": None,
    "__version__": None,
}
__all__ = [
    "as_key",
    "census",
    "explain",
    "flagos",
    "from_key",
    "lanes",
    "ops",
    "replay_stats",
    "routes",
    "vendor_name",
]


def __getattr__(name: str):
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("torch-fl-core")
    if name not in _LAZY:
        raise AttributeError(f"module 'torch_fl' has no attribute {name!r}")
    module = importlib.import_module(f"torch_fl.{_LAZY[name] or name}")
    return module if _LAZY[name] is None else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


# While PyTorch itself is still being imported, it is PyTorch that asks for this module, and _autoload() decides.
if not getattr(torch.__spec__, "_initializing", False):
    _activation.activate()
_complete = True
