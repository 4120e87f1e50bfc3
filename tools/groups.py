"""Runs the test groups of a vendor's integration.toml in order: ``python tools/groups.py VENDOR [GROUP ...]``.

A group that fails does not stop those behind it. The end is a table: passed, skipped, failed per group. Exit status 1
where a group failed, 2 where a word means nothing, 3 where the machine lacks what the groups need.

    --list       the groups, and what each runs
    --missing    only say what the machine lacks
    --anywhere   do not look for the SDK and the device: the vendor was built for something else ([[sessions]])
    --standin    on the vendor's stand-in SDK: groups that need the real machine run what stands in for them
    --rest       and, last, the vendor's own tests and the conformance suite, as far as they are in no group (of the
                 suite nothing on a stand-in whose manifest says `standin_rest = false`)
    --jobs N     N groups at a time, the largest first; the output of each comes when it has ended
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from progress import run_shown, seconds

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "core" / "torch_fl" / "cli"))

import vendor_checks  # noqa: E402
from machine import Machine  # noqa: E402

KEYS = {"name", "about", "tests", "command", "standin", "pending", "env"}


class Mistake(Exception):
    """Something in integration.toml or in the words of the command line that means nothing."""


@dataclass(frozen=True)
class Group:
    """tests: pytest's arguments. command: a script of ours and its words instead. standin: pytest's arguments for the
    stand-in, where they are others. pending: why it cannot run yet, "" where it can."""

    name: str
    about: str
    tests: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    standin: tuple[str, ...] = ()
    pending: str = ""
    env: dict[str, str] = field(default_factory=dict)

    def words(self, standin: bool) -> list[str]:
        """The command of the group."""
        if standin and self.standin:
            return [sys.executable, "-m", "pytest", "-q", *self.standin]
        if self.command:
            return [sys.executable, *self.command]
        # An option of the conformance suite, which pytest does not know without it.
        suite = any(test.startswith("tests/conformance") for test in self.tests)
        return [sys.executable, "-m", "pytest", "-q", *(["--require-device"] * (suite and not standin)), *self.tests]


@dataclass
class Outcome:
    """counts: pytest's words ("passed", "skipped", ...) -> number."""

    group: Group
    status: int
    counts: dict[str, int]
    took: float

    @property
    def verdict(self) -> str:
        if self.group.pending:
            return f"pending: {self.group.pending}"
        return "passed" if self.status == 0 else f"FAILED (exit status {self.status})"


def load(path: Path) -> list[Group]:
    """The groups of an integration.toml, in order. Raises Mistake."""
    manifest = tomllib.loads(path.read_text(encoding="utf-8"))
    groups: list[Group] = []
    for entry in manifest.get("groups", []):
        name = entry.get("name", f"number {len(groups) + 1}")
        if unknown := entry.keys() - KEYS:
            raise Mistake(f"{path}: group {name}: unknown key {min(unknown)} (keys: {', '.join(sorted(KEYS))})")
        if not entry.get("about") or bool(entry.get("tests")) == bool(entry.get("command")):
            raise Mistake(f"{path}: group {name} needs `about` and one of `tests` and `command`")
        if name in [group.name for group in groups]:
            raise Mistake(f"{path}: two groups are called {name}")
        for test in (*entry.get("tests", ()), *entry.get("standin", ()), *entry.get("command", ())[:1]):
            if "/" in test and not (ROOT / test.partition("::")[0]).exists():
                raise Mistake(f"{path}: group {name}: there is no {test}")
        lists = {key: tuple(entry.get(key, ())) for key in ("tests", "command", "standin")}
        rest = {key: entry[key] for key in ("pending", "env") if key in entry}
        groups.append(Group(name, entry["about"], **lists, **rest))
    return groups


def rest(groups: Sequence[Group], vendor: str, suite: bool) -> list[Group]:
    """The files of the vendor's own tests, and of the conformance suite if wanted, that no group has."""
    named = {test for group in groups for test in group.tests if not group.pending}

    def left(name: str, about: str, pattern: str) -> Group:
        files = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob(pattern))]
        return Group(name, about, tuple(file for file in files if file not in named))

    found = [left("own", "the rest of what is this vendor's alone", f"vendors/{vendor}/tests/**/test_*.py")]
    if suite:
        found.append(left("rest", "the rest of the conformance suite", "tests/conformance/test_*.py"))
    return [group for group in found if group.tests]


def missing(vendor: str, machine: Machine) -> list[vendor_checks.Finding]:
    """What the real SDK and device of a vendor lack here."""
    facts = tomllib.loads((ROOT / "vendors" / vendor / "vendor.toml").read_text(encoding="utf-8"))
    found = [*vendor_checks.sdk(facts, machine), *vendor_checks.devices(facts, machine)]
    return [finding for finding in found if finding.problem]


