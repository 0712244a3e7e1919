"""CLOCS-style: windows of one patient at any time attract, other patients repel (Kiyasseh 2021).

This is its contrast over time (CMSC); RR intervals have no leads to contrast. The loss is the
paper's: the mean over positives of their logarithms. Our choices: the encoder, the common
augmentation, and that any two windows of a patient attract, not only adjacent ones, in batches of
16 patients with 16 windows each, as for the patient-aware objective.
"""

import numpy as np
import torch
from torch import Tensor

from pacl.axes import Array, Int, Int64
from pacl.models import EncoderOutput
from pacl.rivals.pretraining import Codes, Loss, Method, SelfSupervised, Start, Views
from pacl.rivals.simclr import nt_xent
from pacl.rivals.system import BATCH, Learn, System
from pacl.training import TrainingError

PATIENTS = 16


class Patients(Method):
    """Each patient is a class.

    Patients with fewer than 16 windows are in no batch. With fewer than 16 patients all are in
    each batch and give more windows, limited by the patient with the fewest.
    """

    tau: Tensor

    def __init__(self, patients: Int[Array, "window"], temperature: float) -> None:
        super().__init__()
        self.register_buffer("tau", torch.tensor(temperature))
        least = BATCH // PATIENTS
        pools = [np.flatnonzero(patients == one) for one in np.unique(patients)]
        self.pools = [pool for pool in pools if len(pool) >= least]
        if len(self.pools) < 2:
            raise TrainingError(
                f"{len(self.pools)} of {len(pools)} patients have {least} windows or more, "
                "contrast between patients needs 2; add patients, or cut windows more densely"
            )
        self.taken = min(PATIENTS, len(self.pools))
        self.each = min(BATCH // self.taken, *(len(pool) for pool in self.pools))

    def rows(self, steps: int, generator: np.random.Generator) -> Int64[Array, "step window"]:
        """Random patients with equal probability; random windows of each."""
        rows = np.empty((steps, self.taken, self.each), dtype=np.int64)
        for step in range(steps):
            for place, one in enumerate(generator.permutation(len(self.pools))[: self.taken]):
                rows[step, place] = generator.choice(self.pools[one], self.each, replace=False)
        return rows.reshape(steps, -1)

    def loss(self, embedded: EncoderOutput, views: Views, patients: Codes) -> Loss:
        """Pairs by patient alone."""
        return nt_xent(embedded.projected, patients, patients, self.tau, "mean_log")


def _patients(start: Start, learn: Learn, chosen: dict[str, float]) -> Patients:
    return Patients(learn.windows.table.patient.codes, chosen["temperature"])


SYSTEMS: tuple[System, ...] = (SelfSupervised("clocs", "CLOCS-style", _patients),)
