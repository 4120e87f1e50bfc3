"""Sessions of the repository; `nox -l` lists them. Vendors are found by folder: vendors/<v>/pyproject.toml.

All sessions share the one environment that `./dev` makes (.venv), so that torch is there once; nox makes none itself.
Nothing is built twice: core and vendors are installed again only where a file that goes into them has changed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterable
from importlib import metadata, util
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))

from progress import StepFailed, run_step, seconds  # noqa: E402

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "none"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["tests"]

VENDORS = sorted(p.parent.name for p in ROOT.glob("vendors/*/pyproject.toml"))
BUILD = ROOT / "build"
LOGS = BUILD / "log"
DIST = ROOT / "dist"

# Modes of the simulated device that the suites run in.
SIM_MODES = {"default": {}, "protect": {"FLAGOS_SIM_PROTECT": "1"}}


def vendor_folder(vendor: str) -> Path:
    return ROOT / "vendors" / vendor


def facts(vendor: str) -> dict:
    return tomllib.loads((vendor_folder(vendor) / "vendor.toml").read_text(encoding="utf-8"))


def embedded(vendor: str) -> bool:
    """The vendor is simulated on the host: it needs no device and no SDK."""
    return bool(facts(vendor).get("embedded", False))


def sdk_variable(vendor: str) -> str:
    """The variable that says where the vendor's SDK is, or ""."""
    homes = facts(vendor).get("sdk", {}).get("home", [])
    return next((home[1:] for home in homes if home.startswith("$")), "")


# ------------------------------------------------------------------------------------------- building and installing


def need_environment(session: nox.Session) -> None:
    if util.find_spec("torch") is None or util.find_spec("scikit_build_core") is None:
        session.error("nox runs here in an environment without torch and the build tools; ./dev <session> makes one")


def digest(paths: Iterable[Path]) -> str:
    """Hash of files by relative path and content, of the Python and of the torch."""
    total = hashlib.sha256(f"{sys.version}\0{metadata.version('torch')}\0".encode())
    for path in sorted(paths):
        total.update(f"{path.relative_to(ROOT)}\0".encode())
        total.update(path.read_bytes())
        total.update(b"\0")
    return total.hexdigest()


def files(*patterns: str) -> list[Path]:
    found = (p for pattern in patterns for p in ROOT.glob(pattern))
    return [p for p in found if p.is_file() and "__pycache__" not in p.parts]


def inputs(name: str) -> list[Path]:
    """The files whose change makes an installed core or vendor stale. Editable Python files are not among them."""
    if name == "core":
        return files(
            "core/CMakeLists.txt",
            "core/pyproject.toml",
            "core/cmake/*",
            "core/include/**/*",
            "core/src/**/*",
            "core/tests/cpp/*",
            "codegen/*.py",
        )
    folder = f"vendors/{name}"
    return files(
        "core/include/**/*",
        f"{folder}/CMakeLists.txt",
        f"{folder}/pyproject.toml",
        f"{folder}/vendor.toml",
        f"{folder}/routes.conf",
        f"{folder}/calls.txt",
        f"{folder}/src/**/*",
        f"{folder}/tests/*.cpp",
    )


def pip(title: str, log: str, *arguments: str, env: dict[str, str] | None = None) -> None:
    command = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments]
    run_step(title, command, LOGS / f"{log}.log", env=env)


def install(session: nox.Session, *names: str, env: dict[str, str] | None = None) -> None:
    """Builds and installs core and vendors, in order, editable, where they are stale; ``env`` on top of os.environ."""
    need_environment(session)
    env = {**os.environ, **(env or {})}
    for name in names:
        project = "core" if name == "core" else f"vendors/{name}"
        stamp = Path(sys.prefix) / "torch-fl" / f"{name}.installed"
        # Another SDK, or other settings, make another library of the same files.
        sdk = env.get(sdk_variable(name), "") + env.get("SKBUILD_CMAKE_DEFINE", "") if name != "core" else ""
        now = digest(inputs(name)) + sdk
        there = stamp.exists() and stamp.read_text(encoding="utf-8") == now
        if there and any(metadata.distributions(name=f"torch-fl-{name}")):
            print(f"{name}: unchanged since it was installed", flush=True)
            continue
        stamp.unlink(missing_ok=True)
        settings = ["--config-settings=cmake.define.TORCH_FL_TESTS=ON"] if name == "core" else []
        # -v only to see in the log, and in the progress line, how far the compiler is.
        step(
            session,
            lambda p=project, n=name, s=settings: pip(
                f"building {n}",
                f"{n}-build",
                "install",
                "-v",
                "--no-build-isolation",
                "--no-deps",
                *s,
                "-e",
                str(ROOT / p),
                env=env,
            ),
        )
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(now, encoding="utf-8")


