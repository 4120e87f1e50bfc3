"""A forward pass of all-MiniLM-L6-v2 on the boxing lane, against the CPU, both on one thread."""

import copy
import statistics
import sys
from pathlib import Path

import harness
import torch
from harness import Result

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import sentence_model

# sentences, tokens per sentence, bar, passes per round (a short pass is timed several times)
SIZES = ((32, 128, 1.05, 1), (1, 8, 1.15, 10))


def batch(sentences: int, length: int, vocabulary: int, device: torch.device) -> dict[str, torch.Tensor]:
    """Returns random tokens without padding: int64 tensors of shape (sentences, length) on `device`."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(1000, vocabulary, (sentences, length), generator=generator)
    return {"input_ids": ids.to(device), "attention_mask": torch.ones_like(ids).to(device)}


def main() -> int:
    parser = harness.parser(__doc__, rounds=15)
    parser.add_argument("--lane", default="boxing", help="lane that serves (default: boxing, which the bars are for)")
    options = parser.parse_args()
    device, cpu = harness.open_device(options.device), torch.device("cpu")
    encoder = sentence_model.load_encoder()
    models = {cpu: encoder, device: copy.deepcopy(encoder).to(device)}

    results = []
    with torch.inference_mode(), harness.forced(device, options.lane):
        for sentences, length, bar, passes in SIZES:

            def forward(where, sentences=sentences, length=length, passes=passes):
                tokens = batch(sentences, length, encoder.config.vocab_size, where)
                model = models[where]

                def loop():
                    for _ in range(passes):
                        model(**tokens)
                    harness.synchronize(where)

                return harness.clock(loop) / passes / 1e6

            samples = harness.interleave(
                options.rounds * (1 if passes == 1 else 4),
                {"cpu": lambda run=forward: run(cpu), "device": lambda run=forward: run(device)},
                f"MiniLM {sentences} x {length}",
            )
            results.append(
                Result(
                    f"MiniLM forward, {sentences} x {length} tokens, lane {options.lane}",
                    harness.ratio(samples, "device", "cpu"),
                    "x",
                    bar if options.lane == "boxing" else None,
                    f"{statistics.median(samples['device']):.1f} ms against {statistics.median(samples['cpu']):.1f} ms",
                )
            )
    return harness.finish("MiniLM, against the CPU", results, options)


if __name__ == "__main__":
    sys.exit(main())
