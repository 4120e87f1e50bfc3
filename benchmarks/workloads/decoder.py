"""A decoder of 1.1 billion parameters, Llama's architecture in the shape of TinyLlama, bfloat16, random weights.

Greedy decoding with batch 1 and a key and value cache that grows; the sides take turns after every few tokens.
"""

import inspect
from collections.abc import Callable, Iterator

import harness
import torch
from harness import Result

from workloads.sides import (
    ROUTED,
    Counted,
    Dressed,
    Lanes,
    Options,
    Sides,
    Unfit,
    boxing,
    clocked,
    counted,
    failed_in,
    failure,
    furthest,
    in_turns,
    none_calls,
    ratio,
    tried,
    typed_share,
)

SHAPE = {
    "vocab_size": 32000,
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 22,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": False,
}
SMALL = {
    "vocab_size": 256,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "tie_word_embeddings": False,
}
# TURN: a side decodes so many tokens, then the other: with fewer, each would find the processor's caches full of what
# the other has run.
PROMPT, NEW, NEW_SMALL, TURN = 16, 128, 16, 16
ROUNDS = 7
BARS = {"boxing": 1.03, "flaggems": 1.10, ROUTED: 1.10}
# Of the last logits. Boxing runs the same kernels; FlagGems' round bfloat16 elsewhere.
FURTHEST = {"boxing": 1e-6, "flaggems": 0.05, ROUTED: 0.05}
# Where a recording of a matrix product cannot be replayed, it costs several times native: boxing is the measured route.
PRODUCTS = ("mm", "mm.out", "addmm", "addmm.out", "bmm", "bmm.out", "baddbmm", "baddbmm.out")
# FlagGems' mul for NVIDIA's Hopper takes operands of one rank for one line of memory each: wrong where one is broadcast
# to the other, or has gaps.
GUARDS = {"mul.Tensor": "alike = yes, layout != strided"}
# Of an op's calls on the lane flaggems, the share that must be replayed for it to stay there.
ENOUGH = 0.9


def build(device: torch.device, small: bool) -> torch.nn.Module:
    """The decoder, made on `device` from a fixed seed."""
    try:
        from transformers import LlamaConfig, LlamaForCausalLM
    except ImportError as error:
        raise Unfit(f"the decoder needs transformers ({error}): pip install transformers") from error
    usual = torch.get_default_dtype()
    torch.manual_seed(0)
    try:
        torch.set_default_dtype(torch.bfloat16)
        with torch.device(device):
            return LlamaForCausalLM(LlamaConfig(**(SMALL if small else SHAPE))).eval()
    finally:
        torch.set_default_dtype(usual)


def decided(model: torch.nn.Module) -> torch.nn.Module:
    """Makes the output layer a shuffled copy of the embedding, and both as large as what the layers add.

    Among the logits of plain random weights the first two are nearer than bfloat16's rounding, and two right
    computations give other tokens. With these a token's successor leads by far, whatever serves.
    """
    generator = torch.Generator().manual_seed(1)
    table, out = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    order = torch.randperm(len(table), generator=generator).to(table.device)
    with torch.no_grad():
        table.normal_()
        out.copy_(table[order])
    return model


