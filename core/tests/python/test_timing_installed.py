"""`torch-fl ab` and `torch-fl tune` on a device."""

import json

import pytest
from measuring import invoke, skip_without_sim

FAST = ("--warmup", "3", "--repeat", "20", "--runs", "1")
SETUP = ("--setup", "measured_functions:offer")


@pytest.fixture(scope="module", autouse=True)
def device(tmp_path_factory):
    skip_without_sim(tmp_path_factory.mktemp("probe"))


def test_the_issue_is_built_in(tmp_path):
    done = invoke("ab", *FAST, "--fail-above", "1000", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["lanes"] == ["routed", "boxing"] and len(found["cases"]) == 4 and found["versions"]["torch"]
    for case in found["cases"]:
        assert case["lanes"]["routed"]["served"] == "sim" and case["lanes"]["boxing"]["served"] == "boxing"
        assert case["lanes"]["routed"]["ratio"] > 0 and len(case["lanes"]["routed"]["ratios"]) == 1


def test_a_slow_lane_fails(tmp_path):
    words = ("ab", *FAST, *SETUP, "--ops", "sqrt", "--lanes", "tileops,none")
    done = invoke(*words, folder=tmp_path)
    assert done.returncode == 1 and "is above 2x" in done.stderr and "sqrt 2d-f32" in done.stdout


@pytest.mark.parametrize(
    ("op", "text"),
    [
        ("floor", "tileops did not serve the call"),
        ("tan", "the result is wrong: values"),
        ("sin", "no end after 12 seconds"),
    ],
)
def test_what_is_no_number(tmp_path, op, text):
    words = ("ab", "--warmup", "1", "--repeat", "2", "--runs", "1", "--timeout", "12")
    done = invoke(*words, *SETUP, "--ops", op, "--lanes", "tileops,boxing", folder=tmp_path)
    assert done.returncode == 1 and text in done.stdout.replace("\n", "")


def test_cases_of_a_file_on_the_cpu_fallback(tmp_path):
    (tmp_path / "cases.yaml").write_text("- {name: mine, op: mul.Tensor, args: [{shape: [8], dtype: int64}, 3]}\n")
    done = invoke(
        "ab", *FAST, "--cases", "cases.yaml", "--lanes", "none,boxing", "--fail-above", "1e9", folder=tmp_path
    )
    assert done.returncode == 0 and "mine" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--lanes", "sim"), "takes two lanes"),
        (("--lanes", "sim,boxin"), "did you mean 'boxing'?"),
        (("--ops", "add.Tensr"), "there is no op 'add.Tensr'"),
        (("--cases", "none.yaml"), "none.yaml"),
        (("--census", "none.json"), "none.json"),
        (("--device", "cpu"), "one of flagos"),
        (("--device", "flagos:9"), "flagos:9"),
        (("--device", "nine"), "nine"),
        (("--timeout", "nan"), "--timeout is a number of seconds above 0"),
        (("--timeout", "inf"), "--timeout is a number of seconds above 0"),
        (("--fail-above", "nan"), "--fail-above is a ratio above 0"),
        (("--fail-above", "inf"), "--fail-above is a ratio above 0"),
        (("--census", "."), "Is a directory"),
        (("--census", "empty"), "empty is no census that can be read"),
        (("--census", "bytes"), "bytes is no census that can be read"),
        (("--cases", "."), "Is a directory"),
        (("--cases", "empty"), "a list of cases is expected"),
        (("--cases", "bytes"), "bytes: 'utf-8' codec can't decode"),
    ],
)
def test_what_cannot_start(tmp_path, words, text):
    (tmp_path / "empty").touch()
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    done = invoke("ab", *words, folder=tmp_path)
    assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("-o", "."), "it is a folder"),
        (("-o", "no/folder.conf"), "there is no folder"),
        (("-o", "/proc/no.conf"), "cannot write /proc/no.conf"),
        (("--timeout", "nan"), "--timeout is a number of seconds above 0"),
        (("--device", "flagos:9"), "flagos:9"),
        (("--setup", "json:__name__"), "is no function"),
    ],
)
def test_tune_cannot_start(tmp_path, counted, words, text):
    """All of it is told before anything is timed."""
    done = invoke("tune", counted, *words, "--repeat", "100000000", folder=tmp_path)
    assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_a_conf_that_cannot_be_written_is_printed(tmp_path, counted):
    done = invoke("tune", counted, *FAST, "--lanes", "sim,boxing", "-o", "/dev/full", folder=tmp_path)
    assert done.returncode == 1 and "cannot write /dev/full: No space left" in done.stderr
    assert "include " in done.stdout


