"""What a replay costs the host, and what 10,000 kinds of calls hold of memory.

Runs on the simulated device, whose extension `module` launches kernels that g++ compiles: here one that does nothing.
The calls are made by a loop of TorchScript, so that none of the time is Python's; what the loop, PyTorch's dispatcher
and the allocation of the result cost is in it. The same loop over a call that only makes its result (empty_like) is
shown beside it.
"""

import gc
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
from harness import Result

CALLS, KINDS = 20000, 10000
# A thousand kinds of calls of each: an op has so many plans.
OPS = ("exp2", "exp", "log", "sin", "cos", "tanh", "sqrt", "rsqrt", "neg", "sigmoid")
NOTHING = """
#include <cstdint>
extern "C" __attribute__((visibility("default"))) void nothing(const void* const*, const uint32_t*, const uint32_t*,
                                                               const uint32_t*) {}
"""


def kernel() -> int:
    from torch_fl import _C

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "k.cpp").write_text(NOTHING)
        subprocess.run(["g++", "-shared", "-fPIC", "-O1", "k.cpp", "-o", "k.so"], cwd=folder, check=True)
        return _C.load_kernel(0, Path(folder, "k.so").read_bytes(), "nothing")


def resident() -> int:
    """Bytes of the process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def main() -> int:
    options = harness.parser(__doc__, rounds=9, device=False).parse_args()
    device = harness.open_device("flagos:0")
    import torch

    import torch_fl
    from torch_fl import _C, _packages

    nothing = kernel()

    def pointwise(x):
        """As FlagGems launches a pointwise kernel: pointers, strides, sizes."""
        out = torch.empty_like(x)
        values = [(struct.pack("<Q", t.data_ptr()), 1) for t in (x, out)]
        values += [(struct.pack("<i", n), 0) for n in (*x.stride(), *out.stride(), *x.shape, x.numel(), 1)]
        _C.launch_kernel(0, nothing, [1, 1, 1], [1, 1, 1], 0, [*values, (bytes(8), 1), (bytes(8), 1)])
        return out

    @torch.jit.script
    def replayed(x: torch.Tensor, count: int):
        y = x
        for _ in range(count):
            y = torch.exp2(y)
        return y

    @torch.jit.script
    def made(x: torch.Tensor, count: int):
        y = x
        for _ in range(count):
            y = torch.empty_like(y)
        return y

    def microseconds(loop, x) -> float:
        loop(x, CALLS)
        start = time.perf_counter()
        loop(x, CALLS)
        return (time.perf_counter() - start) / CALLS * 1e6

    _packages.offer("tileops", OPS, lambda op: pointwise)
    with torch_fl.routes(dict.fromkeys(OPS, "tileops")), torch.no_grad():
        x = torch.ones(2, 2, device=device)
        for _ in range(4):
            torch.exp2(x)
        times = [(microseconds(replayed, x), microseconds(made, x)) for _ in range(options.rounds)]
        assert torch_fl.replay_stats()["exp2"].replays >= CALLS
        gc.collect()
        before = resident()
        for kind in range(KINDS // len(OPS)):
            x = torch.ones(1 + kind % 50, 1 + kind // 50, device=device)
            for op in OPS:
                for _ in range(3):
                    getattr(torch, op)(x)
        gc.collect()
        grown = (resident() - before) / 1e6
    plans, held, _ = _C.replay_memory()
    replay, alone = (statistics.median(one) for one in zip(*times, strict=True))
    results = [
        Result("a replay of one kernel", replay, "us", 2.0, f"making its result alone: {alone:.2f} us"),
        Result(f"{plans:,} plans that replay", grown, "MB", 64.0, f"their recordings: {held / 1e6:.1f} MB"),
    ]
    return harness.finish("Replays", results, options)


if __name__ == "__main__":
    sys.exit(main())
