"""`torch.compile` with its default backend (inductor) on devices whose memory is host memory.

Inductor's C++ kernels run on the device's memory where it is, in the order of the device's current stream; whatever
inductor leaves to PyTorch's own kernels (products, convolutions, sorting) is dispatched, and routed, as ever.

Nothing here imports a compiler before one is used: inductor asks each device module for its parts when it first looks
for backends, and that is when `register` runs.
"""

from __future__ import annotations

import sys

# The attribute of a device module that inductor asks for first.
ASKED_FOR = "Scheduling"


def install() -> None:
    """Registers now where inductor has been imported before the device was there: it asks only once."""
    if "torch._inductor.codegen.common" in sys.modules:
        register()


def register() -> None:
    """Tells dynamo and inductor how to compile for the device. Again has no effect."""
    from torch_fl.compile import inductor, interface

    interface.register()
    inductor.register()


def why_not() -> str | None:
    """Why inductor cannot compile for the device in use; None where it can."""
    from torch_fl import discovery

    vendor = discovery.chosen().vendor
    if vendor is None or vendor.facts.get("boxing_key") == "CPU":
        return None
    return (
        f"the memory of {vendor.name} devices is not host memory, and inductor's C++ kernels run on the host. "
        f'Use torch.compile(..., backend="aot_eager"): each op of the graph then runs on the device.'
    )
