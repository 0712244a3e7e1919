"""Labelled windows on a device: batches are gathered where they are used."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from pacl.axes import Float, Int
from pacl.training.errors import TrainingError
from pacl.windows import Windows, WindowTensors


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """Windows, with the class and the subject of each.

    Windows are (run, window, channel, time); without runs, or with one channel, that axis is left
    out.
    """

    windows: Float[Tensor, "..."]
    labels: Int[Tensor, "*run window"]
    subjects: Int[Tensor, "*run window"]


@dataclass(frozen=True, eq=False, slots=True)
class LabelledWindows:
    """Windows on a device, with class and subject of each."""

    tensors: WindowTensors
    labels: Int[Tensor, "window"]
    subjects: Int[Tensor, "window"]

    @classmethod
    def of(cls, windows: Windows, device: torch.device | str = "cpu") -> "LabelledWindows":
        """Copy a window set to a device."""
        labels = windows.table.labels
        if labels.ndim != 1:
            raise TrainingError(
                f"the windows have a label for each of their {windows.length} samples; a window "
                "needs one label: cut them with one, or give each window its most frequent label"
            )
        return cls(
            tensors=windows.tensors(device),
            labels=torch.tensor(labels, dtype=torch.int64, device=device),
            subjects=torch.tensor(windows.table.subject.codes, dtype=torch.int64, device=device),
        )

    def __len__(self) -> int:
        return len(self.tensors)

    @property
    def device(self) -> torch.device:
        """The device of the windows."""
        return self.labels.device

    def only(self, rows: Int[Tensor, "row"]) -> "LabelledWindows":
        """Some of the windows, in the order of the rows."""
        return LabelledWindows(self.tensors.only(rows), self.labels[rows], self.subjects[rows])

    def take(self, rows: Int[Tensor, "*run window"]) -> Batch:
        """Some of the windows; rows may have a leading axis for the run."""
        return Batch(self.tensors.take(rows), self.labels[rows], self.subjects[rows])


def join_windows(sets: Sequence[LabelledWindows]) -> tuple[LabelledWindows, list[int]]:
    """Concatenate window sets, each once; also returns where each begins."""
    each = list({id(one): one for one in sets}.values())
    begins = dict(zip(map(id, each), [0, *accumulate(map(len, each))], strict=False))
    first, *others = (one.tensors for one in each)
    joined = LabelledWindows(
        first.join(others),
        torch.cat([one.labels for one in each]),
        torch.cat([one.subjects for one in each]),
    )
    return joined, [begins[id(one)] for one in sets]
