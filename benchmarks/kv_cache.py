"""A decode loop in which every step has new shapes: one attention layer with a growing key and value cache.

No step finds a plan for what touches the cache, so on a lane that plans this is a benchmark of making plans.
"""

import itertools
import statistics
import sys
import time

import harness
import torch
from harness import Result
from torch import nn

HEADS, VOCABULARY = 4, 1000
WIDTH, OTHER_WIDTH = 64, 32
STEPS = 512


class Decoder:
    """One layer of `width` with random float32 weights on `device`. `run` decodes tokens and times each."""

    def __init__(self, device: torch.device, width: int = WIDTH) -> None:
        generator = torch.Generator().manual_seed(0)

        def weights(*shape: int) -> torch.Tensor:
            return (torch.randn(*shape, generator=generator) * 0.1).to(device)

        self.device, self.width = device, width
        self.embedding = weights(VOCABULARY, width)
        self.projections = [weights(width, width) for _ in range(4)]
        self.scale, self.shift = torch.ones(width, device=device), torch.zeros(width, device=device)
        self.tokens = torch.randint(0, VOCABULARY, (STEPS,), generator=generator).to(device)
        self.positions = torch.arange(STEPS, device=device)
        self.lowest = torch.full((), -1e9, device=device)

    def step(self, number: int, keys: torch.Tensor, values: torch.Tensor):
        """Decodes token `number`. The caches have shape (HEADS, number, width / HEADS); returns the longer ones."""
        query_weight, key_weight, value_weight, out_weight = self.projections
        token = self.tokens[self.positions[number : number + 1]]
        state = nn.functional.embedding(token, self.embedding)
        normed = nn.functional.layer_norm(state, (self.width,), self.scale, self.shift)
        query, key, value = (
            torch.matmul(normed, weight).view(1, HEADS, -1).transpose(0, 1)
            for weight in (query_weight, key_weight, value_weight)
        )
        keys, values = torch.cat([keys, key], dim=1), torch.cat([values, value], dim=1)
        scores = torch.matmul(query, keys.transpose(1, 2))
        seen = self.positions[: number + 1] <= number
        weights = torch.softmax(torch.where(seen, scores, self.lowest), dim=-1)
        mixed = torch.matmul(weights, values).transpose(0, 1).reshape(1, self.width)
        return state + torch.matmul(mixed, out_weight), keys, values

    def run(self, steps: int = STEPS) -> list[float]:
        """Returns the microseconds that the host takes for each of `steps` steps; the last one waits for the device."""
        keys = torch.empty(HEADS, 0, self.width // HEADS, device=self.device)
        values = torch.empty(HEADS, 0, self.width // HEADS, device=self.device)
        stamps = [time.perf_counter_ns()]
        for number in range(steps):
            _, keys, values = self.step(number, keys, values)
            if number == steps - 1:
                harness.synchronize(self.device)
            stamps.append(time.perf_counter_ns())
        return [(after - before) / 1e3 for before, after in itertools.pairwise(stamps)]


def main() -> int:
    options = harness.parser(__doc__, rounds=15).parse_args()
    device = harness.open_device(options.device)
    own = harness.vendor_lane() if device.type != "cpu" else "cpu"
    host, decoder = Decoder(torch.device("cpu")), Decoder(device)
    warm_up = Decoder(device, OTHER_WIDTH)
    steps: list[list[float]] = []

    def on_lane(lane: str) -> float:
        # On the vendor's lane every step of every round makes its plans, as the first decode of a process does. A route
        # to boxing alone needs no plans, and a guard would give it some.
        with harness.forced(device, lane, new=lane == own):
            warm_up.run(5)  # its shapes are others, so that this makes no plan of the steps that are timed
            taken = decoder.run()
        if lane == own:
            steps.append(taken)
        return sum(taken)

    with torch.inference_mode():
        samples = harness.interleave(
            options.rounds,
            {"cpu": lambda: sum(host.run()), "boxing": lambda: on_lane("boxing"), "own": lambda: on_lane(own)},
            "decode loop",
        )
    base = statistics.median(samples["cpu"])
    # A step's time is its median over the rounds: one round's worst step is the machine's, not ours.
    typical = [statistics.median(times) for times in zip(*steps[1:], strict=True)]
    middle, slowest = statistics.median(typical), max(range(STEPS), key=typical.__getitem__)
    results = [
        Result(
            f"{STEPS} steps, lane {lane}",
            harness.ratio(samples, name, "cpu"),
            "x",
            bar,
            f"{statistics.median(samples[name]) / STEPS:.0f} us a step against {base / STEPS:.0f} us",
        )
        for name, lane, bar in (("boxing", "boxing", 1.1), ("own", own, None))
    ]
    results.append(
        Result(
            f"slowest step over the median step, lane {own}",
            typical[slowest] / middle,
            "x",
            3.0,
            f"step {slowest}: {typical[slowest]:.0f} us, median {middle:.0f} us",
        )
    )
    return harness.finish("A decode loop with a growing cache, against the CPU", results, options)


if __name__ == "__main__":
    sys.exit(main())
