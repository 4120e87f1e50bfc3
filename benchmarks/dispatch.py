"""The cost of one call: `torch.add` of one-element tensors on each lane, against PyTorch's own on the CPU."""

import statistics
import sys

import harness
import torch
from harness import Result
from loops import LOOPS

OPS = ("add.Tensor",)
BOXING_BARS = {"repeated inputs": 1.15, "fresh tensors": 1.20}


def main() -> int:
    options = harness.parser(__doc__, rounds=200).parse_args()
    device = harness.open_device(options.device)
    own = harness.vendor_lane() if device.type != "cpu" else "cpu"
    lanes = {own: dict.fromkeys(LOOPS, 1.0), "boxing": BOXING_BARS, "none": dict.fromkeys(LOOPS)}

    results = []
    for name, loop in LOOPS.items():

        def on_lane(lane, loop=loop):
            with harness.forced(device, lane, OPS):
                return loop(device)

        contenders = {"CPU's own": lambda loop=loop: loop(torch.device("cpu"))}
        contenders |= {lane: lambda lane=lane, run=on_lane: run(lane) for lane in lanes}
        samples = harness.interleave(options.rounds, contenders, f"add, {name}")
        base = statistics.median(samples["CPU's own"])
        for lane, bars in lanes.items():
            results.append(
                Result(
                    f"add, {name}, lane {lane}",
                    harness.ratio(samples, lane, "CPU's own"),
                    "x",
                    bars[name],
                    f"{statistics.median(samples[lane]):.0f} ns against {base:.0f} ns",
                )
            )
    return harness.finish("One-element torch.add, against PyTorch's CPU add", results, options)


if __name__ == "__main__":
    sys.exit(main())
