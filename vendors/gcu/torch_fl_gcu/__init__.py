"""torch-fl on Enflame GCU: `flagos` over topsrt and topsaten.

Found by torch_fl through the entry-point group `torch_fl.vendors`. Next to this file lie `libtorch_fl_gcu.so`,
`vendor.toml` and `routes.conf`.
"""

from __future__ import annotations

from pathlib import Path

NAME = "gcu"

# What the driver makes for each card.
DEVICE_NODES = "/dev"
# A stand-in SDK says so in the library's version string; nothing else holds these words.
_STANDIN = b"(stand-in SDK"


def library() -> Path | None:
    """The built library, beside this file; in an editable installation in another folder of this package."""
    for folder in __path__:
        path = Path(folder) / f"libtorch_fl_{NAME}.so"
        if path.is_file():
            return path
    return None


def on_standin() -> bool:
    """Whether the library was built against the stand-in SDK, which needs no device."""
    path = library()
    return path is not None and _STANDIN in path.read_bytes()


def is_available() -> bool:
    """True where the device can be used: the library is there, and a card's node in /dev or the stand-in SDK.

    Loads nothing and asks no driver. Whether the SDK's libraries load is `torch-fl doctor`'s affair, and core's.
    """
    if library() is None:
        return False
    return any(Path(DEVICE_NODES).glob("gcu*")) or on_standin()
