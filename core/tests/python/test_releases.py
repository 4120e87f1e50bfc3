"""Which releases are in which ranges."""

import pytest

from torch_fl import _releases


@pytest.mark.parametrize(
    ("release", "ranges", "expected"),
    [
        ("3.12.1", ">=3.12", True),
        ("3.11.9", ">=3.12", False),
        ("2.13.0+cpu", "<2.14.0,>=2.13.0", True),
        ("2.14.0", "<2.14.0,>=2.13.0", False),
        ("0.1.12", "==0.1.12", True),
        ("3.6.1", "==3.6.*", True),
        ("2.0", "~=1.4", False),
        ("1.5", "~=1.4", True),
        ("1.5", "", True),
        ("1.5", "of another kind", False),
    ],
)
def test_ranges(release, ranges, expected):
    assert _releases.meets(release, ranges) is expected
