"""PCLR-style: two distant windows of a patient attract, other patients repel (Diamant et al. 2022).

As there, a positive pair is two recordings of one patient, at different times, and the loss is
NT-Xent over the pairs of a batch. Our choices: the encoder, the common augmentation, and for a
patient with one recording, two windows at least a quarter of the recording apart.

```
one recording      ...a..........b...         b at least a quarter of all windows before or after a
several            ...a... | ..b.. | .....    b in another recording than a
```

The paper has more patients than a batch has pairs. With fewer patients, each is in the batch once
before any is in it twice, and pairs of the same patient are ignored.
"""

import numpy as np
import torch
from torch import Tensor

from pacl.axes import Array, Float, Int, Int64
from pacl.models import EncoderOutput
from pacl.rivals.pretraining import Codes, Loss, Method, SelfSupervised, Start, Views
from pacl.rivals.simclr import nt_xent
from pacl.rivals.system import BATCH, Learn, System
from pacl.rr import RRWindowTable
from pacl.training import TrainingError

PAIRS = BATCH // 2


class FarPairs(Method):
    """Pairs of windows of one patient; patients with one window are in no batch."""

    tau: Tensor

    def __init__(self, table: RRWindowTable, temperature: float) -> None:
        super().__init__()
        self.register_buffer("tau", torch.tensor(temperature))
        self.order = np.lexsort((table.onset_s, table.record.codes, table.patient.codes))
        whose, record = table.patient.codes[self.order], table.record.codes[self.order]
        self.patient, self.recording = _stretches(whose), _stretches(whose, record)
        begins = np.unique(self.patient[0])
        counts = self.patient[1, begins]
        self.begins, self.counts = begins[counts > 1], counts[counts > 1]
        if len(self.begins) < 2:
            raise TrainingError(
                f"{len(self.begins)} of {len(counts)} patients have 2 windows or more, "
                "contrast between patients needs 2; add patients"
            )

    def rows(self, steps: int, generator: np.random.Generator) -> Int64[Array, "step window"]:
        """The first windows of all pairs, then the second windows."""
        patients = len(self.begins)
        rounds = -(-PAIRS // patients)
        turns = np.tile(np.arange(patients), (steps * rounds, 1))
        turns = generator.permuted(turns, axis=1).reshape(steps, -1)[:, :PAIRS]
        first = self.begins[turns] + generator.integers(self.counts[turns])
        second = far_places(
            self.patient[:, first], self.recording[:, first], first, generator.random(first.shape)
        )
        rows: Int64[Array, "step window"] = self.order[np.concatenate([first, second], axis=1)]
        return rows

    def loss(self, embedded: EncoderOutput, views: Views, patients: Codes) -> Loss:
        """NT-Xent over pairs; other pairs of the same patient are ignored."""
        pair = torch.arange(len(views) // 2, device=views.device).repeat(2)
        return nt_xent(embedded.projected, pair, patients, self.tau)


def far_places(
    patient: Int64[Array, "2 *shape"],
    recording: Int64[Array, "2 *shape"],
    place: Int64[Array, "*shape"],
    draw: Float[Array, "*shape"],
) -> Int64[Array, "*shape"]:
    """A random window far from each; windows are ordered by patient and time.

    `patient` and `recording` hold the start and the length of the stretch around each window.
    """
    (begin, count), (first, length) = patient, recording
    quarter = -(-count // 4)
    alone = length == count
    after = np.where(alone, place + quarter, first + length)
    choice = np.where(alone, count - 2 * quarter + 1, count - length)
    places: Int64[Array, "*shape"] = begin + (after - begin + (draw * choice).astype(int)) % count
    return places


def _stretches(*codes: Int[Array, "window"]) -> Int64[Array, "2 window"]:
    """Start and length of the run of equal codes around each window."""
    new = np.any([np.diff(code, prepend=-1) != 0 for code in codes], axis=0)
    begins = np.flatnonzero(new)
    length = np.diff(begins, append=len(new))
    return np.stack([np.repeat(begins, length), np.repeat(length, length)])


def _far_pairs(start: Start, learn: Learn, chosen: dict[str, float]) -> FarPairs:
    return FarPairs(learn.windows.table, chosen["temperature"])


SYSTEMS: tuple[System, ...] = (SelfSupervised("pclr", "PCLR-style", _far_pairs),)
