"""Calibration of logits on cohorts that were left out: one factor."""

from collections.abc import Sequence

import numpy as np

from pacl.af.beats import BeatLine
from pacl.axes import Array, Float
from pacl.studies.errors import RunError

BEATS_OF_A_PATIENT = 2000
BEATS_OF_A_RECORDING = 16_384
"""Of a longer recording, only this many beats in its middle are used."""

STEPS = 50


def calibrate(
    judged: Sequence[tuple[BeatLine, Float[Array, "beat"]]], generator: np.random.Generator
) -> float:
    """The slope that turns logits into log odds, from networks that left each cohort out.

    The same number of beats is drawn from each patient. No shift is fitted: in these cohorts AF is
    common, and a shift would carry that over to other patients.
    """
    signed = [np.empty(0)]
    for line, found in judged:
        label = line.label.cpu().numpy()
        for subject in range(len(line.subjects)):
            known = np.flatnonzero((line.subject == subject) & (label < 2))
            chosen = generator.choice(known, min(known.size, BEATS_OF_A_PATIENT), replace=False)
            signed.append(np.where(label[chosen] == 1, 1.0, -1.0) * found[chosen])
    return fit_slope(np.concatenate(signed))


def fit_slope(signed: Float[Array, "beat"]) -> float:
    """The factor with the lowest log loss, of logits that are positive where they are right."""
    slope = 1.0
    for _ in range(STEPS):
        wrong = 1 / (1 + np.exp(np.clip(slope * signed, -50, 50)))
        gradient = -float((signed * wrong).mean())
        bend = float((signed**2 * wrong * (1 - wrong)).mean())
        step = gradient / max(bend, 1e-12)
        slope = min(max(slope - step, slope / 2), 2 * slope)
        if abs(step) < 1e-9 * slope:
            return slope
    raise RunError(
        "calibration",
        "the logits separate AF from other rhythms without error, or are no better than chance",
        "give cohorts with more patients",
    )
