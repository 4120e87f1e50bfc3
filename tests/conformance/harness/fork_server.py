"""A process that has imported PyTorch, and forks itself for each piece of code: importing takes longer than most tests.

Nothing of ours is loaded before the fork, so that a child still makes the first call of its process.
"""

import json
import os
import signal
import sys
import time


def _become(request: dict) -> None:
    """Turns this fork into the process that was asked for: its input and output, its environment, its module path."""
    files = (os.devnull, os.O_RDONLY), (request["stdout"], os.O_WRONLY), (request["stderr"], os.O_WRONLY)
    for target, (path, flags) in enumerate(files):
        descriptor = os.open(path, flags | os.O_APPEND)
        os.dup2(descriptor, target)
        os.close(descriptor)
    sys.argv = ["-c"]
    had = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ.clear()
    os.environ.update(request["env"])
    sys.path[1:1] = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p not in had]


def _wait(pid: int, timeout: float) -> int | None:
    """The exit status as subprocess gives it; None where the process had to be killed."""
    end = time.monotonic() + timeout
    while not (done := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
        time.sleep(0.005)
    return os.waitstatus_to_exitcode(done[1])


def serve() -> str:
    """Answers the requests on standard input until it is closed; returns only in a fork, with the code to run.

    A request is a line of JSON: "code", "env" (all of it), "stdout" and "stderr" (files that are there), "timeout"
    (seconds). Its answer on standard output is the exit status, or null where the time was up.
    """
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(request)
            return request["code"]
        print(json.dumps(_wait(pid, request["timeout"])), flush=True)
    os._exit(0)
