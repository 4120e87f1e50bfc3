"""``torch-fl doctor``: what is installed, what is wrong with it, and what to do."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import warnings
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import typer

from torch_fl.cli.output import console, print_json, working


@dataclass
class Problem:
    """Something that is wrong, and the command or step that mends it."""

    what: str
    mend: str


@dataclass
class Report:
    """Everything that doctor found."""

    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    advice: list[Problem] = field(default_factory=list)  # the device works all the same, only less of it

    def problem(self, what: str, mend: str) -> None:
        self.problems.append(Problem(what, mend))


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say what is installed, what is wrong, and what to do about it. Exit status 1 where something is wrong."""
    with working("looking at the installation"):
        report = examine()
    if as_json:
        print_json({"ok": not report.problems, **asdict(report)})
    else:
        for name, value in report.facts.items():
            console.print(f"[bold]{name}[/bold]: ", end="")
            console.print(_text(value), markup=False)
        for kind, problems in (("[yellow]advice[/yellow]", report.advice), ("[red]problem[/red]", report.problems)):
            for problem in problems:
                console.print(f"\n{kind}: ", end="")
                console.print(problem.what, markup=False)
                console.print("  to mend: ", style="green", end="")
                console.print(problem.mend, markup=False)
        console.print(f"\n{len(report.problems)} problem(s)" if report.problems else "\nNothing is wrong.")
    raise SystemExit(1 if report.problems else 0)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    if isinstance(value, list):
        return "".join(f"\n  {_text(v)}" for v in value) or "none"
    return str(value)


def examine() -> Report:
    """Runs every check; one that fails is a problem of its own and stops none of the others."""
    report = Report()
    for check in (_versions, _packages, _variables, _vendors, _needs, _device):
        try:
            check(report)
        except Exception as error:
            report.problem(f"{type(error).__name__}: {error}", "see the text of the error")
    return report


