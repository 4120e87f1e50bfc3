"""benchmarks/bandwidth.py in small: every call runs, and the vendor's own lane serves it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch_fl_dcu = pytest.importorskip("torch_fl_dcu", reason="torch-fl-dcu is not installed: nox -s dcu-sim")
pytestmark = pytest.mark.skipif(not torch_fl_dcu.is_available(), reason="no device for what the library was built for")

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks/bandwidth.py"


def run(tmp_path, *words):
    written = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, SCRIPT, "--rounds", "1", "--json", written, *words],
        env={**os.environ, "FLAGOS_ACCELERATOR": "dcu", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done, json.loads(written.read_text())["results"] if written.exists() else []


def test_every_call_is_served_by_the_vendor(tmp_path):
    done, results = run(tmp_path, "--smoke", "--dtypes", "float32,bfloat16")
    assert done.returncode == 0, done.stdout + done.stderr
    *measured, strays = results
    calls = {result["name"].split(", ")[0] for result in measured}
    assert len(measured) == 18 and calls >= {"add", "mul", "silu", "copy", "fill", "sum over the last dim", "softmax"}
    assert all(result["value"] > 0 and result["bar"] is None for result in measured)
    assert strays["value"] == 0 and strays["holds"], strays


@pytest.mark.skipif(not torch_fl_dcu.on_standin(), reason="a PyTorch for the device may be here, which serves boxing")
def test_a_call_on_another_lane_misses_a_bar(tmp_path):
    done, results = run(tmp_path, "--smoke", "--dtypes", "float32", "--lane", "none")
    assert done.returncode == 0, done.stdout + done.stderr
    done, results = run(tmp_path, "--smoke", "--dtypes", "float32", "--lane", "boxing")
    assert done.returncode == 1 and results[-1]["value"] == 8 and not results[-1]["holds"], done.stdout


@pytest.mark.skipif(not torch_fl_dcu.on_standin(), reason="a PyTorch for the device may be here")
def test_nothing_to_compare_with_is_told(tmp_path):
    done, _ = run(tmp_path)
    assert done.returncode == 2 and "nothing to compare it with" in done.stderr
