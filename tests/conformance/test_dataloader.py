"""DataLoader: workers, pinned batches, non-blocking moves."""

import pytest
import torch
from harness.device import DEV, SELF_CHECK, needs_device
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Squares(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return {"x": torch.arange(4.0) + i, "y": i * i, "name": f"row {i}"}


def _epoch(loader):
    seen = []
    for batch in loader:
        x = batch["x"].to(DEV, non_blocking=True)
        y = batch["y"].to(DEV, non_blocking=True)
        assert x.device == DEV and isinstance(batch["name"], list)
        assert torch.equal((x[:, 0] ** 2).cpu(), y.cpu().float())
        seen += y.tolist()
    return seen


@pytest.mark.parametrize("workers,context", [(0, None), (2, "fork"), (2, "spawn"), (2, "forkserver")])
def test_batches(workers, context):
    torch.ones(2).to(DEV).sum().item()  # the device is live before the workers start
    loader = DataLoader(Squares(), 5, num_workers=workers, multiprocessing_context=context, pin_memory=not SELF_CHECK)
    assert _epoch(loader) == [i * i for i in range(12)]
    assert _epoch(loader) == [i * i for i in range(12)]


@needs_device
def test_pinned_batches():
    for batch in DataLoader(Squares(), 4, pin_memory=True):
        assert batch["x"].is_pinned() and batch["y"].is_pinned()


@needs_device
def test_pinned_batches_with_workers():
    loader = DataLoader(Squares(), 4, pin_memory=True, num_workers=1, persistent_workers=True)
    for _ in range(2):
        assert all(batch["x"].is_pinned() for batch in loader)


def test_device_tensors_as_a_dataset():
    data = TensorDataset(torch.arange(10.0).to(DEV), torch.arange(10).to(DEV))
    got = [y.tolist() for x, y in DataLoader(data, 4) if x.device == DEV]
    assert got == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_sampler_with_a_seed():
    data = TensorDataset(torch.arange(10))

    def order():
        loader = DataLoader(data, 1, shuffle=True, generator=torch.Generator().manual_seed(1))
        return [int(batch) for (batch,) in loader]

    assert order() == order() and sorted(order()) == list(range(10))


@needs_device
def test_worker_that_uses_the_device_is_told():
    class Bad(Dataset):
        def __len__(self):
            return 1

        def __getitem__(self, i):
            return torch.ones(1, device=DEV)

    torch.ones(1, device=DEV)
    with pytest.raises(RuntimeError, match="spawn"):
        next(iter(DataLoader(Bad(), 1, num_workers=1, multiprocessing_context="fork")))
