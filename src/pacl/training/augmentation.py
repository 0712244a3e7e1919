"""Augmentation of training windows: the interface, for any signal."""

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.training.windows import LabelledWindows


@runtime_checkable
class Augmentation(Protocol):
    """Changes training windows at random; the class of a window stays what it was.

    Random numbers are drawn first and used after, so that runs that are trained together draw what
    each of them would draw alone. Two augmentations that do the same are equal.
    """

    def check(self, windows: LabelledWindows) -> None:
        """Refuse windows that it cannot change."""

    def draw(
        self,
        windows: int,
        length: int,
        generator: torch.Generator,
        device: torch.device | str,
        channels: int = 1,
    ) -> Float[Tensor, "window draw"]:
        """Random numbers for one batch, one row per window of `channels` x `length` samples."""

    def put(
        self, x: Float[Tensor, "*run window time"], draws: Float[Tensor, "*run window draw"]
    ) -> Float[Tensor, "*run window time"]:
        """Windows changed by the numbers of `draw`; arrays of several channels have their axis."""
