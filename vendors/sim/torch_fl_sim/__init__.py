"""torch-fl's simulated device: `flagos` over host memory, for machines without an accelerator.

Found by torch_fl through the entry-point group `torch_fl.vendors`. Next to this file lie `libtorch_fl_sim.so`,
`vendor.toml` and `routes.conf`.
"""

NAME = "sim"


def is_available() -> bool:
    """True where the device can be used: for sim, everywhere."""
    return True
