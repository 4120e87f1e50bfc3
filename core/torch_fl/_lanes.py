"""Names of lanes. The native half counts them; people write them, and the vendor's own lane by the vendor's name."""

from __future__ import annotations

from torch_fl import discovery, legacy

# In the order of the native enum.
LANES = ("none", "vendor", "boxing", "flaggems", "tileops")
VENDOR = 1


def lane_names() -> tuple[str, ...]:
    """The lanes of the chosen vendor, best first."""
    vendor = discovery.chosen().vendor
    return ("none",) if vendor is None else tuple(vendor.facts.get("lanes", ("none",)))


def display(number: int) -> str:
    """The name that people use for a lane's number."""
    return (discovery.vendor_name() or LANES[VENDOR]) if number == VENDOR else LANES[number]


def number_of(name: str, vendor: str | None) -> int | None:
    """The number of a lane written by a person (today's names, then old ones); None where there is no such lane."""
    name = name.lower()
    if vendor is not None and name == vendor:
        return VENDOR
    name = legacy.LANES.get(name, name)
    return LANES.index(name) if name in LANES and name != "vendor" else None
