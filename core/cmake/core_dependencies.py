"""scikit-build-core metadata provider: core's dependencies, with the range of torch from version.h."""

from __future__ import annotations

import re
from pathlib import Path

VERSION_H = Path(__file__).resolve().parents[1] / "include/torch_fl/version.h"


def torch_requirement() -> str:
    """The requirement of torch as pip reads it, such as ``torch>=2.10,<2.14``."""
    text = VERSION_H.read_text(encoding="utf-8")
    bounds = dict(re.findall(r'#define TORCH_FL_TORCH_(MIN|END) "([\d.]+)"', text))
    return f"torch>={bounds['MIN']},<{bounds['END']}"


def dynamic_metadata(field: str, settings: dict | None = None, project: object = None) -> list[str]:
    """The value of ``project.dependencies``; any other field is an error of pyproject.toml."""
    if field != "dependencies":
        raise ValueError(f"core_dependencies provides dependencies, not {field}")
    return [torch_requirement(), "rich>=13", "typer>=0.12"]
