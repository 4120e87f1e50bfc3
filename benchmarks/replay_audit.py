"""Every op that FlagGems has, with fresh inputs: is it replayed, and are replays what FlagGems does?

Of each op come calls as PyTorch's OpInfos make them, in float32, then the same shapes with other values. Each replayed
call is made again by FlagGems' function with the same inputs, and the results are compared bit by bit, or within
rounding where a kernel adds in an order of its own; then the launches of further calls are compared with the templates
(FLAGOS_REPLAY_AUDIT). Calls whose Python numbers change are made likewise. Workers that crash or hang cost one op.

`--device virtual` is the virtual GPU of tests/vgpu, where kernels are interpreted: use few calls there.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# Rounding of sums that are made in another order.
RTOL, ATOL = 1e-3, 1e-4
# Calls in Python before a template is there, and of a template of numbers before it is trusted.
WARM, PROBATION = 3, 8
STATES = ("replayed", "refused", "fails", "unreachable", "no calls", "crashed", "no time left")


# ------------------------------------------------------------------------------------------------------------- worker


class Auditor:
    """Audits one op after the other, in a process of its own."""

    def __init__(self, options: argparse.Namespace):
        if options.device == "virtual":
            sys.path[:0] = [str(ROOT / "tests/vgpu"), str(ROOT / "tests/conformance")]
        import torch

        import torch_fl  # noqa: F401

        torch.set_num_threads(1)
        self.gpu = None
        if options.device == "virtual":
            import virtual_gpu

            self.gpu = virtual_gpu.VirtualGPU()
            self.gpu.install()
        self.options = options

    def audit(self, op: str) -> dict[str, Any]:
        import torch

        import torch_fl
        from torch_fl import _C
        from torch_fl._conf import RouteError

        torch.manual_seed(0)
        random.seed(0)
        self.op, self.found = op, Counter()
        self.errors: list[str] = []
        try:
            routes = torch_fl.routes({op: "flaggems"})
        except RouteError as error:
            return {"state": "unreachable", "text": str(error)}
        before = torch_fl.replay_stats().get(op)
        samples = 0
        with routes, torch.no_grad():
            for sample in self.calls(op):
                samples += 1
                _C.set_replay_audit(0)
                for turn in range(WARM + self.options.calls):
                    if not self.call(sample, turn, 0.0):
                        break
                else:
                    if _has_numbers(sample):
                        for turn in range(PROBATION + self.options.calls):
                            self.call(sample, turn, 0.2)
                    _C.set_replay_audit(1)
                    for turn in range(2):
                        self.call(sample, turn, 0.0)
        _C.set_replay_audit(0)
        after = torch_fl.replay_stats().get(op)
        audits, mismatches = after.audits - before.audits, after.mismatches - before.mismatches
        refused = {why: n - before.refused.get(why, 0) for why, n in after.refused.items()}
        state = "no calls" if not samples else "fails" if not self.found["calls"] else "refused"
        if self.found["replayed"]:
            state = "replayed"
        return {
            "state": state,
            "samples": samples,
            **self.found,
            "audits": audits,
            "mismatches": mismatches,
            "refused": {why: n for why, n in refused.items() if n},
            "errors": self.errors[:3],
        }

    def calls(self, op: str) -> Iterator[Any]:
        """Arguments for an op: PyTorch's own, else what the schema suggests."""
        import torch

        from torch_fl.survey import cases, inputs, opinfos

        found = 0
        for arguments in opinfos.calls(op, torch.float32, self.options.samples):
            found += 1
            yield arguments
        for profile in inputs.PROFILES[:3] if not found else ():
            case = cases.of_profile(op, profile)
            if isinstance(case, cases.Case):
                yield case.arguments

    def call(self, sample: Any, turn: int, spread: float) -> bool:
        """One call with fresh values. False: FlagGems does not take it."""
        import torch_fl
        from torch_fl import _C
        from torch_fl.survey.cases import function_of

        host = _fresh(sample, turn, spread)
        function = function_of(self.op)
        arguments = _on_device(host)
        before = torch_fl.replay_stats().get(self.op).replays
        served = torch_fl.census()
        try:
            with served:
                got = function(*arguments[0], **arguments[1])
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}".splitlines()[0])
            return False
        if not any(row.lane == "flaggems" and row.op == self.op for row in served.rows()):
            self.errors.append("another lane served it")
            return False
        self.found["calls"] += 1
        if torch_fl.replay_stats().get(self.op).replays == before:
            return True
        self.found["replayed"] += 1
        self.found["numbers"] += spread != 0
        _C.switch_replay(False)
        try:
            again = _on_device(host)
            want = function(*again[0], **again[1])
            verdict = _compare((got, arguments), (want, again))
            if verdict == "wrong" and not self.repeats(function, host, (want, again)):
                verdict = "not repeatable"
        finally:
            _C.switch_replay(True)
        self.found[verdict] += 1
        if verdict == "wrong":
            self.errors.append(f"wrong: {_described(host)}")
        return True

    def repeats(self, function: Any, host: Any, want: Any) -> bool:
        """FlagGems' function gives the same again, whatever was in the memory that it gets: some leave a result as it
        is where PyTorch defines none."""
        import torch

        for stale in range(1, 4):
            left = [torch.full_like(leaf, stale) for leaf in _leaves(want) for _ in range(4)]
            del left
            again = _on_device(host)
            if _compare((function(*again[0], **again[1]), again), want) == "wrong":
                return False
        return True


