"""How weights do on unseen patients: all figures with their intervals."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.evaluation import (
    TRUSTED,
    EvaluationError,
    Interval,
    NoIntervalError,
    Predictions,
    auroc_interval,
    interval_over_subjects,
    mean_interval,
)
from pacl.records import Rhythm
from pacl.rr import RRWindowSet
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder

DAY_H = 24.0
WORST = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its interval at 95 %; without limits where patients are too few."""

    estimate: float
    low: float | None = None
    high: float | None = None
    coverage: float | None = None
    """Coverage that such intervals reached in simulation, where it is below 90 %."""

    @classmethod
    def of(cls, interval: Interval) -> "Estimate":
        """From an interval over patients."""
        known = interval.coverage if interval.coverage and interval.coverage < TRUSTED else None
        return cls(interval.estimate, interval.low, interval.high, known)

    def text(self, digits: int = 4) -> str:
        """`0.9985 [0.9961, 0.9994]`."""
        if self.low is None or self.high is None:
            return f"{self.estimate:.{digits}f}"
        covers = f", covers {self.coverage:.0%}" if self.coverage else ""
        return f"{self.estimate:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]{covers}"


@dataclass(frozen=True, slots=True)
class LowAurocPatient:
    """A patient with one of the lowest AUROCs."""

    patient: str
    auroc: float
    not_af: int
    af: int


