"""The two sides of a comparison, and what all models say of one: the ratio, the lanes, the typed share."""

import contextlib
import functools
import gc
import statistics
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import harness
import torch
from harness import Result


class Unfit(RuntimeError):
    """A comparison cannot be made as things are here; the message says what to do."""


@dataclass(frozen=True)
class Options:
    """What the command line says to every model. rounds: None for the model's own number."""

    small: bool = False
    rounds: int | None = None
    lanes: tuple[str, ...] = ("boxing", "flaggems")
    survey: Path | None = None
    layers: int | None = None
    device: str = "flagos:0"

    def bar(self, full: float | None) -> float | None:
        """A bar of speed, which says nothing of what is small."""
        return None if self.small else full

    def rounds_or(self, usual: int) -> int:
        return usual if self.rounds is None else self.rounds


@dataclass(frozen=True)
class Sides:
    """A device of PyTorch's own, and flagos on the same hardware."""

    native: torch.device
    own: torch.device

    def __str__(self) -> str:
        if self.own.type == "cpu":
            return "the CPU, against itself"
        name = torch.get_device_module(self.own).get_device_properties(self.own).name
        return f"{self.own} ({name}), against {self.native}"


def sides(name: str) -> Sides:
    """Opens the device `name`. The other side is its key in PyTorch, or the CPU where it has none (the simulated
    device's memory is the host's)."""
    if name.partition(":")[0] not in ("flagos", "cpu"):
        raise Unfit(f"--device {name}: flagos:0, another index of flagos, or cpu is expected")
    own = harness.open_device(name)
    if own.type == "cpu":
        return Sides(own, own)
    from torch_fl import _C

    key = _C.shared_key()
    if key is None:
        if harness.vendor_lane() != "sim":
            raise Unfit(f"{own} is not one of PyTorch's own devices as well; there is nothing to compare it with")
        return Sides(torch.device("cpu"), own)
    return Sides(torch.device(key.lower(), own.index or 0), own)


ROUTED = "routed"  # in the place of a lane: what the routes in force say


@dataclass
class Lanes:
    """Routes of a run: all ops to `boxing`, and `ops` to `lane`; nothing is changed for `ROUTED`."""

    lane: str
    ops: tuple[str, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)  # ops that stay on boxing, and why
    guards: dict[str, str] = field(default_factory=dict)  # of ops that go to the lane for some calls alone

    def __call__(self, own: torch.device) -> AbstractContextManager:
        if own.type == "cpu" or self.lane == ROUTED:
            return contextlib.nullcontext()
        import torch_fl

        changes = {op.name: "boxing" for op in torch_fl.ops() if "boxing" in op.lanes and not op.primitive}
        changes |= {f"{op} [{self.guards[op]}]" if op in self.guards else op: self.lane for op in self.ops}
        return torch_fl.routes(changes)


def boxing() -> Lanes:
    return Lanes("boxing")


@dataclass
class Counted:
    """What a census of one run says."""

    boxed: int = 0
    typed: int = 0
    others: Counter = field(default_factory=Counter)  # boxed calls whose entry is not typed, by op
    lanes: Counter = field(default_factory=Counter)
    on_none: dict[str, str] = field(default_factory=dict)  # ops on the lane `none`, and the reason

    @property
    def share(self) -> float:
        return 100.0 * self.typed / self.boxed if self.boxed else 0.0

    def to_json(self) -> dict:
        return dict(vars(self))

    @staticmethod
    def of_json(value: dict) -> "Counted":
        return Counted(**value | {"others": Counter(value["others"]), "lanes": Counter(value["lanes"])})


def counted(own: torch.device, run: Callable[[], object]) -> Counted:
    """Runs once under a census."""
    found = Counted()
    if own.type == "cpu":
        run()
        return found
    import torch_fl

    with torch_fl.census() as census:
        run()
        harness.synchronize(own)
    typed = {op.name for op in torch_fl.ops() if op.typed}
    for row in census.rows():
        found.lanes[row.lane] += row.calls
        if row.lane == "none":
            found.on_none[f"{row.op} ({row.dtypes})"] = row.reason or "no lane before has a kernel"
        if row.lane == "boxing":
            found.boxed += row.calls
            if row.op in typed:
                found.typed += row.calls
            else:
                found.others[row.op] += row.calls
    return found


def clocked(device: torch.device, run: Callable[[], object]) -> float:
    """Milliseconds of a run, up to the device's synchronisation. What earlier runs left is collected before."""
    gc.collect()
    harness.synchronize(device)

    def whole() -> None:
        run()
        harness.synchronize(device)

    return harness.clock(whole) / 1e6


class Dressed:
    """A module that each side runs in turn, with its own parameters and buffers put in. Where a model's Python objects
    lie in memory decides how fast they run, by more than a lane costs; so both sides run the same ones.

    Args:
        model: on any device.
        devices: gets a copy of what the module holds on each.
    """

    def __init__(self, model: torch.nn.Module, devices: Iterable[torch.device]) -> None:
        self.model = model
        self._held = [
            (table, name, tensor)
            for module in model.modules()
            for table in (module._parameters, module._buffers)
            for name, tensor in table.items()
            if tensor is not None
        ]
        self._on = {device: self._copies(device) for device in devices}

    def _copies(self, device: torch.device) -> list[torch.Tensor]:
        made: dict[int, torch.Tensor] = {}  # shared ones stay shared
        for _, _, tensor in self._held:
            if id(tensor) not in made:
                copied = tensor.detach().to(device)
                is_parameter = isinstance(tensor, torch.nn.Parameter)
                made[id(tensor)] = torch.nn.Parameter(copied, tensor.requires_grad) if is_parameter else copied
        return [made[id(tensor)] for _, _, tensor in self._held]

    def on(self, device: torch.device) -> torch.nn.Module:
        """The module, as it is on `device` until the next call."""
        for (table, name, _), tensor in zip(self._held, self._on[device], strict=True):
            table[name] = tensor
        return self.model


