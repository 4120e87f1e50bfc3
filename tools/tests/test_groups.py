"""The groups of a vendor: in order, on after a failure, and what is missing said with the way to get it."""

import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import groups

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = sorted(ROOT.glob("vendors/*/integration.toml"))

TEXT = """
image = "acme:1"
runner = ["acme"]
[[groups]]
name = "whole"
about = "the environment"
command = ["tools/provision.py", "acme"]
standin = ["tools/tests/test_provision.py"]
[[groups]]
name = "ops"
about = "the ops"
tests = ["tests/conformance/test_opinfo.py", "-k", "add"]
env = {FLAGOS_STRICT = "1"}
[[groups]]
name = "later"
about = "not yet"
tests = ["tests/conformance"]
pending = "the lane is not there"
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository with one vendor, acme."""
    folder = tmp_path / "vendors/acme"
    folder.mkdir(parents=True)
    (folder / "integration.toml").write_text(TEXT)
    (folder / "vendor.toml").write_text('[sdk]\ntitle = "AcmeKit"\nhome = ["/opt/acme"]\ninstall = "install AcmeKit"\n')
    for name in ("tools/provision.py", "tools/tests/test_provision.py", "tests/conformance/test_opinfo.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setattr(groups, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def calls(monkeypatch):
    """What was run: (words behind the Python, environment); every command fails but the last."""
    ran = []

    def call(words, env):
        ran.append((words[1:], env))
        return (1, "E   broken\n2 failed, 3 passed, 1 skipped in 0.1s\n") if len(ran) == 1 else (0, "5 passed in 1s\n")

    for name in ("execute", "execute_silently"):
        monkeypatch.setattr(groups, name, call)
    return ran


def machine(root):
    return groups.Machine({}, root, [], "2.39")


def test_all_run_in_order_though_one_fails(root, calls, capsys):
    (root / "opt/acme").mkdir(parents=True)
    assert groups.main(["acme"], machine(root)) == 1
    assert calls == [
        (["tools/provision.py", "acme"], {"FLAGOS_ACCELERATOR": "acme"}),
        (
            ["-m", "pytest", "-q", "--require-device", "tests/conformance/test_opinfo.py", "-k", "add"],
            {"FLAGOS_ACCELERATOR": "acme", "FLAGOS_STRICT": "1"},
        ),
    ]
    shown = [line.split() for line in capsys.readouterr().out.splitlines()[-3:]]
    assert shown[0][0] == "whole" and "FAILED" in shown[0]
    assert " ".join(shown[0][-6:]) == "2 failed, 3 passed, 1 skipped"
    assert shown[1][0] == "ops" and shown[1][-3:] == ["passed", "5", "passed"]
    assert shown[2][0] == "later" and "pending:" in shown[2]


def test_on_the_stand_in(root, calls, capsys):
    assert groups.main(["acme", "--standin", "whole", "ops"], machine(root)) == 1
    assert [words for words, _ in calls] == [
        ["-m", "pytest", "-q", "tools/tests/test_provision.py"],
        ["-m", "pytest", "-q", "tests/conformance/test_opinfo.py", "-k", "add"],
    ]
    assert "groups of acme on its stand-in SDK" in capsys.readouterr().out


def test_the_rest_of_the_suite(root, calls):
    own = root / "vendors/acme/tests/sdk/test_kit.py"
    own.parent.mkdir(parents=True)
    for path in (own, root / "tests/conformance/test_other.py"):
        path.write_text("")
    assert groups.main(["acme", "--standin", "own", "rest", "--rest"], machine(root)) == 1
    assert [words[-1] for words, _ in calls] == [
        "vendors/acme/tests/sdk/test_kit.py",
        "tests/conformance/test_other.py",
    ]


def test_a_stand_in_that_the_suite_says_nothing_about(root, calls, capsys):
    own = root / "vendors/acme/tests/test_kit.py"
    own.parent.mkdir(parents=True)
    for path in (own, root / "tests/conformance/test_other.py"):
        path.write_text("")
    (root / "vendors/acme/integration.toml").write_text("standin_rest = false\n" + TEXT)
    assert groups.main(["acme", "--standin", "--list", "--rest"], machine(root)) == 0
    assert "tests/test_kit.py" in (shown := capsys.readouterr().out) and "test_other.py" not in shown
    assert groups.main(["acme", "--list", "--rest"], machine(root)) == 0
    assert "test_other.py" in capsys.readouterr().out


def test_side_by_side(root, monkeypatch, capsys):
    """The table keeps the order of the manifest; of the output, all is shown of a group that failed."""

    def call(words, env):
        return (0, "many lines\n5 passed in 1s\n") if "-k" in words else (1, "E   broken\n1 failed in 1s\n")

    monkeypatch.setattr(groups, "execute_silently", call)
    assert groups.main(["acme", "--standin", "--jobs", "2"], machine(root)) == 1
    *shown, whole, ops, later = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in (whole, ops, later)] == ["whole", "ops", "later"]
    assert "E   broken" in shown and "5 passed in 1s" in shown and "many lines" not in shown


def test_what_is_missing(root, calls, capsys):
    for words in (["acme"], ["acme", "--missing"]):
        assert groups.main(words, machine(root)) == 3
        assert "cannot run here: AcmeKit was not found\n  install AcmeKit" in capsys.readouterr().out
    assert calls == []
    (root / "opt/acme").mkdir(parents=True)
    assert groups.main(["acme", "--missing"], machine(root)) == 0


def test_a_vendor_that_was_built_for_another_machine(root, calls, capsys):
    groups.main(["acme", "ops", "--anywhere"], machine(root))
    assert [words[-1] for words, _ in calls] == ["add"] and "cannot run here" not in capsys.readouterr().out


def test_list(root, calls, capsys):
    assert groups.main(["acme", "--list"], machine(root)) == 0
    out = capsys.readouterr().out
    assert "1. whole: the environment\n     tools/provision.py acme" in out
    assert "3. later: not yet\n     pending: the lane is not there" in out
    assert calls == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('about = "the ops"', "", "group ops needs `about` and one of"),
        ("env = {", "environment = {", "group ops: unknown key environment"),
        ('name = "ops"', 'name = "whole"', "two groups are called whole"),
        ("test_opinfo.py", "test_opnfo.py", "group ops: there is no tests/conformance/test_opnfo.py"),
    ],
)
def test_mistakes(root, capsys, old, new, expected):
    (root / "vendors/acme/integration.toml").write_text(TEXT.replace(old, new))
    assert groups.main(["acme", "--list"], machine(root)) == 2
    assert expected in capsys.readouterr().err


def test_words_that_mean_nothing(root, capsys):
    assert groups.main(["acme", "ups"], machine(root)) == 2
    assert "no group ups; there are whole, ops, later" in capsys.readouterr().err
    assert groups.main(["acne"], machine(root)) == 2


def test_counts():
    assert groups.counts("1 failed\n== 595 passed, 32 skipped, 2 xfailed in 3.1s ==\n") == {
        "passed": 595,
        "skipped": 32,
        "xfailed": 2,
    }
    assert groups.counts("2 errors in 1s") == {"error": 2}
    assert groups.counts("nothing") == {}


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.parent.name)
def test_the_repository_s_own(path):
    assert groups.load(path)
    manifest = tomllib.loads(path.read_text(encoding="utf-8"))
    assert manifest["image"] and manifest["runner"]
