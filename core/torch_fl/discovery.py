"""Which vendor this process uses. Vendors are wheels that register in the entry point group ``torch_fl.vendors``."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

GROUP = "torch_fl.vendors"


# Plain classes: a dataclass is code that is generated and compiled at each import.
class Installed:
    """One installed vendor wheel, usable or not."""

    def __init__(self, name: str, wheel: Distribution | None = None):
        self.name = name
        self.wheel = wheel
        self.facts: dict[str, Any] = {}  # vendor.toml
        self.folder: Path | None = None
        self.available = False
        self.standin = False  # built against a stand-in of its SDK, for tests
        self.problem = ""  # why it cannot be used

    @property
    def distribution(self) -> str:
        return "" if self.wheel is None else self.wheel.name

    @property
    def version(self) -> str:
        return "" if self.wheel is None else self.wheel.version

    @property
    def embedded(self) -> bool:
        """Chosen only where no other vendor is installed, or by name."""
        return bool(self.facts.get("embedded", False))

    @property
    def usable(self) -> bool:
        return self.available and not self.problem

    @property
    def library(self) -> Path:
        return self.folder / f"libtorch_fl_{self.name}.so"

    @property
    def conf(self) -> Path:
        return self.folder / "routes.conf"


class Choice:
    """The outcome: a vendor, or the reason why there is none."""

    def __init__(self, vendor: Installed | None, why_none: str = "", installed: list[Installed] | None = None):
        self.vendor = vendor
        self.why_none = why_none
        self.installed = installed or []

    @property
    def spare(self) -> str:
        """The embedded vendor that could be chosen by name in the place of this choice; "" where there is none."""
        usable = [v.name for v in self.installed if v.embedded and v.usable and v is not self.vendor]
        return usable[0] if usable else ""


def entries(group: str) -> list[EntryPoint]:
    """The entry points of a group, by name; one may be there twice where a wheel is on the path twice.

    `importlib.metadata.entry_points` parses the entry points of all that is installed, a good part of the time that
    `import torch_fl` may take.
    """
    from importlib.metadata import distributions

    found: list[EntryPoint] = []
    for distribution in distributions():
        try:
            text = distribution.read_text("entry_points.txt")
        except (OSError, ValueError):  # a foreign package's, which nobody can read
            continue
        if text and group in text:
            found += distribution.entry_points.select(group=group)
    return sorted(found, key=lambda entry: entry.name)


def installed() -> list[Installed]:
    """Every vendor wheel of this environment. One that is broken does not hide another one."""
    found: dict[str, Installed] = {}
    for entry in entries(GROUP):
        vendor = found.setdefault(entry.name, Installed(entry.name, entry.dist))
        if vendor.folder is not None or vendor.problem:
            continue  # the same wheel, seen twice on the path
        try:
            _inspect(vendor, entry)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a foreign package does at import, sys.exit() too, is its own affair
            vendor.problem = f"{type(error).__name__}: {error}"
    return list(found.values())


def _inspect(vendor: Installed, entry: EntryPoint) -> None:
    import tomllib

    package = entry.load()
    if getattr(package, "NAME", None) != vendor.name:
        raise ValueError(
            f"its package calls itself {getattr(package, 'NAME', None)!r}, its entry point {vendor.name!r}"
        )
    vendor.folder = _folder(package.__name__)
    vendor.facts = tomllib.loads((vendor.folder / "vendor.toml").read_text(encoding="utf-8"))
    for path in (vendor.library, vendor.conf):
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing")
    vendor.available = bool(package.is_available())
    vendor.standin = bool(getattr(package, "on_standin", bool)())


def _folder(package: str) -> Path:
    # In an editable installation the package is two folders: the sources, and what the build made.
    import importlib.util

    folders = [Path(p) for p in importlib.util.find_spec(package).submodule_search_locations]
    for folder in folders:
        if any(folder.glob("libtorch_fl_*.so")):
            return folder
    return folders[0]


def choose(vendors: list[Installed] | None = None, wanted: str | None = None) -> Choice:
    """Picks the vendor by the rules below; never raises.

    1. ``FLAGOS_ACCELERATOR`` names it (``wanted`` in its place, for tests).
    2. Exactly one usable vendor that is a real device.
    3. The embedded one, only where no other vendor wheel is installed: a broken vendor must not run on it unseen.
    """
    vendors = installed() if vendors is None else vendors
    wanted = os.environ.get("FLAGOS_ACCELERATOR", "").strip() if wanted is None else wanted
    names = ", ".join(v.name for v in vendors) or "none"

    def no(why: str) -> Choice:
        return Choice(None, why, vendors)

    if wanted:
        for vendor in vendors:
            if vendor.name == wanted:
                if vendor.usable:
                    return Choice(vendor, installed=vendors)
                return no(f"FLAGOS_ACCELERATOR={wanted}, but that vendor cannot be used: {_problem(vendor)}")
        return no(f"FLAGOS_ACCELERATOR={wanted} is not installed (installed: {names}); pip install torch-fl-{wanted}")
    real = [v for v in vendors if not v.embedded]
    usable = [v for v in real if v.usable]
    if len(usable) == 1:
        return Choice(usable[0], installed=vendors)
    if usable:
        some = ", ".join(v.name for v in usable)
        return no(f"several vendors are usable here ({some}); set FLAGOS_ACCELERATOR to one of them")
    if real:
        problems = "; ".join(f"{v.name}: {_problem(v)}" for v in real)
        spare = no("").spare
        hint = f". To run without an accelerator, set FLAGOS_ACCELERATOR={spare}." if spare else ""
        return no(f"no installed vendor can be used ({problems}); `torch-fl doctor` says more{hint}")
    for vendor in vendors:
        return Choice(vendor, installed=vendors) if vendor.usable else no(f"{vendor.name}: {_problem(vendor)}")
    return no("no torch-fl-<vendor> wheel is installed; pip install the one of your accelerator")


def _problem(vendor: Installed) -> str:
    return vendor.problem or "it finds no device or no SDK on this machine"


def tell(choice: Choice, native: ModuleType) -> None:
    """Hands the choice to the native half, which loads nothing before the device is used."""
    global _choice
    _choice = choice
    if choice.vendor is None:
        native.set_no_vendor(f"torch_fl: {choice.why_none}")
        return
    facts = choice.vendor.facts
    try:
        native.set_vendor(
            {
                "name": choice.vendor.name,
                "library": str(choice.vendor.library),
                "lanes": list(facts["lanes"]),
                "fences": [tuple(pair) for pair in facts.get("fences", [])],
                "boxing_key": facts.get("boxing_key"),
                "spare": choice.spare,
            }
        )
    except (KeyError, TypeError, RuntimeError) as error:
        native.set_no_vendor(f"torch_fl: {choice.vendor.folder / 'vendor.toml'}: {type(error).__name__}: {error}")


_choice: Choice | None = None


def chosen() -> Choice:
    """The choice of this process; chosen now where nothing was active yet."""
    return choose() if _choice is None else _choice


def vendor_name() -> str | None:
    """The short name of the vendor in use; None where there is none."""
    vendor = chosen().vendor
    return None if vendor is None else vendor.name
