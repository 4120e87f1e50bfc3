"""What a plan costs that has to be made, and what many plans keep.

A call whose signature is new makes its plan first. The cost of that is the time of the new call, less the time of the
same call when its plan is there, divided by the plans made. It is measured for an op with a structured kernel, with
signatures that were never used before, and for every op of the vendor's table, with the inputs of PyTorch's OpInfo,
under routes that are new in each round, so that no plan is there. At last many signatures are used once, and the memory
that stays is measured.
"""

import gc
import itertools
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
SAMPLES_PER_OP = 6
# Calls that take longer than this with their plan (OpInfo seeds a generator in some) would drown what is measured.
LONGEST_CALL = 100.0


def made() -> int:
    """Returns how many plans this process has made."""
    from torch_fl import _C

    return _C.plan_stats()["misses"]


def resident() -> float:
    """Returns this process's resident memory in MB (2^20 bytes)."""
    gc.collect()
    return int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmRSS:")[1].split()[0]) / 1024


def strided(one: torch.Tensor, first: int, count: int) -> list[torch.Tensor]:
    """Returns views of one element, each with a stride, and so a signature, of its own: `first`, `first` + 1, ..."""
    return [one.as_strided((1, 1), (stride, 1)) for stride in range(first, first + count)]


def adds(inputs: list[torch.Tensor]) -> float:
    """Returns the nanoseconds of adding a tensor to itself, the median over the tensors."""
    add = torch.add
    return statistics.median(harness.clock(lambda x=x: add(x, x)) for x in inputs)


def structured(device: torch.device, rounds: int) -> Result:
    """Times adds that make their plans against the same adds again."""
    one, host = torch.ones(1, device=device), torch.ones(1, 1)
    extra, whole, of_host = [], [], []
    for turn in range(rounds + 1):
        inputs = strided(one, 2 + turn * SIGNATURES_PER_ROUND, SIGNATURES_PER_ROUND)
        before = made()
        first = adds(inputs)
        plans = made() - before
        if plans < SIGNATURES_PER_ROUND:
            raise RuntimeError(f"{SIGNATURES_PER_ROUND} new signatures made {plans} plans: this measures nothing.")
        if turn:
            extra.append((first - adds(inputs)) / 1e3)
            whole.append(first / 1e3)
            of_host.append(adds([host] * SIGNATURES_PER_ROUND) / 1e3)
    return Result(
        "a plan of add.Tensor",
        statistics.median(extra),
        "us",
        STRUCTURED_BAR,
        f"with the call itself {statistics.median(whole):.2f} us; CPU's add {statistics.median(of_host):.2f} us",
    )


def table_calls(device: torch.device, lane: str) -> dict[str, list[Callable[[], object]]]:
    """Returns by op the calls that reach the ops of the lane, with float32 inputs from PyTorch's OpInfo."""
    from torch.testing._internal.common_methods_invocations import op_db

    import torch_fl

    table = {op.name.split(".")[0].strip("_") for op in torch_fl.ops() if lane in op.lanes and not op.primitive}
    calls = {}
    for info in op_db:
        if info.aten_name.strip("_") not in table or torch.float32 not in info.dtypes:
            continue
        samples = itertools.islice(info.sample_inputs(device, torch.float32), SAMPLES_PER_OP)
        calls[info.formatted_name] = [
            lambda info=info, sample=sample: info.op(sample.input, *sample.args, **sample.kwargs) for sample in samples
        ]
    return calls


def any_op(device: torch.device, rounds: int) -> list[Result]:
    """Times calls that make their plans, under new routes in each round, against the same calls again.

    An op's first call in a round only warms the processor's caches, which the change of routes has cooled.
    """
    lane = harness.vendor_lane()
    with harness.notes.status("reading PyTorch's OpInfo"):
        calls = table_calls(device, lane)
    extra: dict[str, list[float]] = {}

    def one_round() -> float:
        with harness.forced(device, lane, new=True):
            for name, of_op in calls.items():
                for number, call in enumerate(of_op):
                    before = made()
                    first = harness.clock(call)
                    plans = made() - before
                    again = min(harness.clock(call) for _ in range(3))
                    if plans and number and again < LONGEST_CALL * 1e3:
                        extra.setdefault(name, []).append((first - again) / plans / 1e3)
        return 0.0

    harness.interleave(rounds, {"table": one_round}, "plans of the table")
    cost = {name: statistics.median(times) for name, times in extra.items()}
    slowest = sorted(cost, key=cost.__getitem__, reverse=True)[:3]
    return [
        Result(
            "a plan of any op of the table, the slowest",
            cost[slowest[0]],
            "us",
            ANY_BAR,
            ", ".join(f"{name} {cost[name]:.1f}" for name in slowest),
        ),
        Result(f"a plan, the median of {len(cost)} ops", statistics.median(cost.values()), "us"),
    ]


def kept(device: torch.device) -> Result:
    """Measures the memory that stays after many signatures were each used once."""
    from torch_fl import _C

    one = torch.ones(1, device=device)
    first = 1_000_000
    adds(strided(one, first, SIGNATURES // 10))
    before = resident()
    for part in range(1, 11):
        adds(strided(one, first + part * SIGNATURES, SIGNATURES // 10))
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
