"""Windows taken and scaled on a device, as tensors (Eq. 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from pacl.rr.store import RRWindowSet


@dataclass(frozen=True, eq=False, slots=True)
class RRWindowTensors:
    """The beats of a window set on a device, once, and where each window begins.

    Examples
    --------
    >>> from pacl.rr import RRWindowSet
    >>> tensors = RRWindowTensors.of(RRWindowSet.open("windows").part("train"), "cpu")
    >>> tensors.take(torch.arange(8)).shape
    torch.Size([8, 40])
    """

    rr_ms: Tensor
    start: Tensor
    centre_ms: Tensor
    scale_ms: Tensor
    window_beats: int

    @classmethod
    def of(cls, windows: "RRWindowSet", device: torch.device | str = "cpu") -> "RRWindowTensors":
        """Copy a window set to a device, without the beats that none of its windows reaches."""
        low = int(windows.table.start.min())
        high = int(windows.table.start.max()) + windows.window_beats
        return cls(
            rr_ms=torch.tensor(windows.rr_ms[low:high], device=device),
            start=torch.tensor(windows.table.start - low, device=device),
            centre_ms=torch.tensor(windows.table.centre_ms, device=device),
            scale_ms=torch.tensor(windows.table.scale_ms, device=device),
            window_beats=windows.window_beats,
        )

    def __len__(self) -> int:
        return int(self.start.numel())

    @property
    def length(self) -> int:
        """Beats in a window."""
        return self.window_beats

    @property
    def channels(self) -> int:
        """One: the RR interval."""
        return 1

    @property
    def device(self) -> torch.device:
        """Where the beats are."""
        return self.start.device

    def only(self, rows: Tensor) -> "RRWindowTensors":
        """Some of the windows, on the same beats."""
        return replace(
            self,
            start=self.start[rows],
            centre_ms=self.centre_ms[rows],
            scale_ms=self.scale_ms[rows],
        )

    def join(self, others: Sequence["RRWindowTensors"]) -> "RRWindowTensors":
        """These windows, then those of others: the beats of all, one after the other."""
        each = (self, *others)
        begins = [0, *accumulate(one.rr_ms.numel() for one in each)]
        return RRWindowTensors(
            rr_ms=torch.cat([one.rr_ms for one in each]),
            start=torch.cat([one.start + at for one, at in zip(each, begins, strict=False)]),
            centre_ms=torch.cat([one.centre_ms for one in each]),
            scale_ms=torch.cat([one.scale_ms for one in each]),
            window_beats=self.window_beats,
        )

    @property
    def in_ms(self) -> bool:
        """Whether windows are in ms, without scaling."""
        return bool((self.centre_ms == 0).all() and (self.scale_ms == 1).all())

    def take(self, rows: Tensor, *, scaled: bool = True) -> Tensor:
        """Windows of shape (row, beat), scaled as in Eq. 4 or in ms."""
        windows = self.rr_ms.unfold(0, self.window_beats, 1)[self.start[rows]]
        if not scaled:
            return windows
        return (windows - self.centre_ms[rows, None]) / self.scale_ms[rows, None]
