"""Children of the torch-fl command: signals reach them, and none is left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import CORE

# The child says what reaches it, and its process id; the parent prints what came back.
CHILD = """
import os, signal, sys, time
def got(number, frame):
    print("got", number, flush=True)
    sys.exit(7)
if "handle" in sys.argv:
    signal.signal(int(sys.argv[2]), got)
print(os.getpid(), flush=True)
time.sleep(60)
"""
# What the tests' own caller ignores (nohup) would be ignored here too.
PARENT = f"""
import os, signal, sys, types
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
package = sys.modules["torch_fl"] = types.ModuleType("torch_fl")  # without the device
package.__path__ = [{str(CORE / "torch_fl")!r}]
from importlib import util
spec = util.spec_from_file_location("child", {str(CORE / "torch_fl" / "cli" / "child.py")!r})
child = util.module_from_spec(spec)
spec.loader.exec_module(child)
print("ended", child.run([sys.executable, "-c", {CHILD!r}, *sys.argv[1:]], os.environ)[0], flush=True)
"""


@pytest.fixture
def parent():
    """Starts a parent with a child; gives the parent and the child's process id."""
    started = []

    def start(*words):
        # A session of its own has no terminal, from which a Ctrl-C would reach the child too.
        process = subprocess.Popen(
            [sys.executable, "-c", PARENT, *map(str, words)], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        started.append(process)
        return process, int(process.stdout.readline())

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def gone(pid, within_s=5.0):
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_child(parent, number):
    process, pid = parent()
    process.send_signal(number)
    assert process.stdout.readline() == f"ended {-number}\n"
    assert process.wait(10) == 0 and gone(pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_child_may_answer_a_signal(parent, number):
    process, _ = parent("handle", int(number))
    process.send_signal(number)
    assert process.stdout.read().splitlines() == [f"got {int(number)}", "ended 7"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's part in it is Linux's")
def test_a_killed_parent_takes_its_child_along(parent):
    process, pid = parent()
    process.kill()
    process.wait(10)
    assert gone(pid)
