"""The lane `none` against PyTorch's own `at::native::cpu_fallback`, both on the device.

Which of the two serves is fixed for a process, so two processes run, and take turns round by round.
"""

import os
import statistics
import subprocess
import sys

import harness
from harness import Result
from loops import LOOPS

ROUTE = {"FLAGOS_OP_add__Tensor": "none"}


class Worker:
    """A process that times a loop when it is told to. `settings` are its environment variables."""

    def __init__(self, device: str, settings: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | settings,
            text=True,
        )

    def time(self, loop: str) -> float:
        self.process.stdin.write(loop + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("A worker ended early. Its message stands above.")
        return float(answer)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def serve(device_name: str) -> int:
    device = harness.open_device(device_name)
    for line in sys.stdin:
        print(LOOPS[line.strip()](device), flush=True)
    return 0


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        return serve(sys.argv[2])
    options = harness.parser(__doc__, rounds=200).parse_args()
    harness.open_device(options.device)
    ours = Worker(options.device, ROUTE)
    plain = Worker(options.device, ROUTE | {"FLAGOS_PLAIN_FALLBACK": "1"})
    results = []
    try:
        for name in LOOPS:
            samples = harness.interleave(
                options.rounds,
                {"none": lambda name=name: ours.time(name), "plain": lambda name=name: plain.time(name)},
                f"fallback, {name}",
            )
            results.append(
                Result(
                    f"add, {name}, lane none",
                    harness.ratio(samples, "none", "plain"),
                    "x",
                    0.5,
                    f"{statistics.median(samples['none']):.0f} ns against {statistics.median(samples['plain']):.0f} ns",
                )
            )
    finally:
        ours.close()
        plain.close()
    return harness.finish("The CPU fallback, against at::native::cpu_fallback", results, options)


if __name__ == "__main__":
    sys.exit(main())