def install_wheel(session: nox.Session, vendor: str, path: str) -> None:
    """Installs a vendor's wheel that was built before, in place of what is there."""
    (Path(sys.prefix) / "torch-fl" / f"{vendor}.installed").unlink(missing_ok=True)
    words = ["install", "--no-deps", "--no-index", "--force-reinstall", path]
    step(session, lambda: pip(f"installing {Path(path).name}", f"{vendor}-install", *words))


def uninstall(vendor: str) -> None:
    """Takes a vendor out of the environment."""
    (Path(sys.prefix) / "torch-fl" / f"{vendor}.installed").unlink(missing_ok=True)
    pip(f"removing {vendor}", f"{vendor}-remove", "uninstall", "-y", f"torch-fl-{vendor}")


def step(session: nox.Session, action: Callable[[], None]) -> None:
    try:
        action()
    except StepFailed as failure:
        session.error(f"the end of the step's output:\n{failure}")


def run(session: nox.Session, *command: str, env: dict[str, str] | None = None) -> None:
    """Runs a command of the environment with its output on the screen."""
    folders = [sysconfig.get_path("scripts")]
    # Tools that the environment around ours has are not installed again (`./dev` with the Python of one with a torch).
    outer = Path(sysconfig.get_path("purelib"), "torch-fl-outer.pth")
    if outer.exists():
        folders.append(str(Path(outer.read_text(encoding="utf-8").strip()).parents[2] / "bin"))
    path = os.pathsep.join([*folders, os.environ["PATH"]])
    session.run(*command, env={"PATH": path, **(env or {})}, external=True)


def python(session: nox.Session, *arguments: str, env: dict[str, str] | None = None) -> None:
    run(session, sys.executable, *arguments, env=env)


def pytest(session: nox.Session, *arguments: str, env: dict[str, str] | None = None) -> None:
    python(session, "-m", "pytest", *arguments, env=env)


def build_standin(session: nox.Session, vendor: str) -> dict[str, str]:
    """Builds a vendor's stand-in SDK; the variables that make builds and processes take it for the SDK."""
    need_environment(session)
    sdk = BUILD / f"{vendor}-sdk"
    source = ["-S", str(vendor_folder(vendor) / "sdk"), "-B", str(sdk), f"-DPython3_EXECUTABLE={sys.executable}"]
    for title, command in (
        ("configuring", ["cmake", "-G", "Ninja", *source]),
        ("building", ["cmake", "--build", str(sdk)]),
    ):
        text = f"{title} {vendor}'s stand-in SDK"
        step(session, lambda t=text, c=command: run_step(t, c, LOGS / f"{vendor}-sdk.log"))
    path = f"{sdk / 'lib'}{os.pathsep}{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(os.pathsep)
    home = sdk_variable(vendor)
    return {**({home: str(sdk)} if home else {}), "LD_LIBRARY_PATH": path}


def wheel(session: nox.Session, name: str, folder: Path = DIST, env: dict[str, str] | None = None) -> Path:
    """The wheel of core or of a vendor in a folder, built next to the torch and the SDK that are here."""
    need_environment(session)
    project = ROOT / ("core" if name == "core" else f"vendors/{name}")
    settings = ["--config-settings=cmake.define.TORCH_FL_TESTS=OFF"] if name == "core" else []
    step(
        session,
        lambda: pip(
            f"wheel of {name}",
            f"{name}-wheel",
            "wheel",
            "-v",
            "--no-build-isolation",
            "--no-deps",
            *settings,
            "-w",
            str(folder),
            str(project),
            env=env,
        ),
    )
    made = max(folder.glob(f"torch_fl_{name}-*.whl"), key=lambda p: p.stat().st_mtime)
    print(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:.2f} MB")
    return made


# --------------------------------------------------------------------------------------------------- parts of `tests`


def part_lint(session: nox.Session) -> None:
    lint_quick(session)
    pytest(session, "tools/tests", "-q")


