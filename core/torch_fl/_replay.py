"""What launch replay did: calls of FlagGems' functions that were done again without Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from torch_fl import _native


@dataclass(frozen=True)
class Replays:
    """Counts of calls since the process began, of one op or of all."""

    replays: int = 0  # done from C++ alone
    recordings: int = 0  # done by the function while its launches were recorded
    templates: int = 0  # kinds of calls that two recordings agreed on
    audits: int = 0  # replays that the function did instead, to be compared
    mismatches: int = 0  # audits that found another call
    refused: Mapping[str, int] = field(default_factory=dict)  # recordings that no replay can come of, by reason


class ReplayStats(Mapping[str, Replays]):
    """`Replays` by op (``"add.Tensor"``), of those of which a call was recorded; an op without any has zeros."""

    def __init__(self, rows: Mapping[str, Mapping]):
        self._rows = {op: Replays(**rows[op]) for op in sorted(rows)}

    def __getitem__(self, op: str) -> Replays:
        return self._rows[op]

    def get(self, op: str, default: Replays = Replays()) -> Replays:
        """As of a dictionary, with zeros for an op that is not listed."""
        return self._rows.get(op, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"ReplayStats({self._rows!r})"

    @property
    def total(self) -> Replays:
        """The sums over all ops."""
        rows = self._rows.values()
        refused = Counter()
        for row in rows:
            refused.update(row.refused)
        numbers = ("replays", "recordings", "templates", "audits", "mismatches")
        return Replays(*(sum(getattr(row, name) for row in rows) for name in numbers), dict(refused))


def replay_stats() -> ReplayStats:
    """What was recorded and replayed so far, on all threads.

    >>> torch_fl.replay_stats()["add.Tensor"].replays
    97
    >>> torch_fl.replay_stats().total.refused
    {'it does more than launch kernels': 2}

    An op that is served by another lane, or whose FlagGems function ran once per kind of call, is not listed.
    """
    return ReplayStats(_native.module().replay_stats())
