"""The main job: a real sentence encoder on a torch_fl device, checked against the CPU.

1. loads all-MiniLM-L6-v2 with its real weights,
2. embeds a page of text on the CPU and on the device, and compares the vectors,
3. answers a few questions by searching the page,
4. fine-tunes the encoder's last layer and a new head for some AdamW steps, and compares the loss at each step,
5. prints what ran where.

Exit code 0 if every check held, 1 if one failed, 2 if something needed is not installed.
"""

import argparse
import contextlib
import copy
import math
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import sentence_model
import torch
from rich.console import Console
from rich.table import Table
from torch import nn

PAGE = Path(__file__).parent / "data" / "page.txt"
QUESTIONS = (
    "Who moved into the house nearby?",
    "Why would a man go to sea?",
    "A mother hopes to find husbands for her daughters.",
)
COSINE_BAR = 0.9999
LOSS_TOLERANCE = 1e-4

# Where output goes to a file or a log, the width of a terminal is a guess; lines that wrap are hard to read there.
console = Console() if sys.stdout.isatty() else Console(width=140)


@dataclass
class Checks:
    """The checks made so far. `failed` holds the descriptions of those that did not hold."""

    failed: list[str] = field(default_factory=list)

    def expect(self, holds: bool, what: str) -> None:
        console.print(f"    {'[green]ok[/]  ' if holds else '[red]FAIL[/]'} {what}", highlight=False)
        if not holds:
            self.failed.append(what)


@contextlib.contextmanager
def step(title: str):
    """Announces a step before it starts, so that a slow one is seen, and prints its duration afterwards."""
    console.print(f"[bold]{title}[/]", highlight=False)
    start = time.perf_counter()
    yield
    console.print(f"    [dim]{time.perf_counter() - start:.1f} s[/]", highlight=False)


def read_page() -> tuple[list[str], list[int], list[str]]:
    """Returns the sentences, for each the number of the book that it is from, and the books' titles."""
    sentences, books, titles = [], [], []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            titles.append(line[2:])
        elif line:
            sentences.append(line)
            books.append(len(titles) - 1)
    return sentences, books, titles


def synchronize(device: torch.device) -> None:
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def timed(device: torch.device, call):
    """Runs `call` to its end on `device`. Returns its result and the seconds that it took."""
    synchronize(device)
    start = time.perf_counter()
    result = call()
    synchronize(device)
    return result, time.perf_counter() - start


def to_device(tokens, device: torch.device) -> dict[str, torch.Tensor]:
    return {name: tensor.to(device) for name, tensor in tokens.items()}


def embed_page(encoder: nn.Module, tokens, device: torch.device, repeats: int) -> tuple[torch.Tensor, float]:
    """Returns the page's embeddings, copied to the CPU, and the median seconds of one pass after a first one."""
    on_device = to_device(tokens, device)
    seconds = []
    with torch.inference_mode():
        for _ in range(repeats + 1):
            vectors, took = timed(device, lambda: sentence_model.embed(encoder, on_device))
            seconds.append(took)
    median = statistics.median(seconds[1:])
    console.print(
        f"    {device}: first pass {seconds[0] * 1e3:.0f} ms, then {median * 1e3:.0f} ms each", highlight=False
    )
    return vectors.cpu(), median


def compare_embeddings(checks: Checks, found: torch.Tensor, expected: torch.Tensor) -> None:
    difference = (found - expected).abs().max().item()
    cosine = nn.functional.cosine_similarity(found, expected, dim=1).min().item()
    checks.expect(bool(torch.isfinite(found).all()), "every embedding is finite")
    checks.expect(
        cosine > COSINE_BAR,
        f"{found.shape[0]} embeddings of {found.shape[1]} numbers: lowest cosine to the CPU's {cosine:.7f} "
        f"(bar {COSINE_BAR}), largest difference {difference:.1e}",
    )


