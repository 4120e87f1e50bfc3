"""What a vendor's tests/quirks.py excuses it from."""

import importlib.util
import pathlib

_VENDORS = pathlib.Path(__file__).resolve().parents[3] / "vendors"


def load(vendor: str, table: str) -> dict[str, str]:
    """A table of the vendor's quirks by its name, {what: reason}; empty where the vendor has none."""
    path = _VENDORS / vendor / "tests" / "quirks.py"
    if not vendor or not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location(f"quirks_{vendor}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(getattr(module, table, {}))
