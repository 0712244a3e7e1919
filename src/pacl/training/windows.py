"""Labelled windows on a device: batches are gathered where they are used."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from pacl.axes import Float, Int
from pacl.rr import RRWindowSet, RRWindowTensors


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """Scaled windows, with the class and the subject of each."""

    windows: Float[Tensor, "*run window beat"]
    labels: Int[Tensor, "*run window"]
    subjects: Int[Tensor, "*run window"]


@dataclass(frozen=True, eq=False, slots=True)
class LabelledWindows:
    """The beats of a window set on a device, with class and subject of each window."""

    tensors: RRWindowTensors
    labels: Int[Tensor, "window"]
    subjects: Int[Tensor, "window"]

    @classmethod
    def of(cls, windows: RRWindowSet, device: torch.device | str = "cpu") -> "LabelledWindows":
        """Copy a window set to a device."""
        return cls(
            tensors=RRWindowTensors.of(windows, device),
            labels=torch.tensor(windows.table.rhythm, dtype=torch.int64, device=device),
            subjects=torch.tensor(windows.table.patient.codes, dtype=torch.int64, device=device),
        )

    def __len__(self) -> int:
        return len(self.tensors)

    @property
    def device(self) -> torch.device:
        """The device of the windows."""
        return self.labels.device

    def take(self, rows: Int[Tensor, "*run window"]) -> Batch:
        """Some of the windows, scaled; rows may have a leading axis for the run."""
        return Batch(self.tensors.take(rows), self.labels[rows], self.subjects[rows])


def join_windows(sets: Sequence[LabelledWindows]) -> tuple[LabelledWindows, list[int]]:
    """Concatenate window sets, each once; also returns where each begins."""
    each = list({id(one): one for one in sets}.values())
    begins = dict(zip(map(id, each), _starts(map(len, each)), strict=True))
    beats = _starts(one.tensors.rr_ms.numel() for one in each)
    tensors = RRWindowTensors(
        rr_ms=torch.cat([one.tensors.rr_ms for one in each]),
        start=torch.cat([one.tensors.start + at for one, at in zip(each, beats, strict=True)]),
        centre_ms=torch.cat([one.tensors.centre_ms for one in each]),
        scale_ms=torch.cat([one.tensors.scale_ms for one in each]),
        window_beats=each[0].tensors.window_beats,
    )
    labels = torch.cat([one.labels for one in each])
    subjects = torch.cat([one.subjects for one in each])
    return LabelledWindows(tensors, labels, subjects), [begins[id(one)] for one in sets]


def _starts(lengths: Iterable[int]) -> list[int]:
    return [0, *accumulate(lengths)][:-1]