def steps(model: torch.nn.Module, prompt: torch.Tensor, new: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yields each of `new` tokens after `prompt` (1, tokens), as (1, 1), and its logits; both on the device."""
    from transformers import DynamicCache

    # Its name depends on the release of transformers.
    name = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"
    kept, step = {name: DynamicCache()}, prompt
    for _ in range(new):
        logits = model(input_ids=step, use_cache=True, **kept).logits[:, -1:]
        step = logits.argmax(-1)
        yield step, logits


def decode(model: torch.nn.Module, prompt: torch.Tensor, new: int) -> tuple[torch.Tensor, torch.Tensor]:
    """`new` tokens after `prompt` (1, tokens), as (1, new), and the last logits; both on the device."""
    tokens, logits = zip(*steps(model, prompt, new), strict=True)
    return torch.cat(tokens, 1), logits[-1]


def replays() -> dict[str, int]:
    import torch_fl

    return {op: stats.replays for op, stats in torch_fl.replay_stats().items()}


def routed(own: torch.device, lane: str, options: Options, run: Callable[[], object]) -> Lanes:
    """The ops that go to a package's lane: those that the model reaches and the lane has, without matrix products, what
    a survey found wrong, and what a trial shows is not replayed there."""
    import torch_fl

    notes = dict.fromkeys(PRODUCTS, "a matrix product: boxing is the measured route")
    if options.survey is not None:
        notes |= failed_in(options.survey, lane, GUARDS)
    have = {op.name for op in torch_fl.ops() if lane in op.lanes and "boxing" in op.lanes and not op.primitive}
    with torch_fl.census() as census, boxing()(own):
        run()
    reached = {row.op for row in census.rows()} & have
    lanes = Lanes(lane, tuple(sorted(reached - notes.keys())), {op: notes[op] for op in reached & notes.keys()}, GUARDS)
    with lanes(own):
        run()
        before = replays()
        with torch_fl.census() as census:
            run()
        after = replays()
    for op in lanes.ops:
        rows = [row for row in census.rows() if row.op == op]
        on_lane = sum(row.calls for row in rows if row.lane == lane)
        # A guard keeps calls from the lane.
        calls = max(on_lane, 1) if op in lanes.guards else sum(row.calls for row in rows)
        replayed = after.get(op, 0) - before.get(op, 0)
        if on_lane < calls:
            lanes.notes[op] = next((row.reason for row in rows if row.reason), f"{on_lane} of {calls} calls served")
        elif _replaying() and replayed < ENOUGH * calls:
            lanes.notes[op] = f"{replayed} of {calls} calls replayed"
    lanes.ops = tuple(op for op in lanes.ops if op not in lanes.notes)
    return lanes


def _replaying() -> bool:
    """Recorded calls can be launched here. An interpreter has none."""
    from torch_fl import flaggems

    return not flaggems._facts.get(flaggems.LANE, {}).get("interpreter", False)


def measure(sides: Sides, options: Options) -> list[Result]:
    lanes = tuple(tried(options.lanes)) if sides.own.type != "cpu" else ("boxing",)
    devices = (sides.native, sides.own)
    decoder = decided(build(sides.native, options.small))
    parameters = sum(p.numel() for p in decoder.parameters())
    model = Dressed(decoder, devices)
    new = NEW_SMALL if options.small else NEW
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(decoder.config.vocab_size, (1, PROMPT), generator=generator)
    prompts = {device: ids.to(device) for device in devices}

    def run(device):
        return decode(model.on(device), prompts[device], new)

    results = []
    with torch.inference_mode():
        clocked(sides.native, lambda: run(sides.native))

        def measured(lane: str, name: str) -> list[Result]:
            if lane in ("boxing", ROUTED):
                routes = Lanes(lane)
            else:
                routes = routed(sides.own, lane, options, lambda: run(sides.own))
            with routes(sides.own):
                clocked(sides.own, lambda: run(sides.own))
                begin = lambda device: steps(decoder, prompts[device], new)  # noqa: E731
                samples = in_turns(options.rounds_or(ROUNDS), new // TURN, TURN, sides, model, begin, name)
                (tokens, logits), (theirs, want) = run(sides.own), run(sides.native)
                seen = counted(sides.own, lambda: run(sides.own))
            wrong = int((tokens.cpu() != theirs.cpu()).sum())
            found = [
                ratio(name, samples, options.bar(BARS.get(lane)), what=f"turns of {TURN} tokens"),
                Result(f"{name}, tokens that differ", wrong, "tokens", 0, f"of {tokens.numel()}"),
                Result(f"{name}, last logits apart", furthest(logits, want), "of the largest", FURTHEST.get(lane)),
                none_calls(name, seen),
            ]
            if lane == "boxing":
                found.append(typed_share(name, seen))
            elif lane != ROUTED:
                found.append(on_lane(name, lane, seen, routes))
            return found

        for lane in lanes:
            name = f"decoder {parameters / 1e9:.2f}B, {new} tokens, {lane}"
            try:
                results += measured(lane, name)
            except Unfit:
                raise
            except Exception as error:
                # What the lanes before it came to is kept.
                harness.notes.print_exception()
                results.append(failure(name, error))
    return results


def on_lane(name: str, lane: str, seen: Counted, routes: Lanes) -> Result:
    """How many calls the lane served, and which ops stayed on boxing."""
    total = sum(seen.lanes.values())
    stayed = "; ".join(f"{op}: {why}" for op, why in sorted(routes.notes.items()))
    detail = f"{seen.lanes[lane]} of {total} calls: {', '.join(routes.ops) or 'none'}. On boxing: {stayed or 'none'}"
    share = 100.0 * seen.lanes[lane] / total if total else 0.0
    return Result(f"{name}, calls on the lane", share, "%", None, detail)
