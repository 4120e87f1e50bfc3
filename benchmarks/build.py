"""Clean builds of core's wheel and of every vendor's, each in a folder of its own: seconds and sizes.

Nothing of an earlier build is used and nothing is left behind. Core's bar is for two processors.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
from harness import Result

ROOT = Path(__file__).resolve().parents[1]
CORE_SECONDS, VENDOR_SECONDS, VENDOR_MEGABYTES = 360, 15, 1.0
# A vendor with hundreds of rows over its SDK's headers may take twice as long.
MANY_ROWS = {"gcu": 30}


def build(project: Path) -> tuple[float, float]:
    """Builds one wheel from clean. Returns the seconds that it took and the wheel's size in MB (10^6 bytes)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
        command += [f"--config-settings=build-dir={folder}/build", "--wheel-dir", folder, str(project)]
        with harness.notes.status(f"building {project.name} from clean"):
            start = time.perf_counter()
            done = subprocess.run(
                command,
                env=os.environ | {"CMAKE_BUILD_PARALLEL_LEVEL": str(len(os.sched_getaffinity(0)))},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"The build of {project.name} failed:\n{done.stdout[-4000:]}")
        (wheel,) = Path(folder).glob("*.whl")
        return seconds, wheel.stat().st_size / 1e6


def main() -> int:
    parser = harness.parser(__doc__, rounds=1, device=False)
    parser.add_argument("--only", help="build this one only: core, or a vendor")
    options = parser.parse_args()
    projects = [ROOT / "core", *sorted(path.parent for path in ROOT.glob("vendors/*/pyproject.toml"))]
    if options.only:
        projects = [project for project in projects if project.name == options.only]
        if not projects:
            parser.error(f"--only {options.only}: there is no such project")
    results = []
    for project in projects:
        built = [build(project) for _ in range(options.rounds)]
        seconds, megabytes = sorted(built)[len(built) // 2]
        core = project.name == "core"
        results.append(
            Result(
                f"{project.name}: clean build",
                seconds,
                "s",
                CORE_SECONDS if core else MANY_ROWS.get(project.name, VENDOR_SECONDS),
            )
        )
        results.append(Result(f"{project.name}: wheel", megabytes, "MB", None if core else VENDOR_MEGABYTES))
    return harness.finish("Builds", results, options)


if __name__ == "__main__":
    sys.exit(main())