def part_codegen(session: nox.Session) -> None:
    python(session, "-m", "codegen", "--check")
    pytest(session, "codegen/tests", "-q")


def part_build(session: nox.Session) -> None:
    install(session, "core", *filter(embedded, VENDORS))


def part_alone(session: nox.Session) -> None:
    for vendor in filter(embedded, VENDORS):
        alone(session, vendor)


def alone(session: nox.Session, vendor: str, env: dict[str, str] | None = None) -> None:
    """A vendor builds where there is no torch, and links neither it nor Python; ``env`` on top of os.environ."""
    folder = BUILD / "alone" / vendor
    shutil.rmtree(folder, ignore_errors=True)
    # pip builds in an isolated environment that has only what pyproject.toml asks for.
    env = {**os.environ, "PIP_CONSTRAINT": str(ROOT / "tools/requirements/tools.txt"), **(env or {})}
    words = ["wheel", "-v", "--no-deps", "-w", str(folder), f"--config-settings=build-dir={folder / 'build'}"]
    step(
        session,
        lambda: pip(
            f"building {vendor} where torch is absent",
            f"{vendor}-alone",
            *words,
            str(vendor_folder(vendor)),
            env=env,
        ),
    )
    (built,) = folder.glob("*.whl")
    if "-py3-none-" not in built.name:
        session.error(f"{built.name} is bound to one Python; vendor wheels are py3-none")
    if built.stat().st_size > 1_000_000:
        session.error(f"{built.name} has {built.stat().st_size} bytes; a vendor's wheel stays under 1 MB")
    with zipfile.ZipFile(built) as archive:
        library = archive.extract(f"torch_fl_{vendor}/libtorch_fl_{vendor}.so", folder)
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    wrong = [n for n in needed if re.match(r"lib(torch|c10|python)", n)]
    if wrong:
        session.error(f"libtorch_fl_{vendor}.so links {wrong}")
    print(f"{built.name}: {built.stat().st_size // 1000} kB, needs {', '.join(needed)}")


def part_cpp(session: nox.Session) -> None:
    """The headers for vendors alone, core's C++ tests, and the lock-free structures under ThreadSanitizer."""
    include = ROOT / "core/include"
    for header, *standards in (("vendor.h", "c11", "c++17", "c++20"), ("vendor_kit.h", "c++17", "c++20")):
        for standard in standards:
            run(
                session,
                os.environ.get("CXX", "g++"),
                "-x",
                standard.rstrip("0123456789"),
                f"-std={standard}",
                "-Wall",
                "-Wextra",
                "-pedantic",
                "-Werror",
                "-fsyntax-only",
                f"-I{include}",
                str(include / "torch_fl" / header),
            )
    (core_build,) = BUILD.glob(f"core-cp{sys.version_info.major}{sys.version_info.minor}-*")
    run(session, "ctest", "--test-dir", str(core_build), "--output-on-failure", "--no-tests=ignore")
    tsan = BUILD / "tsan"
    logs = LOGS / "tsan.log"
    step(
        session,
        lambda: run_step(
            "configuring for ThreadSanitizer",
            [
                "cmake",
                "-G",
                "Ninja",
                "-S",
                str(ROOT / "core"),
                "-B",
                str(tsan),
                "-DTORCH_FL_TSAN=ON",
                f"-DPython3_EXECUTABLE={sys.executable}",
            ],
            logs,
        ),
    )
    step(session, lambda: run_step("building for ThreadSanitizer", ["cmake", "--build", str(tsan)], logs))
    run(session, "ctest", "--test-dir", str(tsan), "--output-on-failure", "--no-tests=ignore")


def part_minors(session: nox.Session) -> None:
    """Core compiles for the minors of torch that are supported and run nowhere."""
    python(session, "tools/compile_minors.py")


def part_core(session: nox.Session) -> None:
    pytest(session, "core/tests", "-q")


def part_vendors(session: nox.Session) -> None:
    for vendor in filter(embedded, VENDORS):
        pytest(session, f"vendors/{vendor}/tests", "-q", env={"FLAGOS_ACCELERATOR": vendor})


