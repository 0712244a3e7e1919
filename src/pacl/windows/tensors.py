"""Windows of any signal on a device."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pacl.axes import Float


@dataclass(frozen=True, eq=False, slots=True)
class ArrayTensors:
    """Windows of shape (window, channel, time) on a device.

    Examples
    --------
    >>> tensors = ArrayTensors(torch.zeros(10, 3, 50))
    >>> tensors.take(torch.tensor([[1, 2], [3, 4]])).shape
    torch.Size([2, 2, 3, 50])
    """

    x: Float[Tensor, "window channel time"]

    def __len__(self) -> int:
        return int(self.x.shape[0])

    @property
    def length(self) -> int:
        """Samples in a window."""
        return int(self.x.shape[2])

    @property
    def channels(self) -> int:
        """Channels of a window."""
        return int(self.x.shape[1])

    @property
    def device(self) -> torch.device:
        """Where the windows are."""
        return self.x.device

    def take(self, rows: Tensor) -> Tensor:
        """Windows as (row, channel, time), or (row, time) if they have one channel.

        Rows may have leading axes, which the result has too.
        """
        found = self.x[rows]
        return found.squeeze(-2) if self.channels == 1 else found

    def only(self, rows: Tensor) -> "ArrayTensors":
        """Some of the windows, copied."""
        return ArrayTensors(self.x[rows])

    def join(self, others: Sequence["ArrayTensors"]) -> "ArrayTensors":
        """These windows, then those of others."""
        return ArrayTensors(torch.cat([self.x, *(one.x for one in others)]))
