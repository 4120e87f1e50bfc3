"""Makes the environment that a vendor's device runs need: ``python tools/provision.py VENDOR [--plan]``.

Looks for the vendor's SDK, op library and device; then makes a virtual environment with torch (a CPU build, or one for
CUDA where that is the vendor's boxing key), the vendor's own Triton and FlagGems, and checks that they fit together.
What to look for and install is said in vendors/<v>/vendor.toml. Each step is skipped where its result is there, and
printed with what was observed; the first that fails ends the run with the command that mends it.

    TORCH_FL_VENV_ROOT   the folder that holds the virtual environments; build/venvs without it
    CI_STAGE             build: torch alone, no device and no FlagGems; everything without it
    FLAGOS_TORCH_INDEX   the package index to take torch from: one with CPU builds, or gigabytes for another device come
                         (a vendor that wants those does without it)
    FLAGOS_PYPI_INDEX    the package index that has the vendor's Triton (vendor.toml may name another variable)
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from torch_range import in_range, torch_range

from progress import run_shown

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "core" / "torch_fl" / "cli"))

import vendor_checks  # noqa: E402
from machine import Machine  # noqa: E402

Command = list[str]
STAGES = ("build",)  # of CI_STAGE
OUTER = "torch-fl-outer.pth"  # in site-packages: the packages of another environment are used too
# Version, file and CUDA's version of the torch that a Python has, without importing it.
WHICH_TORCH = (
    "import importlib.util as u, json, pathlib; s = u.find_spec('torch');"
    "t = (pathlib.Path(s.origin).parent / 'version.py').read_text() if s else ''; v = {}; exec(t, v);"
    "print(json.dumps([v.get('__version__', ''), s.origin if s else '', v.get('cuda')]))"
)


class Wrong(Exception):
    """A step whose result is not there; `mend` is the command or step for the person."""

    def __init__(self, problem: str, mend: str):
        super().__init__(problem)
        self.mend = mend


@dataclass(frozen=True)
class Step:
    """title, and what it does: `commands` that are missing on this machine, none where the result is there; `observe`
    says what is there afterwards, or raises Wrong. looked: the places that it looks at, if it only looks."""

    title: str
    commands: Callable[[], list[Command]]
    observe: Callable[[], str]
    looked: str = ""


def pasteable(command: Command) -> str:
    """A command as a shell takes it; a variable that stands for a missing word stays one."""
    return " ".join(f'"{word}"' if word.startswith("$") else shlex.quote(word) for word in command)


def execute(command: Command) -> tuple[int, str]:
    return run_shown(command, indent="    ")


def ask(command: Command) -> str:
    """The output of a command; Wrong where it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong((done.stderr.strip() or f"status {done.returncode}").splitlines()[-1], pasteable(command))
    return done.stdout.strip()


