"""Windows and what was said of each by weights that had not seen its patient."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.evaluation.platt import Platt
from pacl.records import Rhythm
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder
from pacl.windows import Names, WindowSet


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    """A row a window.

    Parameters
    ----------
    labels
        1 for AF, 0 for its absence.
    logit
        Of the probe, or calibrated.
    patient
        Whose it is.
    seconds
        The time it stands for; windows overlap, so that this is less than it lasts.
    pure
        Whether it is in one rhythm: without bigeminy and the like.
    """

    labels: Int64[Array, "window"]
    logit: Float64[Array, "window"]
    patient: Names
    seconds: Float64[Array, "window"]
    pure: Bool[Array, "window"]

    def select(self, rows: Bool[Array, "window"]) -> "Judged":
        """Some of the windows."""
        return Judged(
            self.labels[rows],
            self.logit[rows],
            self.patient[rows],
            self.seconds[rows],
            self.pure[rows],
        )

    def calibrated(self, platt: Platt) -> "Judged":
        """The same with calibrated logits."""
        return replace(self, logit=platt.logit(self.logit))

    @classmethod
    def of(cls, windows: WindowSet, logit: Float64[Array, "window"]) -> "Judged":
        """Put logits beside the windows of a set."""
        start, beats = windows.table.start, windows.window_beats
        own_share = windows.manifest.get("cut", {}).get("stride", beats) / beats
        elapsed_s = np.append(0.0, np.cumsum(windows.rr_ms, dtype=np.float64)) / 1000
        others = np.append(0, np.cumsum(windows.beat_rhythm == Rhythm.OTHER))
        return cls(
            labels=windows.table.rhythm.astype(np.int64),
            logit=logit,
            patient=windows.table.patient,
            seconds=own_share * (elapsed_s[start + beats] - elapsed_s[start]),
            pure=others[start + beats] == others[start],
        )


def judge_out_of_fold(windows: WindowSet, runs: Sequence[RunFolder]) -> Judged:
    """What each patient's own fold said of their windows."""
    order = np.argsort(windows.table.start)
    starts = windows.table.start[order]
    logit = np.full(len(windows), np.nan)
    for run in runs:
        evaluated = run.evaluated("test").embeddings
        at = np.searchsorted(starts, evaluated.table.start)
        if at.size and (at.max() >= starts.size or np.any(starts[at] != evaluated.table.start)):
            raise RunError(run.path, "it was judged on other windows", "train the folds again")
        logit[order[at]] = run.probe().logit(evaluated.pooled)
    if missing := int(np.isnan(logit).sum()):
        raise RunError(
            runs[0].path.parent,
            f"{missing:,} windows were judged by no fold",
            "train all folds of the window set",
        )
    return Judged.of(windows, logit)
