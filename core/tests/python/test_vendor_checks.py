"""What a vendor needs of a machine, on machines that are made up."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from torch_fl.cli import elf, setup, vendor_checks
from torch_fl.cli.machine import Machine

FACTS = {
    "sdk": {
        "title": "AcmeKit",
        "home": ["$ACME_HOME", "/opt/acme"],
        "files": ["lib/libacmert.so", "include/acme.h"],
        "install": "install AcmeKit and set ACME_HOME",
        "library": {
            "name": "libacmeops.so",
            "variable": "ACMEOPS_LIB",
            "paths": ["$ACME_HOME/lib/libacmeops.so", "/usr/lib/libacmeops.so"],
            "symbol": "_ZN4acme{length}{name}E",
        },
    },
    "devices": {"nodes": "/dev/acme[0-9]*", "mend": "load the driver"},
    "triton": {"distribution": "acmetree", "version": "0.6.1+acme3.6", "backend": "acme", "index": "ACME_INDEX"},
    "flaggems": {"version": "5.0.2", "vendor": "acme", "needs": ["packaging", "sqlalchemy==2.0.48", "PyYAML>=6.0"]},
    "conflicts": {"torch-acme": "it registers with PyTorch too"},
}


class Made:
    """A machine under construction."""

    def __init__(self, root):
        self.root = root
        self.site = root / "site"
        self.site.mkdir()
        self.environ = {}
        self.glibc = "2.39"

    def file(self, path, text=""):
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def package(self, name, version, module=None):
        self.file(
            f"site/{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        if module:
            self.file(f"site/{module}/__init__.py")

    def triton(self, backend="acme"):
        self.file("site/triton/__init__.py")
        self.file(f"site/triton/backends/{backend}/compiler.py")

    def machine(self):
        return Machine(self.environ, self.root, [str(self.site)], self.glibc)

    def whole(self):
        """Everything as it should be."""
        for name in ("lib/libacmert.so", "include/acme.h", "lib/libacmeops.so"):
            self.file(f"/opt/acme/{name}")
        self.environ["ACME_HOME"] = "/opt/acme"
        self.file("/dev/acme0")
        self.package("acmetree", "0.6.1+acme3.6")
        self.triton()
        self.package("flag_gems", "5.0.2")
        for name, version in (("packaging", "26.0"), ("sqlalchemy", "2.0.48"), ("PyYAML", "6.0.3")):
            self.package(name, version)
        return self


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path)


def problems(made, folder=None):
    found = vendor_checks.examine(FACTS, made.machine(), folder)
    assert all(bool(f.problem) == bool(f.mend) for f in found), "each problem has its command"
    return {f.title: f for f in found if f.problem}


def test_a_machine_that_has_everything(made):
    found = vendor_checks.examine(FACTS, made.whole().machine())
    assert [f.problem for f in found if f.problem] == []
    shown = {f.title: f.observed for f in found}
    assert shown["AcmeKit SDK discovery"] == "/opt/acme, lib/libacmert.so + include/acme.h found"
    assert shown["libacmeops.so"] == "/opt/acme/lib/libacmeops.so"
    assert shown["Device node"] == "/dev/acme0 present"
    assert shown["torch-acme excluded"] == "not installed"
    assert shown["NVIDIA triton removed"] == "not installed"
    assert shown["Triton backends"] == "['acme']"
    assert shown["FlagGems"] == "5.0.2"


def test_a_vendor_that_says_nothing_needs_nothing(made):
    assert vendor_checks.examine({"name": "acme", "lanes": ["acme", "none"]}, made.machine()) == []


def test_nothing_is_there(made):
    found = problems(made)
    assert "AcmeKit was not found" in found["AcmeKit SDK discovery"].problem
    assert found["AcmeKit SDK discovery"].observed == "looked for $ACME_HOME (not set), /opt/acme"
    assert found["AcmeKit SDK discovery"].mend == "install AcmeKit and set ACME_HOME"
    assert "there is no /dev/acme[0-9]*" in found["Device node"].problem
    assert (
        found["acmetree"].optional and '"acmetree===0.6.1+acme3.6" --index-url "$ACME_INDEX"' in found["acmetree"].mend
    )
    assert found["FlagGems"].optional and found["FlagGems"].mend == "torch-fl setup flaggems"


def test_a_stand_in_needs_no_sdk_and_no_device(made):
    found = {f.title: f for f in vendor_checks.examine(FACTS, made.machine(), standin=True)}
    assert found["AcmeKit SDK"].observed == "a stand-in over host memory, for tests; it needs no device"
    assert [f.title for f in found.values() if f.problem] == ["acmetree", "FlagGems"]


def test_an_sdk_that_is_not_whole(made):
    made.whole()
    (made.root / "opt/acme/include/acme.h").unlink()
    (made.root / "opt/acme/lib/libacmeops.so").unlink()
    found = problems(made)
    assert found["AcmeKit SDK discovery"].problem == "/opt/acme lacks include/acme.h"
    assert "libacmeops.so is in none of" in found["libacmeops.so"].problem
    assert "set ACMEOPS_LIB" in found["libacmeops.so"].mend


def test_the_variable_of_the_library_comes_first(made):
    made.whole().file("/elsewhere/libacmeops.so")
    made.environ["ACMEOPS_LIB"] = "/elsewhere/libacmeops.so"
    assert vendor_checks.library(FACTS, made.machine()) == "/elsewhere/libacmeops.so"
    made.environ["ACMEOPS_LIB"] = "/nowhere/libacmeops.so"
    assert vendor_checks.library(FACTS, made.machine()) == "/opt/acme/lib/libacmeops.so"


def test_conflicts(made):
    made.whole().package("torch_acme", "2.9", "torch_acme")
    (found,) = problems(made).values()
    assert found.problem == "torch-acme is installed: it registers with PyTorch too"
    assert found.mend.endswith("-m pip uninstall -y torch-acme") and not found.optional
    assert found.observed == "2.9"


def test_a_conflict_without_metadata(made):
    made.whole().file("site/torch_acme/__init__.py")
    (found,) = problems(made).values()
    assert found.mend == f"delete {made.site / 'torch_acme'}"


def test_a_foreign_triton(made):
    made.whole().package("triton", "3.6.0")
    found = problems(made)
    assert list(found) == ["NVIDIA triton removed"]
    assert "the distribution triton 3.6.0 is installed: it knows no acme" in found["NVIDIA triton removed"].problem
    assert "pip uninstall -y triton" in found["NVIDIA triton removed"].mend
    assert "acmetree===0.6.1+acme3.6" in found["NVIDIA triton removed"].mend


def test_a_triton_without_the_backend(made):
    made.whole()
    shutil.rmtree(made.site / "triton")
    made.triton("nvidia")
    (found,) = problems(made).values()
    assert "has the backends ['nvidia'], not acme" in found.problem


def test_another_version_of_triton_and_flaggems(tmp_path):
    made = Made(tmp_path)
    made.package("acmetree", "0.7")
    made.package("flag_gems", "5.0.0")
    found = problems(made)
    assert found["acmetree"].problem == "acmetree 0.7 is installed, the routes are for 0.6.1+acme3.6"
    assert found["FlagGems"].problem == "flag-gems 5.0.0 is installed, the routes are for 5.0.2"
    assert found["FlagGems deps"].problem == "FlagGems needs packaging, sqlalchemy==2.0.48, PyYAML>=6.0"


LANE = {"lanes": ["flaggems", "none"], "flaggems": {"version": "5.0.2", "vendor": "acme"}}


def lane(made, facts=LANE):
    return next(f for f in vendor_checks.flaggems(facts, made.machine()) if f.title == "flaggems lane")


def test_the_lane_is_on_where_all_it_needs_is_there(made):
    made.whole()
    made.package("triton", "3.6.0")
    for module in ("flag_gems", "numpy", "yaml", "sqlalchemy", "packaging"):
        made.file(f"site/{module}/__init__.py")
    assert (lane(made).observed, lane(made).problem) == ("on", "")
    shutil.rmtree(made.site / "sqlalchemy")
    assert lane(made).problem.endswith("to their next lane: FlagGems needs sqlalchemy")
    assert lane(made).mend.endswith("-m pip install sqlalchemy") and lane(made).optional


@pytest.mark.parametrize(
    ("version", "reason"), [("", "Triton is not installed"), ("3.7.1", "3.7.1 is installed"), ("3.2.0", "3.3 to 3.6")]
)
def test_the_lane_is_off_without_a_triton_in_range(made, version, reason):
    if version:
        made.package("triton", version, "triton")
    found = lane(made)
    assert reason in found.problem and found.mend.endswith("-m pip install 'triton==3.6.0'") and found.optional
    # A vendor with a Triton of its own is told about that one instead.
    own = lane(made, LANE | {"triton": FACTS["triton"]})
    assert own.observed.startswith("off: ") and not own.problem and not own.mend


def test_the_limits_of_kernels_are_told(made):
    limits = {"types": ["*i64", "*fp64"], "externs": ["__acme_*"]}
    facts = {"lanes": LANE["lanes"], "flaggems": {**LANE["flaggems"], "limits": limits}, "limits": {"grid": [9, 5]}}
    (found,) = (f for f in vendor_checks.flaggems(facts, made.machine()) if f.title == "limits of kernels")
    assert found.observed.startswith("no parameter of *fp64, *i64, no call of __acme_*, at most 9 x 5 programs;")
    assert not found.problem
    assert not [f for f in vendor_checks.flaggems(LANE, made.machine()) if f.title == "limits of kernels"]


def test_the_lane_is_off_without_flaggems(made):
    made.package("triton", "3.6.0", "triton")
    assert lane(made).observed == "off: FlagGems is not installed" and not lane(made).problem


def test_a_survey_with_another_flaggems_is_stale(tmp_path, made):
    conf = tmp_path / "routes.conf"
    assert list(vendor_checks.evidence(conf, made.machine())) == []
    conf.write_text("# generated by python -m codegen; do not edit\n# vendor: acme\nabs = acme\n")
    assert list(vendor_checks.evidence(conf, made.machine())) == []
    made.package("flag_gems", "5.0.3")
    conf.write_text("# generated by python -m codegen\n# surveyed with: flag-gems 5.0.2, flag-gems 5.0.3\nabs = acme\n")
    old, new = vendor_checks.evidence(conf, made.machine())
    assert "the evidence is stale" in old.problem and "flag-gems 5.0.2, and flag-gems 5.0.3 is" in old.problem
    assert old.optional and "torch-fl survey" in old.mend and new.problem == ""


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [("thing", True), ("thing==2.0.48", True), ("thing==2.0.4", False), ("thing>=2.0.9", True), ("thing>=2.1", False)]
    + [("thing >= 2, < 3", True), ("thing>=1,<2", False), ("thing~=2.0", True), ("thing!=2.0.48", False)],
)
def test_requirements(made, requirement, expected):
    made.package("thing", "2.0.48")
    assert vendor_checks.satisfied(requirement, made.machine()) is expected
    assert not vendor_checks.satisfied(requirement.replace("thing", "other"), made.machine())


# ---- symbols and versions, from libraries that are built here


def build(folder, name, source, *flags):
    (folder / f"{name}.cpp").write_text(source)
    command = ["g++", "-shared", "-fPIC", "-nostdlib", "-o", str(folder / name), str(folder / f"{name}.cpp"), *flags]
    subprocess.run(command, check=True, cwd=folder)
    return folder / name


def test_elf(tmp_path):
    source = """
      namespace acme { int acmeAbs(int x) { return x; } void acmeAdd(double*, double) {} }
      extern "C" int absent(); extern "C" __attribute__((weak)) int maybe();
      int call() { return absent() + (maybe ? maybe() : 0); }
    """
    library = elf.read(build(tmp_path, "libx.so", source))
    assert {"_ZN4acme7acmeAbsEi", "_ZN4acme7acmeAddEPdd"} <= library.defined
    assert "absent" in library.undefined and "maybe" not in library.undefined | library.defined


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"\x7fELF\x01\x01" + b"\0" * 80, b"\x7fELF\x02\x01" + b"\xff" * 80]
)
def test_what_is_no_library(tmp_path, content):
    path = tmp_path / "libx.so"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"libx\.so is (no 64-bit|damaged)"):
        elf.read(path)


@pytest.mark.parametrize(("found", "wrong"), [("2.35", True), ("2.38", False), ("2.39", False), ("", False)])
def test_glibc(made, found, wrong):
    made.whole().glibc = found
    (made.root / "map").write_text("GLIBC_2.2.5 { old; };\nGLIBC_2.38 { new_one; };\n")
    stub = 'extern "C" { void old() {} void new_one() {} }'
    build(made.root, "libc.so.6", stub, "-Wl,-soname,libc.so.6", "-Wl,--version-script,map")
    (made.site / "triton/_C").mkdir()
    source = 'extern "C" { void old(); void new_one(); } void call() { old(); new_one(); }'
    shutil.copy(build(made.root, "libtriton.so", source, "./libc.so.6"), made.site / "triton/_C/libtriton.so")
    assert elf.read(made.site / "triton/_C/libtriton.so").newest("GLIBC_") == "2.38"
    assert ("glibc for libtriton" in problems(made)) is wrong
    if wrong:
        assert "needs glibc 2.38, this machine has 2.35" in problems(made)["glibc for libtriton"].problem


CALLS = "# generated\nabs: acmeAbs\nadd.Tensor: acmeAdd acmeCast\nadd.out: acmeAdd acmeCast\nneg: acmeNeg\n"


def test_rows_that_the_sdk_cannot_serve(made):
    made.whole()
    source = "namespace acme { void acmeAbs(int) {} void acmeAdd(int) {} void acmeNegate(int) {} }"
    shutil.copy(build(made.root, "libops.so", source), made.root / "opt/acme/lib/libacmeops.so")
    folder = made.file("wheel/calls.txt", CALLS).parent
    (found,) = problems(made, folder).values()
    assert found.optional and found.observed == "1 of 4 overloads served"
    assert "lacks 2 functions (acmeCast, acmeNeg)" in found.problem
    assert "add.Tensor (acmeCast), add.out (acmeCast), neg (acmeNeg)" in found.problem


def test_rows_that_it_serves(made):
    made.whole()
    source = "namespace acme { void acmeAbs() {} void acmeAdd(int) {} void acmeCast() {} void acmeNeg() {} }"
    shutil.copy(build(made.root, "libops.so", source), made.root / "opt/acme/lib/libacmeops.so")
    folder = made.file("wheel/calls.txt", CALLS).parent
    assert problems(made, folder) == {}


def test_an_sdk_library_that_is_none(made):
    made.whole().file("opt/acme/lib/libacmeops.so", "no ELF")
    folder = made.file("wheel/calls.txt", CALLS).parent
    (found,) = problems(made, folder).values()
    assert "its symbols cannot be read" in found.problem


# ---- setup


def test_setup_installs_without_dependencies_and_leaves_numpy_alone(made):
    made.package("numpy", "2.4.0")
    made.package("PyYAML", "6.0.3")
    made.package("sqlalchemy", "2.0.30")
    commands = [command[3:] for command in setup.steps(FACTS, made.machine())]
    assert commands == [
        ["install", "--no-deps", "flag-gems==5.0.2"],
        ["install", "packaging"],
        ["install", "sqlalchemy==2.0.48"],
    ]


def test_setup_where_everything_is_there(made, capsys):
    assert setup.steps(FACTS, made.whole().machine()) == []
    setup.run([], plan=False)
    assert "installed already" in capsys.readouterr().out
    assert setup.still_wrong(FACTS, made.machine()) == ""


def test_setup_says_what_is_wrong_after_it(made):
    made.whole()
    shutil.rmtree(made.site / "flag_gems-5.0.2.dist-info")
    made.package("triton", "3.6.0")
    text = setup.still_wrong(FACTS, made.machine())
    assert "there is no flaggems lane" in text and "pip uninstall -y triton" in text


def test_setup_plan_runs_nothing(capsys):
    ran = []
    setup.run([["pip", "x"]], plan=True, call=ran.append)
    assert ran == [] and "$ pip x" in capsys.readouterr().out
    setup.run([["pip", "x"]], plan=False, call=ran.append)
    assert ran == [["pip", "x"]]


# ---- the PyTorch that a vendor boxes to, and what lies about the SDK

BOXED = {
    "sdk": {
        "title": "AcmeKit",
        "home": ["/opt/acme"],
        "install": "install AcmeKit",
        "version": {"file": "include/acme_version.h", "names": ["ACME_MAJOR", "ACME_MINOR"]},
        "beside": {"/opt/acmehal": "give the container the host's"},
        "shadows": ["libtorch_fl*.so", "libacmert.so*"],
    },
    "boxing": {
        "built_for": "acme",
        "libraries": ["libc10_acme.so", "libtorch_acme.so"],
        "variable": "ACME_TORCH",
        "install": "install Acme's PyTorch",
    },
}


def acme_torch(made, folder, version, acme=None, libraries=("libc10_acme.so", "libtorch_acme.so")):
    """A PyTorch of the SDK's maker under `folder`."""
    made.file(f"{folder}/__init__.py")
    made.file(f"{folder}/version.py", f"__version__ = '{version}'\ncuda: Optional[str] = None\nacme = {acme!r}\n")
    for name in libraries:
        made.file(f"{folder}/lib/{name}")


