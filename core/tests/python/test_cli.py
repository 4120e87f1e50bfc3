"""The torch-fl command, verb by verb, over the fake."""

import json

import pytest
import torch
from typer.testing import CliRunner

from torch_fl import _routes, discovery
from torch_fl._explain import SLOW
from torch_fl.cli import app, calls, doctor, run


@pytest.fixture
def invoke(vendors, native):
    """Runs the command with a vendor called acme."""
    vendors("acme", conf="add.Tensor = acme\nadd.Tensor [dtype=int64] = boxing\nmul.Tensor = boxing\n")
    choice = discovery.choose()
    discovery.tell(choice, native)
    _routes.install(native, choice)
    return lambda *words: CliRunner().invoke(app, [str(w) for w in words])


def test_show(invoke):
    result = invoke("routes", "show")
    assert result.exit_code == 0
    assert "add.Tensor [dtype=int64] = boxing" in result.output and "routes.conf:2" in result.output
    assert "2 boxing, 1 acme" in result.output
    rules = json.loads(invoke("routes", "show", "mul*", "--json").output)["rules"]
    assert [(r["op"], r["lane"]) for r in rules] == [("mul.Tensor", "boxing")]
    assert invoke("routes", "show", "sinh").exit_code == 1
    for lane in ("acme", "ACME"):
        assert invoke("routes", "show", "--lane", lane).output.splitlines()[1:] == ["1 acme"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["add.Tensr"], "unknown op 'add.Tensr'; did you mean 'add.Tensor'?"),
        (["mul*", "add.Tensr"], "unknown op 'add.Tensr'"),
        (["add.Tns*"], "'add.Tns*' matches no op; did you mean 'add.Tensor'?"),
        (["add"], "add has the overloads add."),
        (["--lane", "acne"], "unknown lane 'acne'; did you mean 'acme'?"),
    ],
)
def test_show_of_what_does_not_exist(invoke, words, message):
    result = invoke("routes", "show", *words)
    assert result.exit_code == 2 and message in result.output.replace("\n", "")


def test_explain(invoke, native):
    result = invoke("routes", "explain", "add.Tensor", "--dtype", "int64,float32", "--shape", "2,3", "--shape", "")
    assert result.exit_code == 0
    assert "add.Tensor (int64[2, 3], float32[]) -> acme" in result.output
    op, args, kwargs = native.explained[-1]
    assert (op, len(args), kwargs) == ("add.Tensor", 2, {"alpha": 1})
    (step,) = json.loads(invoke("routes", "explain", "relu", "--json").stdout)["steps"]
    assert step["lane"] == "acme"
    steps = json.loads(invoke("routes", "explain", "linear", "--shape", "3,4", "--shape", "2,4", "--json").stdout)[
        "steps"
    ]
    assert [step["op"] for step in steps][-1] == "mm"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["add.Tensr"], "unknown op 'add.Tensr'; did you mean 'add.Tensor'?"),
        (["abs", "--dtype", "int65"], "no dtype 'int65'"),
        (["abs", "--shape", "2,x"], "is no shape"),
        (["abs", "--arg", "dim=1"], "abs has no argument 'dim' (it has: self)"),
        (["abs", "--arg", "dim"], "say name=value"),
        (["sum.dim_IntList", "--arg", "dim=x"], "`dim` of sum.dim_IntList is Optional[List[int]], and 'x' is text"),
        (["sum.dim_IntList", "--arg", "dim=0", "--arg", "dtype=int65"], "no dtype 'int65'"),
        (["select.int"], "select.int needs --arg dim="),
        (["add.Tensor", "--shape", "99999999999999999999"], "a size of '99999999999999999999' is beyond int64"),
        (["abs", "--shape", f"2,{2**63}"], "is beyond int64"),
        (["abs", "--shape", "9" * 5000], "is beyond int64"),
        (["add.Tensor", "--arg", f"alpha={2**64}"], "`alpha` of add.Tensor is number, which takes no number so large"),
        (["sum.dim_IntList", "--arg", f"dim=[0,{2**63}]"], "is Optional[List[int]], which takes no number so large"),
        (["topk", "--arg", f"k={-(2**63) - 1}"], "`k` of topk is int, which takes no number so large"),
        (["topk", "--arg", "k=0x" + "f" * 5000], "which takes no number so large"),
        (
            ["as_strided", "--arg", "size=[2]", "--arg", f"stride=[{2**63}]"],
            "`stride` of as_strided is List[int], which",
        ),
        (["celu", "--arg", f"alpha={2**64}"], "`alpha` of celu is number, which takes no number so large"),
        (["dropout", "--arg", f"p={10**400}", "--arg", "train=True"], "`p` of dropout is float, which takes no number"),
        (
            ["index.Tensor", "--shape", "2,3"],
            "The tensors were float32[2, 3], float32[2, 3]; to change that, give --dtype",
        ),
        (["linear", "--shape", "2,3", "--shape", "4,5"], "linear: "),
        (["add"], "add has the overloads add."),
        (["aten::abs"], "drop aten::"),
    ],
)
def test_explain_of_a_wrong_call(invoke, words, message):
    result = invoke("routes", "explain", *words)
    refused = message.startswith(("The tensors", "linear"))  # by the op, not by the command
    assert result.exit_code == (1 if refused else 2) and isinstance(result.exception, SystemExit)
    lines = [line for line in result.output.splitlines() if line != SLOW]  # which a busy machine may see
    assert len(lines) == 1 and message in lines[0]


