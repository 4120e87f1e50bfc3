"""Whole models on flagos against the same device as PyTorch has it (NVIDIA: cuda; the simulated device: cpu), eager.

    FLAGOS_ACCELERATOR=cuda python benchmarks/models.py --json models.json
    FLAGOS_ACCELERATOR=cuda python benchmarks/models.py --only decoder --lanes flaggems --survey h200.json
    FLAGOS_ACCELERATOR=sim python benchmarks/models.py --small --lanes boxing

encoder    a forward pass of all-MiniLM-L6-v2
decoder    128 tokens of a decoder of 1.1 billion parameters, batch 1, with a growing cache; on each lane of --lanes
training   a step of that decoder: forward, loss, backward, AdamW; each side in a process of its own, taking turns
diffusion  an image of 1024 x 1024 from a diffusion transformer in ten steps, and its VAE

Both sides run in turns; a round's ratio is of two neighbours. What they compute is compared, and calls on the lane
`none` are counted: other tokens, other numbers or one such call miss a bar too. So does a model, or a lane of one, that
fails: it is named, and the others are measured. Needs transformers, and diffusers for `diffusion`; nothing is
downloaded.
"""

import argparse
import os
import sys
import time
from pathlib import Path

# Before either library is imported: a name that is not on this machine is an error, not a download.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("DIFFUSERS_VERBOSITY", "error")

import harness
from harness import Result, notes
from workloads import decoder, diffusion, encoder, sides, training

MODELS = {"encoder": encoder, "decoder": decoder, "training": training, "diffusion": diffusion}


def _list(text: str) -> tuple[str, ...]:
    if found := tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip())):
        return found
    raise argparse.ArgumentTypeError(f"names with commas between are expected, not {text!r}")


def main() -> int:
    parser = harness.parser(__doc__, rounds=None)
    parser.add_argument("--only", type=_list, default=tuple(MODELS), help="which, by commas (default: all)")
    parser.add_argument("--small", action="store_true", help="the same in small: it shows that all works, not how fast")
    parser.add_argument(
        "--lanes",
        type=_list,
        default=("boxing", "flaggems"),
        help="the decoder's (default: boxing,flaggems); routed: as the routes in force say",
    )
    parser.add_argument(
        "--survey", type=Path, metavar="FILE", help="of the lane flaggems: ops it found wrong stay boxed"
    )
    parser.add_argument(
        "--layers", type=harness.count, help=f"of the diffusion transformer (default: {diffusion.LAYERS})"
    )
    options = parser.parse_args()
    if unknown := set(options.only) - MODELS.keys():
        parser.error(f"--only {','.join(sorted(unknown))}: there are {', '.join(MODELS)}")
    chosen = sides.Options(
        small=options.small,
        rounds=options.rounds,
        lanes=options.lanes,
        survey=options.survey,
        layers=options.layers,
    )
    results: list[Result] = []
    took: dict[str, float] = {}
    both = None
    try:
        both = sides.sides(options.device)
        if options.survey is not None:
            sides.failed_in(options.survey, "flaggems")
        if "diffusion" in options.only:
            diffusion.needs()  # told before the others have run for minutes
        for name in options.only:
            begun = time.monotonic()
            try:
                results += MODELS[name].measure(both, chosen)
            except sides.Unfit:
                raise
            except Exception as error:
                # One that fails takes no other's results along.
                notes.print_exception()
                results.append(sides.failure(name, error))
            harness.write(f"Models on {both}; unfinished", results, options)  # the next one may be stopped
            took[name] = time.monotonic() - begun
            notes.print(f"{name}: {took[name]:.0f} s")
    except sides.Unfit as error:
        if results:
            harness.finish(f"Models on {both}; the rest could not run", results, options)
        parser.exit(2, f"{parser.prog}: {error}\n")
    return harness.finish(f"Models on {both}", results, options)


if __name__ == "__main__":
    sys.exit(main())