@dataclass
class Provision:
    """The steps for one vendor. Tests give another machine, `ask` and Python."""

    vendor: str
    facts: Mapping[str, Any]
    machine: Machine = field(default_factory=Machine)
    python: str = sys.executable
    ask: Callable[[Command], str] = ask
    foreign: bool = False  # a foreign triton goes, and takes files of the folder that it shares with the vendor's along

    @property
    def venv(self) -> Path:
        root = self.machine.environ.get("TORCH_FL_VENV_ROOT") or str(ROOT / "build" / "venvs")
        return Path(root) / self.vendor

    @property
    def venv_python(self) -> str:
        return str(self.venv / "bin" / "python")

    @property
    def builds_only(self) -> bool:
        return self.machine.environ.get("CI_STAGE", "") == "build"

    @property
    def wants_cuda(self) -> bool:
        """The vendor's ops are served by PyTorch's own CUDA kernels."""
        return self.facts.get("boxing_key") == "CUDA"

    def inside(self) -> Machine:
        """The machine as the environment's Python sees it."""
        path = list(self.venv.glob("lib/python3*/site-packages"))
        path += [link.read_text(encoding="utf-8").strip() for folder in path for link in folder.glob(OUTER)]
        return replace(self.machine, path=[str(p) for p in path])

    def pip(self, *words: str) -> Command:
        return [self.venv_python, "-m", "pip", "--no-input", "--disable-pip-version-check", *words]

    def steps(self) -> list[Step]:
        """In order."""
        found = [self._looked_up(finding) for finding in vendor_checks.sdk(self.facts, self.machine)]
        if not self.builds_only:
            found += [self._looked_up(finding) for finding in vendor_checks.devices(self.facts, self.machine)]
        found += [
            Step("venv bootstrap", self._venv_commands, self._venv_observed),
            Step(f"{'CUDA' if self.wants_cuda else 'CPU'} torch", self._torch_commands, self._torch_observed),
        ]
        found += [self._conflict(name) for name in self.facts.get("conflicts", {})]
        if not self.builds_only and "triton" in self.facts:
            name = self.facts["triton"]["distribution"]
            found += [
                Step("NVIDIA triton removed", self._foreign_commands, self._foreign_observed),
                Step(name, self._triton_commands, self._triton_observed),
            ]
        if not self.builds_only and "flaggems" in self.facts:
            found += [
                Step("FlagGems", self._flaggems_commands, lambda: self._finding(vendor_checks.flaggems, "FlagGems")),
                Step("FlagGems deps", self._needs, lambda: self._finding(vendor_checks.flaggems, "FlagGems deps")),
            ]
        if not self.builds_only and "triton" in self.facts:
            found.append(Step("Triton import check", list, self._import_check))
        return found

    # ---- what is looked up

    @staticmethod
    def _looked_up(finding: vendor_checks.Finding) -> Step:
        def observe() -> str:
            if finding.problem:
                raise Wrong(finding.problem, finding.mend)
            return finding.observed

        return Step(finding.title, list, observe, finding.looked)

    def _finding(self, check: Callable[..., Any], title: str) -> str:
        found = [finding for finding in check(self.facts, self.inside()) if finding.title == title]
        for finding in found:
            if finding.problem:
                raise Wrong(finding.problem, finding.mend)
        return found[0].observed if found else "not installed"

    # ---- the environment and torch

    def _venv_commands(self) -> list[Command]:
        return [] if Path(self.venv_python).exists() else [[self.python, "-m", "venv", str(self.venv)]]

    def _venv_observed(self) -> str:
        if not Path(self.venv_python).exists():
            raise Wrong(f"{self.venv_python} is not there", pasteable([self.python, "-m", "venv", str(self.venv)]))
        return f"{self.venv_python}, {self.ask([self.venv_python, '--version'])}"

    def _torch_commands(self) -> list[Command]:
        have = self.inside().version("torch")
        if have and in_range(have):
            return []
        if outer := self._outer_torch():
            code = "import pathlib, sysconfig; site = pathlib.Path(sysconfig.get_path('purelib')); "
            return [[self.venv_python, "-c", code + f"(site / {OUTER!r}).write_text({outer + chr(10)!r})"]]
        low, end = torch_range()
        return [self.pip("install", *self._torch_index(), f"torch>={low},<{end}")]

    def _outer_torch(self) -> str:
        """The site-packages of this Python's own torch where it is the one that the vendor wants: gigabytes that need
        not come again, or cannot, on a machine without a network. "" otherwise."""
        if not self.wants_cuda:
            return ""
        version, file, cuda = json.loads(self.ask([self.python, "-c", WHICH_TORCH]))
        return str(Path(file).parents[1]) if version and in_range(version) and cuda else ""

    def _torch_index(self) -> list[str]:
        # What pip is configured with has builds for CUDA.
        named = self.machine.environ.get("FLAGOS_TORCH_INDEX")
        return self._index("FLAGOS_TORCH_INDEX") if named or not self.wants_cuda else []

    def _torch_observed(self) -> str:
        version, file, cuda = json.loads(self.ask([self.venv_python, "-c", WHICH_TORCH]))
        index = ["--index-url", "$FLAGOS_TORCH_INDEX"] if self._torch_index() else []
        install = pasteable(self.pip("install", "--force-reinstall", "torch", *index))
        if not version:
            raise Wrong("torch is not installed", install)
        if "site-packages" not in file:
            raise Wrong(f"torch is taken from {file}, not from the environment", "unset PYTHONPATH")
        if cuda and not self.wants_cuda:
            raise Wrong(f"torch {version} is built for CUDA {cuda}; this vendor needs a CPU build", install)
        if self.wants_cuda and not cuda:
            raise Wrong(f"torch {version} is no build for CUDA, whose kernels serve this vendor's ops", install)
        return f"{version}, from site-packages{file.partition('site-packages')[2]}"

    def _index(self, variable: str) -> list[str]:
        return ["--index-url", self.machine.environ.get(variable) or f"${variable}"]

    # ---- packages that must not be there

    def _conflict(self, name: str) -> Step:
        title = f"{name} excluded"

        def observe() -> str:
            self._finding(vendor_checks.conflicts, title)
            module = name.replace("-", "_")
            code = f"import importlib.util; print(importlib.util.find_spec({module!r}))"
            if (spec := self.ask([self.venv_python, "-c", code])) != "None":
                raise Wrong(f"{module} can still be imported: {spec}", "unset PYTHONPATH, or delete that folder")
            return f'find_spec("{module}") is None'

        def commands() -> list[Command]:
            return [self.pip("uninstall", "-y", name)] * len(self.inside().distributions(name))

        return Step(title, commands, observe)

    def _foreign_commands(self) -> list[Command]:
        if self.facts["triton"]["distribution"] == "triton":
            return []
        there = self.inside().distributions("triton")
        self.foreign |= bool(there)
        return [self.pip("uninstall", "-y", "triton")] * len(there)

    def _foreign_observed(self) -> str:
        self._finding(vendor_checks.triton, "NVIDIA triton removed")
        return "pip show triton is empty"

    # ---- the vendor's Triton and FlagGems

    def _triton_commands(self) -> list[Command]:
        about = self.facts["triton"]
        inside = self.inside()
        if inside.version(about["distribution"]) == about["version"] and not self.foreign:
            return []
        again = ["--force-reinstall"] if inside.version(about["distribution"]) else []
        index = self._index(about["index"]) if "index" in about else []
        wanted = f"{about['distribution']}==={about['version']}"
        return [self.pip("install", "--no-deps", *again, *index, wanted)]

    def _triton_observed(self) -> str:
        return self._finding(vendor_checks.triton, self.facts["triton"]["distribution"])

    def _flaggems_commands(self) -> list[Command]:
        wanted = self.facts["flaggems"]["version"]
        if self.inside().version("flag-gems") == wanted:
            return []
        return [self.pip("install", "--no-deps", f"flag-gems=={wanted}")]

    def _needs(self) -> list[Command]:
        inside = self.inside()
        lacking = [n for n in self.facts["flaggems"].get("needs", ()) if not vendor_checks.satisfied(n, inside)]
        return [self.pip("install", *lacking)] if lacking else []

    def _import_check(self) -> str:
        for title in ("Triton backends", "glibc for libtriton"):
            self._finding(vendor_checks.triton, title)
        code = (
            "import importlib.util, triton; from triton.backends import backends;"
            "gems = 'installed' if importlib.util.find_spec('flag_gems') else 'not installed';"
            "print(f'Triton: {triton.__version__} (backends: {sorted(backends)}), flag_gems: {gems}')"
        )
        shown = self.ask([self.venv_python, "-c", code])
        backend = self.facts["triton"]["backend"]
        if f"'{backend}'" not in shown:
            raise Wrong(
                f"the imported Triton has no backend {backend}: {shown}", vendor_checks.triton_install(self.facts)
            )
        return shown


