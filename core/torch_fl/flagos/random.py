"""Random generators: one Philox generator per device. A state is a uint8 tensor on the CPU."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from torch_fl import _native
from torch_fl.flagos._device import Device, index_of


def default_generator(device: Device = None) -> torch.Generator:
    """The generator that ops of a device use where they are given none."""
    return _native.module().default_generator(index_of(device))


def default_generators() -> tuple[torch.Generator, ...]:
    """The default generator of each device."""
    native = _native.module()
    return tuple(native.default_generator(i) for i in range(native.device_count()))


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator."""
    if _native.module().device_count() > 0:
        default_generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices; `torch.manual_seed` calls this.

    Does not start the device: where it is not in use yet, its generators begin with this seed.
    """
    value = torch.Generator().manual_seed(int(seed)).initial_seed()  # 64 bits without sign, or PyTorch's error
    _native.module().seed_default_generators(value)


def seed() -> int:
    """Seeds the current device's generator from the system's entropy, and gives the seed."""
    return default_generator().seed()


def seed_all() -> None:
    """Seeds all generators with one seed from the system's entropy."""
    generators = default_generators()
    if generators:
        value = generators[0].seed()
        for generator in generators[1:]:
            generator.manual_seed(value)


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return default_generator().initial_seed()


def get_rng_state(device: Device = "flagos") -> torch.Tensor:
    """The state of a device's generator: a uint8 tensor on the CPU."""
    return default_generator(device).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    """The states of all devices' generators."""
    return [generator.get_state() for generator in default_generators()]


def set_rng_state(new_state: torch.Tensor, device: Device = "flagos") -> None:
    """Makes a device's generator continue from a state.

    Raises:
        RuntimeError, TypeError: it is no state of such a generator.
    """
    default_generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Makes the generator of each device continue from its state in the list."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
