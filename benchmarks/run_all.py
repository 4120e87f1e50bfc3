"""Runs every benchmark, and writes results/<date>-<machine kind>.json and the table in results/README.md.

python benchmarks/run_all.py              # all of them
python benchmarks/run_all.py --skip build # all but the builds
python benchmarks/run_all.py --table      # only the table again, from the newest results
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import Result, notes, number

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
BENCHMARKS = ("dispatch", "fallback", "plans", "kv_cache", "minilm", "import_cost", "replay_cost", "build")


def measure(name: str) -> dict | None:
    """Runs one benchmark in a process of its own and returns its report, or None where it wrote none."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "report.json"
        subprocess.run([sys.executable, str(HERE / f"{name}.py"), "--json", str(written)], check=False)
        if not written.exists():
            return None
        return json.loads(written.read_text(encoding="utf-8"))


KEPT = "<!-- from here on written by hand -->"


def table(reports: list[dict], source: str) -> str:
    """Returns the Markdown page for the reports in results/`source`."""
    seen = reports[0]["environment"]
    wheels = ", ".join(f"{name} {version}" for name, version in seen["wheels"].items())
    lines = [
        "# Benchmark results",
        "",
        f"Written by `python benchmarks/run_all.py` from [{source}]({source}). "
        f"Measured on {seen['date']}: {seen['processor']}, {seen['machine']}; Python {seen['python']}, "
        f"torch {seen['torch']} on one thread; {wheels}; the simulated device in its default mode.",
        "",
        "A speed is the median ratio of two things that ran alternately on the same machine; `../README.md` says how. "
        "A bar is the most that a value may be.",
        "",
    ]
    for report in reports:
        lines += [f"## {report['title']}", "", f"`{report['command']}`, {report['environment']['date']}", ""]
        lines += ["| | measured | bar | | detail |", "|---|---:|---:|---|---|"]
        for fields in report["results"]:
            holds = fields.pop("holds")
            result = Result(**fields)
            bar = "" if result.bar is None else f"≤ {number(result.bar, result.unit)}"
            mark = "" if result.bar is None else "holds" if holds else "**missed**"
            lines.append(f"| {result.name} | {number(result.value, result.unit)} | {bar} | {mark} | {result.detail} |")
        lines.append("")
    return "\n".join(lines)


def write_table(path: Path) -> None:
    """Writes results/README.md; what stands there from the mark on is kept."""
    reports = json.loads(path.read_text(encoding="utf-8"))
    page = RESULTS / "README.md"
    _, mark, kept = page.read_text(encoding="utf-8").partition(KEPT) if page.exists() else ("", "", "")
    page.write_text(
        "\n".join([table(reports, path.name), mark + kept]) if mark else table(reports, path.name), encoding="utf-8"
    )
    notes.print(f"wrote {path.relative_to(HERE.parent)} and benchmarks/results/README.md")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skip", action="append", default=[], choices=BENCHMARKS, help="leave this one out")
    parser.add_argument("--table", action="store_true", help="write the table from the newest results and run nothing")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    if options.table:
        stored = sorted(RESULTS.glob("*cpu.json"))
        if not stored:
            parser.error("--table: there are no results yet")
        write_table(stored[-1])
        return 0
    reports, failed = [], []
    chosen = [name for name in BENCHMARKS if name not in options.skip]
    for count, name in enumerate(chosen, start=1):
        notes.print(f"[bold]{count}/{len(chosen)} {name}[/]")
        if (report := measure(name)) is None:
            failed.append(name)
        else:
            reports.append(report)
    if failed:
        notes.print(f"[red]ended without a result, with the message above:[/] {', '.join(failed)}")
    if not reports:
        return 1
    kind = f"{platform.machine()}-{len(os.sched_getaffinity(0))}cpu"
    path = RESULTS / f"{datetime.date.today().isoformat()}-{kind}.json"
    path.write_text(json.dumps(reports, indent=2) + "\n", encoding="utf-8")
    write_table(path)
    missed = [result["name"] for report in reports for result in report["results"] if not result["holds"]]
    if missed:
        notes.print(f"[red]missed:[/] {'; '.join(missed)}")
    return 1 if missed or failed else 0


if __name__ == "__main__":
    sys.exit(main())
