"""A child process that ends with us: signals are passed on, and it does not outlive even a SIGKILL of ours."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from torch_fl import _parent

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def run(command: list[str], environ: Mapping[str, str]) -> tuple[int, int]:
    """Runs a command to its end, passing SIGTERM, SIGHUP and SIGINT on to it.

    Returns:
        The exit status (the negative number of the signal that ended it), and the process id that it had.

    Raises:
        OSError: it cannot be started.
    """
    early: list[int] = []  # signals that came before there was a child
    child: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, frame: object) -> None:
        if child is None:
            early.append(number)
        elif not (number == signal.SIGINT and _in_foreground()):
            child.send_signal(number)

    with _handler(pass_on):
        child = subprocess.Popen(command, env=dict(environ), preexec_fn=_parent.die_with_parent())
        for number in early:
            pass_on(number, None)
        return child.wait(), child.pid


@contextmanager
def _handler(function: object) -> Iterator[None]:
    # One that is ignored, as nohup and a shell's & do it, stays ignored, here and in the child.
    before = {n: signal.getsignal(n) for n in _PASSED_ON if signal.getsignal(n) is not signal.SIG_IGN}
    try:
        for number in before:
            signal.signal(number, function)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    # Then a Ctrl-C reaches the child as well, from the terminal; a second one could break off its last words.
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
