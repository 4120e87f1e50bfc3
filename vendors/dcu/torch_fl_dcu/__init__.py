"""torch-fl on Hygon DCU: `flagos` over HIP.

Found by torch_fl through the entry-point group `torch_fl.vendors`. Next to this file lie `libtorch_fl_dcu.so`,
`vendor.toml`, `routes.conf` and `platform.txt`, one word that says what the library was built for.
"""

from __future__ import annotations

from pathlib import Path

NAME = "dcu"

# What a driver makes for its devices, by the word in platform.txt.
DEVICE_NODES = "/dev"
NODES = {"dtk": "kfd*", "nvidia": "nvidia[0-9]*"}


def platform() -> str:
    """What the library was built for: `dtk`, `nvidia` (HIP over CUDA), `standin`, or "" where no library is here.

    In an editable installation the built files lie in another folder of this package.
    """
    for folder in __path__:
        path = Path(folder) / "platform.txt"
        if path.is_file() and (path.parent / f"libtorch_fl_{NAME}.so").is_file():
            return path.read_text(encoding="utf-8").strip()
    return ""


def on_standin() -> bool:
    """Whether the library was built against the stand-in of HIP, which needs no device."""
    return platform() == "standin"


def is_available() -> bool:
    """True where the device can be used: the library is there, and a node in /dev or the stand-in.

    Loads nothing and asks no driver. Whether HIP's libraries load is `torch-fl doctor`'s affair, and core's.
    """
    built = platform()
    return built == "standin" or (built in NODES and any(Path(DEVICE_NODES).glob(NODES[built])))