def counts(output: str) -> dict[str, int]:
    """``"== 595 passed, 32 skipped in 3.1s =="`` -> ``{"passed": 595, "skipped": 32}``; of the last such line."""
    for line in reversed(output.splitlines()):
        if found := re.findall(r"(\d+) (passed|failed|skipped|deselected|xfailed|xpassed|errors?)\b", line):
            return {word.rstrip("s") if word == "errors" else word: int(number) for number, word in found}
    return {}


def execute(words: list[str], env: dict[str, str]) -> tuple[int, str]:
    return run_shown(words, cwd=ROOT, env={**os.environ, **env})


def execute_silently(words: list[str], env: dict[str, str]) -> tuple[int, str]:
    """For groups side by side, where threads of one would wait for those of the other."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", **env}
    done = subprocess.run(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def run_one(group: Group, vendor: str, standin: bool, call: Callable[..., tuple[int, str]]) -> tuple[Outcome, str]:
    """The outcome, and the output."""
    if group.pending:
        return Outcome(group, 0, {}, 0.0), f"pending: {group.pending}\n"
    start = time.monotonic()
    status, output = call(group.words(standin), {"FLAGOS_ACCELERATOR": vendor, **group.env})
    return Outcome(group, status, counts(output), time.monotonic() - start), output


def run(groups: Sequence[Group], vendor: str, standin: bool) -> list[Outcome]:
    """Runs every group, whatever the ones before it came to."""
    outcomes = []
    for number, group in enumerate(groups, 1):
        print(f"\n== [{number}/{len(groups)}] {group.name}: {group.about}", flush=True)
        outcome, output = run_one(group, vendor, standin, execute)
        if group.pending:
            print(output, end="", flush=True)
        outcomes.append(outcome)
    return outcomes


def run_side_by_side(groups: Sequence[Group], vendor: str, standin: bool, jobs: int) -> list[Outcome]:
    """As run(), `jobs` at a time. Files tell roughly how long a group takes: the largest is not left for the end."""
    ended = {}

    def work(group: Group) -> None:
        print(f"{group.name}: started", flush=True)
        outcome, output = run_one(group, vendor, standin, execute_silently)
        ended[group.name] = outcome
        shown = output if outcome.status else output.rstrip().splitlines()[-1]
        print(f"\n== [{len(ended)}/{len(groups)}] {group.name}: {group.about}\n{shown}", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(work, sorted(groups, key=lambda group: -len(group.tests))))
    return [ended[group.name] for group in groups]


def table(outcomes: Sequence[Outcome]) -> str:
    """One line per group."""
    shown = []
    for outcome in outcomes:
        numbers = ", ".join(f"{number} {word}" for word, number in outcome.counts.items())
        shown.append(f"  {outcome.group.name:14} {seconds(outcome.took):>12}   {outcome.verdict}  {numbers}".rstrip())
    return "\n".join(shown)


def main(argv: list[str] | None = None, machine: Machine | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python tools/groups.py", description=__doc__.splitlines()[0])
    parser.add_argument("vendor")
    parser.add_argument("groups", nargs="*", metavar="group")
    for flag in ("--list", "--missing", "--anywhere", "--standin", "--rest"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    arguments = parser.parse_intermixed_args(argv)
    path = ROOT / "vendors" / arguments.vendor / "integration.toml"
    try:
        if not path.is_file():
            raise Mistake(f"there is no {path.relative_to(ROOT)}")
        groups = load(path)
        if arguments.rest:
            manifest = tomllib.loads(path.read_text(encoding="utf-8"))
            groups += rest(groups, arguments.vendor, not arguments.standin or manifest.get("standin_rest", True))
        if unknown := set(arguments.groups) - {group.name for group in groups}:
            raise Mistake(f"no group {min(unknown)}; there are {', '.join(group.name for group in groups)}")
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 2
    chosen = [group for group in groups if not arguments.groups or group.name in arguments.groups]
    if arguments.list:
        for number, group in enumerate(chosen, 1):
            what = " ".join(group.words(arguments.standin)[1:])
            print(
                f"{number}. {group.name}: {group.about}\n     {f'pending: {group.pending}' if group.pending else what}"
            )
        return 0
    lacking = [] if arguments.standin or arguments.anywhere else missing(arguments.vendor, machine or Machine())
    for finding in lacking:
        print(f"{arguments.vendor}'s device groups cannot run here: {finding.problem}\n  {finding.mend}")
    if lacking or arguments.missing:
        return 3 if lacking else 0
    if arguments.jobs > 1:
        outcomes = run_side_by_side(chosen, arguments.vendor, arguments.standin, arguments.jobs)
    else:
        outcomes = run(chosen, arguments.vendor, arguments.standin)
    print(f"\n== groups of {arguments.vendor}{' on its stand-in SDK' if arguments.standin else ''}\n{table(outcomes)}")
    return 1 if any(outcome.status for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
