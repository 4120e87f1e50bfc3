"""What a vendor needs of a machine, checked by the facts in its vendor.toml; docs/vendor-abi.md explains the keys.

Standard library only, and without torch_fl: provisioning uses it before either is installed.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

if __package__:
    from torch_fl import _releases, other_torch
    from torch_fl.cli import elf
    from torch_fl.cli.machine import Machine
    from torch_fl.flaggems import limits, source
else:  # provisioning reads these files where no torch_fl is installed
    import elf
    from machine import Machine

    def _of_torch_fl(name: str) -> Any:
        # Its neighbours' names (vendor, capture) are not for everybody's sys.path.
        file = Path(__file__).resolve().parents[1] / f"{name}.py"
        name = file.stem
        spec = importlib.util.spec_from_file_location(name, file)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)  # its dataclasses look there
        spec.loader.exec_module(module)
        return module

    limits, source = _of_torch_fl("flaggems/limits"), _of_torch_fl("flaggems/source")
    _releases, other_torch = _of_torch_fl("_releases"), _of_torch_fl("other_torch")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    problem: what is wrong, "" for nothing; mend: the command or step that mends it. optional: the vendor works all the
    same, only less of it. looked: the places of this machine that were looked at, "" where that is plain.
    """

    title: str
    observed: str
    problem: str = ""
    mend: str = ""
    optional: bool = False
    looked: str = ""


Facts = Mapping[str, Any]


def examine(facts: Facts, machine: Machine, folder: Path | None = None, standin: bool = False) -> list[Finding]:
    """Everything that vendor.toml says can be checked.

    Args:
        folder: of the installed package, for its calls.txt.
        standin: the vendor was built against a stand-in SDK, which needs no SDK and no device.
    """
    if standin:
        title = facts.get("sdk", {}).get("title", "the vendor")
        findings = [Finding(f"{title} SDK", "a stand-in over host memory, for tests; it needs no device")]
        # Another PyTorch that somebody asked for is loaded here as it is anywhere.
        if machine.environ.get(facts.get("boxing", {}).get("variable", "")):
            findings += boxing(facts, machine)
    else:
        findings = [*sdk(facts, machine), *beside(facts, machine), *devices(facts, machine)]
        findings += [*shadowed(facts, machine), *boxing(facts, machine)]
    if folder is not None:
        findings += [*rows(facts, machine, folder), *evidence(folder / "routes.conf", machine)]
    return [*findings, *conflicts(facts, machine), *triton(facts, machine), *flaggems(facts, machine)]


# ---- the SDK


def home(facts: Facts, machine: Machine) -> str:
    """Where the SDK is, or ""."""
    return machine.first(facts.get("sdk", {}).get("home", ()))