def plan(steps: Sequence[Step]) -> None:
    """Prints each step with the commands that it would run here, or the places that it looks at."""
    for number, step in enumerate(steps, 1):
        print(f"{number:2}. {step.title}")
        for command in step.commands():
            print("      $ " + pasteable(command))
        if step.looked:
            print(f"      looks for {step.looked}")
            try:
                print(f"      finds {step.observe()}")
            except Wrong as wrong:
                print(f"      lacks it: {wrong}")


def carry_out(steps: Sequence[Step], run: Callable[[Command], tuple[int, str]] = execute) -> int:
    """Runs the steps and prints a row for each; 1 where one failed."""
    for number, step in enumerate(steps, 1):
        try:
            for command in step.commands():
                print("  $ " + pasteable(command), flush=True)
                for variable in (word[1:] for word in command if word.startswith("$")):
                    raise Wrong(
                        f"{variable} is not set", f"export {variable}=<the package index that has {command[-1]}>"
                    )
                status, output = run(command)
                if status != 0:
                    last = (output.strip() or "no output").splitlines()[-1]
                    raise Wrong(f"status {status}: {last}", pasteable(command))
            observed = step.observe()
        except Wrong as wrong:
            print(f"[{number}/{len(steps)}] {step.title}: FAILED: {wrong}\n    to mend: {wrong.mend}", flush=True)
            return 1
        print(f"[{number}/{len(steps)}] {step.title}: {observed}", flush=True)
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python tools/provision.py", description=__doc__.splitlines()[0])
    parser.add_argument("vendor")
    parser.add_argument("--plan", action="store_true", help="only print the steps and their commands")
    arguments = parser.parse_args(argv)
    path = ROOT / "vendors" / arguments.vendor / "vendor.toml"
    if not path.is_file():
        print(f"there is no vendor {arguments.vendor}", file=sys.stderr)
        return 2
    stage = os.environ.get("CI_STAGE", "")
    if stage and stage not in STAGES:
        print(f"CI_STAGE={stage} is no stage: {', '.join(STAGES)}, or unset it for everything", file=sys.stderr)
        return 2
    provision = Provision(arguments.vendor, tomllib.loads(path.read_text(encoding="utf-8")))
    steps = provision.steps()
    if arguments.plan:
        plan(steps)
        return 0
    status = carry_out(steps)
    if status == 0:
        print(f"\nready: . {provision.venv}/bin/activate, then ./dev {arguments.vendor}-integration")
    return status


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141  # as of a program that SIGPIPE ends
    sys.exit(status)
