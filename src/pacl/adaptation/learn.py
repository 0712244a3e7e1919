"""The prior over subjects, learned from labelled stretches of subjects the classifier has not seen.

```
one subject   R R R R R R T T T R R R R ...
evidence      [1][1][1][1]      [1][1][1]    pieces of the reference class, anywhere
              [   5    ]        [  5  ]
place         R R R R R R       R R R R ...  the mean over all of it
```
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pacl.adaptation.evidence import LEAST_SHARE, LIMIT, SURELY_REFERENCE, Evidence
from pacl.adaptation.prior import AdaptationError, EvidenceNoise, SubjectPrior
from pacl.axes import Array, Float64, Int64
from pacl.spans import runs

REFERENCE, TARGET = 0, 1
EXACT = 1e-9
LEAST_SUBJECTS = 5


@dataclass(frozen=True, eq=False, slots=True)
class LabelledStretches:
    """Stretches of one subject in order of time, judged by a classifier that has not seen them.

    Parameters
    ----------
    log_odds
        Of the target class.
    label
        0 for the reference class, 1 for the target class, anything else for neither.
    amount
        Of each stretch: its minutes, or 1 to count windows.
    """

    log_odds: Float64[Array, "stretch"]
    label: Int64[Array, "stretch"]
    amount: Float64[Array, "stretch"]

    def of(self, kind: int) -> Evidence:
        """All stretches of one class."""
        own = self.label == kind
        return Evidence().plus(self.log_odds[own], self.amount[own])

    def known_pieces(
        self, amount: float, least: float, *, across_runs: bool
    ) -> Float64[Array, "piece"]:
        """Mean log odds of pieces of `amount` of the reference class, one after the other.

        Runs below `least` are left out. What is left at the end of a run belongs to its last piece.
        """
        own = self.label == REFERENCE
        ranges = [np.flatnonzero(own)] if across_runs else [np.arange(*one) for one in runs(own)]
        found = [np.empty(0)]
        for at in ranges:
            if self.amount[at].sum() >= max(least, EXACT):
                piece = _pieces(self.amount[at], amount)
                weighed = np.bincount(piece, self.amount[at])
                clipped = np.clip(self.log_odds[at], -LIMIT, LIMIT)
                some = weighed > 0  # a stretch may be longer than a piece
                found.append(np.bincount(piece, self.amount[at] * clipped)[some] / weighed[some])
        return np.concatenate(found)

    def unlabelled_pieces(self, amount: float) -> Float64[Array, "piece"]:
        """Mean log odds that pieces of `amount` of all stretches teach, where they are of use."""
        piece = _pieces(self.amount, amount)
        pieces = int(piece[-1]) + 1 if piece.size else 0
        sure = self.log_odds < SURELY_REFERENCE
        clipped = np.clip(self.log_odds, -LIMIT, LIMIT)

        def total(values: Float64[Array, "stretch"]) -> Float64[Array, "piece"]:
            return np.bincount(piece, values, pieces)

        amounts, seen = total(self.amount * sure), total(self.amount)
        usable = (amounts > 0) & (amounts >= LEAST_SHARE * seen)
        found: Float64[Array, "piece"] = total(self.amount * sure * clipped)[usable]
        return found / amounts[usable]


def _pieces(amounts: Float64[Array, "stretch"], amount: float) -> Int64[Array, "stretch"]:
    """Number of the piece that each stretch belongs to."""
    begins = np.cumsum(amounts) - amounts
    last = max(int((begins[-1] + amounts[-1]) / amount) - 1, 0) if amounts.size else 0
    return np.minimum((begins / amount + EXACT).astype(np.int64), last)


Pieces = Callable[[LabelledStretches, float], Float64[Array, "piece"]]
"""Mean log odds of pieces of some amount of one subject."""


def learn_prior(
    subjects: Iterable[LabelledStretches],
    amounts: Sequence[float],
    *,
    unlabelled_amounts: Sequence[float] | None = None,
    least_run: float | None = None,
    across_runs: bool = False,
    shift_sd: float = 1.0,
) -> SubjectPrior:
    """Learn how subjects differ, and how much a given amount of evidence says about one.

    Parameters
    ----------
    subjects
        Labelled stretches of each, judged by a classifier that was not trained on them.
    amounts, unlabelled_amounts
        Amounts of evidence for which the noise is estimated; rising. Empty `unlabelled_amounts`:
        unlabelled stretches are not learned from.
    least_run
        Least length of a run of the reference class that serves as evidence; by default the
        smallest amount.
    across_runs
        Whether evidence is gathered over several runs, such as pauses between tasks.
    shift_sd
        Standard deviation over subjects of the shift that corrections show.
    """
    subjects = list(subjects)
    if not amounts:
        raise AdaptationError("no amounts of evidence; give at least one, such as 1")
    least_run = amounts[0] if least_run is None else least_run
    target = [one.of(TARGET) for one in subjects]
    targets = np.array([one.mean for one in target if one.amount >= least_run])
    known = [(one, one.of(REFERENCE)) for one in subjects]
    both = [
        (own.mean, other.mean)
        for (_, own), other in zip(known, target, strict=True)
        if min(own.amount, other.amount) >= least_run
    ]

    def stated(one: LabelledStretches, amount: float) -> Float64[Array, "piece"]:
        return one.known_pieces(amount, least_run, across_runs=across_runs)

    known = [(one, own) for one, own in known if own.amount and stated(one, amounts[-1]).size]
    for what, count in (("reference", len(known)), ("target", targets.size)):
        if count < LEAST_SUBJECTS:
            raise AdaptationError(
                f"{count} subjects have enough of the {what} class ({least_run:g} or more"
                f"{'' if across_runs else ', in a row for the reference class'}); "
                f"{LEAST_SUBJECTS} are needed: give more subjects"
            )
    places = np.array([own.mean for _, own in known])
    wearing = list(amounts if unlabelled_amounts is None else unlabelled_amounts)

    def noise(what: str, pieces: Pieces, of: Sequence[float]) -> EvidenceNoise:
        """More evidence is never taken for less reliable: few subjects have the longest pieces."""
        bias, variance = [], []
        for amount in of:
            away = [
                pieces(one, amount) - place for (one, _), place in zip(known, places, strict=True)
            ]
            away = [one for one in away if one.size]
            if len(away) < LEAST_SUBJECTS:
                raise AdaptationError(
                    f"fewer than {LEAST_SUBJECTS} subjects have evidence from {what} stretches; "
                    "give more subjects or greater amounts"
                )
            bias.append(float(np.mean([one.mean() for one in away])))
            variance.append(float(np.mean([np.square(one - bias[-1]).mean() for one in away])))
        return EvidenceNoise(
            tuple(map(float, of)),
            tuple(round(one, 4) for one in bias),
            tuple(round(float(one), 4) for one in np.minimum.accumulate(variance)),
        )

    return SubjectPrior(
        reference=round(float(places.mean()), 4),
        reference_sd=round(float(places.std(ddof=1)), 4),
        target=round(float(targets.mean()), 4),
        target_sd=round(float(targets.std(ddof=1)), 4),
        target_follows=_follows(np.array(both, np.float64).reshape(-1, 2)),
        known=noise("known", stated, amounts),
        unlabelled=noise("unlabelled", LabelledStretches.unlabelled_pieces, wearing)
        if wearing
        else None,
        shift_sd=shift_sd,
        subjects=len(known),
    )


def _follows(places: Float64[Array, "subject class"]) -> float:
    """How far the place of the target class moves with that of the reference class."""
    if len(places) < LEAST_SUBJECTS or not places[:, 0].std() > 0:
        return 0.0
    together = np.cov(places.T)
    return round(float(np.clip(together[0, 1] / together[0, 0], 0.0, 1.0)), 4)