def test_sparse_results_of_a_census_are_compared(tmp_path):
    (tmp_path / "job.py").write_text(
        "import torch, torch_fl\nx = torch.eye(8).to('flagos')\nx.to_sparse()\nx.to_sparse_csr()\n"
    )
    assert invoke("census", "--json", "c.json", "job.py", folder=tmp_path).returncode == 0
    words = ("--census", "c.json", "--lanes", "none,boxing", "--fail-above", "1e9", "--json")
    done = invoke("ab", *FAST, *words, folder=tmp_path)
    cases = {case["spec"]["op"]: case for case in json.loads(done.stdout)["cases"]}
    sparse = [case for op, case in cases.items() if op.startswith("_to_sparse")]
    assert sparse and not any(
        "error" in times and times["error"] for case in sparse for times in case["lanes"].values()
    )


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A census of calls, some of which the lane of measured_functions serves slowly."""
    folder = tmp_path_factory.mktemp("census")
    (folder / "job.py").write_text(
        "import torch, torch_fl\nx = torch.rand(8, 8).to('flagos')\nfor _ in range(3):\n    (x.sqrt() @ x).relu()\n"
        "library = torch.library.Library('mine', 'DEF')\nlibrary.define('twice(Tensor x) -> Tensor')\n"
        "library.impl('twice', lambda x: x + x, 'CPU')\ntorch.ops.mine.twice(x)\n"
    )
    assert invoke("census", "--json", "c.json", "job.py", folder=folder).returncode == 0
    return folder / "c.json"


def test_calls_of_a_census(tmp_path, counted):
    done = invoke("ab", *FAST, "--census", counted, "--fail-above", "1e9", "--json", folder=tmp_path)
    cases = {case["spec"]["op"]: case for case in json.loads(done.stdout)["cases"]}
    assert {"sqrt", "mm", "relu"} <= set(cases) and cases["mm"]["spec"]["calls"] == 3


def test_tune(tmp_path, counted):
    slow = {"FLAGOS_OP_sqrt": "tileops"}
    words = ("tune", counted, *FAST, *SETUP, "--lanes", "tileops,boxing", "-o", "tuned.conf")
    done = invoke(*words, folder=tmp_path, **slow)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "tuned.conf").read_text()
    assert "sqrt [dtype = float32] = boxing" in text and "boxing / tileops: ratio 0.0" in text
    assert "relu [dtype = float32] = tileops" not in text
    assert "# Left as it is: mine::twice: there is no such op on the device here\n" in text
    assert invoke("routes", "check", "tuned.conf", folder=tmp_path).returncode == 0
    shown = invoke("routes", "show", "sqrt", folder=tmp_path, FLAGOS_BACKEND_CONFIG="tuned.conf")
    assert "sqrt [dtype = float32] = boxing" in shown.stdout and "sqrt = sim" in shown.stdout


def test_tune_prints(tmp_path, counted):
    done = invoke("tune", counted, *FAST, "--lanes", "sim,boxing", "--json", folder=tmp_path)
    found = json.loads(done.stdout)
    assert {m["spec"]["op"] for m in found["measured"]} >= {"sqrt", "mm"} and 0 <= found["saved"] <= 1
    assert invoke("tune", counted, "--lanes", "simm", folder=tmp_path).returncode == 2
    assert invoke("tune", "nothing.json", folder=tmp_path).returncode == 2
