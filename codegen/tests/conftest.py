"""A scratch copy of the toy vendor's tree, as a repository root."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The root of the copy; vendors/toy in it has inputs only."""
    root = tmp_path / "repo"
    shutil.copytree(DATA, root, ignore=shutil.ignore_patterns("golden"))
    return root
