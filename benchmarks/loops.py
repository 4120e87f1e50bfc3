"""The two loops in which the cost of a call is measured: the same inputs again and again, and ever fresh tensors."""

import itertools

import harness
import torch

CALLS = 500


def repeated(device: torch.device) -> float:
    """Returns the nanoseconds of one `torch.add` of two one-element tensors that stay the same."""
    x, y = torch.ones(1, device=device), torch.ones(1, device=device)
    add = torch.add

    def loop() -> None:
        for _ in itertools.repeat(None, CALLS):
            add(x, y)
        harness.synchronize(device)

    warm_up(loop)
    return harness.clock(loop) / CALLS


def fresh(device: torch.device) -> float:
    """Returns the nanoseconds of one `torch.add` whose first input is the result of the call before."""
    start, y = torch.ones(1, device=device), torch.ones(1, device=device)
    add = torch.add

    def loop() -> None:
        x = start
        for _ in itertools.repeat(None, CALLS):
            x = add(x, y)
        harness.synchronize(device)

    warm_up(loop)
    return harness.clock(loop) / CALLS


def warm_up(loop) -> None:
    """Runs the loop once, so that plans made after a change of routes are not timed here (plans.py times them)."""
    loop()


LOOPS = {"repeated inputs": repeated, "fresh tensors": fresh}
