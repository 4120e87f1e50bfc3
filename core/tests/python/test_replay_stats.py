"""torch_fl.replay_stats(): a mapping, and its sums."""

import pytest

import torch_fl

ROWS = {
    "mul.Tensor": {"replays": 5, "recordings": 2, "templates": 1, "audits": 1, "mismatches": 0, "refused": {}},
    "add.Tensor": {
        "replays": 3,
        "recordings": 3,
        "templates": 1,
        "audits": 0,
        "mismatches": 0,
        "refused": {"it launches nothing": 1},
    },
}


def test_a_mapping_by_op(native):
    native.replays = ROWS
    stats = torch_fl.replay_stats()
    assert list(stats) == ["add.Tensor", "mul.Tensor"] and len(stats) == 2 and "exp" not in stats
    assert stats["mul.Tensor"].replays == 5 and stats["add.Tensor"].refused == {"it launches nothing": 1}
    assert stats.get("exp").replays == 0
    with pytest.raises(KeyError):
        stats["exp"]


def test_a_total(native):
    native.replays = ROWS
    total = torch_fl.replay_stats().total
    assert (total.replays, total.recordings, total.templates, total.audits, total.mismatches) == (8, 5, 2, 1, 0)
    assert total.refused == {"it launches nothing": 1}


def test_nothing_yet(native):
    assert dict(torch_fl.replay_stats()) == {} and torch_fl.replay_stats().total.replays == 0


def test_it_is_public():
    assert "replay_stats" in torch_fl.__all__ and "replay_stats" in dir(torch_fl)
