"""Functions of a lane that are wrong in known ways, for the tests of `torch-fl survey`, `ab` and `tune`: give
``--setup measured_functions:offer``. What a function calls itself is served by the next lane."""

import os
import pathlib
import time

import torch


def crashes(x):
    if x.dtype == torch.float16:
        print("about to abort", flush=True)
        os.abort()
    return x.exp()


def hangs(x):
    time.sleep(1000)


def refuses_some(x):
    if x.dim() == 4:
        raise NotImplementedError("no images today")
    return x.sigmoid()


def refuses_all(x):
    raise NotImplementedError("not today")


def narrow(x):
    return (-x.to(torch.int32)).to(torch.int64) if x.dtype == torch.int64 else -x


def counted(x):
    """Says that it ran, and takes its time."""
    with pathlib.Path(os.environ["MEASURED_LOG"]).open("a") as log:
        log.write("a call\n")
    time.sleep(float(os.environ["MEASURED_S"]))
    return x + 0


_dead = False


def kills_the_device(x):
    """Writes, and leaves a device that fails each later call of the process, as an illegal address does on CUDA."""
    global _dead
    x.add_(1)
    if x.dtype == torch.bfloat16:
        _dead = True
    if _dead:
        raise RuntimeError("an illegal address")
    return x.sub_(1).tanh_()


def slow(x):
    time.sleep(0.002)
    return x.sqrt()


FUNCTIONS = {
    "exp": crashes,
    "sin": hangs,
    "cos": lambda x: x.cos().double(),
    "tan": lambda x: x.tan() + 1,
    "relu": lambda x: x.relu(),
    "floor": refuses_all,
    "sigmoid": refuses_some,
    "neg": narrow,
    "ceil": lambda x: x.ceil().nan_to_num(),
    "erf": lambda x: x.erf() + (1 if x.dtype == torch.float16 else 0),
    "round": counted,
    "trunc": counted,
    "sqrt": slow,
    "tanh_": kills_the_device,
}


def offer():
    from torch_fl import _packages
    from torch_fl.survey import measure

    works = measure._works
    measure._works = lambda device: not _dead and works(device)
    refused = _packages.offer("tileops", FUNCTIONS, FUNCTIONS.__getitem__)
    assert not refused, refused
