"""The vendor's own kernels where memory is the limit, against those of the device that PyTorch has (NVIDIA: cuda).

Each call is measured twice: on tensors of 256 MB, where what counts is bytes per second, and on tensors of 4 KB, where
it is the time of a call. Both sides run in turns in one process, on one card; a sample is a batch of calls up to the
device's synchronisation. The bars of 256 MB are 0.9 of the native throughput for each call (as a time: 1.11) and all of
it for the median of the calls; a small call may take 1.1 of the native time.

--smoke compares a few KB with the CPU, without bars: it shows that every call runs, and on which lane.
"""

import itertools
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import harness
import torch
from harness import Result

LEAST_THROUGHPUT, MOST_TIME = 0.9, 1.1
MB = 2**20
ROW = 4096  # elements that sums, softmax and layer_norm run over
# What the calls below reach. Which of them PyTorch composes of others depends on its release.
OPS = ("add.Tensor", "mul.Tensor", "silu", "copy_", "fill_.Scalar", "sum.dim_IntList", "_softmax", "native_layer_norm")


@dataclass
class Case:
    """One call. moved: the bytes that it has to read and write."""

    name: str
    call: Callable[[], object]
    moved: int


def cases(device: torch.device, dtype: torch.dtype, count: int, row: int) -> list[Case]:
    """The calls on tensors of `count` elements, in rows of `row`."""
    x = torch.randn(count // row, row, device=device, dtype=dtype)
    y = torch.randn_like(x)
    weight, bias = torch.ones(row, device=device, dtype=dtype), torch.zeros(row, device=device, dtype=dtype)
    other = torch.bfloat16 if dtype == torch.float32 else torch.float32
    to = torch.empty_like(x)
    size, other_size = x.nbytes, count * other.itemsize
    return [
        Case("add", lambda: x + y, 3 * size),
        Case("mul", lambda: x * y, 3 * size),
        Case("silu", lambda: torch.nn.functional.silu(x), 2 * size),
        Case("copy", lambda: to.copy_(x), 2 * size),
        Case(f"cast to {str(other).removeprefix('torch.')}", lambda: x.to(other), size + other_size),
        Case("fill", lambda: to.fill_(1.5), size),
        Case("sum over the last dim", lambda: x.sum(-1), size),
        Case("softmax", lambda: torch.softmax(x, -1), 2 * size),
        Case("layer_norm", lambda: torch.nn.functional.layer_norm(x, (row,), weight, bias), 2 * size),
    ]


def batch(device: torch.device, call: Callable[[], object], calls: int) -> float:
    """The nanoseconds of one call of a batch."""

    def loop() -> None:
        for _ in itertools.repeat(None, calls):
            call()
        harness.synchronize(device)

    harness.synchronize(device)
    return harness.clock(loop) / calls


def lanes(call: Callable[[], object]) -> list[str]:
    """Which lanes served the ops of a call; none where core moved bytes."""
    import torch_fl

    with torch_fl.census() as census:
        call()
    return sorted({row.lane for row in census.rows() if row.op in OPS})


def measure(device, native, dtype, count, row, calls, options) -> list[Result]:
    """The calls on tensors of `count` elements, as ratios of their times to the native device's, without bars."""
    word, found = str(dtype).removeprefix("torch."), []
    for mine, theirs in zip(cases(device, dtype, count, row), cases(native, dtype, count, row), strict=True):
        name = f"{mine.name}, {word}"
        if others := [lane for lane in lanes(mine.call) if lane != options.lane]:
            options.strays.append(f"{name}: {', '.join(others)}")
        sides = {
            "native": lambda case=theirs: batch(native, case.call, calls),
            "lane": lambda case=mine: batch(device, case.call, calls),
        }
        samples = harness.interleave(options.rounds, sides, name)
        own, base = (statistics.median(samples[side]) for side in ("lane", "native"))
        detail = (
            f"{own / 1e3:.1f} us against {base / 1e3:.1f}, {mine.moved / own:.0f} GB/s against {mine.moved / base:.0f}"
        )
        found.append(Result(name, harness.ratio(samples, "lane", "native"), "x", None, detail))
    return found


def named(results: list[Result], size: str, bar: float | None) -> list[Result]:
    return [replace(result, name=f"{result.name}, {size}", bar=bar) for result in results]


def main() -> int:
    parser = harness.parser(__doc__, rounds=9)
    parser.add_argument("--lane", help="the lane that is measured (default: the vendor's own)")
    parser.add_argument("--dtypes", default="float32,bfloat16,float16", help="by commas (default: %(default)s)")
    parser.add_argument("--size", type=int, default=256, metavar="MB", help="of each tensor (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a few KB against the CPU, without bars")
    options = parser.parse_args()
    device = harness.open_device(options.device)
    import torch_fl
    from torch_fl import _C

    key = "cpu" if options.smoke else _C.shared_key()
    if key is None:
        parser.error("this device is not one of PyTorch's own as well; there is nothing to compare it with (--smoke)")
    native = torch.device(key) if options.smoke else torch.device(key, device.index)
    options.lane, options.strays = options.lane or harness.vendor_lane(), []
    have = {op.name for op in torch_fl.ops() if options.lane in op.lanes}
    dtypes = [getattr(torch, word) for word in options.dtypes.split(",")]
    results: list[Result] = []
    with torch.inference_mode(), harness.forced(device, options.lane, [op for op in OPS if op in have]):
        if options.smoke:
            for dtype in dtypes:
                results += named(measure(device, native, dtype, 16384, 64, 2, options), "smoke", None)
        else:
            for dtype in dtypes:
                large = measure(device, native, dtype, options.size * MB // dtype.itemsize, ROW, 20, options)
                results += named(large, f"{options.size} MB", 1 / LEAST_THROUGHPUT)
            middle = statistics.median(result.value for result in results)
            results.append(Result(f"median of the above, {options.size} MB", middle, "x", 1.0))
            for dtype in dtypes:
                small = measure(device, native, dtype, 4096 // dtype.itemsize, 64, 300, options)
                results += named(small, "4 KB", MOST_TIME)
    strays = "; ".join(dict.fromkeys(options.strays))
    results.append(Result(f"calls that lane {options.lane} did not serve", len(options.strays), "calls", 0, strays))
    return harness.finish(f"Lane {options.lane} on flagos, against {native.type}", results, options)


if __name__ == "__main__":
    sys.exit(main())
