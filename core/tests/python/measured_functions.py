"""Functions of a lane that are wrong in known ways, for the tests of `torch-fl survey`, `ab` and `tune`: give
``--setup measured_functions:offer``."""

import os
import pathlib
import time

import torch


def crashes(x):
    if x.dtype == torch.float16:
        os.abort()
    return torch.full_like(x, 0.5)


def hangs(x):
    time.sleep(1000)


def refuses(x):
    if x.dim() == 2:
        raise NotImplementedError("no matrices today")
    return right(x)


def refuses_all(x):
    raise NotImplementedError("not today")


def right(x):
    return x + 0


def wrong_for_ints(x):
    return x + 0 if x.is_floating_point() else x + 1


def narrow(x):
    return right(x) if x.dtype != torch.int64 else (x.to(torch.int32) + 0).to(torch.int64)


def slow(x):
    time.sleep(0.002)
    return x + 0


def once(x):
    """Says that it ran, and waits for a while."""
    with pathlib.Path(os.environ["MEASURED_LOG"]).open("a") as log:
        log.write(f"{os.getpid()}\n")
    time.sleep(float(os.environ.get("MEASURED_S", "0")))
    return right(x)


# The ops are ones that leave a positive number as it is, more or less: what is right for them is told by the host.
FUNCTIONS = {
    "exp": crashes,
    "sin": hangs,
    "relu": lambda x: (x.abs() + x) / 2,
    "abs": lambda x: x.double() if x.dtype == torch.float32 else right(x),
    "neg": lambda x: x + 0,
    "positive": right,
    "floor": refuses_all,
    "alias_copy": right,
    "clone": right,
    "detach_copy": refuses,
    "lift_fresh_copy": narrow,
    "view_copy": right,
    "conj_physical": wrong_for_ints,
    "ceil": once,
    "round": once,
    "trunc": once,
    "real_copy": slow,
}


def offer():
    from torch_fl import _packages

    _packages.offer("tileops", FUNCTIONS, FUNCTIONS.__getitem__)