def test_a_boxed_torch_that_fits(made):
    made.file("/opt/acme/include/acme_version.h", "#define ACME_MAJOR 6\n#define ACME_MINOR 3\n")
    made.file("/opt/acmehal/lib.so")
    acme_torch(made, "site/torch", "2.10.0+acme1", "6.3.26113")
    made.environ["LD_LIBRARY_PATH"] = f"/opt/acme/lib::relative:{made.site}/torch/lib"
    made.file("/opt/acme/lib/libacmert.so.6")
    found = vendor_checks.examine(BOXED, made.machine())
    assert not [f.problem for f in found if f.problem]
    assert {f.title: f.observed for f in found}["acme of torch and SDK"] == "6.3, 6.3"


def test_a_boxed_torch_for_another_sdk_or_in_parts(made):
    made.file("/opt/acme/include/acme_version.h", "#define ACME_MAJOR 6\n#define ACME_MINOR 3\n")
    acme_torch(made, "site/torch", "2.10.0+acme1", "6.1.9", libraries=["libc10_acme.so"])
    problems = [(f.problem, f.mend) for f in vendor_checks.boxing(BOXED, made.machine()) if f.problem]
    assert [text for text, _ in problems] == [
        f"torch 2.10.0+acme1 says that it is built for acme 6.1.9, and {made.site}/torch/lib has no libtorch_acme.so",
        "torch 2.10.0+acme1 is built for acme 6.1, and the AcmeKit here has 6.3",
    ]
    assert {mend for _, mend in problems} == {"install Acme's PyTorch"}


