"""Runs a long command so that a person can follow it: one line with the time so far, the output in a log file.

Standard library only, and readable by old Pythons: `./dev` uses it before anything is installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

# ninja's "[12/40] Building ..."
NINJA = re.compile(rb"^\s*\[(\d+)/(\d+)\]", re.MULTILINE)
QUIET_LINE_EVERY = 30.0  # seconds between lines where output is no terminal


class StepFailed(Exception):
    """A step's command ended with another status than 0; the text holds the end of its log and where the log is."""


def seconds(value: float) -> str:
    """``75.2`` -> ``1 min 15 s``."""
    whole = round(value)
    return "%d min %02d s" % divmod(whole, 60) if whole >= 60 else "%d s" % whole


def _tail(log: Path, lines: int) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")
    return "\n".join("    " + line for line in text.rstrip().splitlines()[-lines:])


class _Ticker(threading.Thread):
    """Says every while that the step is alive, and how far ninja is, until told to stop."""

    def __init__(self, title: str, log: Path) -> None:
        super().__init__(daemon=True)
        self.title, self.log, self.start_time = title, log, time.monotonic()
        self.done = threading.Event()
        self.terminal = sys.stdout.isatty()

    def line(self) -> str:
        found = NINJA.findall(self.log.read_bytes()[-4096:])
        step = " %s/%s files" % tuple(n.decode() for n in found[-1]) if found else ""
        return "%s ... %s%s" % (self.title, seconds(time.monotonic() - self.start_time), step)

    def run(self) -> None:
        while not self.done.wait(0.5 if self.terminal else QUIET_LINE_EVERY):
            print("\r\033[K" + self.line() if self.terminal else self.line(), end="" if self.terminal else "\n")
            sys.stdout.flush()


def run_step(
    title: str, command: list[str], log: Path, env: dict[str, str] | None = None, cwd: Path | None = None
) -> None:
    """Runs ``command`` with its output in ``log``.

    Raises StepFailed where it fails. On Ctrl-C the command is ended too, and KeyboardInterrupt goes on.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with log.open("wb") as out:
        out.write(("$ " + " ".join(command) + "\n").encode())
        out.flush()
        ticker = _Ticker(title, log)
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=cwd
        )
        if ticker.terminal:
            print(title, end=" ...", flush=True)
        ticker.start()
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            ticker.done.set()
            ticker.join()
            if ticker.terminal:
                print("\r\033[K", end="")
    if status != 0:
        print("%s: failed after %s" % (title, seconds(time.monotonic() - start)), flush=True)
        raise StepFailed("%s\n  The whole log: %s" % (_tail(log, 25), os.path.relpath(log)))
    print("%s: done in %s" % (title, seconds(time.monotonic() - start)), flush=True)


def run_shown(
    command: list[str], indent: str = "", env: dict[str, str] | None = None, cwd: Path | None = None
) -> tuple[int, str]:
    """Runs ``command`` with its output shown as it comes. Returns its status and the output."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, cwd=cwd)
    lines = []
    for line in process.stdout:
        print(indent + line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)
