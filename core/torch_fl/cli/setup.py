"""``torch-fl setup``: installs what a lane needs without disturbing what is there."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from torch_fl.cli import vendor_checks
from torch_fl.cli.machine import Machine
from torch_fl.cli.output import console, fail

app = typer.Typer(help="Install what a lane needs.", no_args_is_help=True)


@app.callback()
def setup() -> None:
    """Install what a lane needs."""


@app.command()
def flaggems(
    plan: Annotated[bool, typer.Option("--plan", help="Only print the commands.")] = False,
) -> None:
    """Install the FlagGems that the vendor's routes are for, with what it needs; numpy and torch stay as they are."""
    from torch_fl import discovery

    choice = discovery.chosen()
    candidates = [choice.vendor] if choice.vendor else choice.installed
    vendor = next((v for v in candidates if "flaggems" in v.facts), None)
    if vendor is None:
        names = ", ".join(v.name for v in candidates) or "none is installed"
        fail(f"no vendor here has a flaggems lane (vendors: {names})")
    try:
        run(steps(vendor.facts, Machine()), plan)
    except subprocess.CalledProcessError as error:
        fail(f"{shlex.join(map(str, error.cmd))} ended with status {error.returncode}")
    if plan:
        return
    if problem := still_wrong(vendor.facts, Machine()):
        fail(problem)


def steps(facts: Mapping[str, Any], machine: Machine) -> list[list[str]]:
    """The commands, none where everything is there.

    FlagGems pins a numpy that would drag an installed one down and that nothing here needs, so it goes in without its
    dependencies, and those that it does need follow by name, each only where it is missing.
    """
    about = facts["flaggems"]
    pip = [vendor_checks.python(), "-m", "pip", "install"]
    commands = []
    if machine.version("flag-gems") != about["version"]:
        commands.append([*pip, "--no-deps", f"flag-gems=={about['version']}"])
    for need in about.get("needs", ()):
        if not vendor_checks.satisfied(need, machine):
            commands.append([*pip, need])
    return commands


def run(commands: Sequence[Sequence[str]], plan: bool, call: Callable[[Sequence[str]], Any] | None = None) -> None:
    """Prints the commands and, without ``plan``, runs them.

    Raises:
        subprocess.CalledProcessError: one of them failed.
    """
    call = call or (lambda command: subprocess.run(command, check=True))
    if not commands:
        console.print("FlagGems and what it needs are installed already.")
    for command in commands:
        console.print("$ " + shlex.join(command), markup=False)
        if not plan:
            sys.stdout.flush()
            call(command)


def still_wrong(facts: Mapping[str, Any], machine: Machine) -> str:
    """What FlagGems lacks after all, or ""."""
    found = [*vendor_checks.flaggems(facts, machine), *vendor_checks.triton(facts, machine)]
    return "; ".join(f"{f.problem} (to mend: {f.mend})" for f in found if f.problem)