def test_a_torch_without_the_boxed_kernels_is_no_problem(made):
    acme_torch(made, "site/torch", "2.10.0+cpu", libraries=[])
    (finding,) = vendor_checks.boxing(BOXED, made.machine())
    assert finding.observed.startswith("off: torch 2.10.0+cpu is not built for acme") and not finding.problem


@pytest.mark.parametrize(
    ("version", "libraries", "problem"),
    [
        ("2.10.0+acme1", BOXED["boxing"]["libraries"], ""),
        ("2.9.1+acme1", BOXED["boxing"]["libraries"], "is of torch 2.9.1+acme1, and torch 2.10.0+cpu is in use"),
        ("2.10.0+acme1", ["libc10_acme.so"], "has no libtorch_acme.so"),
    ],
)
def test_another_builds_kernels(made, version, libraries, problem):
    acme_torch(made, "site/torch", "2.10.0+cpu", libraries=[])
    acme_torch(made, "/opt/theirs/torch", version, "6.3", libraries)
    made.environ["ACME_TORCH"] = "/opt/theirs/torch/lib"
    (finding,) = vendor_checks.boxing(BOXED, made.machine())
    assert finding.problem.startswith("the lane boxing is off: ") == bool(problem) and problem in finding.problem


def test_another_builds_kernels_beside_a_stand_in(made):
    acme_torch(made, "site/torch", "2.10.0+cpu", libraries=[])

    def found():
        return [f for f in vendor_checks.examine(BOXED, made.machine(), standin=True) if f.title == "boxing lane"]

    assert not found()
    made.environ["ACME_TORCH"] = "/nowhere/torch/lib"
    (finding,) = found()
    assert finding.problem.startswith("the lane boxing is off: ") and "has no libc10_acme.so" in finding.problem


def test_libraries_that_would_be_loaded_in_place_of_others(made):
    made.file("/opt/acme/lib/libacmert.so.6")
    made.file("/usr/local/lib/libtorch_fl.so")
    made.file("/usr/local/lib64/libother.so")
    made.environ["LD_LIBRARY_PATH"] = "/opt/acme/lib:/usr/local/lib:/usr/local/lib64:/usr/local/lib:/nowhere"
    (finding,) = vendor_checks.shadowed(BOXED, made.machine())
    assert "LD_LIBRARY_PATH has /usr/local/lib, whose libtorch_fl.so would be loaded" in finding.problem
    assert finding.mend == "take /usr/local/lib out of LD_LIBRARY_PATH"


def test_what_the_sdk_needs_beside_itself(made):
    (finding,) = vendor_checks.beside(BOXED, made.machine())
    assert finding.problem == "there is no /opt/acmehal: give the container the host's" and finding.optional
    made.file("/opt/acmehal/lib.so")
    (finding,) = vendor_checks.beside(BOXED, made.machine())
    assert not finding.problem