def search(encoder: nn.Module, tokenizer, page: torch.Tensor, device: torch.device) -> list[tuple[float, int]]:
    """Returns for each question the similarity and the number of the page's sentence that is nearest to it."""
    tokens = to_device(tokenizer(list(QUESTIONS), padding=True, return_tensors="pt"), device)
    with torch.inference_mode():
        similarity = sentence_model.embed(encoder, tokens) @ page.to(device).T
        best = similarity.max(dim=1)
    return list(zip(best.values.tolist(), best.indices.tolist(), strict=True))


class Classifier(nn.Module):
    """Tells which book a sentence is from. Only the encoder's last layer and the head are trained."""

    def __init__(self, encoder: nn.Module, classes: int) -> None:
        super().__init__()
        self.encoder = copy.deepcopy(encoder).requires_grad_(False)
        self.encoder.encoder.layer[-1].requires_grad_(True)
        self.head = nn.Linear(encoder.config.hidden_size, classes)

    def forward(self, tokens: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.head(sentence_model.embed(self.encoder, tokens))


def fine_tune(model: nn.Module, tokens, labels: torch.Tensor, device: torch.device, steps: int):
    """Yields after each AdamW step its loss and the seconds that it took.

    Dropout stays off: its masks come from the device's own random generator, and the losses could not be compared.
    """
    model = model.to(device).eval()
    tokens, labels = to_device(tokens, device), labels.to(device)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=3e-4, weight_decay=0.01)

    def once() -> float:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(8.0 * model(tokens), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    for _ in range(steps):
        yield timed(device, once)


def train_on_both(checks: Checks, encoder: nn.Module, tokens, labels, device: torch.device, steps: int):
    """Fine-tunes one copy on the CPU and one on the device. Returns the median seconds of a step on each."""
    torch.manual_seed(0)
    model = Classifier(encoder, int(labels.max()) + 1)
    here = fine_tune(copy.deepcopy(model), tokens, labels, torch.device("cpu"), steps)
    there = fine_tune(copy.deepcopy(model), tokens, labels, device, steps)
    seconds, losses, worst = [], [], 0.0
    for number, ((expected, cpu_took), (found, took)) in enumerate(zip(here, there, strict=True), start=1):
        error = abs(found - expected) / abs(expected)
        worst = max(worst, error if math.isfinite(error) else math.inf)
        losses.append(found)
        seconds.append((cpu_took, took))
        console.print(
            f"    step {number}: loss {found:.6f} on {device}, {expected:.6f} on cpu, apart by {error:.1e}",
            highlight=False,
        )
    checks.expect(
        worst <= LOSS_TOLERANCE, f"loss equal to the CPU's at each step, within {LOSS_TOLERANCE:g} ({worst:.1e})"
    )
    checks.expect(losses[-1] < losses[0], f"loss fell from {losses[0]:.4f} to {losses[-1]:.4f}")
    warm = seconds[1:] or seconds
    return statistics.median(cpu for cpu, _ in warm), statistics.median(took for _, took in warm)


def print_times(device: torch.device, rows: list[tuple[str, float, float]]) -> None:
    table = Table(title="Time", title_justify="left")
    for name in ("", "cpu", str(device), "ratio"):
        table.add_column(name, justify="right" if name else "left")
    for what, cpu, took in rows:
        table.add_row(what, f"{cpu * 1e3:.1f} ms", f"{took * 1e3:.1f} ms", f"{took / cpu:.2f}x")
    console.print(table)


def print_census(rows) -> None:
    """Prints the calls per lane, the ops that took longest, and every op that fell back, with its reason."""
    total = sum(row.nanoseconds for row in rows) or 1
    lanes = Table(title="What ran where", title_justify="left")
    for name in ("lane", "ops", "calls", "time in the op", "share"):
        lanes.add_column(name, justify="left" if name == "lane" else "right")
    for lane in sorted({row.lane for row in rows}):
        of_lane = [row for row in rows if row.lane == lane]
        spent = sum(row.nanoseconds for row in of_lane)
        lanes.add_row(
            lane,
            str(len({row.op for row in of_lane})),
            str(sum(row.calls for row in of_lane)),
            f"{spent / 1e6:.1f} ms",
            f"{spent / total:.0%}",
        )
    console.print(lanes)

    longest = Table(title="Longest ops", title_justify="left")
    for name in ("op", "lane", "calls", "time in the op"):
        longest.add_column(name, justify="left" if name in ("op", "lane") else "right")
    by_op: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        entry = by_op.setdefault((row.op, row.lane), [0, 0])
        entry[0] += row.calls
        entry[1] += row.nanoseconds
    for (op, lane), (calls, spent) in sorted(by_op.items(), key=lambda item: -item[1][1])[:8]:
        longest.add_row(op, lane, str(calls), f"{spent / 1e6:.1f} ms")
    console.print(longest)

    fallen = [row for row in rows if row.lane == "none"]
    if not fallen:
        console.print("No op fell back to the CPU.")
        return
    fallbacks = Table(title="Fallbacks to the CPU", title_justify="left")
    for name in ("op", "dtypes", "calls", "reason"):
        fallbacks.add_column(name, justify="right" if name == "calls" else "left")
    for row in sorted(fallen, key=lambda row: -row.calls):
        fallbacks.add_row(row.op, row.dtypes, str(row.calls), row.reason)
    console.print(fallbacks)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="flagos:0", help="where to run (default: flagos:0)")
    parser.add_argument("--steps", type=int, default=5, help="AdamW steps (default: 5)")
    parser.add_argument("--repeats", type=int, default=3, help="timed passes over the page (default: 3)")
    options = parser.parse_args()
    if options.steps < 2 or options.repeats < 1:
        parser.error("--steps must be at least 2 and --repeats at least 1")

    census = contextlib.nullcontext()
    if not options.device.startswith("cpu"):
        import torch_fl

        census = torch_fl.census()
    device, cpu = torch.device(options.device), torch.device("cpu")
    checks, times = Checks(), []

    with step("1/5  Load all-MiniLM-L6-v2"):
        try:
            encoder, tokenizer = sentence_model.load_encoder(), sentence_model.load_tokenizer()
        except (RuntimeError, ModuleNotFoundError) as error:
            console.print(f"[red]{error}[/]", highlight=False)
            return 2
        with torch.no_grad():
            on_device = copy.deepcopy(encoder).to(device)
        parameters = sum(parameter.numel() for parameter in encoder.parameters())
        console.print(f"    {parameters:,} parameters, copied to {device}", highlight=False)

    sentences, books, titles = read_page()
    tokens = tokenizer(sentences, padding=True, return_tensors="pt")
    with census as ran:
        with step(f"2/5  Embed {len(sentences)} sentences of {' and '.join(titles)}"):
            expected, cpu_seconds = embed_page(encoder, tokens, cpu, options.repeats)
            found, seconds = embed_page(on_device, tokens, device, options.repeats)
            times.append(
                (f"embed {tokens['input_ids'].shape[0]} x {tokens['input_ids'].shape[1]} tokens", cpu_seconds, seconds)
            )
            compare_embeddings(checks, found, expected)

        with step("3/5  Search the page"):
            answers = search(on_device, tokenizer, found, device)
            for question, (similarity, number) in zip(QUESTIONS, answers, strict=True):
                console.print(f"    {question}\n    [cyan]{similarity:.2f}  {sentences[number]}[/]", highlight=False)
            same = [number for _, number in search(encoder, tokenizer, expected, cpu)]
            checks.expect([number for _, number in answers] == same, "the same sentences as on the CPU")

        with step(f"4/5  Fine-tune the last layer and a head for {options.steps} AdamW steps"):
            times.append(
                ("AdamW step", *train_on_both(checks, encoder, tokens, torch.tensor(books), device, options.steps))
            )

    console.print("[bold]5/5  Report[/]")
    print_times(device, times)
    if ran is not None:
        print_census(ran.rows())
    if checks.failed:
        console.print(f"[red]{len(checks.failed)} check(s) failed:[/] {'; '.join(checks.failed)}", highlight=False)
        return 1
    console.print(f"[green]All checks held: the model ran on {device} and agrees with the CPU.[/]", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