def part_conformance(session: nox.Session) -> None:
    """The shared suite in every mode of the simulated device, side by side: one run has no use for two cores."""
    for vendor in filter(embedded, VENDORS):
        runs = {
            mode: (["tests/conformance"], {"FLAGOS_ACCELERATOR": vendor, **variables})
            for mode, variables in SIM_MODES.items()
        }
        failed = side_by_side(f"conformance-{vendor}", runs)
        if failed:
            session.error(f"{vendor}: the suite failed in mode {', '.join(failed)}")


# Of the part's time, the seconds that its tests may take; the rest is for installing what they need.
FLAGGEMS_TESTS = 240


def part_flaggems(session: nox.Session) -> None:
    """FlagGems' kernels, interpreted on the simulated device, and compiled for a GPU that is not there."""
    folder = install_flaggems(session)
    standin = build_standin(session, "cuda")
    try:
        install(session, "core", "sim", "cuda", env=standin)
        path = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}".rstrip(os.pathsep)
        tests = sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("tests/conformance/test_flaggems*.py"))
        runs = {
            "interpreted": (tests, {"FLAGOS_ACCELERATOR": "sim", "PYTHONPATH": path}),
            "virtual GPU": (
                ["tests/vgpu", "--require-vgpu"],
                {"FLAGOS_ACCELERATOR": "cuda", "PYTHONPATH": path, **standin},
            ),
        }
        start = time.monotonic()
        failed = side_by_side("flaggems", runs)
        took = time.monotonic() - start
    finally:
        # Over the stand-in it would be the device of every later process here.
        step(session, lambda: uninstall("cuda"))
    if failed:
        session.error(f"failed: {', '.join(failed)}")
    if took > FLAGGEMS_TESTS and os.environ.get("CI") == "true":
        session.error(f"the tests took {seconds(took)}, and may take {seconds(FLAGGEMS_TESTS)}")


def install_flaggems(session: nox.Session) -> Path:
    """FlagGems and Triton in a folder of their own, once: next to them PyTorch is another for all other tests."""
    need_environment(session)
    requirements = ROOT / "tools/requirements/flaggems.txt"
    folder = BUILD / "flaggems"
    stamp, now = folder / "installed", digest([requirements])
    if stamp.exists() and stamp.read_text(encoding="utf-8") == now:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    words = ["install", "--no-deps", "--no-compile", "--target", str(folder), "-r", str(requirements)]
    step(session, lambda: pip("installing FlagGems and Triton", "flaggems-install", *words))
    stamp.write_text(now, encoding="utf-8")
    return folder


def side_by_side(log: str, runs: dict[str, tuple[list[str], dict[str, str]]]) -> list[str]:
    """Runs pytest several times at once, each by name with its arguments and variables; returns those that failed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    running = {}
    try:
        for name, (words, variables) in runs.items():
            path = LOGS / f"{log}-{name.replace(' ', '-')}.log"
            env = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
            command = [sys.executable, "-m", "pytest", *words, "-q"]
            with path.open("w", encoding="utf-8") as out:
                process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=out, stderr=subprocess.STDOUT)
            running[name] = (process, path)
        return watch(running)
    finally:
        for process, _ in running.values():
            if process.poll() is None:
                process.kill()


def watch(running: dict[str, tuple[subprocess.Popen, Path]]) -> list[str]:
    """Shows how far pytest runs are, then the end of each one's output; returns those that failed."""
    shown = time.monotonic()
    while any(process.poll() is None for process, _ in running.values()):
        time.sleep(1)
        if time.monotonic() - shown >= 30:
            shown = time.monotonic()
            far = {
                mode: (re.findall(r"\[ *(\d+)%\]", log.read_text(errors="replace")) or ["0"])[-1]
                for mode, (_, log) in running.items()
            }
            print("    " + ", ".join(f"{mode} {percent}%" for mode, percent in far.items()), flush=True)
    for mode, (process, log) in running.items():
        lines = log.read_text(errors="replace").splitlines()
        print(f"-- {mode}", *lines[-1 if process.returncode == 0 else -80 :], sep="\n", flush=True)
    return [mode for mode, (process, _) in running.items() if process.returncode != 0]


# Part, its share of time in seconds on 2 cores. In CI a part that takes a quarter more than its share fails.
PARTS: dict[str, tuple[Callable[[nox.Session], None], int]] = {
    "lint": (part_lint, 60),
    "codegen": (part_codegen, 90),
    "build": (part_build, 480),
    "alone": (part_alone, 90),
    "cpp": (part_cpp, 180),
    "minors": (part_minors, 600),
    "core": (part_core, 480),
    "vendors": (part_vendors, 150),
    "conformance": (part_conformance, 900),
    "flaggems": (part_flaggems, 300),
}
OVER = 1.25