def _leaves(value: Any) -> list[Any]:
    import torch
    from torch.utils._pytree import tree_leaves

    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _described(value: Any) -> str:
    from torch_fl.survey.cases import describe

    return describe(value)


def _has_numbers(sample: Any) -> bool:
    from torch.utils._pytree import tree_leaves

    return any(isinstance(leaf, float) for leaf in tree_leaves(sample))


def _fresh(sample: Any, turn: int, spread: float) -> Any:
    """The sample with its floating-point values in another order and a little smaller, which keeps them in the domain
    of the op; with spread its numbers too are others."""
    import torch
    from torch.utils._pytree import tree_map

    def change(leaf: Any) -> Any:
        if isinstance(leaf, float) and spread:
            return leaf * (1 + spread * random.random())
        if not isinstance(leaf, torch.Tensor):
            return leaf
        made = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype)
        made.copy_(leaf)
        if turn and leaf.dtype.is_floating_point and leaf.numel() and not any(s == 0 for s in leaf.stride()):
            values = leaf.reshape(-1)[torch.randperm(leaf.numel())]
            made.copy_((values * (1 - 1e-3 * torch.rand(leaf.numel()))).reshape(leaf.shape))
        return made

    return tree_map(change, sample)


def _on_device(value: Any) -> Any:
    from torch_fl.survey.moving import move

    return move(value, "flagos")


def _compare(got: Any, want: Any) -> str:
    import torch

    exact = True
    for g, w in zip(_leaves(got), _leaves(want), strict=True):
        if g.dtype != w.dtype or g.shape != w.shape or g.stride() != w.stride():
            return "wrong"
        g, w = g.cpu().resolve_conj(), w.cpu().resolve_conj()
        if torch.equal(g.contiguous().view(-1).view(torch.uint8), w.contiguous().view(-1).view(torch.uint8)):
            continue
        exact = False
        if not torch.allclose(g, w, rtol=RTOL, atol=ATOL, equal_nan=True):
            return "wrong"
    return "exact" if exact else "close"


def worker(options: argparse.Namespace) -> None:
    auditor = None
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what FlagGems prints is no answer
    for line in sys.stdin:
        op = line.strip()
        try:
            auditor = auditor or Auditor(options)
            answer = auditor.audit(op)
        except Exception as error:
            answer = {"state": "fails", "errors": [f"{type(error).__name__}: {error}".splitlines()[0]]}
        print(json.dumps(answer), file=answers, flush=True)


# ------------------------------------------------------------------------------------------------------------- parent


