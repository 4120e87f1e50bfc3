"""Prints the vendors with an integration.toml as JSON, for the matrix of .github/workflows/device.yml."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def rows() -> list[dict[str, object]]:
    """One row per vendor: its name, the image that has its SDK, and the labels of the runners that have its device."""
    found = []
    for path in sorted(ROOT.glob("vendors/*/integration.toml")):
        manifest = tomllib.loads(path.read_text(encoding="utf-8"))
        found.append({"vendor": path.parent.name, "image": manifest["image"], "runner": manifest["runner"]})
    return found


if __name__ == "__main__":
    print(json.dumps(rows()))