@dataclass(frozen=True, slots=True)
class CohortFigures:
    """Figures of weights on a cohort.

    Parameters
    ----------
    windows, patients, not_af_h, af_h
        Of the cohort they were measured on.
    auroc
        Over all windows, AF against everything else.
    auroc_pure
        The same over pure windows; None where only one class is left.
    auroc_patient
        Mean over patients with both classes; None where no patient has both.
    sensitivity, specificity
        Share of the AF time, and of the other time, that is classified correctly at a probability
        of AF of 0.5.
    false_af_h
        Hours called AF in 24 hours without AF.
    false_af_h_others
        The same in windows that are not pure.
    expected_error
        Expected calibration error over ten bins, with equal weight for both classes.
    worst
        Patients with the lowest AUROC.
    """

    windows: int
    patients: int
    not_af_h: float
    af_h: float
    auroc: Estimate
    auroc_pure: Estimate | None
    auroc_patient: Estimate | None
    sensitivity: Estimate
    specificity: Estimate
    false_af_h: Estimate
    false_af_h_others: Estimate | None
    expected_error: float
    worst: tuple[LowAurocPatient, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, such as JSON holds."""
        return asdict(self)


def judge_out_of_fold(windows: RRWindowSet, runs: Sequence[RunFolder]) -> Predictions:
    """Logits of all windows, each by the fold that had not seen its patient."""
    order = np.argsort(windows.table.start)
    starts = windows.table.start[order]
    logit = np.full(len(windows), np.nan)
    for run in runs:
        evaluated = run.evaluated("test").embeddings
        at = np.searchsorted(starts, evaluated.table.start)
        if at.size and (at.max() >= starts.size or np.any(starts[at] != evaluated.table.start)):
            raise RunError(run.path, "it was evaluated on other windows", "train the folds again")
        logit[order[at]] = run.probe().logit(evaluated.pooled)
    if missing := int(np.isnan(logit).sum()):
        raise RunError(
            runs[0].path.parent,
            f"{missing:,} windows were evaluated by no fold",
            "train all folds of the window set",
        )
    return window_predictions(windows, logit)


def window_predictions(windows: RRWindowSet, logit: Float64[Array, "window"]) -> Predictions:
    """Logits of all windows of a set, with the time and the purity of each."""
    start, beats = windows.table.start, windows.window_beats
    own_share = windows.manifest.get("cut", {}).get("stride", beats) / beats
    elapsed_s = np.append(0.0, np.cumsum(windows.rr_ms, dtype=np.float64)) / 1000
    others = np.append(0, np.cumsum(windows.beat_rhythm == Rhythm.OTHER))
    return Predictions(
        labels=windows.table.labels,
        score=logit,
        subject=windows.table.patient,
        scale="logit",
        seconds=own_share * (elapsed_s[start + beats] - elapsed_s[start]),
        pure=others[start + beats] == others[start],
    )


def measure_weights(predictions: Predictions) -> CohortFigures:
    """Measure calibrated logits; patients are what is resampled."""
    af, called = predictions.labels == 1, predictions.logit > 0
    seconds, pure = _columns(predictions)
    pairs = predictions.pairs
    own = pairs.own[pairs.both]
    share = _Shares(predictions.subjects, seconds)
    others = ~pure & ~af
    return CohortFigures(
        windows=len(predictions),
        patients=len(predictions.subject.present()),
        not_af_h=float(seconds[~af].sum() / 3600),
        af_h=float(seconds[af].sum() / 3600),
        auroc=_auroc(predictions),
        auroc_pure=_auroc(predictions.select(pure)) if _has_both(predictions, pure) else None,
        auroc_patient=_or_alone(lambda: mean_interval(own, quantity="subject AUROC"), own.mean())
        if own.size
        else None,
        sensitivity=share.of(called, af),
        specificity=share.of(~called, ~af),
        false_af_h=share.of(called, ~af, DAY_H),
        false_af_h_others=share.of(called, others, DAY_H) if others.any() else None,
        expected_error=_expected_error(predictions),
        worst=tuple(
            LowAurocPatient(
                pairs.names[at],
                float(pairs.own[at]),
                int(pairs.others[at]),
                int(pairs.detected[at]),
            )
            for at in np.argsort(np.where(pairs.both, pairs.own, np.inf))[:WORST].tolist()
            if pairs.both[at]
        ),
    )


def _columns(
    predictions: Predictions,
) -> tuple[Float64[Array, "window"], Bool[Array, "window"]]:
    if predictions.seconds is None or predictions.pure is None:
        raise EvaluationError("predictions lack seconds or purity; use window_predictions")
    return predictions.seconds, predictions.pure


def _has_both(predictions: Predictions, rows: Bool[Array, "window"]) -> bool:
    return bool({0, 1} <= set(predictions.labels[rows].tolist()))


def _auroc(predictions: Predictions) -> Estimate:
    pairs = predictions.pairs
    return _or_alone(lambda: auroc_interval([pairs]), pairs.auroc)


def _or_alone(interval: Callable[[], Interval], estimate: float) -> Estimate:
    """With its interval, or alone where patients show no spread."""
    try:
        return Estimate.of(interval())
    except NoIntervalError:
        return Estimate(float(estimate))


@dataclass(frozen=True, eq=False, slots=True)
class _Shares:
    """Shares of time, with intervals over patients."""

    patients: Int64[Array, "window"]
    seconds: Float64[Array, "window"]

    def of(
        self, hit: Bool[Array, "window"], among: Bool[Array, "window"], whole: float = 1.0
    ) -> Estimate:
        """Share of the time `among` that is in `hit`, times `whole`."""
        codes, code = np.unique(self.patients[among], return_inverse=True)
        seconds = self.seconds[among]
        total = np.bincount(code, seconds)
        found = np.bincount(code, seconds * hit[among])

        def share(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
            return np.asarray(whole * (weights @ found) / (weights @ total))

        return _or_alone(
            lambda: interval_over_subjects(share, codes.size, bounds=(0.0, whole)),
            whole * found.sum() / total.sum(),
        )


def _expected_error(predictions: Predictions) -> float:
    """Distance of probability and share of AF over ten bins; both classes have equal weight."""
    probability = predictions.probability
    af = predictions.labels == 1
    weight = np.where(af, 0.5 / max(af.sum(), 1), 0.5 / max((~af).sum(), 1))
    inside = np.minimum((probability * 10).astype(int), 9)
    total = np.bincount(inside, weight, minlength=10)
    gap = np.bincount(inside, weight * (probability - af), minlength=10)
    return float(np.abs(gap).sum() / total.sum())