class Worker:
    """A process that audits ops, and is replaced where it crashed or hung."""

    def __init__(self, options: argparse.Namespace):
        self.options, self.process = options, None

    def ask(self, op: str, seconds: float) -> dict[str, Any]:
        if self.process is None:
            words = ["--worker", "--device", self.options.device]
            words += ["--calls", str(self.options.calls), "--samples", str(self.options.samples)]
            env = {**os.environ, "OMP_NUM_THREADS": "1"}
            self.process = subprocess.Popen(
                [sys.executable, __file__, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=env,
            )
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        line = ""
        with contextlib.suppress(OSError):
            print(op, file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        timer.cancel()
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.process = None
        if seconds < self.options.timeout:
            return {"state": "no time left"}
        return {"state": "crashed", "errors": [f"the process ended with {status}"]}

    def close(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def ops() -> list[str]:
    """What FlagGems lists, as far as this PyTorch has it."""
    import torch_fl
    from torch_fl.flaggems import source

    if reason := source.supported():
        sys.exit(reason)
    known = {info.name for info in torch_fl.ops()}
    return [op for op in sorted(source.listed()) if op in known]


def audit(options: argparse.Namespace, names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, dict[str, Any]]] = queue.SimpleQueue()
    for name in names:
        waiting.put(name)
    end = time.monotonic() + options.seconds

    def work() -> None:
        mine = Worker(options)
        while True:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                break
            left = end - time.monotonic()
            done.put((name, mine.ask(name, min(left, options.timeout)) if left > 0 else {"state": "no time left"}))
        mine.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for _ in names:
        yield done.get()
    for thread in threads:
        thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("flagos", "virtual"), default="flagos")
    parser.add_argument("--calls", type=int, default=60, help="of each sample that may be replayed")
    parser.add_argument("--samples", type=int, default=4, help="OpInfo calls of each op")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one op")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for all ops: the rest is not tried")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--least", type=int, default=0, help="replayed calls that have to be compared")
    parser.add_argument("--share", type=float, default=0.7, help="bar: of the ops that run, how many replay")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("ops", nargs="*", help="these ops only")
    options = parser.parse_args()
    if options.worker:
        worker(options)
        return 0
    began = time.monotonic()
    results: dict[str, dict[str, Any]] = {}
    known = ops()
    if unknown := sorted(set(options.ops) - set(known)):
        parser.error(f"not among FlagGems' ops: {', '.join(unknown)}")
    names = options.ops or known
    for name, result in audit(options, names):
        results[name] = result
        if sys.stderr.isatty():
            print(f"\r{len(results)}/{len(names)} {name:50}", end="", file=sys.stderr, flush=True)
    return report(options, dict(sorted(results.items())), time.monotonic() - began)


def report(options: argparse.Namespace, results: dict[str, dict[str, Any]], took: float) -> int:
    states = Counter(result["state"] for result in results.values())
    keys = ("calls", "replayed", "numbers", "exact", "close", "not repeatable", "wrong", "audits", "mismatches")
    total = {key: sum(result.get(key, 0) for result in results.values()) for key in keys}
    why: Counter[str] = Counter()
    for name, result in results.items():
        if result["state"] == "refused":
            for reason in result.get("refused") or {"its calls are not alike": 1}:
                why[reason] += 1
        bad = result.get("wrong") or result.get("mismatches") or result["state"] == "crashed"
        if bad:
            print(f"{name}: {result['state']}, {'; '.join(result.get('errors') or [])}")
    ran = states["replayed"] + states["refused"]
    share = states["replayed"] / ran if ran else 0.0
    print(f"{len(results)} ops in {took:.0f} s: {', '.join(f'{states[s]} {s}' for s in STATES if states[s])}")
    print(f"of the {ran} ops that run, {states['replayed']} are replayed: {share:.0%} (bar {options.share:.0%})")
    print(", ".join(f"{key} {total[key]}" for key in keys))
    for reason, count in why.most_common():
        print(f"  {count:3} {reason}")
    summary = {"seconds": took, "states": states, "share": share, "total": total, "refused": why}
    if options.json:
        options.json.write_text(json.dumps({"summary": summary, "ops": results}, indent=1) + "\n", encoding="utf-8")
    wrong = total["wrong"] or total["mismatches"] or (not options.ops and share < options.share)
    return 1 if wrong or total["replayed"] < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
