"""What weights are worth on patients they have not seen, every number with its interval."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.evaluation import Interval, NoIntervalError, auroc_interval, count_pairs, mean_interval
from pacl.evaluation.interval import TRUSTED
from pacl.evaluation.intervals import interval_over_patients
from pacl.studies.weights.judged import Judged

DAY_H = 24.0
WORST = 5


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, and from where to where it may be; without limits where patients are too few."""

    estimate: float
    low: float | None = None
    high: float | None = None
    coverage: float | None = None
    """What such an interval was found to cover, where that is known and less than 90 %."""

    @classmethod
    def of(cls, interval: Interval) -> "Figure":
        """What is worth keeping of an interval."""
        known = interval.coverage if interval.coverage and interval.coverage < TRUSTED else None
        return cls(interval.estimate, interval.low, interval.high, known)

    def text(self, digits: int = 4) -> str:
        """`0.9985 [0.9961, 0.9994]`."""
        if self.low is None or self.high is None:
            return f"{self.estimate:.{digits}f}"
        covers = f", covers {self.coverage:.0%}" if self.coverage else ""
        return f"{self.estimate:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]{covers}"


@dataclass(frozen=True, slots=True)
class WorstPatient:
    """A patient whose windows were ordered worst."""

    patient: str
    auroc: float
    not_af: int
    af: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of weights on a cohort.

    Parameters
    ----------
    windows, patients, not_af_h, af_h
        What they were measured on.
    auroc
        Over all windows, AF against all that is not.
    auroc_pure
        The same without windows that hold bigeminy and the like; None where one class is left.
    auroc_patient
        Mean over patients with both, of each one's own; None where nobody has both.
    sensitivity, specificity
        Share of the AF time, and of the other time, that was called right with a probability of AF
        of 0.5 as the threshold.
    false_af_h
        Hours called AF in 24 hours without AF.
    false_af_h_others
        The same in windows that hold bigeminy and the like.
    expected_error
        Of the probability, in the mean over ten bins, both classes weighing the same.
    worst
        Patients with the lowest AUROC of their own.
    """

    windows: int
    patients: int
    not_af_h: float
    af_h: float
    auroc: Figure
    auroc_pure: Figure | None
    auroc_patient: Figure | None
    sensitivity: Figure
    specificity: Figure
    false_af_h: Figure
    false_af_h_others: Figure | None
    expected_error: float
    worst: tuple[WorstPatient, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, such as JSON holds."""
        return asdict(self)


def measure_weights(judged: Judged) -> Measured:
    """Measure calibrated logits; patients are what is resampled."""
    who, af = judged.patient, judged.labels == 1
    pairs = count_pairs(judged.labels, judged.logit, who.codes, who.names)
    said = judged.logit > 0
    own = pairs.own[pairs.both]
    share = _Shares(judged)
    others = ~judged.pure & ~af
    return Measured(
        windows=len(judged.labels),
        patients=len(who.present()),
        not_af_h=float(judged.seconds[~af].sum() / 3600),
        af_h=float(judged.seconds[af].sum() / 3600),
        auroc=_auroc(judged),
        auroc_pure=_auroc(judged.select(judged.pure)) if _has_both(judged, judged.pure) else None,
        auroc_patient=_or_alone(lambda: mean_interval(own, quantity="patient AUROC"), own.mean())
        if own.size
        else None,
        sensitivity=share.of(said, af),
        specificity=share.of(~said, ~af),
        false_af_h=share.of(said, ~af, DAY_H),
        false_af_h_others=share.of(said, others, DAY_H) if others.any() else None,
        expected_error=_expected_error(judged),
        worst=tuple(
            WorstPatient(
                pairs.names[at], float(pairs.own[at]), int(pairs.sr[at]), int(pairs.af[at])
            )
            for at in np.argsort(np.where(pairs.both, pairs.own, np.inf))[:WORST].tolist()
            if pairs.both[at]
        ),
    )


def _has_both(judged: Judged, rows: Bool[Array, "window"]) -> bool:
    return bool({0, 1} <= set(judged.labels[rows].tolist()))


def _auroc(judged: Judged) -> Figure:
    who = judged.patient
    pairs = count_pairs(judged.labels, judged.logit, who.codes, who.names)
    return _or_alone(lambda: auroc_interval([pairs]), pairs.auroc)


def _or_alone(interval: Callable[[], Interval], estimate: float) -> Figure:
    """With its interval, or the number alone where patients show no spread."""
    try:
        return Figure.of(interval())
    except NoIntervalError:
        return Figure(float(estimate))


@dataclass(frozen=True, eq=False, slots=True)
class _Shares:
    """Shares of time, with intervals over patients."""

    judged: Judged

    def of(
        self, hit: Bool[Array, "window"], among: Bool[Array, "window"], whole: float = 1.0
    ) -> Figure:
        """Which part of some time was hit, as a part of `whole`."""
        codes, code = np.unique(self.judged.patient.codes[among], return_inverse=True)
        seconds = self.judged.seconds[among]
        total = np.bincount(code, seconds)
        found = np.bincount(code, seconds * hit[among])

        def share(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
            return np.asarray(whole * (weights @ found) / (weights @ total))

        return _or_alone(
            lambda: interval_over_patients(share, codes.size, bounds=(0.0, whole)),
            whole * found.sum() / total.sum(),
        )


def _expected_error(judged: Judged) -> float:
    """Distance of probability and share of AF over ten bins, both classes weighing the same."""
    probability = 0.5 * (1.0 + np.tanh(0.5 * judged.logit))
    af = judged.labels == 1
    weight = np.where(af, 0.5 / max(af.sum(), 1), 0.5 / max((~af).sum(), 1))
    inside = np.minimum((probability * 10).astype(int), 9)
    total = np.bincount(inside, weight, minlength=10)
    gap = np.bincount(inside, weight * (probability - af), minlength=10)
    return float(np.abs(gap).sum() / total.sum())
