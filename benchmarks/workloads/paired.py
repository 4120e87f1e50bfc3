"""Two processes that take turns: each does one round while the other waits, so that they never share the device."""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from workloads.sides import Unfit

# Importing, building a model and its warm-up; or a round.
PATIENCE_S = 240.0


class Process:
    """A process that answers each line on its standard input with a line of JSON.

    Args:
        script: what it runs. Its first answer says that it is ready.
        job: its argument, as JSON.
        plain: PyTorch alone. Else `torch_fl` may be loaded with PyTorch.
    """

    def __init__(self, script: Path, job: dict, plain: bool) -> None:
        from torch_fl import _parent  # not above: the process without flagos imports this file

        env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        if plain:
            env["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
        self.name = job["device"]
        self.process = subprocess.Popen(
            [sys.executable, str(script), json.dumps(job | {"plain": plain})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            preexec_fn=_parent.die_with_parent(),
        )
        self._held = b""

    def answer(self) -> dict:
        """Its next answer. Raises Unfit where it ends, or takes too long."""
        limit = time.monotonic() + PATIENCE_S
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._held:
                if not ready.select(max(0.0, limit - time.monotonic())):
                    raise Unfit(f"the process for {self.name} gave no answer in {PATIENCE_S:g} seconds")
                data = os.read(self.process.stdout.fileno(), 1 << 16)
                if not data:
                    raise Unfit(
                        f"the process for {self.name} ended with status {self.process.wait()}; its error is above"
                    )
                self._held += data
        line, _, self._held = self._held.partition(b"\n")
        return json.loads(line)

    def ask(self, word: str) -> dict:
        self.process.stdin.write(f"{word}\n".encode())
        self.process.stdin.flush()
        return self.answer()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@contextlib.contextmanager
def pair(script: Path, native: dict, own: dict) -> Iterator[dict[str, Process]]:
    """Both processes, ready, by "native" and "own". One gets ready after the other: neither times anything yet."""
    started: dict[str, Process] = {}
    try:
        for side, job in (("native", native), ("own", own)):
            started[side] = Process(script, job, plain=side == "native")
            started[side].answer()
        yield started
    finally:
        for process in started.values():
            process.end()


def serve(ready: dict, answer: Callable[[str], dict]) -> None:
    """The other end: says that it is ready, then answers each line. What is printed meanwhile goes to stderr."""
    out = os.dup(1)
    os.dup2(2, 1)

    def say(value: dict) -> None:
        os.write(out, (json.dumps(value) + "\n").encode())

    say(ready)
    for line in sys.stdin:
        say(answer(line.strip()))
