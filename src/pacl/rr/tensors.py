"""Windows taken and scaled on a device, as tensors (Eq. 4)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from pacl.rr.store import RRWindowSet


@dataclass(frozen=True, eq=False, slots=True)
class RRWindowTensors:
    """The beats of a window set on a device, once, and where each window begins.

    Examples
    --------
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
    def of(cls, windows: RRWindowSet, device: torch.device | str = "cpu") -> "RRWindowTensors":
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
    def in_ms(self) -> bool:
        """Whether windows are in ms, without scaling."""
        return bool((self.centre_ms == 0).all() and (self.scale_ms == 1).all())

    def take(self, rows: Tensor, *, scaled: bool = True) -> Tensor:
        """Windows of shape (row, beat), scaled as in Eq. 4 or in ms."""
        windows = self.rr_ms.unfold(0, self.window_beats, 1)[self.start[rows]]
        if not scaled:
            return windows
        return (windows - self.centre_ms[rows, None]) / self.scale_ms[rows, None]
