"""What training and evaluation need of windows, whatever the signal.

```
Windows --tensors(device)--> WindowTensors --take(rows)--> x (window, channel, time)
   |
   +-- table: Rows           one row per window: subject, record, part, label
```
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pacl.axes import Array, Float32, Int64
from pacl.windows.names import Names

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@runtime_checkable
class Rows(Protocol):
    """One row per window."""

    @property
    def subject(self) -> Names:
        """Whose window it is."""

    @property
    def record(self) -> Names:
        """The recording it is from."""

    @property
    def split(self) -> Names:
        """Its part: train, validation or test."""

    @property
    def labels(self) -> Int64[Array, "window"] | Int64[Array, "window time"]:
        """Its class, or the class of each of its samples: numbers of the class names."""

    @property
    def start(self) -> Int64[Array, "window"]:
        """Its first sample; with the recording, it tells windows apart."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Array) -> "Rows":
        """Some of the rows, by mask or by number."""

    def write(self, path: Path, **more: Array) -> None:
        """Write the rows, and `more` columns beside them, as parquet."""


@runtime_checkable
class WindowTensors(Protocol):
    """Windows on a device."""

    @property
    def length(self) -> int:
        """Samples in a window."""

    @property
    def channels(self) -> int:
        """Channels of a window."""

    @property
    def device(self) -> "torch.device":
        """Where the windows are."""

    def __len__(self) -> int: ...

    def take(self, rows: "Tensor") -> "Tensor":
        """Windows as (row, channel, time), or (row, time) if they have one channel.

        Rows may have leading axes, which the result has too.
        """

    def only(self, rows: "Tensor") -> "WindowTensors":
        """Some of the windows, in the order of the rows."""

    def join(self, others: Sequence[Any]) -> "WindowTensors":
        """These windows, then those of others of the same kind."""


@runtime_checkable
class Windows(Protocol):
    """Labelled windows of subjects: what training and evaluation take."""

    @property
    def length(self) -> int:
        """Samples in a window."""

    @property
    def channels(self) -> int:
        """Channels of a window."""

    @property
    def class_names(self) -> tuple[str, ...]:
        """Name of each class by its number; with two, the second is the one to detect."""

    @property
    def table(self) -> Rows:
        """One row per window."""

    @property
    def safe(self) -> bool:
        """Whether the set was written without allowing any leak."""

    def __len__(self) -> int: ...

    def part(self, name: str) -> "Windows":
        """The windows of one part alone."""

    def select(self, rows: Array) -> "Windows":
        """Some of the windows, by mask or by number."""

    def count(self) -> dict[str, dict[str, int]]:
        """Windows of each class in each part."""

    def take(self, rows: Array | None = None) -> Float32[Array, "window channel time"]:
        """Windows, all or some, as they are learned from."""

    def tensors(self, device: "torch.device | str") -> WindowTensors:
        """Copy the windows to a device."""
