"""Real work: numbers as on the host, and no call on the CPU but for those that the vendor's quirks excuse."""

import pytest
import torch
from harness import quirks
from harness.device import DEV, HOSTILE, SELF_CHECK, needs_device, vendor_name
from harness.workloads import NEEDS, WORKLOADS

if not SELF_CHECK:
    import torch_fl

pytestmark = needs_device

# Calls on the CPU, by workload that ran.
_FALLEN: dict[str, set[str]] = {}


@pytest.mark.parametrize("name", WORKLOADS)
def test_as_on_the_host(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    if HOSTILE and name == "minilm":
        pytest.skip("its 90 MB would be protected and opened again for each kernel")
    expected = torch.tensor(WORKLOADS[name](torch.device("cpu")))
    with torch_fl.census() as census:
        found = torch.tensor(WORKLOADS[name](DEV))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    rows = [row for row in census.rows() if row.lane == "none"]
    _FALLEN[name] = {f"{row.op} {row.dtypes}" for row in rows}
    excused = quirks.load(vendor_name(), "FALLBACKS")
    reasons = {f"{row.op} {row.dtypes}": row.reason for row in rows}
    assert not reasons.keys() - excused, {call: reasons[call] for call in reasons.keys() - excused}


def test_what_is_excused_still_happens():
    if _FALLEN.keys() != WORKLOADS.keys():
        pytest.skip("not all workloads ran before")
    stale = quirks.load(vendor_name(), "FALLBACKS").keys() - set().union(*_FALLEN.values())
    assert not stale, f"vendors/{vendor_name()}/tests/quirks.py: FALLBACKS: {sorted(stale)} went to another lane"