def test_arguments_of_a_call():
    args, kwargs = calls.build("sum.dim_IntList", "float16", ["4"], ["dim=[0]", "keepdim=True"])
    assert args[0].shape == (4,) and args[1:] == [[0], True] and kwargs == {"dtype": None}
    assert calls.build("_softmax", "float32", ["2"], ["dim=0", "half_to_float=false"])[0][1:] == [0, False]
    assert calls.build("sum", "float32", ["2"], ["dtype=float16"])[1] == {"dtype": torch.float16}
    assert calls.build("gelu", "float32", ["2"], ["approximate=none"])[1] == {"approximate": "none"}
    assert calls.build("add.Tensor", "uint64", ["2"], [f"alpha={2**64 - 1}"])[1] == {"alpha": 2**64 - 1}
    assert calls.build("dropout", "float32", ["0002"], [f"p={2**70}", "train=True"])[0][1] == 2**70
    (tensors,), _ = calls.build("_foreach_abs", "float32", ["2", "3"], [])
    assert [tuple(t.shape) for t in tensors] == [(2,), (3,)]
    assert calls.build("div.Tensor_mode", "float32", ["2"], ["rounding_mode=floor"])[1] == {"rounding_mode": "floor"}


def test_check(invoke, tmp_path):
    assert invoke("routes", "check").exit_code == 0
    conf = tmp_path / "mine.conf"
    conf.write_text("mul.Tensor = acme\nadd.Tensor = none\nadd.Tensor = acme\nmatmul = none\n")
    result = invoke("routes", "check", conf, "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1 and not report["ok"] and report["lines"] == 4
    text = "\n".join(report["problems"])
    assert "mine.conf:1: mul.Tensor has no kernel in lane 'acme'" in text
    assert "mine.conf:2: without effect, mine.conf:3 has the last word on add.Tensor" in text
    assert "mine.conf:4: matmul never reaches the device" in text


def test_check_of_a_generated_conf(invoke, tmp_path):
    conf = tmp_path / "made.conf"
    idle = "add.Tensor = flaggems\nmatmul = flaggems\nmm [rank = 2] = flaggems\nlinear = none\n"
    conf.write_text(f"# generated by python -m codegen\n{idle}")
    result = invoke("routes", "check", conf)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "3 line(s) are to the lane flaggems, of which nothing is installed here",
        "1 line(s) are for ops that PyTorch serves through other ops",
        "4 lines, 0 problem(s)",
    ]
    conf.write_text(f"# generated by python -m codegen\n{idle}mul.Tensor = acme\n")
    report = invoke("routes", "check", conf, "--json")
    assert report.exit_code == 1 and sum(json.loads(report.stdout)["idle"].values()) == 4
    (problem,) = json.loads(report.stdout)["problems"]
    assert "made.conf:6: mul.Tensor has no kernel in lane 'acme'" in problem
    conf.write_text(idle)  # a person's lines say what the person wants
    assert len(json.loads(invoke("routes", "check", conf, "--json").stdout)["problems"]) == 4


def test_check_tells_mistakes_of_every_kind_at_once(invoke, tmp_path):
    conf = tmp_path / "mine.conf"
    conf.write_text(
        "add.Tensor = gcv\nlinear = acme\nwhat?\nmul.Tensor = acme\nabs [numel>99999999999999999999] = none\n"
    )
    report = json.loads(invoke("routes", "check", conf, "--json").stdout)
    assert not report["ok"] and report["lines"] == 5
    assert [p.split("mine.conf:")[1].split(": ")[0] for p in report["problems"]] == ["1", "2", "3", "5", "4"]
    assert "unknown lane 'gcv'" in report["problems"][0] and "never reaches" in report["problems"][1]
    conf.write_text("add.Tensor = gcv\n")
    result = invoke("routes", "check", conf)
    assert result.exit_code == 1 and "mine.conf:1: unknown lane 'gcv'" in result.output.replace("\n", "")