def sdk(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """The SDK's folder and what has to be in it."""
    about = facts.get("sdk")
    if about is None:
        return
    title = f"{about['title']} SDK discovery"
    found, looked = home(facts, machine), machine.looked(about["home"])
    if not found:
        problem = f"{about['title']} was not found"
        yield Finding(title, f"looked for {looked}", problem, about["install"], looked=looked)
    else:
        wanted = about.get("files", [])
        missing = [name for name in wanted if not machine.at(found).joinpath(name).exists()]
        what = f"{found} lacks {', '.join(missing)}" if missing else ""
        shown = found if missing or not wanted else f"{found}, {' + '.join(wanted)} found"
        yield Finding(title, shown, what, about["install"] if missing else "", looked=looked)
    if "library" in about:
        yield _library(about["library"], about, machine)


def beside(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """What the SDK needs outside its folder."""
    for path, why in facts.get("sdk", {}).get("beside", {}).items():
        there = machine.at(path).exists()
        yield Finding(path, "found" if there else "not found", "" if there else f"there is no {path}: {why}", why, True)


def shadowed(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """Folders of LD_LIBRARY_PATH whose libraries are loaded in place of others of the same name."""
    patterns = facts.get("sdk", {}).get("shadows", ())
    torch = machine.package("torch")
    trusted = [home(facts, machine), *facts.get("sdk", {}).get("beside", ())]
    allowed = [machine.at(path).resolve() for path in trusted if path] + ([torch / "lib"] if torch else [])
    folders = machine.environ.get("LD_LIBRARY_PATH", "").split(":") if patterns else []
    for folder in dict.fromkeys(folder for folder in folders if folder.startswith("/")):
        place = machine.at(folder).resolve()
        found = sorted({file.name for pattern in patterns for file in place.glob(pattern)})
        if found and not any(place == path or path in place.parents for path in allowed):
            yield Finding(
                f"LD_LIBRARY_PATH: {folder}",
                ", ".join(found),
                f"LD_LIBRARY_PATH has {folder}, whose {', '.join(found)} would be loaded in place of the SDK's, of "
                "PyTorch's or of this project's own",
                f"take {folder} out of LD_LIBRARY_PATH",
            )


def sdk_version(facts: Facts, machine: Machine) -> str:
    """``"6.3"``, as a header of the SDK defines it, or ""."""
    about, found = facts.get("sdk", {}).get("version"), home(facts, machine)
    file = machine.at(f"{found}/{about['file']}") if about and found else None
    if file is None or not file.is_file():
        return ""
    numbers = dict(re.findall(r"#define\s+(\w+)\s+(\d+)", file.read_text(encoding="utf-8", errors="replace")))
    return ".".join(numbers.get(name, "?") for name in about["names"])


def boxing(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """The PyTorch whose kernels the lane boxing calls: whole, and for the SDK that is here."""
    about, torch = facts.get("boxing"), machine.package("torch")
    if about is None or torch is None:
        return
    told = other_torch.told(torch / "version.py")
    version, kind = told.get("__version__", "?"), about["built_for"]
    title, folder = "boxing lane", machine.environ.get(about["variable"], "")
    if kind in told:
        lib = torch / "lib"
        missing = ", ".join(other_torch.lacking(about, lib))
        what = f"torch {version} says that it is built for {kind} {told[kind]}, and {lib} has no {missing}"
        yield Finding(title, f"torch {version} for {kind} {told[kind]}", what if missing else "", about["install"])
        here, theirs = sdk_version(facts, machine), ".".join(told[kind].split(".")[:2])
        other = f"torch {version} is built for {kind} {theirs}, and the {facts['sdk']['title']} here has {here}"
        if here:
            yield Finding(
                f"{kind} of torch and SDK", f"{theirs}, {here}", other if here != theirs else "", about["install"]
            )
    elif folder:
        refused = other_torch.refused(about, machine.at(folder), version)
        yield Finding(
            title, f"{about['variable']}={folder}", refused and f"the lane boxing is off: {refused}", about["install"]
        )
    else:
        observed = f"off: torch {version} is not built for {kind}; the vendor's own kernels and the CPU serve its ops"
        yield Finding(title, observed, mend=about["install"], optional=True)


def library(facts: Facts, machine: Machine) -> str:
    """Where the SDK's op library is, or ""."""
    about = facts.get("sdk", {}).get("library", {})
    return machine.first(_library_paths(about)) if about else ""


def _library_paths(about: Facts) -> list[str]:
    return [f"${about['variable']}", *about["paths"]]


def _library(about: Facts, owner: Facts, machine: Machine) -> Finding:
    found = library({"sdk": {"library": about}}, machine)
    title, looked = f"{about['name']}", machine.looked(_library_paths(about))
    if not found:
        places = [path for text in about["paths"] if (path := machine.expand(text))]
        what = f"{about['name']} is in none of {', '.join(places)}"
        mend = f"{owner['install']}, or set {about['variable']} to its path"
        return Finding(title, "not found", what, mend, looked=looked)
    return Finding(title, found, looked=looked)


def devices(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """The nodes that the driver makes."""
    about = facts.get("devices")
    if about is None:
        return
    found = machine.glob(about["nodes"])
    what = "" if found else f"there is no {about['nodes']}: no device, no driver, or a container without them"
    shown = f"{', '.join(found)} present" if found else "none"
    yield Finding("Device node", shown, what, "" if found else about["mend"], looked=about["nodes"])


def calls(text: str) -> dict[str, list[str]]:
    """calls.txt: overload -> the functions of the SDK that its row calls."""
    lines = [line.partition(": ") for line in text.splitlines() if line and not line.startswith("#")]
    return {op: functions.split() for op, _, functions in lines}


def unserved(needed: Mapping[str, list[str]], symbols: set[str], pattern: str) -> dict[str, list[str]]:
    """Overload -> the functions that it calls and the library lacks.

    Args:
        symbols: what the library defines, mangled.
        pattern: how a function's symbol begins, with {name} and {length}: ``"_ZN8topsaten{length}{name}E"``.
    """
    ordered = sorted(symbols)
    have: dict[str, bool] = {}
    for functions in needed.values():
        for name in functions:
            if name not in have:
                have[name] = _has_prefix(ordered, pattern.format(name=name, length=len(name)))
    lacking = {op: [name for name in functions if not have[name]] for op, functions in needed.items()}
    return {op: names for op, names in lacking.items() if names}


def _has_prefix(ordered: list[str], prefix: str) -> bool:
    import bisect

    at = bisect.bisect_left(ordered, prefix)
    return at < len(ordered) and ordered[at].startswith(prefix)


def rows(facts: Facts, machine: Machine, folder: Path) -> Iterator[Finding]:
    """Which of the vendor's rows the installed SDK cannot serve."""
    file, found = folder / "calls.txt", library(facts, machine)
    if not file.is_file() or not found:
        return
    about = facts["sdk"]["library"]
    title = f"Rows of the vendor against {about['name']}"
    needed = calls(file.read_text(encoding="utf-8"))
    try:
        symbols = elf.read(machine.at(found)).defined
    except (OSError, ValueError) as error:
        yield Finding(title, found, f"its symbols cannot be read: {error}", facts["sdk"]["install"])
        return
    lacking = unserved(needed, symbols, about["symbol"])
    if not lacking:
        yield Finding(title, f"{len(needed)} overloads, all served")
        return
    names = sorted({name for functions in lacking.values() for name in functions})
    shown = ", ".join(f"{op} ({' '.join(functions)})" for op, functions in sorted(lacking.items()))
    yield Finding(
        title,
        f"{len(needed) - len(lacking)} of {len(needed)} overloads served",
        f"{found} lacks {len(names)} functions ({', '.join(names)}); these overloads go to their next lane: {shown}",
        f"install the {facts['sdk']['title']} that this vendor's wheel is for; nothing else is broken",
        optional=True,
    )


# ---- packages


def conflicts(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """Packages that must not be there."""
    for name, why in facts.get("conflicts", {}).items():
        version, folder = machine.version(name), machine.package(name.replace("-", "_"))
        there = version or ("a package without metadata" if folder else "")
        mend = f"{python()} -m pip uninstall -y {name}" if version else f"delete {folder}"
        yield Finding(
            f"{name} excluded",
            there or "not installed",
            f"{name} is installed: {why}" if there else "",
            mend if there else "",
        )


def python() -> str:
    """This Python, for commands to copy."""
    return sys.executable or "python3"


def triton_install(facts: Facts) -> str:
    """The command that installs the Triton of the vendor."""
    about = facts["triton"]
    index = f' --index-url "${about["index"]}"' if "index" in about else ""
    return f'{python()} -m pip install --no-deps "{about["distribution"]}==={about["version"]}"{index}'


def triton(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """The Triton that FlagGems needs: the vendor's own, whole, and with a C library that is new enough."""
    about = facts.get("triton")
    if about is None:
        return
    name = about["distribution"]
    version, folder = machine.version(name), machine.package("triton")
    if name != "triton":
        foreign = machine.version("triton")
        what = (
            f"the distribution triton {foreign} is installed: it knows no {about['backend']}, and owns {name}'s folder"
        )
        uninstall = f'{python()} -m pip uninstall -y triton  # again until it says "not installed"'
        mend = f"{uninstall}\n{triton_install(facts)}"
        yield Finding(
            "NVIDIA triton removed", foreign or "not installed", what if foreign else "", mend if foreign else ""
        )
    if not version:
        what = f"without {name} there is no flaggems lane; its ops go to their next lane"
        yield Finding(name, "not installed", what, triton_install(facts), optional=True)
    else:
        other = f"{name} {version} is installed, the routes are for {about['version']}"
        right = version == about["version"]
        yield Finding(name, version, "" if right else other, "" if right else triton_install(facts), optional=True)
    if folder is None:
        return
    backends = sorted(p.parent.name for p in folder.glob("backends/*/compiler.py"))
    there = about["backend"] in backends
    what = f"the triton in {folder} has the backends {backends}, not {about['backend']}"
    yield Finding("Triton backends", str(backends), "" if there else what, "" if there else triton_install(facts))
    yield from _glibc(folder, name, machine)


def _glibc(folder: Path, name: str, machine: Machine) -> Iterator[Finding]:
    file = folder / "_C" / "libtriton.so"
    if not file.is_file():
        return
    try:
        needed = elf.read(file).newest("GLIBC_")
    except ValueError as error:
        yield Finding("glibc for libtriton", "", f"{error}", f"install {name} again")
        return
    old = machine.glibc and elf.version_key(needed) > elf.version_key(machine.glibc)
    yield Finding(
        "glibc for libtriton",
        f"needs {needed or 'any'}, found {machine.glibc or 'another C library'}",
        f"`import triton` will fail: {file} needs glibc {needed}, this machine has {machine.glibc}" if old else "",
        f"use an image whose glibc is {needed} or newer (Ubuntu 24.04 has 2.39)" if old else "",
    )


def flaggems(facts: Facts, machine: Machine) -> Iterator[Finding]:
    """FlagGems at the version that the routes are for."""
    about = facts.get("flaggems")
    if about is None:
        return
    if "flaggems" in facts.get("lanes", ()):
        yield _lane(facts, machine)
        if found := limits.Limits.of(facts):
            yield Finding("limits of kernels", f"{found}; calls beyond them go to their next lane", optional=True)
    version = machine.version("flag-gems")
    wanted = about["version"]
    if not version:
        what = "without FlagGems there is no flaggems lane; its ops go to their next lane"
        yield Finding("FlagGems", "not installed", what, "torch-fl setup flaggems", optional=True)
        return
    other = f"flag-gems {version} is installed, the routes are for {wanted}" if version != wanted else ""
    yield Finding("FlagGems", version, other, "torch-fl setup flaggems" if other else "", optional=True)
    lacking = [need for need in about.get("needs", ()) if not satisfied(need, machine)]
    yield Finding(
        "FlagGems deps",
        ", ".join(about.get("needs", ())),
        f"FlagGems needs {', '.join(lacking)}" if lacking else "",
        "torch-fl setup flaggems" if lacking else "",
        optional=True,
    )


def _lane(facts: Facts, machine: Machine) -> Finding:
    """Whether core offers FlagGems' ops here, with the reason where it does not."""
    reason, _, mend = source.supported(machine.path, facts["flaggems"].get("triton_config", ())).rpartition(": ")
    if not reason:
        return Finding("flaggems lane", "on", optional=True)
    mend = f"{python()} -m {mend}" if mend.startswith("pip ") else mend
    # What the other checks of this vendor say as well is shown once.
    elsewhere = facts.get("triton") if "Triton" in reason else facts["flaggems"].get("needs")
    said = "FlagGems is not" in reason or bool(elsewhere)
    what = "" if said else f"the flaggems lane is off, its ops go to their next lane: {reason}"
    return Finding("flaggems lane", f"off: {reason}", what, "" if said else mend, optional=True)


def evidence(conf: Path, machine: Machine) -> Iterator[Finding]:
    """The FlagGems that the surveys behind the routes were made with, as the generated conf's first lines tell it."""
    if not conf.is_file():
        return
    with conf.open(encoding="utf-8") as lines:
        told = [line for line in islice(lines, 10) if line.startswith(_SURVEYED)]
    have = machine.version("flag-gems")
    for measured in told[0].removeprefix(_SURVEYED).strip().split(", ") if told else ():
        stale = have and measured != f"flag-gems {have}"
        what = f"the evidence is stale: the routes were surveyed with {measured}, and flag-gems {have} is installed"
        mend = "torch-fl setup flaggems, or measure again: torch-fl survey --json survey.json"
        yield Finding("survey", measured, what if stale else "", mend if stale else "", optional=True)


_SURVEYED = "# surveyed with:"


def satisfied(requirement: str, machine: Machine) -> bool:
    """Whether ``"name"``, or a release of it as in ``"name==1.2"`` or ``"name>=1.2,<2"``, is installed."""
    name = re.match(r"[\w.-]*", requirement)[0]
    have = machine.version(name)
    return bool(have) and _releases.meets(have, requirement.removeprefix(name))
