"""`torch-fl survey` on a device, with functions that are wrong in known ways."""

import json
import signal
import time

import pytest
from measuring import invoke, skip_without_sim, start

LANE = ("survey", "--lane", "tileops", "--setup", "measured_functions:offer", "--samples", "2")
OPS = "exp,sin,cos,tan,relu,floor,sigmoid,neg,ceil,erf,tanh_"


@pytest.fixture(scope="module", autouse=True)
def device(tmp_path_factory):
    skip_without_sim(tmp_path_factory.mktemp("probe"))


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory):
    """(process, survey) of every kind of function, two at a time."""
    folder = tmp_path_factory.mktemp("survey")
    done = invoke(
        *LANE, "--ops", OPS, "--json", "s.json", "--timeout", "3", "--jobs", "2", "--gaps", "gaps.yaml", folder=folder
    )
    assert done.returncode == 1, done.stderr
    return done, json.loads((folder / "s.json").read_text()), folder


def cases(survey, op):
    return {case["name"]: case for case in survey["ops"][op]["cases"]}


def test_verdicts(surveyed):
    done, survey, _ = surveyed
    verdicts = {op: result["verdict"] for op, result in survey["ops"].items()}
    assert verdicts == {
        "relu": "STRICT",
        "sigmoid": "BASIC_ONLY",
        "neg": "BASIC_ONLY",
        "ceil": "BASIC_ONLY",
        "erf": "BASIC_ONLY",
        "exp": "FAILED",
        "sin": "FAILED",
        "cos": "FAILED",
        "tan": "FAILED",
        "floor": "FAILED",
        "tanh_": "FAILED",
    }
    assert survey["finished"] and "1 STRICT, 4 BASIC_ONLY, 6 FAILED, 0 UNTESTED" in done.stdout


def test_a_crash(surveyed):
    _, survey, _ = surveyed
    result, named = survey["ops"]["exp"], cases(survey, "exp")
    assert named["2d-f16"]["status"] == "crash" and "SIGABRT" in named["2d-f16"]["text"]
    assert result["dtypes"]["float16"] == "FAILED" and result["dtypes"]["float32"] == "STRICT"
    assert named["2d-bf16"]["status"] == "right" and "about to abort" in result["log"]


def test_a_case_after_which_the_device_is_dead(surveyed):
    """What follows it ran in another process, and is not blamed."""
    _, survey, _ = surveyed
    result, named = survey["ops"]["tanh_"], cases(survey, "tanh_")
    dead = named["2d-bf16"]
    assert dead["status"] == "crash" and "an illegal address; after it the device did not work" in dead["text"]
    assert result["dtypes"]["bfloat16"] == "FAILED" and result["dtypes"]["float32"] == "STRICT"
    assert named["2d-f32-odd"]["status"] == "right" and list(named).index("2d-f32-odd") > list(named).index("2d-bf16")


def test_a_hang(surveyed):
    _, survey, _ = surveyed
    named = cases(survey, "sin")
    assert named["2d-f32"]["status"] == "hang" and "after 3" in named["2d-f32"]["text"]
    assert "4d-f32" not in named and named["2d-i64"]["status"] == "hang"
    # One of each dtype, and not of all.
    assert len(named) == 3 and "3 had hung" in survey["ops"]["sin"]["notes"][-1]


def test_wrong_results(surveyed):
    _, survey, _ = surveyed
    # core sees a result of another dtype itself, and asks the next lane
    assert "its result is Double" in cases(survey, "cos")["2d-f32"]["text"]
    tan = cases(survey, "tan")["2d-f32"]
    assert tan["status"] == "wrong" and tan["wrong"] == "values" and tan["max_abs"] == pytest.approx(1, abs=1e-3)
    neg = cases(survey, "neg")
    assert neg["2d-i64"]["status"] == "right" and neg["2d-i64-wide"]["wrong"] == "values"
    assert cases(survey, "ceil")["2d-f32-special"]["wrong"] == "values"
    assert survey["ops"]["ceil"]["dtypes"]["float16"] == "STRICT"


def test_a_refusal(surveyed):
    _, survey, _ = surveyed
    named = cases(survey, "sigmoid")
    assert named["4d-f32"]["status"] == "refused" and "no images today" in named["4d-f32"]["text"]
    assert {case["status"] for case in cases(survey, "floor").values()} <= {"refused", "invalid"}


def test_the_file_tells_what_was_measured(surveyed):
    _, survey, _ = surveyed
    assert survey["format"] == 1 and survey["vendor"] == "sim" and survey["lane"] == "tileops"
    assert survey["versions"]["torch"] and survey["versions"]["torch-fl-core"] and survey["date"]
    assert "add.Tensor" in survey["conf"][0]["text"] and survey["device"]["name"] == "flagos:0"


def test_opinfos_are_among_the_cases(surveyed):
    pytest.importorskip("expecttest")
    _, survey, _ = surveyed
    assert "opinfo-float32-0" in cases(survey, "relu")


def test_gaps(surveyed):
    import yaml

    _, _, folder = surveyed
    entries = {op: entry for entry in yaml.safe_load((folder / "gaps.yaml").read_text()) for op in entry["ops"]}
    assert {"sin", "cos", "tan", "floor"} <= set(entries) and "relu" not in entries
    assert entries["tan"]["family"] == "wrong values" and "guard" not in entries["tan"]
    assert entries["sin"]["family"] == "hangs" and "s.json" in entries["sin"]["evidence"]
    assert entries["sin"]["command"].startswith("torch-fl survey --lane tileops --ops ")
    assert entries["exp"]["guard"] == "dtype = float16" and entries["exp"]["family"] == "crashes"