def test_doctor_tells_mistakes_of_every_kind(invoke, tmp_path, monkeypatch, native):
    conf = tmp_path / "mine.conf"
    conf.write_text("add.Tensor = gcv\nlinear = acme\nmul.Tensor = acme\n")
    monkeypatch.setenv("FLAGOS_BACKEND_CONFIG", str(conf))
    report = doctor.Report()
    monkeypatch.setattr(doctor, "_device_facts", lambda module, index: {})
    doctor._device(report)
    text = "\n".join(p.what for p in report.problems)
    assert len(report.problems) == 3
    assert "mine.conf:1: unknown lane" in text and "mine.conf:2: linear never" in text and "mine.conf:3: mul.T" in text


def test_diff(invoke, tmp_path):
    conf = tmp_path / "mine.conf"
    conf.write_text("add.Tensor = acme\nadd.Tensor [dtype=int64] = boxing\nmul.Tensor = none\n")
    result = invoke("routes", "diff", conf, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"mul.Tensor": {"left": ["none"], "right": ["boxing"]}}
    assert invoke("routes", "diff", conf, conf).exit_code == 0


def test_without_a_vendor(native, vendors):
    choice = discovery.choose()
    discovery.tell(choice, native)
    result = CliRunner().invoke(app, ["routes", "show"])
    assert result.exit_code == 1
    assert "no torch-fl-<vendor> wheel is installed" in result.output.replace("\n", " ")


def test_doctor_names_each_problem_and_its_mending(monkeypatch, vendors, native):
    vendors("acme", body="raise ImportError('libacme.so not found')")
    monkeypatch.setenv("FLAGOS_STRIKT", "1")
    discovery.tell(discovery.choose(), native)
    monkeypatch.setattr(doctor, "_version_of", lambda name: "0.1" if name == "torchfl" else None)
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    problems = {p["what"]: p["mend"] for p in report["problems"]}
    assert any("libacme.so not found" in what for what in problems)
    assert problems["FLAGOS_STRIKT means nothing to torch_fl; did you mean 'FLAGOS_STRICT'?"] == "unset FLAGOS_STRIKT"
    assert any(mend == "pip uninstall torchfl" for mend in problems.values())
    assert all(problems.values())
    text = CliRunner().invoke(app, ["doctor"]).output
    assert "problem(s)" in text and "to mend" in text


NEEDS = """
name = "acme"
lanes = ["acme", "none"]
[sdk]
title = "AcmeKit"
home = ["$ACME_HOME"]
install = "install AcmeKit"
[flaggems]
version = "5.0.2"
vendor = "acme"
[harmless]
"does not whistle" = "it hums"
"""


def test_doctor_checks_what_the_vendor_needs(vendors, native, monkeypatch, tmp_path):
    monkeypatch.delenv("ACME_HOME", raising=False)
    vendors("acme", toml=NEEDS)
    discovery.tell(discovery.choose(), native)
    report = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    assert {"what": "acme: AcmeKit was not found", "mend": "install AcmeKit"} in report["problems"]
    assert [a["mend"] for a in report["advice"]] == ["torch-fl setup flaggems"]
    assert report["facts"]["acme: AcmeKit SDK discovery"] == "looked for $ACME_HOME (not set)"
    assert report["facts"]["acme: harmless warnings"] == ["'does not whistle': it hums"]
    monkeypatch.setenv("ACME_HOME", str(tmp_path))
    text = CliRunner().invoke(app, ["doctor"]).output
    assert "AcmeKit was not found" not in text
    assert "advice: acme: without FlagGems there is no flaggems lane" in text


def test_doctor_names_what_runs_meanwhile(vendors, native, monkeypatch):
    """Texts for users name doctor; doctor names no doctor."""

    def broken():
        raise RuntimeError(
            "torch_fl[acme]: cannot load libacme.so; `torch-fl doctor` looks for it. To run without an accelerator, set"
        )

    vendors("acme")
    vendors("toy", embedded=True)
    discovery.tell(discovery.choose(), native)
    monkeypatch.setattr(native, "load", broken, raising=False)
    report = doctor.Report()
    doctor._device(report)
    (problem,) = report.problems
    assert problem.what == "torch_fl[acme]: cannot load libacme.so"
    assert problem.mend.endswith("; meanwhile, FLAGOS_ACCELERATOR=toy runs everything without an accelerator")