def in_turns(
    rounds: int,
    turns: int,
    steps: int,
    sides: Sides,
    model: Dressed,
    begin: Callable[[torch.device], Iterator[object]],
    what: str,
) -> dict[str, list[float]]:
    """Milliseconds of turns, of which a side has `turns` in a round. A turn is followed by one of the other side: a
    host that slows down for a while slows both down.

    Args:
        steps: of a turn, which is timed up to the device's synchronisation.
        begin: a run of the model on a device, which goes on for a round.
    """
    devices = {"native": sides.native, "own": sides.own}
    samples: dict[str, list[float]] = {name: [] for name in devices}

    def advance(run: Iterator[object], device: torch.device) -> None:
        for _ in range(steps):
            next(run)
        harness.synchronize(device)

    for number in harness.rounds(rounds, what):
        gc.collect()
        begun = {name: begin(device) for name, device in devices.items()}
        for turn in range(turns):
            for name in list(devices) if turn % 2 else reversed(devices):
                model.on(devices[name])
                taken = harness.clock(functools.partial(advance, begun[name], devices[name])) / 1e6
                if number:
                    samples[name].append(taken)
    return samples


def ratio(
    name: str, samples: dict[str, list[float]], bar: float | None, detail: str = "", what: str = "rounds"
) -> Result:
    """The result of samples of "native" and "own", in milliseconds, each next to the other side's."""
    own, base = (statistics.median(samples[side]) for side in ("own", "native"))
    each = [a / b for a, b in zip(samples["own"], samples["native"], strict=True)]
    low, _, high = statistics.quantiles(each, n=4, method="inclusive") if len(each) > 1 else each * 3
    said = f"{own:.4g} ms against {base:.4g} ms; {len(each)} {what}, half of them {low:.3f}x to {high:.3f}x"
    return Result(name, harness.ratio(samples, "own", "native"), "x", bar, f"{said}{detail}")


def none_calls(name: str, seen: Counted) -> Result:
    """Calls on the CPU, of which there must be none."""
    detail = "; ".join(f"{op}: {why}" for op, why in seen.on_none.items())
    lanes = ", ".join(f"{count} {lane}" for lane, count in seen.lanes.most_common())
    return Result(f"{name}, calls on lane none", seen.lanes["none"], "calls", 0, detail or lanes)


def typed_share(name: str, seen: Counted) -> Result:
    """How many boxed calls have a typed entry. It has no bar of its own: the ratio has."""
    rest = ", ".join(f"{op} {count}" for op, count in seen.others.most_common(8))
    detail = f"{seen.typed} of {seen.boxed} calls; others: {rest or 'none'}"
    return Result(f"{name}, typed among boxed calls", seen.share, "%", None, detail)


def furthest(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The largest difference, as a part of the largest value; infinite where one is not finite."""
    a, b = ours.detach().cpu().double(), theirs.detach().cpu().double()
    if a.shape != b.shape or not bool(a.isfinite().all()):
        return float("inf")
    return float((a - b).abs().max() / b.abs().max().clamp(min=1e-30))


def tried(lanes: Iterable[str]) -> Iterator[str]:
    """The lanes of --lanes that have kernels here. Raises Unfit for one that has none."""
    import torch_fl

    have = {lane for op in torch_fl.ops() for lane in op.lanes}
    for lane in lanes:
        if lane not in have and lane != ROUTED:
            raise Unfit(f"the lane {lane} has no kernel here (torch-fl doctor says why); leave it out of --lanes")
        yield lane


def failure(name: str, error: Exception) -> Result:
    """The result of what could not be measured: its bar is missed."""
    text = str(error).strip() or "no message"
    return Result(f"{name}, failed", 1, "failures", 0, f"{type(error).__name__}: {text.splitlines()[0]}")


def failed_in(survey: Path, lane: str, guarded: Container[str] = ()) -> dict[str, str]:
    """The ops that a survey of the lane found wrong in any case but special values, with its words. Those in `guarded`
    do not count, as long as they are right in the plain case. Raises Unfit where the survey cannot be read."""
    from torch_fl.survey import record
    from torch_fl.survey.verdicts import BAD

    try:
        document = record.read(survey)
    except (OSError, ValueError) as error:
        raise Unfit(f"--survey: {error}") from error
    if document.get("lane") != lane:
        raise Unfit(f"{survey} is a survey of the lane {document.get('lane')}, not of {lane}")
    found = {}
    for op, result in document["ops"].items():
        if result["verdict"] == "FAILED":
            found[op] = result["why"]
        elif op not in guarded:
            bad = [c for c in result["cases"] if c["status"] in BAD and not c["name"].endswith("-special")]
            if bad:
                found[op] = f"{bad[0]['name']} {bad[0]['status']}: {bad[0].get('text', '')}".splitlines()[0]
    return {op: f"the survey: {why}" for op, why in found.items()}
