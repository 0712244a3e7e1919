"""CLOCS-style: windows of one patient at any time attract, other patients repel (Kiyasseh 2021).

This is its contrast across time (CMSC); across leads there is nothing to contrast in RR intervals.
The loss is the paper's: the mean over positives of their logarithms. Ours: the encoder, the
augmentation that all get, and that any two windows of a patient attract, not adjacent ones alone,
in batches of 16 patients with 16 windows each, as the project's own objective has.
"""

import numpy as np
import torch
from torch import Tensor

from pacl.axes import Array, Float, Int, Int64
from pacl.models.network import EncoderOutput
from pacl.rivals.pretraining import TEMPERED, Method, Start
from pacl.rivals.simclr import nt_xent
from pacl.rivals.system import BATCH, Kind, Learn, Probed, Settings, System
from pacl.training.errors import TrainingError

PATIENTS = 16


class Patients(Method):
    """Each patient is a class.

    Patients with fewer windows than a batch takes of each where there are enough patients are in
    no batch. With fewer than 16 patients all are in every batch and give more windows each, as far
    as the one with the fewest has them.
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
        """Patients at random, no matter how many windows they have; of each, windows at random."""
        rows = np.empty((steps, self.taken, self.each), dtype=np.int64)
        for step in range(steps):
            for place, one in enumerate(generator.permutation(len(self.pools))[: self.taken]):
                rows[step, place] = generator.choice(self.pools[one], self.each, replace=False)
        return rows.reshape(steps, -1)

    def loss(
        self,
        embedded: EncoderOutput,
        views: Float[Tensor, "view beat"],
        patients: Int[Tensor, "window"],
    ) -> Float[Tensor, ""]:
        """Pairs by patient alone."""
        return nt_xent(embedded.projected, patients, patients, self.tau, "mean_log")


class Clocs:
    """Contrast between patients, over time."""

    name = "clocs"
    title = "CLOCS-style"
    kind: Kind = "self-supervised"
    trials = TEMPERED

    def fit(self, learn: Learn, settings: Settings) -> Probed:
        """Learn from whose windows are whose, then a probe from labels."""
        method = Patients(learn.windows.table.patient.codes, float(settings["temperature"]))
        return Start.of(learn).learned(learn, method, float(settings["lr"]))


SYSTEMS: tuple[System, ...] = (Clocs(),)
