"""Log odds that can be taken at their word, on cohorts that were left out (Platt scaling)."""

from collections.abc import Sequence

import numpy as np

from pacl.axes import Array, Float
from pacl.evaluation.platt import Platt, fit_platt
from pacl.records import Rhythm
from pacl.training.beats import BeatLine

BEATS_OF_A_PATIENT = 2000
BEATS_OF_A_RECORDING = 16_384
"""Of a longer recording only so many in its middle are judged: a day more says no more."""


def calibrate(
    judged: Sequence[tuple[BeatLine, Float[Array, "beat"]]], generator: np.random.Generator
) -> Platt:
    """Fit slope and shift to the logits of cohorts, each judged by a network that left it out.

    So many beats of each patient, drawn at random: whoever has most beats does not count most. The
    probability is that of these cohorts, in which AF is about as common as its absence.
    """
    logits, labels = [], []
    for line, found in judged:
        label = line.label.cpu().numpy()
        for subject in range(len(line.subjects)):
            known = np.flatnonzero((line.subject == subject) & (label < 2))
            some = min(known.size, BEATS_OF_A_PATIENT)
            chosen = generator.choice(known, some, replace=False)
            logits.append(found[chosen])
            labels.append(np.where(label[chosen] == 1, Rhythm.AF, Rhythm.SR))
    return fit_platt(
        np.concatenate(logits), np.concatenate(labels).astype(np.int64), balanced=False
    )
