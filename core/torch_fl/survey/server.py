"""A process that forks itself for each op of a survey. Run by its path: nothing of torch_fl is loaded before the fork.

It imports PyTorch and its OpInfos, and touches no device: a driver that is in use does not survive a fork. Where that
import opens one all the same, it starts itself again without, and each child imports them. A request is a line of JSON
on standard input: the job of measure.py, with "seconds" also the time that one case may take. The answer is a line on
standard output::

    {"op", "cases": [{"name", "dtype", "status", ...}], "notes": [...], "log": "all that was printed", "seconds",
     "ended": "" or how the process ended before its first case}

A case that ends the process, or after which the device no longer works in it, is "crash", one that takes longer than
"seconds" is "hang"; the process is then started again without the dtype of that case.
"""

import ctypes
import gc
import json
import os
import select
import signal
import sys
import tempfile
import time

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Importing and loading the vendor, before the first case.
_START_S = 180.0
# So many that hang tell enough of an op.
_HANGS = 3
_ABSENT = object()
_HOST = ("a case that the host does not survive", "a case that takes the host too long")


def _follow_parent(parent: int, prctl: object) -> None:
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(128 + signal.SIGKILL)


def _child(job: dict, events: int, log: int) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, null), (1, log), (2, log)):
        os.dup2(source, target)
    # What interrupts the survey is for its first process, which then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def emit(event: dict) -> None:
        os.write(events, (json.dumps(event, default=str) + "\n").encode())

    status = 1
    try:
        sys.path[:0] = job.get("path", [])
        from torch_fl.survey import measure

        emit({"started": True})
        measure.run(job, emit)
        emit({"finished": True})
        status = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _lines(fd: int, held: bytearray, wait: float) -> list | None:
    """The events that came within ``wait`` seconds; None where there will be no more."""
    ready, _, _ = select.select([fd], [], [], max(0.0, wait))
    if not ready:
        return []
    data = os.read(fd, 1 << 16)
    if not data:
        return None
    held += data
    *whole, rest = bytes(held).split(b"\n")
    held[:] = rest
    return [json.loads(line) for line in whole]


def _once(job: dict, log: int, prctl: object, answer: dict) -> dict | None:
    """Runs the op in a fork until that ends, adding to the answer. Gives the case that ended it; None for none."""
    read, write = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        _follow_parent(parent, prctl)
        os.close(read)
        _child(job, write, log)
    os.close(write)
    held = bytearray()
    current: dict | None = None
    finished = late = False
    limit = time.monotonic() + _START_S
    while True:
        events = _lines(read, held, limit - time.monotonic())
        if events is None:
            break
        if not events and time.monotonic() > limit:
            late = True
            break
        for event in events:
            if "begin" in event:
                current = event
                limit = time.monotonic() + job["seconds"]
            elif "status" in event:
                current = None
                answer["cases"].append(event)
                limit = time.monotonic() + job["seconds"]
            elif "dead" in event and current is not None:
                current["dead"] = event["dead"]
            elif "note" in event:
                answer["notes"].append(event["note"])
            finished |= "finished" in event
    os.close(read)
    if late or finished:  # what it leaves running ends with it
        _kill(pid)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    _kill(pid)
    if finished:
        return None
    if late:
        how = f"no end after {job['seconds'] if current else _START_S:g} seconds"
    elif status < 0:
        how = f"ended by signal {-status} ({signal.Signals(-status).name})"
    else:
        how = f"ended with status {status}"
    if current is None:
        answer["ended"] = how
        return None
    if "dead" in current:
        how = current["dead"]
    case = {"name": current["begin"], "dtype": current["dtype"], "call": current.get("call", "")}
    case["without"] = current["group"] if current["on"] == "device" else current["begin"]
    if current["on"] == "host":
        return {**case, "status": "invalid", "text": f"{_HOST[late]}: {how}"}
    return {**case, "status": "hang" if late else "crash", "text": how}


def _kill(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def _answer(job: dict, prctl: object) -> dict:
    answer: dict = {"op": job["op"], "cases": [], "notes": [], "log": "", "ended": ""}
    started = time.monotonic()
    skip = list(job["skip"])
    with tempfile.TemporaryFile() as log:
        left, hangs = job["budget"], 0
        while (case := _once({**job, "skip": skip, "budget": left}, log.fileno(), prctl, answer)) is not None:
            answer["cases"].append(case)
            skip += [case.pop("without"), *(c["name"] for c in answer["cases"])]
            hangs += case["status"] == "hang"
            if hangs == _HANGS:
                answer["notes"].append(f"the cases from {case['name']} on were not run: {hangs} had hung")
                break
            # The time of a hang is no part of the budget.
            left = max(0.0, job["budget"] + hangs * job["seconds"] - (time.monotonic() - started))
        log.seek(0)
        answer["log"] = log.read().decode(errors="replace")
    answer["seconds"] = round(time.monotonic() - started, 2)
    return answer


# Without PyTorch's OpInfos.
_BARE = "--bare"


def devices_open(folder: str = "/proc/self/fd") -> set[str]:
    """The device nodes that this process has open, without terminals and such."""
    found = set()
    for fd in os.listdir(folder) if os.path.isdir(folder) else ():
        try:
            name = os.readlink(os.path.join(folder, fd))
        except OSError:
            continue
        if name.startswith("/dev/") and not name.startswith(
            ("/dev/null", "/dev/pts", "/dev/tty", "/dev/shm", "/dev/u")
        ):
            found.add(name)
    return found


def import_infos() -> None:
    """Imports PyTorch's OpInfos, which takes seconds, where they are installed. They ask which devices there are, and
    are told none, nor that there is numba, which would look for itself: the question alone would start a driver."""
    import torch

    there = sys.modules.get("numba", _ABSENT)
    sys.modules["numba"] = None
    asked = {
        (module, name): getattr(module, name)
        for module in (torch.cuda, torch.xpu, torch.accelerator)
        for name in ("is_available", "device_count")
        if hasattr(module, name)
    }
    try:
        for module, name in asked:
            setattr(module, name, _no_device if name == "is_available" else _no_devices)
        import torch.testing._internal.common_methods_invocations
    except Exception:  # each child tries again, and tells
        pass
    finally:
        for (module, name), function in asked.items():
            setattr(module, name, function)
        del sys.modules["numba"]
        if there is not _ABSENT:
            sys.modules["numba"] = there


def _no_device() -> bool:
    return False


def _no_devices() -> int:
    return 0


def serve(bare: bool = False) -> None:
    """Answers requests until standard input is closed."""
    prctl = ctypes.CDLL(None).prctl if sys.platform.startswith("linux") else None
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import torch

    torch.set_num_threads(1)
    if not bare:
        before = devices_open()
        import_infos()
        if devices_open() - before:
            os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), _BARE])
    gc.freeze()  # a child's collections leave these pages shared
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line), prctl)), flush=True)


if __name__ == "__main__":
    del sys.path[0]  # this folder, whose names are those of a package
    serve(bare=_BARE in sys.argv)