@nox.session
def tests(session: nox.Session) -> None:
    """Everything that a machine without an accelerator can prove; arguments select parts (-- lint core)."""
    unknown = set(session.posargs) - set(PARTS)
    if unknown:
        session.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    failed, table = [], []
    for name, (part, share) in PARTS.items():
        if session.posargs and name not in session.posargs:
            continue
        print(f"\n== {name}", flush=True)
        start = time.monotonic()
        try:
            part(session)
            verdict = "passed"
        except Exception as failure:  # what session.run and session.error raise; nox keeps the second type to itself
            print(failure, flush=True)
            verdict = "FAILED"
        took = time.monotonic() - start
        if verdict == "passed" and took > share * OVER and os.environ.get("CI") == "true":
            verdict = f"FAILED: over its share of {seconds(share)}"
        table.append(f"  {name:12} {seconds(took):>12}   {verdict}")
        if verdict != "passed":
            failed.append(name)
            if name == "build":
                break
    print("\n== time\n" + "\n".join(table), flush=True)
    if failed:
        session.error(f"failed: {', '.join(failed)}")
    for vendor in VENDORS:
        if not session.posargs and (vendor_folder(vendor) / "sdk").is_dir():
            session.notify(f"{vendor}-sim")


# ----------------------------------------------------------------------------------------------------------- sessions


@nox.session
def demo(session: nox.Session) -> None:
    """A real model on the simulated device: embeddings, a few steps of training, and what ran where."""
    simulated = list(filter(embedded, VENDORS))
    install(session, "core", *simulated)
    # The environment may hold other vendors too, which go before the simulated device.
    accelerator = os.environ.get("FLAGOS_ACCELERATOR", simulated[0])
    python(session, "examples/demo.py", *session.posargs, env={"FLAGOS_ACCELERATOR": accelerator})


def cpp_sources() -> list[str]:
    """What clang-format sees to: what is written by hand."""
    folders = ("core", "vendors/*/src", "vendors/*/sdk/src", "vendors/*/tests")
    found = files(*(f"{folder}/**/*{suffix}" for folder in folders for suffix in (".h", ".cpp")))
    return [str(p.relative_to(ROOT)) for p in found if not {"generated", "templates"} & set(p.parts)]


def lint_quick(session: nox.Session) -> None:
    python(session, "tools/lint")
    run(session, "ruff", "check", ".")
    run(session, "ruff", "format", "--check", ".")
    run(session, "codespell", ".")
    run(session, "clang-format", "--dry-run", "--Werror", *cpp_sources())


@nox.session
def lint(session: nox.Session) -> None:
    """Formatting, spelling and the repository's own rules; -- --fix mends what can be mended."""
    if "--fix" in session.posargs:
        run(session, "ruff", "check", "--fix", ".")
        run(session, "ruff", "format", ".")
        run(session, "clang-format", "-i", *cpp_sources())
    lint_quick(session)


