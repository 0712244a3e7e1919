"""Crops of recordings for training, and the interface of augmentations."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from pacl.axes import Bool, Float, UInt8

UNKNOWN = 2
"""Label of a beat without a loss: not annotated, or flutter."""


@dataclass(frozen=True, eq=False, slots=True)
class Crops:
    """Stretches of beats, one row per crop."""

    rr_ms: Float[Tensor, "crop beat"]
    present: Bool[Tensor, "crop beat"]
    """Whether there is a beat: not before a recording begins, after it ends, or in a gap."""
    label: UInt8[Tensor, "crop beat"]
    """1 for AF, 0 for any other rhythm, or `UNKNOWN`."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of crops and of beats."""
        return self.rr_ms.shape[0], self.rr_ms.shape[1]


@runtime_checkable
class Augmentation(Protocol):
    """A random change of crops; absent beats stay absent."""

    @property
    def share(self) -> float:
        """Part of the crops that is changed, from 0 to 1."""

    def __call__(self, crops: Crops, generator: torch.Generator) -> Crops:
        """Other crops of the same shape."""


class Chance:
    """Random numbers for a batch of crops, from one generator."""

    def __init__(self, crops: Crops, generator: torch.Generator) -> None:
        self._crops, self._beats = crops.shape
        self._generator = generator
        self._device = crops.rr_ms.device

    def uniform(self, low: float = 0.0, high: float = 1.0) -> Float[Tensor, "crop 1"]:
        """One number for each crop."""
        drawn = torch.rand(self._crops, 1, generator=self._generator, device=self._device)
        return low + (high - low) * drawn

    def happens(self, share: float) -> Bool[Tensor, "crop 1"]:
        """True for about this share of the crops."""
        return self.uniform() < share

    def place(self) -> Tensor:
        """A beat of each crop."""
        return (self.uniform() * self._beats).long().clamp(max=self._beats - 1)

    def each(self) -> Float[Tensor, "crop beat"]:
        """One number from 0 to 1 for each beat."""
        return torch.rand(self._crops, self._beats, generator=self._generator, device=self._device)

    def normal(self) -> Float[Tensor, "crop beat"]:
        """One number for each beat, of mean 0 and variance 1."""
        return torch.randn(self._crops, self._beats, generator=self._generator, device=self._device)


def mean_rr(crops: Crops) -> Float[Tensor, "crop 1"]:
    """Mean interval of each crop, over the present beats."""
    count = crops.present.sum(dim=1, keepdim=True).clamp(min=1)
    return (crops.rr_ms * crops.present).sum(dim=1, keepdim=True) / count
