"""Figures of a network on a cohort that it was not trained on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pacl.af.beats import BeatLine
from pacl.axes import Array, Bool, Float, Float64

LEAST, MOST = 0.001, 0.999
"""Probabilities are clipped to this range, so that no single beat dominates."""


@dataclass(frozen=True, slots=True)
class BeatScores:
    """Scores of one cohort.

    Parameters
    ----------
    log_loss
        For each patient, the mean over beats of known rhythm.
    sensitivity, predictivity
        By time over all patients; None without AF, or without called AF.
    false_af_h_per_day
        Hours called AF in 24 hours without AF.
    """

    log_loss: Mapping[str, float]
    sensitivity: float | None
    predictivity: float | None
    false_af_h_per_day: float

    @property
    def mean_log_loss(self) -> float:
        """Mean over patients."""
        return float(np.mean(list(self.log_loss.values())))

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def log_losses(line: BeatLine, logits: Float[Array, "beat"]) -> dict[str, float]:
    """Mean log loss of each patient of one cohort."""
    label = line.label.cpu().numpy()
    known = np.flatnonzero((label < 2) & (line.subject >= 0))
    likely = np.clip(1 / (1 + np.exp(-logits[known].astype(np.float64))), LEAST, MOST)
    loss = -np.log(np.where(label[known] == 1, likely, 1 - likely))
    total = np.bincount(line.subject[known], loss, len(line.subjects))
    count = np.bincount(line.subject[known], minlength=len(line.subjects))
    return {
        patient: float(total[at] / count[at])
        for at, (_, patient) in enumerate(line.subjects)
        if count[at]
    }


def beat_scores(
    line: BeatLine, logits: Float[Array, "beat"], af: Bool[Array, "beat"]
) -> BeatScores:
    """Score logits, and the beats called AF, of all beats of one cohort."""
    label, seconds = line.label.cpu().numpy(), _seconds(line)
    true, called = label == 1, af & (label < 2)
    true_s, called_s, both_s = (
        float(seconds[mask].sum()) for mask in (true, called, true & called)
    )
    without_s = float(seconds[label == 0].sum())
    return BeatScores(
        log_loss=log_losses(line, logits),
        sensitivity=both_s / true_s if true_s else None,
        predictivity=both_s / called_s if called_s else None,
        false_af_h_per_day=24 * (called_s - both_s) / without_s if without_s else 0.0,
    )


def _seconds(line: BeatLine) -> Float64[Array, "beat"]:
    """The duration of each beat; 0 for missing beats."""
    rr_ms = np.where(line.present.cpu().numpy(), line.rr_ms.cpu().numpy(), 0.0)
    found: Float64[Array, "beat"] = rr_ms.astype(np.float64) / 1000
    return found
