"""Provisioning, step by step, on machines that are made up."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import provision

FACTS = {
    "sdk": {
        "title": "AcmeKit",
        "home": ["$ACME_HOME", "/opt/acme"],
        "files": ["lib/libacmert.so"],
        "install": "install AcmeKit",
        "library": {
            "name": "libacmeops.so",
            "variable": "ACMEOPS",
            "paths": ["/usr/lib/libacmeops.so"],
            "symbol": "{name}",
        },
    },
    "devices": {"nodes": "/dev/acme[0-9]*", "mend": "load the driver"},
    "triton": {"distribution": "acmetree", "version": "0.6.1", "backend": "acme", "index": "FLAGOS_PYPI_INDEX"},
    "flaggems": {"version": "5.0.2", "vendor": "acme", "needs": ["packaging", "sqlalchemy==2.0.48"]},
    "conflicts": {"torch-acme": "it registers too"},
}
TITLES = [
    "AcmeKit SDK discovery",
    "libacmeops.so",
    "Device node",
    "venv bootstrap",
    "CPU torch",
    "torch-acme excluded",
    "NVIDIA triton removed",
    "acmetree",
    "FlagGems",
    "FlagGems deps",
    "Triton import check",
]


class Made:
    """A machine whose pip only writes metadata, and whose Python answers what it is told to."""

    def __init__(self, root):
        self.root = root
        self.environ = {"TORCH_FL_VENV_ROOT": str(root / "venvs"), "FLAGOS_TORCH_INDEX": "t", "FLAGOS_PYPI_INDEX": "p"}
        self.site = root / "venvs/acme/lib/python3.12/site-packages"
        self.glibc = "2.39"
        self.torch = ["2.12.0+cpu", "/x/site-packages/torch/__init__.py", None]
        self.spec = "None"
        self.shown = "Triton: 3.6.0 (backends: ['acme']), flag_gems: installed"
        self.commands = []
        self.fails = ""

    def file(self, path):
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("")
        return target

    def device(self):
        for path in ("/opt/acme/lib/libacmert.so", "/usr/lib/libacmeops.so", "/dev/acme0"):
            self.file(path)
        return self

    def package(self, name, version):
        folder = self.site / f"{name}-{version}.dist-info"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")

    def run(self, command):
        words = " ".join(command)
        self.commands.append(words.partition("--disable-pip-version-check ")[2] or words)
        if self.fails and self.fails in words:
            return 1, "ERROR: no such thing\n"
        if " -m venv " in words:
            self.site.mkdir(parents=True)
            self.file("venvs/acme/bin/python")
        elif " uninstall " in words:
            next(p for p in self.site.glob(f"{command[-1].replace('-', '_')}-*")).rename(self.site / "gone")
            (self.site / "gone/METADATA").unlink()
            (self.site / "gone").rmdir()
        else:
            for word in command[command.index("install") + 1 :]:
                name, _, version = word.replace("===", "==").partition("==")
                if "torch>" in word:
                    self.package("torch", "2.12.0")
                elif version or name == "packaging":
                    self.package(name.replace("-", "_"), version or "26.0")
                    if name == "acmetree":
                        for file in ("__init__.py", "backends/acme/compiler.py"):
                            self.file(f"venvs/acme/lib/python3.12/site-packages/triton/{file}")
        return 0, ""

    def ask(self, command):
        if command[-1] == "--version":
            return "Python 3.12.3"
        code = command[-1]
        return (
            json.dumps(self.torch)
            if "version.py" in code
            else self.spec
            if "find_spec('torch_acme')" in code
            else self.shown
        )

    def provision(self):
        machine = provision.Machine(self.environ, self.root, [], self.glibc)
        return provision.Provision("acme", FACTS, machine, "python3", self.ask)

    def carry_out(self):
        return provision.carry_out(self.provision().steps(), self.run)


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path)


def test_from_nothing(made, capsys):
    assert made.device().carry_out() == 0
    assert made.commands == [
        f"python3 -m venv {made.root}/venvs/acme",
        "install --index-url t torch>=2.10,<2.14",
        "install --no-deps --index-url p acmetree===0.6.1",
        "install --no-deps flag-gems==5.0.2",
        "install packaging sqlalchemy==2.0.48",
    ]
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[")]
    assert [row.partition("] ")[2].partition(": ")[0] for row in rows] == TITLES
    assert rows[0].endswith("/opt/acme, lib/libacmert.so found")
    assert rows[2].endswith("/dev/acme0 present")
    assert rows[3].endswith("venvs/acme/bin/python, Python 3.12.3")
    assert rows[4].endswith("2.12.0+cpu, from site-packages/torch/__init__.py")
    assert rows[5].endswith('find_spec("torch_acme") is None')
    assert rows[6].endswith("pip show triton is empty")
    assert rows[10].endswith("Triton: 3.6.0 (backends: ['acme']), flag_gems: installed")


def test_a_second_time_nothing_is_done(made, capsys):
    made.device().carry_out()
    made.commands.clear()
    assert made.carry_out() == 0
    assert made.commands == []


def test_plan_prints_and_runs_nothing(made, capsys):
    provision.plan(made.provision().steps())
    out = capsys.readouterr().out
    assert [line[4:] for line in out.splitlines() if not line.startswith("   ")] == TITLES
    assert "--index-url p acmetree===0.6.1" in out
    assert "      looks for $ACME_HOME (not set), /opt/acme\n      lacks it: AcmeKit was not found\n" in out
    assert "      looks for $ACMEOPS (not set), /usr/lib/libacmeops.so\n      lacks it: " in out
    assert "      looks for /dev/acme[0-9]*\n      lacks it: there is no /dev/acme" in out
    assert not made.site.exists()


def test_plan_says_where_it_looks(made, capsys):
    made.device().environ["ACME_HOME"] = "/nowhere"
    provision.plan(made.provision().steps())
    out = capsys.readouterr().out
    assert "looks for $ACME_HOME = /nowhere (does not exist), /opt/acme\n      finds /opt/acme, lib/libacmert.so" in out
    assert "finds /dev/acme0 present" in out


def test_plan_can_be_pasted(made, capsys):
    made.environ["TORCH_FL_VENV_ROOT"] += " of mine"
    del made.environ["FLAGOS_PYPI_INDEX"]
    provision.plan(made.provision().steps())
    commands = [line.partition("$ ")[2] for line in capsys.readouterr().out.splitlines() if line.startswith("      $ ")]
    assert shlex.split(commands[0]) == ["python3", "-m", "venv", f"{made.root}/venvs of mine/acme"]
    assert commands[1].endswith("--index-url t 'torch>=2.10,<2.14'")
    assert commands[2].endswith('--index-url "$FLAGOS_PYPI_INDEX" acmetree===0.6.1')


def test_an_unknown_stage(monkeypatch, capsys):
    monkeypatch.setenv("CI_STAGE", "bild")
    assert provision.main(["sim", "--plan"]) == 2
    assert "CI_STAGE=bild is no stage: build, or unset it for everything" in capsys.readouterr().err


def test_a_reader_that_goes_away():
    command = [sys.executable, provision.__file__, "sim", "--plan"]
    environ = {name: value for name, value in os.environ.items() if name != "CI_STAGE"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ) as run:
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 141


def test_what_is_in_the_way_goes(made):
    made.device().carry_out()
    for name, version in (("triton", "3.6.0"), ("torch_acme", "2.9")):
        made.package(name, version)
    made.commands.clear()
    assert made.carry_out() == 0
    # The foreign triton shared the folder, so the vendor's own is laid again.
    assert made.commands == [
        "uninstall -y torch-acme",
        "uninstall -y triton",
        "install --no-deps --force-reinstall --index-url p acmetree===0.6.1",
    ]


def failure(made, capsys):
    assert made.carry_out() == 1
    out = capsys.readouterr().out
    return out[out.index("FAILED") :]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("opt/acme/lib/libacmert.so", "/opt/acme lacks lib/libacmert.so\n    to mend: install AcmeKit"),
        ("usr/lib/libacmeops.so", "libacmeops.so is in none of /usr/lib/libacmeops.so"),
        ("dev/acme0", "there is no /dev/acme[0-9]*: no device, no driver, or a container without them"),
    ],
)
def test_what_a_machine_lacks(made, capsys, path, expected):
    made.device()
    (made.root / path).unlink()
    assert expected in failure(made, capsys)
    assert made.commands == [], "nothing is installed on a machine that cannot run it"


@pytest.mark.parametrize("variable", ["FLAGOS_TORCH_INDEX", "FLAGOS_PYPI_INDEX"])
def test_an_index_that_is_not_named(made, capsys, variable):
    made.device().environ.pop(variable)
    text = failure(made, capsys)
    assert f"{variable} is not set" in text and f"to mend: export {variable}=<the package index that has " in text


@pytest.mark.parametrize(
    ("torch", "expected"),
    [
        (["2.12.0+cu130", "/x/site-packages/torch/__init__.py", "13.0"], "is built for CUDA 13.0"),
        (["2.12.0", "/src/torch/__init__.py", None], "torch is taken from /src/torch/__init__.py"),
        (["", "", None], "torch is not installed"),
    ],
)
def test_the_wrong_torch(made, capsys, torch, expected):
    made.device().torch = torch
    assert expected in failure(made, capsys)


def test_a_torch_out_of_range_is_replaced(made):
    made.device().carry_out()
    next(made.site.glob("torch-*")).rename(made.site / "torch-2.9.dist-info")
    (made.site / "torch-2.9.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.9\n")
    made.commands.clear()
    made.carry_out()
    assert made.commands == ["install --index-url t torch>=2.10,<2.14"]


def test_a_conflict_from_elsewhere_on_the_path(made, capsys):
    made.device().spec = "ModuleSpec(name='torch_acme')"
    assert "torch_acme can still be imported" in failure(made, capsys)


def test_a_command_that_fails(made, capsys):
    made.device().fails = "flag-gems"
    assert "status 1: ERROR: no such thing\n    to mend: " in failure(made, capsys)


def test_a_triton_that_does_not_know_the_device(made, capsys):
    made.device().shown = "Triton: 3.6.0 (backends: ['nvidia']), flag_gems: installed"
    assert "the imported Triton has no backend acme" in failure(made, capsys)


def test_building_needs_no_device(made, capsys):
    made.device().environ["CI_STAGE"] = "build"
    (made.root / "dev/acme0").unlink()
    assert made.carry_out() == 0
    assert [s.title for s in made.provision().steps()] == [*TITLES[:2], *TITLES[3:6]]


def test_a_vendor_without_triton(made):
    facts = {"sdk": FACTS["sdk"]}
    machine = provision.Machine(made.device().environ, made.root, [], "2.39")
    steps = provision.Provision("acme", facts, machine, "python3", made.ask).steps()
    assert [s.title for s in steps] == [*TITLES[:2], *TITLES[3:5]]


def test_a_vendor_whose_ops_are_those_of_cuda(made, capsys):
    made.environ.pop("FLAGOS_TORCH_INDEX")
    machine = provision.Machine(made.environ, made.root, [], "2.39")
    steps = provision.Provision("acme", {"boxing_key": "CUDA"}, machine, "python3", made.ask).steps()
    assert [s.title for s in steps] == ["venv bootstrap", "CUDA torch"]
    assert provision.carry_out(steps, made.run) == 1
    assert made.commands[1:] == ["install torch>=2.10,<2.14"], "pip's own index has builds for CUDA"
    said = capsys.readouterr().out
    assert "is no build for CUDA" in said and "FLAGOS_TORCH_INDEX" not in said
    made.torch = ["2.12.0+cu130", "/x/site-packages/torch/__init__.py", "13.0"]
    assert provision.carry_out(steps, made.run) == 0


def test_a_torch_for_cuda_that_is_here_is_not_installed_again(made):
    outer = made.root / "outer/site-packages"
    made.torch = ["2.12.0+cu130", f"{outer}/torch/__init__.py", "13.0"]
    machine = provision.Machine(made.environ, made.root, [], "2.39")
    venv = provision.Provision("acme", {"boxing_key": "CUDA"}, machine, sys.executable, made.ask)

    def run(command):
        if command[1] != "-c":
            return made.run(command)
        code = command[2].replace("sysconfig.get_path('purelib')", repr(str(made.site)))
        return subprocess.run([sys.executable, "-c", code]).returncode, ""

    assert provision.carry_out(venv.steps(), run) == 0
    assert (made.site / provision.OUTER).read_text() == f"{outer}\n"
    assert not any("install" in command for command in made.commands)
    (outer / "torch-2.12.0.dist-info").mkdir(parents=True)
    (outer / "torch-2.12.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.12.0\n")
    assert venv.inside().version("torch") == "2.12.0"
    assert not any(step.commands() for step in venv.steps()), "all of it is there the next time"


def test_a_torch_of_another_build_is_installed(made):
    made.torch = ["2.12.0+cpu", "/x/site-packages/torch/__init__.py", None]
    machine = provision.Machine(made.environ, made.root, [], "2.39")
    assert provision.Provision("acme", {"boxing_key": "CUDA"}, machine, "python3", made.ask)._outer_torch() == ""
    made.torch = ["2.12.0+cu130", "/x/site-packages/torch/__init__.py", "13.0"]
    assert provision.Provision("acme", {}, machine, "python3", made.ask)._outer_torch() == "", "wants a CPU build"


def test_no_such_vendor(capsys):
    assert provision.main(["acme"]) == 2
    assert "there is no vendor acme" in capsys.readouterr().err
