"""A training step of the decoder: forward, loss, backward, AdamW, gradients to None.

An active flagos ends native `cuda` backward in its process, so each side has a process of its own, and they take turns.
"""

from pathlib import Path

import harness
from harness import Result

from workloads import paired
from workloads.sides import Counted, Options, Sides, none_calls, ratio, typed_share

SCRIPT = Path(__file__).resolve().parents[1] / "training_side.py"
SIZE, SMALL = (2, 512), (2, 16)
STEPS, STEPS_SMALL = 4, 1
ROUNDS = 9
BAR = 1.03
# Of the losses of later steps, relative: attention's backward on CUDA adds in no fixed order.
FURTHEST = 0.01


def measure(sides: Sides, options: Options) -> list[Result]:
    size = SMALL if options.small else SIZE
    common = {"small": options.small, "size": size, "steps": STEPS_SMALL if options.small else STEPS}
    common["native"] = str(sides.native)
    name = f"training step {size[0]} x {size[1]}, boxing"
    losses: dict[str, list[float]] = {"native": [], "own": []}
    with paired.pair(SCRIPT, common | {"device": str(sides.native)}, common | {"device": str(sides.own)}) as processes:

        def round_of(side: str) -> float:
            answer = processes[side].ask("round")
            losses[side] += answer["losses"]
            return answer["ms"]

        samples = harness.interleave(
            options.rounds_or(ROUNDS),
            {"native": lambda: round_of("native"), "own": lambda: round_of("own")},
            name,
        )
        first = {side: process.ask("first")["losses"] for side, process in processes.items()}
        seen = Counted.of_json(processes["own"].ask("census"))
    pairs = list(zip(first["own"] + losses["own"], first["native"] + losses["native"], strict=True))
    apart = max(abs(a - b) / abs(b) if a == a and b == b else float("inf") for a, b in pairs)
    same = sum(a == b for a, b in pairs)
    shown = f"{same} of {len(pairs)} equal bit for bit; first {pairs[0][0]:.6f} and {pairs[0][1]:.6f}, "
    shown += f"last {pairs[-1][0]:.6f} and {pairs[-1][1]:.6f}"
    return [
        ratio(name, samples, options.bar(BAR)),
        Result(f"{name}, losses apart", apart, "relative", FURTHEST, shown),
        none_calls(name, seen),
        typed_share(name, seen),
    ]
