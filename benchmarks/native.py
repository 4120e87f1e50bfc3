"""Calls on each lane against the same calls on the device that PyTorch has itself, where both are one (NVIDIA: cuda).

The adds are those of the reference's A/B (its issue 252) and one of one element, each with the same inputs again and
again and in chains, where each result is the next call's input; the other ops are the hot ones of a transformer. Both
sides run in turns in one process; a sample is a batch of calls up to the device's synchronisation.
"""

import itertools
import statistics
import sys
from collections.abc import Callable

import harness
import torch
from harness import Result

CALLS = 200
MM_BARS = {"mm 64x64": 1.5, "mm 4096x4096 bfloat16": 1.2}
BARS = {"boxing": {"same": 1.04, "chain": 1.06}, "flaggems": {"same": 1.0, "chain": 1.0}}


def adds(d: torch.device) -> dict[str, tuple[torch.Tensor, torch.Tensor | float]]:
    """The operands, by the reference's names."""
    r = torch.ones
    return {
        "add residual 101x3x320": (r(3, 101, 320, device=d).transpose(0, 1), r(101, 3, 320, device=d)),
        "add attention 60x101x16": (r(101, 60, 16, device=d).transpose(0, 1), r(60, 101, 16, device=d)),
        "add ffn 101x3x1280 + 1.0": (r(101, 3, 1280, device=d), 1.0),
        "add bias 3x101x33": (r(3, 101, 33, device=d), r(33, device=d)),
        "add of one element": (r(1, device=d), r(1, device=d)),
    }


def others(d: torch.device) -> dict[str, Callable[[], object]]:
    x, h = torch.randn(64, 64, device=d), torch.randn(8, 64, device=d)
    w, b = torch.ones(64, device=d), torch.zeros(64, device=d)
    table, ids = torch.randn(100, 64, device=d), torch.arange(64, device=d)
    mask = x > 0
    wide = torch.randn(4096, 4096, device=d, dtype=torch.bfloat16)
    return {
        "silu 64x64": lambda: torch.nn.functional.silu(x),
        "mul.Tensor 64x64": lambda: x * x,
        "_softmax 64x64": lambda: torch.softmax(x, -1),
        "sum.dim_IntList 64x64": lambda: x.sum(1),
        "native_layer_norm 8x64": lambda: torch.nn.functional.layer_norm(h, (64,), w, b),
        "gelu 64x64": lambda: torch.nn.functional.gelu(x),
        "where 64x64": lambda: torch.where(mask, x, x),
        "embedding 64 of 100x64": lambda: torch.nn.functional.embedding(ids, table),
        "mm 64x64": lambda: x @ x,
        "mm 4096x4096 bfloat16": lambda: wide @ wide,
    }


# What the calls above reach.
OPS = ("add.Tensor", "silu", "mul.Tensor", "_softmax", "sum.dim_IntList", "native_layer_norm", "gelu", "where.self")
OPS += ("embedding", "mm")


def batch(device: torch.device, call: Callable[[], object]) -> float:
    """The nanoseconds of one call of a batch."""

    def loop() -> None:
        for _ in itertools.repeat(None, CALLS):
            call()
        harness.synchronize(device)

    harness.synchronize(device)
    return harness.clock(loop) / CALLS


def chain(device: torch.device, x: torch.Tensor, y: torch.Tensor | float) -> float:
    def loop() -> None:
        z = x
        for _ in itertools.repeat(None, CALLS):
            z = torch.add(z, y)
        harness.synchronize(device)

    harness.synchronize(device)
    return harness.clock(loop) / CALLS


def calls(d: torch.device) -> dict[tuple[str, str], Callable[[], float]]:
    """(case, "same" or "chain") -> a measurement."""
    found: dict[tuple[str, str], Callable[[], float]] = {}
    for name, (x, y) in adds(d).items():
        found[name, "same"] = lambda x=x, y=y: batch(d, lambda: torch.add(x, y))
        found[name, "chain"] = lambda x=x, y=y: chain(d, x, y)
    for name, call in others(d).items():
        found[name, "same"] = lambda call=call: batch(d, call)
    return found


def main() -> int:
    parser = harness.parser(__doc__, rounds=15)
    parser.add_argument("--lanes", default="boxing,flaggems", help="which lanes, by commas (default: boxing,flaggems)")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their name: mm")
    parser.add_argument("--but", metavar="TEXT", help="cases without this in their name")
    options = parser.parse_args()
    device = harness.open_device(options.device)
    import torch_fl
    from torch_fl import _C

    key = _C.shared_key()
    if key is None:
        parser.error("this device is not one of PyTorch's own as well; there is nothing to compare it with")
    native = calls(torch.device(key, device.index))
    mine = calls(device)
    results = []
    with torch.inference_mode():
        for lane in options.lanes.split(","):
            # Which of them PyTorch composes of others depends on its release.
            have = {op.name for op in torch_fl.ops() if lane in op.lanes}
            with harness.forced(device, lane, [op for op in OPS if op in have]):
                for (name, kind), run in mine.items():
                    if options.only not in name or (options.but and options.but in name):
                        continue
                    for _ in range(2):  # compilers, searches, recordings
                        run()
                    samples = harness.interleave(
                        options.rounds, {"native": native[name, kind], "lane": run}, f"{name}, {kind}"
                    )
                    base, own = (statistics.median(samples[side]) / 1e3 for side in ("native", "lane"))
                    results.append(
                        Result(
                            f"{name}, {kind}, lane {lane}",
                            harness.ratio(samples, "lane", "native"),
                            "x",
                            (MM_BARS if lane == "flaggems" else {}).get(name, BARS.get(lane, {}).get(kind)),
                            f"{own:.2f} us against {base:.2f} us",
                        )
                    )
    print({op: stats for op, stats in _C.replay_stats().items() if stats["replays"] or stats["refused"]})
    return harness.finish(f"Calls on flagos, against {key}", results, options)


if __name__ == "__main__":
    sys.exit(main())
