"""What a plan costs that has to be made, and what many plans keep.

A call whose signature is new makes its plan first. The cost of that is the time of the new call, less the time of the
same call when its plan is there, divided by the plans made. It is measured for an op with a structured kernel, with
signatures that were never used before, and for every op of the vendor's table, with the inputs of PyTorch's OpInfo,
after new routes have dropped all plans. At last many signatures are used once, and the memory that stays is measured.
"""

import gc
import statistics
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import harness
import torch
from harness import Result

STRUCTURED_BAR, ANY_BAR = 4.0, 25.0
SIGNATURES_PER_ROUND = 200
SIGNATURES, MEGABYTES_KEPT = 10_000, 32
SAMPLES_PER_OP = 2


def made() -> int:
    """Returns how many plans this process has made."""
    from torch_fl import _C

    return _C.plan_stats()["misses"]


def resident() -> float:
    """Returns this process's resident memory in MB (2^20 bytes)."""
    gc.collect()
    return int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmRSS:")[1].split()[0]) / 1024


def add_with_strides(one: torch.Tensor, first: int, count: int) -> Callable[[], None]:
    """Returns a call of `count` adds, each with a stride, and so a signature, of its own: `first`, `first` + 1, ..."""
    inputs = [one.as_strided((1, 1), (stride, 1)) for stride in range(first, first + count)]

    def loop() -> None:
        for x in inputs:
            torch.add(x, x)

    return loop


def structured(device: torch.device, rounds: int) -> Result:
    """Times adds that make their plans against the same adds again."""
    one = torch.ones(1, device=device)
    extra, whole = [], []
    for turn in range(rounds + 1):
        loop = add_with_strides(one, 2 + turn * SIGNATURES_PER_ROUND, SIGNATURES_PER_ROUND)
        before = made()
        first = harness.clock(loop)
        plans = made() - before
        if plans < SIGNATURES_PER_ROUND:
            raise RuntimeError(f"{SIGNATURES_PER_ROUND} new signatures made {plans} plans: this measures nothing.")
        again = min(harness.clock(loop) for _ in range(3))
        if turn:
            extra.append((first - again) / plans / 1e3)
            whole.append(first / SIGNATURES_PER_ROUND / 1e3)
    return Result(
        "a plan of add.Tensor",
        statistics.median(extra),
        "us",
        STRUCTURED_BAR,
        f"the call that makes it takes {statistics.median(whole):.2f} us in all",
    )


def table_calls(device: torch.device, lane: str) -> dict[str, Callable[[], object]]:
    """Returns calls, by name, that reach the ops of the lane, each with float32 inputs from PyTorch's OpInfo."""
    from torch.testing._internal.common_methods_invocations import op_db

    import torch_fl

    table = {op.name.split(".")[0].rstrip("_").lstrip("_") for op in torch_fl.ops() if lane in op.lanes}
    calls = {}
    for info in op_db:
        if info.aten_name.lstrip("_") not in table or torch.float32 not in info.dtypes:
            continue
        samples = [*info.sample_inputs(device, torch.float32)][:SAMPLES_PER_OP]
        for number, sample in enumerate(samples):

            def call(info=info, sample=sample):
                return info.op(sample.input, *sample.args, **sample.kwargs)

            calls[f"{info.formatted_name} {number}"] = call
    return calls


def any_op(device: torch.device, rounds: int) -> list[Result]:
    """Times each call of the table right after new routes, when it makes its plans, against the same call again."""
    lane = harness.vendor_lane()
    with harness.notes.status("reading PyTorch's OpInfo"):
        calls = table_calls(device, lane)
    extra: dict[str, list[float]] = {}

    def one_round() -> float:
        with harness.forced(device, lane):
            for name, call in calls.items():
                before = made()
                first = harness.clock(call)
                plans = made() - before
                again = min(harness.clock(call) for _ in range(3))
                if plans:
                    extra.setdefault(name, []).append((first - again) / plans / 1e3)
        return 0.0

    harness.interleave(rounds, {"table": one_round}, "plans of the table")
    cost = {name: statistics.median(times[1:]) for name, times in extra.items() if len(times) > 1}
    slowest = sorted(cost, key=cost.__getitem__, reverse=True)[:3]
    return [
        Result(
            "a plan of any op of the table, the slowest",
            cost[slowest[0]],
            "us",
            ANY_BAR,
            ", ".join(f"{name.rsplit(' ', 1)[0]} {cost[name]:.1f}" for name in slowest),
        ),
        Result(f"the median of {len(cost)} calls", statistics.median(cost.values()), "us"),
    ]


def kept(device: torch.device) -> Result:
    """Measures the memory that stays after many signatures were each used once."""
    from torch_fl import _C

    one = torch.ones(1, device=device)
    first = 1_000_000
    add_with_strides(one, first, SIGNATURES // 10)()
    before = resident()
    for part in range(1, 11):
        add_with_strides(one, first + part * SIGNATURES, SIGNATURES // 10)()
    return Result(
        f"memory kept after {SIGNATURES:,} signatures of one op",
        max(0.0, resident() - before),
        "MB",
        MEGABYTES_KEPT,
        f"{_C.plan_stats()['plans']} plans in the cache",
    )


def main() -> int:
    parser = harness.parser(__doc__, rounds=30, device=False)
    options = parser.parse_args()
    device = harness.open_device("flagos:0")
    warnings.simplefilter("ignore")  # some OpInfo samples use deprecated arguments
    with torch.inference_mode():
        results = [structured(device, options.rounds), *any_op(device, options.rounds), kept(device)]
    return harness.finish("Making plans", results, options)


if __name__ == "__main__":
    sys.exit(main())
