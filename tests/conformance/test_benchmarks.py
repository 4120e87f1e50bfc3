"""benchmarks/models.py in small: every model runs, computes what PyTorch's own device does, and a wrong one is told."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from harness.device import HOSTILE, SELF_CHECK, needs_device, vendor_name

if not SELF_CHECK:
    import torch_fl

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = [
    needs_device,
    pytest.mark.skipif(HOSTILE, reason="the models' weights would be protected and opened again for each kernel"),
    pytest.mark.skipif(
        not SELF_CHECK and vendor_name() != "sim" and torch_fl._C.shared_key() is None,
        reason="PyTorch has no device of its own to compare with",
    ),
]
# Another token on flagos, as a wrong kernel would give.
_WRONG = """
import sys
sys.path.insert(0, {folder!r})
import models
right = models.decoder.decode
def wrong(model, prompt, new):
    tokens, logits = right(model, prompt, new)
    return tokens + (prompt.device.type == "flagos"), logits
models.decoder.decode = wrong
sys.argv = ["models.py", *{words!r}]
sys.exit(models.main())
"""
# A model, and a lane of another, that fail.
_FAILS = """
import sys
sys.path.insert(0, {folder!r})
import models
def fail(*args):
    raise RuntimeError("not today\\nnor tomorrow")
right = models.decoder.none_calls
models.encoder.measure = fail
models.decoder.none_calls = lambda name, seen: fail() if "routed" in name else right(name, seen)
sys.argv = ["models.py", *{words!r}]
sys.exit(models.main())
"""
_SURVEY = """
import sys
sys.path.insert(0, {folder!r})
from pathlib import Path
from workloads import sides
from torch_fl.survey import record
def op(verdict, *cases):
    cases = [dict(name=name, status=status, text="text") for name, status in cases]
    return dict(verdict=verdict, why="why", cases=cases)
ops = dict(
    right=op("STRICT", ("2d-f32", "right")),
    special=op("BASIC_ONLY", ("2d-f32", "right"), ("2d-f32-special", "wrong")),
    refused=op("BASIC_ONLY", ("2d-f32", "right"), ("2d-i64", "refused")),
    strided=op("BASIC_ONLY", ("2d-f32", "right"), ("2d-f32-special", "wrong"), ("2d-f32-strided", "wrong")),
    guarded=op("BASIC_ONLY", ("2d-f32", "right"), ("2d-f32-strided", "wrong")),
    crashed=op("FAILED", ("2d-f32", "right"), ("2d-f32-special", "crash")),
)
record.read = lambda path: dict(lane="flaggems", ops=ops)
found = sides.failed_in(Path(), "flaggems", {{"guarded", "crashed"}})
assert found == dict(strided="the survey: 2d-f32-strided wrong: text", crashed="the survey: why"), found
"""


def run(*words: str, cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess:
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env=env, timeout=300, check=False, cwd=cwd
    )


def test_every_model(tmp_path):
    pytest.importorskip("transformers")
    pytest.importorskip("diffusers")
    written = tmp_path / "models.json"
    done = run(str(BENCHMARKS / "models.py"), "--small", "--lanes", "boxing", "--rounds", "1", "--json", str(written))
    assert done.returncode == 0, done.stdout + done.stderr
    results = {result["name"]: result for result in json.loads(written.read_text())["results"]}
    for model in ("MiniLM", "decoder", "training", "diffusion"):
        mine = {name: result for name, result in results.items() if name.startswith(model)}
        assert [r["unit"] for r in mine.values()].count("x") == 1, mine.keys()
        (none,) = [r for name, r in mine.items() if name.endswith("calls on lane none")]
        assert none["value"] == 0 and none["bar"] == 0, none
        (typed,) = [r for name, r in mine.items() if name.endswith("typed among boxed calls")]
        assert 0 < typed["value"] <= 100, typed
        # What was computed is compared, with a bar.
        assert any(name.endswith("apart") and r["bar"] is not None for name, r in mine.items())


def test_wrong_tokens_miss_a_bar(tmp_path):
    pytest.importorskip("transformers")
    written = tmp_path / "models.json"
    words = ["--small", "--only", "decoder", "--lanes", "routed", "--rounds", "1", "--json", str(written)]
    done = run("-c", _WRONG.format(folder=str(BENCHMARKS), words=words))
    assert done.returncode == 1, done.stdout + done.stderr
    missed = [r for r in json.loads(written.read_text())["results"] if not r["holds"]]
    assert [r["unit"] for r in missed] == ["tokens"] and missed[0]["value"] == 16


def test_one_that_fails_takes_no_other_along(tmp_path):
    pytest.importorskip("transformers")
    written = tmp_path / "models.json"
    words = ["--small", "--only", "encoder,decoder", "--lanes", "boxing,routed", "--rounds", "1"]
    words += ["--json", str(written)]
    done = run("-c", _FAILS.format(folder=str(BENCHMARKS), words=words))
    assert done.returncode == 1, done.stdout + done.stderr
    results = json.loads(written.read_text())["results"]
    missed = {r["name"]: r["detail"] for r in results if not r["holds"]}
    assert list(missed) == ["encoder, failed", next(name for name in missed if name.endswith("routed, failed"))]
    assert set(missed.values()) == {"RuntimeError: not today"} and "Traceback" in done.stderr
    assert any(r["name"].endswith("boxing, calls on lane none") for r in results)


def test_what_a_survey_found_wrong():
    done = run("-c", _SURVEY.format(folder=str(BENCHMARKS)))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--device", "nine"), "--device nine: flagos:0"),
        (("--device", "flagos:99"), "--device flagos:99: "),
        (("--json", "."), "cannot write .: Is a directory"),
        (("--json", "no/folder.json"), "cannot write no/folder.json: No such file"),
        (("--rounds", "0"), "a number from 1 on is expected, not '0'"),
        (("--layers", "-1"), "a number from 1 on is expected, not '-1'"),
        (("--only", ","), "names with commas between are expected"),
        (("--survey", "."), "Is a directory"),
        (("--survey", "empty.json"), "empty.json is no survey that can be read"),
        (("--survey", "list.json"), "list.json is no survey that can be read"),
    ],
)
def test_what_cannot_start(tmp_path, words, text):
    """Told before any model is built."""
    (tmp_path / "empty.json").touch()
    (tmp_path / "list.json").write_text("[]")
    done = run(str(BENCHMARKS / "models.py"), "--small", *words, cwd=tmp_path)
    assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_what_is_absent_is_told():
    """Not skipped: a lane without kernels, and a library that cannot be imported, end it at once."""
    done = run(str(BENCHMARKS / "models.py"), "--small", "--only", "decoder", "--lanes", "tileops")
    assert done.returncode == 2 and "the lane tileops has no kernel here" in done.stderr, done.stderr
    hidden = (
        "import sys; sys.modules['diffusers'] = None; sys.path.insert(0, {!r}); import models; sys.argv = ['models.py']"
    )
    done = run("-c", hidden.format(str(BENCHMARKS)) + "; models.main()")
    assert done.returncode == 2 and "needs diffusers" in done.stderr, done.stderr
