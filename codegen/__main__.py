"""Writes what follows from PyTorch's schemas and the vendors' yaml.

    python -m codegen [--check] [vendor ...]

Writes vendors/<v>/src/generated/ and vendors/<v>/routes.conf for the named vendors (default: every vendor) and prints
how the routes add up. With --check nothing is written: a difference is shown as a diff.

Exit status: 0 all right; 1 something differs (--check); 2 an input is wrong, shown as `file:line: what`.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from codegen import evidence, flaggems, gaps, includes, readme, reconcile, render, routes, schemas, universe, vendor
from codegen.rows import Rows
from codegen.source import Problem, Problems, did_you_mean

ROOT = Path(__file__).parents[1]


def generate(root: Path, name: str) -> tuple[dict[Path, str], str]:
    """The files of a vendor (path -> text) and the report. Raises Problems."""
    loaded = schemas.load()
    facts = vendor.load(root, name)
    listed = root / "core" / "primitives.txt"
    served_by_core = universe.primitives(listed, root, loaded)
    ops = universe.universe(loaded, served_by_core)
    recorded = flaggems.load(root, facts.flaggems, facts.flaggems_vendor, loaded, ops) if facts.flaggems else None
    rows = Rows(facts, loaded, served_by_core)
    kernels = routes.kernels(facts, loaded, rows, recorded, ops)
    found = gaps.load(facts, loaded, kernels)
    shown = evidence.load(facts, loaded, kernels)
    included = includes.load(facts, loaded, kernels)
    problems: list[Problem] = [*rows.shapes.problems, *rows.ops.problems, *found.source.problems]
    if problems := [*problems, *included.problems]:
        raise Problems(problems)
    decided = routes.decide(facts, loaded, kernels, found.found, included, ops)
    if problems := [*reconcile.check(facts, loaded, rows, found, decided), *shown.source.problems]:
        raise Problems(problems)
    files = render.files(rows)
    files[facts.conf] = routes.conf(facts, loaded, decided, shown, recorded, routes.digest(facts, listed, recorded))
    if facts.readme.exists():
        table = readme.table(facts, loaded, decided, shown)
        files[facts.readme] = readme.updated(facts.readme.read_text(encoding="utf-8"), table)
    return files, reconcile.report(facts, loaded, rows, found, shown, recorded, decided)


def differences(root: Path, name: str, files: dict[Path, str]) -> str:
    """A unified diff from what is on disk to what should be there, "" where nothing differs."""
    found: list[str] = []
    stale = {path: "" for path in (root / "vendors" / name / "src" / "generated").glob("*") if path not in files}
    for path, text in sorted({**files, **stale}.items()):
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        file = path.relative_to(root).as_posix()
        found += difflib.unified_diff(
            old.splitlines(keepends=True), text.splitlines(keepends=True), file, f"{file} (generated)"
        )
    return "".join(found)


def write(root: Path, name: str, files: dict[Path, str]) -> None:
    """Writes what changed and removes generated files that no longer follow from anything."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
    for path in (root / "vendors" / name / "src" / "generated").glob("*"):
        if path not in files and path.is_file():
            path.unlink()


def main(argv: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__.splitlines()[0])
    parser.add_argument("vendors", nargs="*", metavar="vendor", help="default: every vendor")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 and a diff where a file differs")
    arguments = parser.parse_args(argv)

    known = vendor.find(root)
    for name in arguments.vendors:
        if name not in known:
            print(f"no vendor `{name}` under vendors/{did_you_mean(name, known)}", file=sys.stderr)
            return 2
    status = 0
    for name in arguments.vendors or known:
        status = max(status, _one(root, name, arguments.check))
    return status


def _one(root: Path, name: str, check: bool) -> int:
    conf = root / "vendors" / name / "routes.conf"
    used = routes.torch_of(conf.read_text(encoding="utf-8")) if conf.exists() else ""
    if check and used and used != schemas.torch_minor():
        # Another torch has another universe; comparing would only show that.
        print(f"{name}: generated with torch {used}, this is {schemas.torch_minor()}: not compared")
        return 0
    try:
        files, report = generate(root, name)
    except Problems as problems:
        print(problems, file=sys.stderr)
        return 2
    print(report)
    if not check:
        write(root, name, files)
        return 0
    diff = differences(root, name, files)
    if diff:
        sys.stdout.write(diff)
        print(f"{name}: not up to date; run `python -m codegen {name}`")
    return 1 if diff else 0


if __name__ == "__main__":
    raise SystemExit(main())
