"""Copies of arguments on another device, view by view as they were."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree


class Mover:
    """Copies tensors to a device; those that share a storage share one there too."""

    def __init__(self, device: str | torch.device):
        self.device = torch.device(device)
        self._storages: dict[int, torch.UntypedStorage] = {}
        self._tensors: dict[int, torch.Tensor] = {}
        self._kept: list[torch.Tensor] = []  # ids are only good while the objects live

    def _storage(self, storage: torch.UntypedStorage) -> torch.UntypedStorage:
        if storage._cdata not in self._storages:
            flat = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
            copy = torch.empty(storage.nbytes(), dtype=torch.uint8, device=self.device).copy_(flat)
            self._storages[storage._cdata] = copy.untyped_storage()
        return self._storages[storage._cdata]

    def tensor(self, t: torch.Tensor) -> torch.Tensor:
        """A copy with the same sizes, strides, offset, conj and neg bits."""
        if id(t) not in self._tensors:
            self._kept.append(t)
            if t.layout != torch.strided:
                self._tensors[id(t)] = t.detach().to(self.device, copy=True)
            elif t._is_zerotensor():
                self._tensors[id(t)] = torch.zeros(t.shape, dtype=t.dtype, device=self.device)
            else:
                moved = torch.empty(0, dtype=t.dtype, device=self.device)
                moved.set_(self._storage(t.untyped_storage()), t.storage_offset(), t.size(), t.stride())
                torch._C._set_conj(moved, t.is_conj())
                torch._C._set_neg(moved, t.is_neg())
                self._tensors[id(t)] = moved
        return self._tensors[id(t)]

    def tree(self, value: Any) -> Any:
        """Moves each tensor of a structure, and each host device that is named in it."""

        def move(x: Any) -> Any:
            if isinstance(x, torch.Tensor):
                return self.tensor(x)
            if isinstance(x, torch.device):
                return self.device
            if isinstance(x, torch.Generator):
                return None
            return x

        return pytree.tree_map(move, value)


def move(value: Any, device: str | torch.device) -> Any:
    """A copy of a structure of tensors on ``device``."""
    with torch.no_grad():
        return Mover(device).tree(value)
