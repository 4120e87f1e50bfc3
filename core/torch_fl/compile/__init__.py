"""`torch.compile` with its default backend, inductor.

Inductor compiles for the vendor's boxing key, a device that PyTorch knows: tests for that device's type, kernels and
graphs of launches apply as they are. At the edge of a compiled graph tensors of flagos become the key's, and the
graph's own become tensors of flagos, over the same memory (`boundary`).

Nothing here imports a compiler before one is used.
"""

from __future__ import annotations

import sys

# Where inductor begins. It cannot be told of a device whose graphs are another device's, so that what it begins with is
# wrapped as soon as it is there.
ENTRY = "torch._inductor.compile_fx"


def install() -> None:
    """Waits for inductor to be imported, or takes it as it is where it has been."""
    if ENTRY in sys.modules:
        _arrived(sys.modules[ENTRY])
    elif not any(isinstance(finder, _Arrival) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Arrival())


class _Arrival:
    """Tells of the module's import, and finds nothing itself."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name != ENTRY:
            return None
        from importlib.machinery import PathFinder

        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: object) -> None:
                execute(module)
                _arrived(module)

            spec.loader.exec_module = exec_module
        return spec


def _arrived(module: object) -> None:
    from torch_fl.compile import boundary, interface

    interface.register()
    boundary.install(module)


def why_not() -> str | None:
    """Why inductor cannot compile for the device in use; None where it can. Loads the vendor."""
    from torch_fl import _native

    try:
        _native.module().sharing_key()
    except NotImplementedError as error:
        reason = str(error).partition(", so that")[0]
        return (
            f"{reason}, which is what inductor compiles for. "
            f'Use torch.compile(..., backend="aot_eager"): each op of the graph then runs on the device.'
        )
    return None
