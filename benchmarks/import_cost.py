"""What `import torch_fl` adds to `import torch`: time and resident memory, in fresh processes that take turns."""

import os
import statistics
import subprocess
import sys

import harness
from harness import Result

# Prints the nanoseconds and the resident kilobytes after the imports that are its arguments.
CHILD = """
import importlib, sys, time
start = time.perf_counter_ns()
for name in sys.argv[1:]:
    importlib.import_module(name)
took = time.perf_counter_ns() - start
status = open("/proc/self/status").read()
print(took, status.split("VmRSS:")[1].split()[0])
"""
# name: modules to import, and whether PyTorch loads the plug-ins that it finds installed
CONTENDERS = {
    "torch": (["torch"], "0"),
    "both": (["torch", "torch_fl"], "0"),
    "autoload": (["torch"], "1"),
}


def main() -> int:
    options = harness.parser(__doc__, rounds=15, device=False).parse_args()
    memory: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    # An installed package has its bytecode; the first round writes what an editable one lacks.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def child(name: str) -> float:
        modules, autoload = CONTENDERS[name]
        done = subprocess.run(
            [sys.executable, "-c", CHILD, *modules],
            env=environment | {"TORCH_DEVICE_BACKEND_AUTOLOAD": autoload},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        took, kilobytes = done.stdout.split()
        memory[name].append(int(kilobytes) / 1024)
        return int(took) / 1e6

    samples = harness.interleave(
        options.rounds, {name: lambda name=name: child(name) for name in CONTENDERS}, "imports"
    )
    base, base_memory = statistics.median(samples["torch"]), statistics.median(memory["torch"])
    results = []
    for name, what, time_bar, memory_bar in (
        ("both", "import torch_fl after import torch", 80, 30),
        # Contains PyTorch's own search for plug-ins, which a process has wherever anything is installed.
        ("autoload", "import torch that searches for plug-ins and loads it", None, None),
    ):
        # Paired by round, so that a slow moment of the machine does not count for one of them alone.
        added = statistics.median(a - b for a, b in zip(samples[name], samples["torch"], strict=True))
        more = statistics.median(a - b for a, b in zip(memory[name], memory["torch"], strict=True))
        results.append(Result(f"{what}: time added", added, "ms", time_bar, f"import torch alone {base:.0f} ms"))
        results.append(
            Result(f"{what}: memory added", more, "MB", memory_bar, f"import torch alone {base_memory:.0f} MB")
        )
    return harness.finish("What importing adds", results, options)


if __name__ == "__main__":
    sys.exit(main())
