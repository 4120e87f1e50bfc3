"""What a call costs the host on GCU's vendor lane, and what int64 costs there. Needs gcu built on the stand-in SDK:

    ./dev gcu-sim --keep factory
    LD_LIBRARY_PATH=build/gcu-sdk/lib FLAGOS_ACCELERATOR=gcu python benchmarks/standin.py

First, `torch.add` of one element where every function of the SDK returns at once (TOPS_STANDIN_NULL=1), against the
simulated device's vendor lane: two processes take turns round by round. What is left is core's part and the vendor's.

Then `add_` in place on 4096 x 4096 elements, int64 against float32: topsaten has no 64-bit arithmetic, so int64 goes to
the host and back. This is the stand-in, whose device is this machine's memory and processor: it shows the host path's
copies, not a card's. On an S60 the same pair was measured at 225x by others.
"""

import statistics
import sys

import fallback
import harness
import torch
from harness import Result
from loops import LOOPS

ADD = "FLAGOS_OP_add__Tensor"
NULL = {"FLAGOS_ACCELERATOR": "gcu", "TOPS_STANDIN_NULL": "1", ADD: "gcu"}
SIM = {"FLAGOS_ACCELERATOR": "sim", ADD: "sim"}
SIDE = 4096


def host_cost(options) -> list[Result]:
    contenders = {"gcu": fallback.Worker(options.device, NULL), "sim": fallback.Worker(options.device, SIM)}
    results = []
    try:
        for name in LOOPS:
            samples = harness.interleave(
                options.rounds,
                {who: lambda worker=worker, name=name: worker.time(name) for who, worker in contenders.items()},
                f"add, {name}",
            )
            ours, theirs = (statistics.median(samples[who]) for who in contenders)
            results.append(
                Result(
                    f"add, {name}, gcu's lane on an SDK that does nothing",
                    harness.ratio(samples, "gcu", "sim"),
                    "x",
                    1.2,
                    f"{ours:.0f} ns against {theirs:.0f} ns on sim's",
                )
            )
    finally:
        for worker in contenders.values():
            worker.close()
    return results


def host_path(device: torch.device, rounds: int) -> Result:
    import torch_fl

    def timed(dtype: torch.dtype):
        x = torch.ones(SIDE, SIDE, dtype=torch.int32).to(device).to(dtype)
        harness.synchronize(device)

        def call() -> None:
            x.add_(x)
            harness.synchronize(device)

        return lambda: harness.clock(call)

    contenders = {"float32": timed(torch.float32), "int64": timed(torch.int64)}
    samples = harness.interleave(rounds, contenders, "add_ in place")
    with torch_fl.census() as census:
        contenders["int64"]()
    served = sum(row.bytes for row in census.rows() if row.lane == "none") / 1e6
    fast, slow = (statistics.median(samples[name]) / 1e6 for name in ("float32", "int64"))
    return Result(
        f"add_ in place, {SIDE} x {SIDE}, int64 against float32, on the stand-in",
        harness.ratio(samples, "int64", "float32"),
        "x",
        None,
        f"{slow:.0f} ms against {fast:.0f} ms; the CPU's lane reads and writes {served:.0f} MB a call",
    )


def main() -> int:
    options = harness.parser(__doc__, rounds=100).parse_args()
    device = harness.open_device(options.device)
    if harness.vendor_lane() != "gcu" or not sys.modules["torch_fl_gcu"].on_standin():
        raise SystemExit(
            "This compares the stand-in's build of gcu: ./dev gcu-sim --keep factory, then with "
            "LD_LIBRARY_PATH=build/gcu-sdk/lib FLAGOS_ACCELERATOR=gcu."
        )
    results = [*host_cost(options), host_path(device, max(3, options.rounds // 20))]
    return harness.finish("GCU's host path, on the stand-in SDK", results, options)


if __name__ == "__main__":
    sys.exit(main())