def test_doctor_names_what_runs_in_the_place_of_a_broken_vendor(vendors, native):
    vendors("acme", body="raise ImportError('libacme.so not found')")
    vendors("toy", embedded=True)
    discovery.tell(discovery.choose(), native)
    report = doctor.Report()
    doctor._vendors(report)
    assert len(report.problems) == 2
    assert all("FLAGOS_ACCELERATOR=toy" in p.mend and "doctor" not in p.what for p in report.problems)
    assert report.problems[1].what == "no installed vendor can be used (acme: ImportError: libacme.so not found)"


def test_doctor_knows_an_old_build_s_metadata(vendors, native, monkeypatch):
    vendors("acme")
    discovery.tell(discovery.choose(), native)
    monkeypatch.setattr(doctor, "_version_of", lambda name: "0.1" if name == "torch-fl-core" else None)
    report = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    assert any("has no entry point in torch.backends" in p["what"] for p in report["problems"])


def test_setup_flaggems(vendors, native, monkeypatch):
    from torch_fl.cli import setup

    vendors("acme", toml=NEEDS)
    discovery.tell(discovery.choose(), native)
    ran = []
    monkeypatch.setattr(setup.subprocess, "run", lambda command, check: ran.append(command[3:]))
    monkeypatch.setattr(setup, "Machine", lambda: setup.vendor_checks.Machine(environ={}, path=[]))
    result = CliRunner().invoke(app, ["setup", "flaggems", "--plan"])
    assert result.exit_code == 0 and "--no-deps flag-gems==5.0.2" in result.output and ran == []
    CliRunner().invoke(app, ["setup", "flaggems"])
    assert ran == [["install", "--no-deps", "flag-gems==5.0.2"]]


def test_setup_flaggems_where_no_vendor_has_the_lane(invoke):
    result = invoke("setup", "flaggems")
    assert result.exit_code == 1 and "no vendor here has a flaggems lane (vendors: acme)" in result.output


def test_every_verb_has_help():
    for words in (
        ["doctor"],
        ["census"],
        ["run"],
        ["routes"],
        ["setup"],
        ["setup", "flaggems"],
        *(["routes", v] for v in ("show", "explain", "check", "diff")),
    ):
        result = CliRunner().invoke(app, [*words, "--help"])
        assert result.exit_code == 0 and len(result.output) > 200


def test_scripts_that_are_not_there():
    assert CliRunner().invoke(app, ["run", "/nowhere.py"]).exit_code == 2
    assert CliRunner().invoke(app, ["census", "/nowhere.py"]).exit_code == 2


def test_a_census_that_cannot_be_written(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("")
    for path, why in ((tmp_path, "it is a folder"), ("/dev/null", "no regular file"), ("/nowhere/x", "no folder")):
        result = CliRunner().invoke(app, ["census", "--json", str(path), "--", str(script)])
        assert result.exit_code == 2 and isinstance(result.exception, SystemExit)
        assert why in result.output and len(result.output.splitlines()) == 1


def test_what_to_accelerate_next(capsys):
    from torch_fl._census import Row

    rows = [
        Row("sort", "none", "float32", "[9]", "no kernel", 2, 9_000_000, 100),
        Row("cat", "none", "int64", "[9]", "dtype", 1, 1000, 1 << 22),
        Row("add.Tensor", "acme", "float32", "[9]", "", 5, 1000, 10),
    ]
    run._print_census({"finished": False}, rows, 10)
    text = capsys.readouterr().out
    by_time, by_bytes = text.split("by bytes")
    assert "did not end by itself" in text
    assert by_time.rindex("sort") < by_time.rindex("cat")
    assert by_bytes.index("cat") < by_bytes.index("sort")
    run._print_census({"finished": True}, rows[2:], 10)
    assert "Nothing fell back" in capsys.readouterr().out


def test_version_and_confs_that_are_not_there(invoke):
    assert CliRunner().invoke(app, ["--version"]).output.startswith("torch-fl ")
    for words in (["check", "/nowhere.conf"], ["diff", "/nowhere.conf"]):
        result = invoke("routes", *words)
        assert result.exit_code == 2 and "does not exist" in result.output.replace("\n", " ")
