"""Refusing, in clear words, to send a device's tensor to another process: its memory is of this process alone."""

from __future__ import annotations

import threading
from multiprocessing.reduction import ForkingPickler
from typing import Any, NoReturn

import torch
from torch.multiprocessing import reductions

REFUSAL = "flagos tensors cannot be sent to another process; send tensor.cpu()"


def install() -> None:
    """Teaches the pickler of `multiprocessing` that tensors and storages of the device stay here."""
    for kind, reduce in (
        (torch.Tensor, reductions.reduce_tensor),
        (torch.nn.Parameter, reductions.reduce_tensor),
        (torch.UntypedStorage, reductions.reduce_storage),  # typed ones are sent as theirs
    ):
        ForkingPickler.register(kind, _refusing(reduce))


def _refusing(reduce: Any) -> Any:
    def reduce_or_refuse(value: Any) -> Any:
        if value.device.type != "flagos":
            return reduce(value)
        if _would_be_dropped():
            return refuse, ()
        refuse()

    return reduce_or_refuse


def refuse() -> NoReturn:
    """Raises RuntimeError: in the sender, and in the receiver where the sender's thread has nobody to tell."""
    raise RuntimeError(REFUSAL)


def _would_be_dropped() -> bool:
    # The thread of a plain multiprocessing.Queue prints an error and drops the item, and its reader, such as a
    # DataLoader, waits for ever. So the item is sent in a form that raises the error there.
    from multiprocessing.queues import Queue

    thread = threading.current_thread()
    return thread.name == "QueueFeederThread" and Queue._on_queue_feeder_error in getattr(thread, "_args", ())
