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
from torch.nn.functional import pad

from pacl.af.beats.crops import UNKNOWN, Crops
from pacl.af.networks import PerBeatNetwork
from pacl.axes import Array, Bool, Float, Float32, Int32, UInt8
from pacl.cohort import AllBeatsProtocol
from pacl.records import Record, Rhythm
from pacl.rr import USUAL_MS
from pacl.training import TrainingError

CHUNK = 16_384
"""Beats of a forward pass of `beat_logits`."""

TOGETHER = 16
"""Chunks of one batch."""


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
    """Beats of many recordings, and the absent ones between stretches; see `Crops`.

    `record` and `subject` are indices, -1 where a beat is absent, into `records`, database and name
    of each recording, and `subjects`, database and patient of each subject.
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
        nothing = np.full(apart, USUAL_MS), np.full(apart, UNKNOWN)
        gap = _part(*nothing, present=False, record=-1, subject=-1)
        parts = [gap]
        names: list[tuple[str, str]] = []
        who: dict[tuple[str, str], int] = {}
        for one in records:
            subject = who.setdefault((one.database, one.record.patient_id), len(who))
            names.append((one.database, one.record.record_id))
            for start, stop in one.record.stretches():
                if most_beats is not None and stop - start > most_beats:
                    start += (stop - start - most_beats) // 2
                    stop = start + most_beats
                rr_ms, label = one.record.rr_ms[start:stop], one.label[start:stop]
                record = len(names) - 1
                parts += [_part(rr_ms, label, present=True, record=record, subject=subject), gap]
        if not names:
            raise TrainingError("no recordings; give at least one")
        *beats, of_record, of_subject = map(np.concatenate, zip(*parts, strict=True))
        rr, present, known = (torch.from_numpy(each).to(device) for each in beats)
        return cls(rr, present, known, of_record, of_subject, tuple(names), tuple(who))

    def crops(self, first: Tensor, beats: int) -> Crops:
        """Crops of `beats` beats from `first` on; beats beyond the line are absent."""
        at = first[:, None] + torch.arange(beats, device=self.rr_ms.device)
        within = at.clamp(0, self.rr_ms.numel() - 1)  # both ends of the line are absent
        return Crops(self.rr_ms[within], self.present[within], self.label[within])


def _part(
    rr_ms: Array, label: Array, *, present: bool, record: int, subject: int
) -> tuple[Array, ...]:
    """One stretch, as the first five fields of a `BeatLine`."""
    beats = rr_ms.size
    whose = (np.full(beats, each, np.int32) for each in (record, subject))
    return rr_ms.astype(np.float32), np.full(beats, present), label.astype(np.uint8), *whose


@torch.no_grad()
def beat_logits(
    network: PerBeatNetwork, line: BeatLine, *, chunk: int = CHUNK
) -> Float32[Array, "beat"]:
    """Logits of all beats of a line, also of absent ones, in chunks."""
    beats = line.rr_ms.numel()
    chunks = -(-beats // chunk)
    around = (network.behind, network.ahead + chunks * chunk - beats)
    width = network.behind + chunk + network.ahead
    rr_ms = pad(line.rr_ms, around, value=USUAL_MS).unfold(0, width, chunk)
    present = pad(line.present, around, value=False).unfold(0, width, chunk)
    found = [
        network(rr_ms[at : at + TOGETHER], present[at : at + TOGETHER]).float().cpu()
        for at in range(0, chunks, TOGETHER)
    ]
    logits: Float32[Array, "beat"] = torch.cat(found).reshape(-1)[:beats].numpy()
    return logits