@nox.session
def codegen(session: nox.Session) -> None:
    """Writes vendors/*/src/generated and vendors/*/routes.conf; -- --check only compares."""
    need_environment(session)
    python(session, "-m", "codegen", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Every speed that the project promises, as a ratio of two things measured side by side."""
    install(session, "core", *filter(embedded, VENDORS))
    python(session, "benchmarks/run_all.py", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Links in all Markdown files lead somewhere."""
    python(session, "tools/lint", "links")


@nox.session(name="conformance-full")
def conformance_full(session: nox.Session) -> None:
    """The conformance suite with every sample, in every mode of the simulated device."""
    install(session, "core", *filter(embedded, VENDORS))
    for vendor in filter(embedded, VENDORS):
        for mode in SIM_MODES.values():
            pytest(session, "tests/conformance", "--full", *session.posargs, env={"FLAGOS_ACCELERATOR": vendor, **mode})


@nox.session(name="core-dev")
def core_dev(session: nox.Session) -> None:
    """Builds and installs core, editable, for the torch in use."""
    install(session, "core")


@nox.session(name="core-wheel")
def core_wheel(session: nox.Session) -> None:
    """The wheel of core, for the torch in use, in dist/."""
    wheel(session, "core")


def vendor_sessions(vendor: str) -> None:
    """The sessions of one vendor. A new folder has them by existing."""
    folder = vendor_folder(vendor)

    @nox.session(name=f"{vendor}-wheel", tags=[vendor])
    def vendor_wheel(session: nox.Session) -> None:
        wheel(session, vendor)

    vendor_wheel.__doc__ = f"The wheel of {vendor} in dist/."

    @nox.session(name=f"{vendor}-dev", tags=[vendor])
    def vendor_dev(session: nox.Session) -> None:
        install(session, "core", vendor)

    vendor_dev.__doc__ = f"Builds and installs core and {vendor}, editable."

    if "sdk" in facts(vendor):

        @nox.session(name=f"{vendor}-provision", tags=[vendor])
        def vendor_provision(session: nox.Session) -> None:
            python(session, "tools/provision.py", vendor, *session.posargs)

        vendor_provision.__doc__ = f"The environment for {vendor}'s device, step by step; -- --plan only prints it."

    if (folder / "sdk").is_dir():

        @nox.session(name=f"{vendor}-sim", tags=[vendor])
        def vendor_sim(session: nox.Session) -> None:
            env = build_standin(session, vendor)
            try:
                install(session, "core", vendor, env=env)
                if not session.posargs:
                    alone(session, vendor, env)
                words = [w for w in session.posargs if w != "--keep"] or ["--rest", "--jobs", "2"]
                python(session, "tools/groups.py", vendor, "--standin", *words, env=env)
            finally:
                # Linked to the stand-in it loads nowhere else, and would be the device of every later process here.
                if "--keep" not in session.posargs:
                    step(session, lambda: uninstall(vendor))

        vendor_sim.__doc__ = (
            f"{vendor} on its stand-in SDK: its groups (or those named), and the rest of the suite; -- --keep leaves "
            "the build installed."
        )

    if (folder / "integration.toml").is_file():

        @nox.session(name=f"{vendor}-integration", tags=[vendor])
        def vendor_integration(session: nox.Session) -> None:
            if "--list" not in session.posargs:
                python(session, "tools/groups.py", vendor, "--missing")
                install(session, "core", vendor)
            python(session, "tools/groups.py", vendor, *(session.posargs or ["--rest"]))

        vendor_integration.__doc__ = (
            f"{vendor} on the real SDK and device: its groups, then the rest of the suite; or those named; -- --list "
            "shows them."
        )

    for told in manifest(vendor).get("sessions", []):
        extra_session(vendor, told)


def manifest(vendor: str) -> dict:
    path = vendor_folder(vendor) / "integration.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def extra_session(vendor: str, told: dict) -> None:
    """A session of [[sessions]] in integration.toml: the vendor built with other settings, and some of its groups."""
    name = f"{vendor}-{told['name']}"

    def settings(session: nox.Session) -> dict[str, str]:
        """The variables of a build."""
        for variable, what in told.get("needs", {}).items():
            if not os.environ.get(variable):
                session.error(f"set {variable}: {what}")
        return {**os.environ, **told.get("env", {})}

    @nox.session(name=name, tags=[vendor])
    def vendor_extra(session: nox.Session) -> None:
        words = list(session.posargs)
        if "--build-wheel" in words:
            wheel(session, vendor, DIST / name, settings(session))
            return
        keep, ready = "--keep" in words, ""
        if keep:
            words.remove("--keep")
        if "--wheel" in words:
            at = words.index("--wheel")
            if at + 1 == len(words):
                session.error("--wheel is followed by the path of a wheel")
            ready = words[at + 1]
            del words[at : at + 2]
        try:
            install(session, "core")
            if ready:
                install_wheel(session, vendor, ready)
            else:
                install(session, vendor, env=settings(session))
            python(session, "tools/groups.py", vendor, "--anywhere", *(words or [*told["groups"], "--rest"]))
        finally:
            # As built here it is for one kind of machine, which the next session may not be for.
            if not keep:
                step(session, lambda: uninstall(vendor))

    vendor_extra.__doc__ = (
        f"{told['about']}; its groups, or those named; -- --build-wheel only makes the wheel, in dist/{name}; -- "
        "--wheel FILE uses one; -- --keep leaves the build installed."
    )


for _vendor in VENDORS:
    vendor_sessions(_vendor)
