"""Tensors of the device do not go to other processes, and nobody waits for them in vain."""

import multiprocessing
import threading
from multiprocessing.reduction import ForkingPickler

import pytest
import torch

from torch_fl.flagos import sharing


class OnDevice:
    """In the place of a tensor: it says that it is on the device."""

    device = torch.device("meta")

    def __init__(self, kind):
        self.device = type("D", (), {"type": kind})()


@pytest.fixture
def reduce():
    return sharing._refusing(lambda value: (str, ("as ever",)))


def test_the_sender_is_told(reduce):
    assert reduce(OnDevice("cpu")) == (str, ("as ever",))
    with pytest.raises(RuntimeError, match=r"cannot be sent to another process; send tensor.cpu\(\)"):
        reduce(OnDevice("flagos"))


def test_the_receiver_is_told_where_the_sender_cannot_be(reduce, monkeypatch):
    monkeypatch.setitem(ForkingPickler._extra_reducers, OnDevice, reduce)
    queue = multiprocessing.get_context("spawn").Queue()
    queue.put(OnDevice("flagos"))
    with pytest.raises(RuntimeError, match="cannot be sent to another process"):
        queue.get(timeout=10)
    queue.close()
    queue.join_thread()


def test_a_queue_that_tells_its_sender_is_left_to_do_so(reduce, monkeypatch):
    from concurrent.futures import ProcessPoolExecutor

    monkeypatch.setitem(ForkingPickler._extra_reducers, OnDevice, reduce)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        future = pool.submit(id, OnDevice("flagos"))
        with pytest.raises(RuntimeError, match="cannot be sent to another process"):
            future.result(timeout=60)


def test_install_keeps_how_other_tensors_go(monkeypatch):
    monkeypatch.setattr(ForkingPickler, "_extra_reducers", dict(ForkingPickler._extra_reducers))
    sharing.install()
    x = torch.arange(3.0)
    assert torch.equal(ForkingPickler.loads(ForkingPickler.dumps(x)), x)
    assert torch.equal(ForkingPickler.loads(ForkingPickler.dumps(torch.nn.Parameter(x))), x)
    assert threading.current_thread().name != "QueueFeederThread"
