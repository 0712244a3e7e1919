"""All beats of many recordings in one array on one device, with absent beats between stretches.

```
record 0, stretch 0 | absent | record 0, stretch 1 | absent | record 1 ...
```

A crop may begin anywhere: beats before a recording begins are absent.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pacl.axes import Array, Bool, Float, Float32, Int32, UInt8
from pacl.cohort import AllBeatsProtocol
from pacl.records import Record, Rhythm
from pacl.training.beats.crops import UNKNOWN, Crops
from pacl.training.errors import TrainingError
from pacl.windows import USUAL_MS


@dataclass(frozen=True, slots=True)
class LabelledRecord:
    """A recording, the database it is from, and a label for each of its beats."""

    database: str
    record: Record
    label: UInt8[Array, "beat"]


def label_beats(record: Record) -> UInt8[Array, "beat"]:
    """1 for AF, 0 for other known rhythms, `UNKNOWN` for flutter and unannotated beats."""
    label = np.full(len(record), UNKNOWN, np.uint8)
    for share in AllBeatsProtocol().select(record).shares:
        for one in share.excerpts:
            label[one.start : one.stop] = one.rhythm is Rhythm.AF
    return label


@dataclass(frozen=True, eq=False, slots=True)
class BeatLine:
    """Beats of many recordings.

    Parameters
    ----------
    rr_ms, present, label
        As in `Crops`, for all beats and the absent ones between stretches.
    record
        Index of the recording of each beat; -1 where it is absent.
    subject
        Index of the subject.
    records
        Database and name of each recording.
    subjects
        Database and patient of each subject.
    """

    rr_ms: Float[Tensor, "beat"]
    present: Bool[Tensor, "beat"]
    label: UInt8[Tensor, "beat"]
    record: Int32[Array, "beat"]
    subject: Int32[Array, "beat"]
    records: tuple[tuple[str, str], ...]
    subjects: tuple[tuple[str, str], ...]

    @classmethod
    def of(
        cls,
        records: Iterable[LabelledRecord],
        apart: int,
        device: torch.device | str = "cpu",
        *,
        most_beats: int | None = None,
    ) -> "BeatLine":
        """Concatenate recordings, with `apart` absent beats between two stretches.

        `apart` is at least the reach of the network to one side. Of stretches longer than
        `most_beats` only the middle `most_beats` are taken.
        """
        line = _Line(apart)
        names: list[tuple[str, str]] = []
        who: dict[tuple[str, str], int] = {}
        for one in records:
            subject = who.setdefault((one.database, one.record.patient_id), len(who))
            names.append((one.database, one.record.record_id))
            for start, stop in one.record.stretches():
                if most_beats is not None and stop - start > most_beats:
                    start += (stop - start - most_beats) // 2
                    stop = start + most_beats
                line.add(
                    one.record.rr_ms[start:stop], one.label[start:stop], len(names) - 1, subject
                )
        if not names:
            raise TrainingError("no recordings; give at least one")
        rr_ms, present, label, record, of = line.arrays()
        return cls(
            torch.from_numpy(rr_ms).to(device),
            torch.from_numpy(present).to(device),
            torch.from_numpy(label).to(device),
            record,
            of,
            tuple(names),
            tuple(who),
        )

    def crops(self, first: Tensor, beats: int) -> Crops:
        """Crops of `beats` beats from `first` on; beats beyond the line are absent."""
        at = first[:, None] + torch.arange(beats, device=self.rr_ms.device)
        within = at.clamp(0, self.rr_ms.numel() - 1)  # both ends of the line are absent
        return Crops(self.rr_ms[within], self.present[within], self.label[within])


class _Line:
    """Arrays that grow by stretches."""

    def __init__(self, apart: int) -> None:
        self._apart = apart
        self._parts: list[tuple[Array, ...]] = []
        self._gap()

    def _gap(self) -> None:
        nothing = np.zeros(self._apart, np.bool_)
        nobody = np.full(self._apart, -1, np.int32)
        rr_ms = np.full(self._apart, USUAL_MS, np.float32)
        self._parts.append(
            (rr_ms, nothing, np.full(self._apart, UNKNOWN, np.uint8), nobody, nobody)
        )

    def add(self, rr_ms: Array, label: UInt8[Array, "beat"], record: int, subject: int) -> None:
        """One stretch, and absent beats after it."""
        size = rr_ms.size
        there = np.ones(size, np.bool_)
        of, who = np.full(size, record, np.int32), np.full(size, subject, np.int32)
        self._parts.append((rr_ms.astype(np.float32), there, label, of, who))
        self._gap()

    def arrays(
        self,
    ) -> tuple[
        Float32[Array, "beat"],
        Bool[Array, "beat"],
        UInt8[Array, "beat"],
        Int32[Array, "beat"],
        Int32[Array, "beat"],
    ]:
        """All stretches as arrays."""
        rr_ms, present, label, record, subject = map(np.concatenate, zip(*self._parts, strict=True))
        return rr_ms, present, label, record, subject