def test_an_op_has_a_budget_of_time(tmp_path):
    """Beside the time of a case, after which that one hangs."""
    words = (*LANE, "--ops", "round", "--json", "s.json", "--samples", "0", "--timeout", "60", "--budget", "0.5")
    invoke(*words, folder=tmp_path, MEASURED_LOG=str(tmp_path / "log"), MEASURED_S="0.6")
    result = json.loads((tmp_path / "s.json").read_text())["ops"]["round"]
    assert len(result["cases"]) == 1 and "0.5 seconds had passed" in result["notes"][0], result


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_survey_goes_on(tmp_path, number):
    log, path = tmp_path / "log", tmp_path / "s.json"
    words = (*LANE, "--ops", "relu,round,trunc", "--json", "s.json", "--timeout", "60", "--samples", "0")
    process = start(*words, folder=tmp_path, MEASURED_LOG=str(log), MEASURED_S="30")
    try:
        end = time.monotonic() + 120
        while not log.exists():
            assert process.poll() is None and time.monotonic() < end, process.communicate()
            time.sleep(0.1)
        process.send_signal(number)
        process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    before = json.loads(path.read_text())
    assert list(before["ops"]) == ["relu"] and not before["finished"]
    assert process.returncode == (130 if number == signal.SIGINT else -number)

    again = invoke(*words, folder=tmp_path, MEASURED_LOG=str(log), MEASURED_S="0")
    assert again.returncode == 2 and "--resume" in again.stderr
    done = invoke(*words, "--resume", folder=tmp_path, MEASURED_LOG=str(log), MEASURED_S="0")
    after = json.loads(path.read_text())
    assert after["finished"] and set(after["ops"]) == {"relu", "round", "trunc"}, done.stderr
    assert after["ops"]["relu"] == before["ops"]["relu"]
    assert not list(tmp_path.glob(".s.json*"))


def test_what_has_changed_cannot_go_on(tmp_path):
    words = (*LANE, "--ops", "relu", "--samples", "0", "--json", "s.json")
    assert invoke(*words, folder=tmp_path).returncode == 0
    done = invoke(*words, "--resume", folder=tmp_path, FLAGOS_OP_relu="none")
    assert done.returncode == 2 and "the routes in force" in done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--lane", "tileop"), "the lane 'tileop' has no kernel here"),
        (("--lane", "boxing", "--ops", "add.Tensr"), "did you mean 'add.Tensor'?"),
        (("--resume",), "say --json FILE"),
        (("--json", "no/folder.json"), "there is no folder"),
        (("--setup", "measured_functions"), "say module:function"),
        (("--setup", "json:__name__"), "__name__ of json is no function"),
        (("--timeout", "0"), "--timeout is a number of seconds above 0"),
        (("--timeout", "nan"), "--timeout is a number of seconds above 0"),
        (("--timeout", "inf"), "--timeout is a number of seconds above 0"),
        (("--budget", "0"), "--budget is a number of seconds above 0"),
        (("--budget", "nan"), "--budget is a number of seconds above 0"),
        (("--json", "."), "it is a folder"),
        (("--gaps", "."), "it is a folder"),
        (("--json", "empty.json", "--resume"), "empty.json is no survey that can be read"),
        (("--json", ".", "--resume"), "it is a folder"),
    ],
)
def test_what_cannot_start(tmp_path, words, text):
    (tmp_path / "empty.json").touch()
    done = invoke("survey", *words, folder=tmp_path)
    assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_a_survey_that_goes_on_with_other_ops(tmp_path):
    words = ("survey", "--lane", "sim", "--samples", "0", "--json", "s.json")
    assert invoke(*words, "--ops", "exp", folder=tmp_path).returncode == 0
    assert invoke(*words, "--ops", "neg", "--resume", "--timeout", "60", folder=tmp_path).returncode == 0
    found = json.loads((tmp_path / "s.json").read_text())
    assert set(found["ops"]) == {"exp", "neg"} and found["finished"] and found["options"]["ops"] == "exp,neg"
    assert found["options"]["timeout"] == 60 and [o["timeout"] for o in found["earlier"]] == [120]


def test_mixed_dtypes_are_among_the_cases(tmp_path):
    done = invoke(
        "survey", "--lane", "sim", "--ops", "add.Tensor,mm", "--samples", "0", "--json", "s.json", folder=tmp_path
    )
    assert done.returncode == 0, done.stdout
    found = json.loads((tmp_path / "s.json").read_text())["ops"]
    mixed = {case["name"]: case for case in found["add.Tensor"]["cases"] if case["name"] == "2d-f16-bf16"}
    assert mixed["2d-f16-bf16"]["status"] == "right" and mixed["2d-f16-bf16"]["dtype"] == "float32"
    assert not any(case["name"] == "2d-f16-bf16" for case in found["mm"]["cases"])


def test_a_lane_of_the_device(tmp_path):
    """The vendor's own kernels and boxing are right where the conformance suite says so."""
    for lane, ops in (("sim", "_softmax"), ("boxing", "addmm.out,sort.stable,index_add_,uniform_")):
        done = invoke("survey", "--lane", lane, "--ops", ops, "--samples", "4", folder=tmp_path)
        assert done.returncode == 0 and "0 BASIC_ONLY, 0 FAILED, 0 UNTESTED" in done.stdout, done.stdout


def test_a_process_that_cannot_start(tmp_path):
    import os

    (tmp_path / "broken.py").write_text(
        "import os\ndef go():\n    import measured_functions\n    measured_functions.offer()\n"
        "    if os.getppid() != int(os.environ['MINE']):\n        raise OSError('no')\n"
    )
    done = invoke(
        "survey", "--lane", "tileops", "--ops", "relu", "--setup", "broken:go", folder=tmp_path, MINE=str(os.getpid())
    )
    assert "1 UNTESTED" in done.stdout and "before its first case" in done.stdout