def _version_of(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _versions(report: Report) -> None:
    import torch

    from torch_fl import _native

    first, end = _native.torch_range()
    report.facts["torch-fl-core"] = _version_of("torch-fl-core") or "not installed as a distribution"
    report.facts["python"] = platform.python_version()
    report.facts["platform"] = f"{platform.platform()} glibc {platform.libc_ver()[1]}"
    report.facts["torch"] = f"{torch.__version__} (supported: >={first},<{end})"
    report.facts["built for torch"] = ", ".join(_native.minors()) or "nothing"
    for package in ("triton", "flag-gems"):
        if found := _version_of(package):
            report.facts[package] = found
    try:
        _native.find(_native.minor_of(torch.__version__))
    except ImportError as error:
        report.problem(f"core cannot be loaded: {error}", _native.how_to_build())


def _packages(report: Report) -> None:
    from importlib.metadata import distributions, entry_points

    from torch_fl import _activation, discovery

    if foreign := _version_of("torchfl"):
        report.problem(
            f"the package torchfl {foreign} is installed, which is federated learning and nothing of ours",
            "pip uninstall torchfl",
        )
    for plugin in _activation.other_plugins():
        report.problem(
            f"the plug-in {plugin!r} registers with PyTorch too, which has room for one out-of-tree device per process",
            "uninstall that package, or set FLAGOS_ACCELERATOR so that `import torch` gives the place to torch_fl",
        )
    for group in ("torch.backends", discovery.GROUP):
        for entry in entry_points(group=group):
            if entry.dist is None or (group == "torch.backends" and "torch_fl" not in entry.value):
                continue
            if not _importable(entry.value.partition(":")[0]):
                report.problem(
                    f"{entry.dist.name} {entry.dist.version} left an entry point behind: {entry.value!r} is not there",
                    f"pip uninstall {entry.dist.name}, or delete its *.egg-info or *.dist-info folder",
                )
    if (core := _version_of("torch-fl-core")) and not any(
        entry.value.startswith("torch_fl:") for entry in entry_points(group="torch.backends")
    ):
        report.problem(
            f"torch-fl-core {core} has no entry point in torch.backends, so `import torch` does not bring the device: "
            "its metadata is from an old build",
            "pip install --force-reinstall --no-deps torch-fl-core, or delete a torch_fl.egg-info beside the sources",
        )
    seen: dict[str, str] = {}
    for distribution in distributions():
        name = (distribution.name or "").lower().replace("_", "-")
        if name.startswith("torch-fl"):
            if seen.get(name, distribution.version) != distribution.version:
                report.problem(
                    f"{name} is installed twice: {seen[name]} and {distribution.version}",
                    f"pip uninstall {name}, twice, and install it again",
                )
            seen[name] = distribution.version
    if why := _activation.why_asleep():
        report.facts["autoload"] = f"asleep until `import torch_fl`: {why}"
    else:
        report.facts["autoload"] = "`import torch` brings the device"


def _importable(module: str) -> bool:
    import importlib.util

    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False
    except (Exception, SystemExit):  # a package around it, which find_spec imports, is there and broken
        return True


def _variables(report: Report) -> None:
    from torch_fl import discovery, env

    ours = {n: v for n, v in os.environ.items() if n.startswith(env.PREFIX)}
    if ours:
        report.facts["variables"] = ours
    for problem in env.problems(os.environ, env.of_vendors(discovery.chosen().installed)):
        name = problem.split()[0]
        report.problem(problem, f"unset {name}")


def _vendors(report: Report) -> None:
    from torch_fl import discovery

    choice = discovery.chosen()
    vendors = []
    for vendor in choice.installed:
        chosen = vendor is choice.vendor
        vendors.append(
            {
                "name": vendor.name,
                "version": vendor.version,
                "state": "in use"
                if chosen
                else vendor.problem or ("usable" if vendor.available else "no device found"),
            }
        )
        if vendor.problem:
            report.problem(
                f"{vendor.distribution or vendor.name}: {vendor.problem}",
                f"pip install --force-reinstall {vendor.distribution or vendor.name}, or what the text names"
                + (_meanwhile(choice) if choice.vendor is None else ""),
            )
    report.facts["vendors"] = vendors
    if choice.vendor is None:
        report.problem(_bare(choice.why_none), "mend what is told of the vendors here" + _meanwhile(choice))


def _meanwhile(choice: Any) -> str:
    """How to work on until a vendor is mended."""
    spare = choice.spare
    return f"; meanwhile, FLAGOS_ACCELERATOR={spare} runs everything without an accelerator" if spare else ""


def _bare(text: str) -> str:
    # Texts for users send them here; what follows is said by this report.
    return re.sub(r"[.;] `torch-fl doctor`[^.;]*|[.;] To run without an accelerator.*", "", text)


def _needs(report: Report) -> None:
    """What the vendor in use, or where there is none each installed one, needs of the machine."""
    from torch_fl import discovery
    from torch_fl.cli import vendor_checks
    from torch_fl.cli.machine import Machine

    choice = discovery.chosen()
    machine = Machine()
    for vendor in [choice.vendor] if choice.vendor else choice.installed:
        for finding in vendor_checks.examine(vendor.facts, machine, vendor.folder, vendor.standin):
            report.facts[f"{vendor.name}: {finding.title}"] = finding.observed
            if finding.problem:
                problems = report.advice if finding.optional else report.problems
                problems.append(Problem(f"{vendor.name}: {finding.problem}", finding.mend))
        if harmless := vendor.facts.get("harmless"):
            report.facts[f"{vendor.name}: harmless warnings"] = [f"'{text}': {why}" for text, why in harmless.items()]


def _device(report: Report) -> None:
    from torch_fl import _activation, _native, _routes, discovery, flaggems
    from torch_fl import _packages as _offered

    if discovery.chosen().vendor is None:
        return
    _activation.activate()
    import torch

    native = _native.module()
    try:
        native.load()
    except RuntimeError as error:
        vendor = discovery.chosen().vendor.name
        report.problem(
            _bare(str(error).splitlines()[0]),
            f"install or repair the driver and the SDK of {vendor} that the text is about"
            + _meanwhile(discovery.chosen()),
        )
        return
    info = native.vendor_info()
    report.facts["vendor library"] = {k: info[k] for k in ("name", "version", "rows")} | {
        "abi": ".".join(map(str, info["abi"]))
    }
    report.facts["devices"] = [_device_facts(torch.flagos, i) for i in range(native.device_count())]
    state, mistakes = _routes.read(native, discovery.chosen())
    mistakes += state.without_effect(written=True)
    for mistake in mistakes:
        report.problem(mistake, "correct that line, or unset the variable that names it or its file")
    off = [rule.op for rule in state.conf.switched_off]
    report.facts["routes"] = {
        "file": next(iter(state.conf.files), None),
        "lines": len(state.base),
        "switched off": len(off),
    }
    if off:
        report.facts["ops that this torch lacks"] = off
    report.facts["tileops lane"] = _tileops()
    _load_flaggems(report, f"{discovery.chosen().vendor.name}: flaggems lane")
    if flaggems.refused:
        report.facts["ops of FlagGems left out"] = [
            f"{why}: {', '.join(ops)}"
            for why, ops in _offered.by_reason(_offered.why_refused(flaggems.refused)).items()
        ]
    if mistakes:
        return
    try:
        torch.ones(2, device="flagos").add(1).cpu()
    except Exception as error:
        report.problem(f"the device does not work: {error}", "see the text" + _meanwhile(discovery.chosen()))


def _load_flaggems(report: Report, lane: str) -> None:
    """What is installed may still be of another release, or half of one: loading it tells."""
    from torch_fl import flaggems

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(ImportError):
            if flaggems.installed():
                flaggems.functions()
    why, _, mend = flaggems.why_off().rpartition(": ")
    if why and report.facts.get(lane) == "on":
        report.facts[lane] = f"off: {why}"
        report.problem(f"the flaggems lane is off, its ops go to their next lane: {why}", mend)


def _tileops() -> str:
    from torch_fl import _routes, tileops
    from torch_fl.tileops import source

    if why := source.supported():
        return f"off: {why}; {tileops.UNVERIFIED}"
    operators = source.recorded()
    ops = sorted({op for operator in operators for op in source.overloads(operator)})
    on = "on" if _routes.names(tileops.LANE) else "off: no line of a conf names it"
    known = f"TileOps {source.version()}, {len(operators)} operators, of PyTorch's ops {', '.join(ops) or 'none'}"
    return f"{on}; {known}; {tileops.UNVERIFIED}"


def _device_facts(module: Any, index: int) -> dict[str, Any]:
    properties = module.get_device_properties(index)
    free, total = module.mem_get_info(index)
    return {
        "flagos": index,
        "name": properties.name,
        "architecture": properties.architecture,
        "card": module.device_map(index)["card"],
        "free MiB": free >> 20,
        "total MiB": total >> 20,
    }
