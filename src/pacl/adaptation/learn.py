"""The prior over subjects, learned from labelled stretches of subjects the classifier has not seen.

```
one subject   R R R R R R T T T R R R R ...
evidence      [1 min]                        the first run of the reference class
              [ 5 minutes ]
place         R R R R R R       R R R R ...  the mean over all of it
```
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pacl.adaptation.evidence import Evidence, Unlabelled
from pacl.adaptation.prior import AdaptationError, EvidenceNoise, SubjectPrior
from pacl.axes import Array, Float64, Int64
from pacl.spans import runs

REFERENCE, TARGET = 0, 1
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

    def first_run(self, amount: float, least: float) -> Evidence:
        """The first `amount` of the first run of the reference class with at least `least`."""
        for low, high in runs(self.label == REFERENCE):
            total = np.cumsum(self.amount[low:high])
            if total[-1] >= least:
                stop = low + 1 + int(np.searchsorted(total, amount))
                stop = min(stop, high)
                return Evidence().plus(self.log_odds[low:stop], self.amount[low:stop])
        return Evidence()

    def first(self, amount: float, least: float) -> Evidence:
        """The first `amount` of the reference class over all runs, if there is at least `least`."""
        own = self.label == REFERENCE
        return LabelledStretches(self.log_odds[own], self.label[own], self.amount[own]).first_run(
            amount, least
        )

    def first_unlabelled(self, amount: float) -> Evidence:
        """What is learned from the first `amount` of all stretches, whatever their class."""
        stop = 1 + int(np.searchsorted(np.cumsum(self.amount), amount))
        found = Unlabelled().plus(self.log_odds[:stop], self.amount[:stop])
        return found.sure if found.usable else Evidence()


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
    first = LabelledStretches.first if across_runs else LabelledStretches.first_run
    target = [one.of(TARGET) for one in subjects]
    targets = np.array([one.mean for one in target if one.amount >= least_run])
    known = [(one, one.of(REFERENCE)) for one in subjects]
    both = [
        (own.mean, other.mean)
        for (_, own), other in zip(known, target, strict=True)
        if min(own.amount, other.amount) >= least_run
    ]
    known = [(one, own) for one, own in known if own.amount and first(one, 0.0, least_run).amount]
    for what, count in (("reference", len(known)), ("target", targets.size)):
        if count < LEAST_SUBJECTS:
            raise AdaptationError(
                f"{count} subjects have enough of the {what} class ({least_run:g} or more"
                f"{'' if across_runs else ', in a row for the reference class'}); "
                f"{LEAST_SUBJECTS} are needed: give more subjects"
            )
    places = np.array([own.mean for _, own in known])

    def noise(what: str, found: Sequence[Sequence[Evidence]], of: Sequence[float]) -> EvidenceNoise:
        differences = [
            np.array([e.mean - place for e, place in zip(some, places, strict=True) if e.amount])
            for some in found
        ]
        if any(one.size < LEAST_SUBJECTS for one in differences):
            raise AdaptationError(
                f"fewer than {LEAST_SUBJECTS} subjects have evidence from {what} stretches; give "
                "more subjects or greater amounts"
            )
        return EvidenceNoise(
            tuple(map(float, of)),
            tuple(round(float(one.mean()), 4) for one in differences),
            tuple(round(float(one.var()), 4) for one in differences),
        )

    wearing = list(amounts if unlabelled_amounts is None else unlabelled_amounts)
    stated = [[first(one, t, least_run) for one, _ in known] for t in amounts]
    worn = [[one.first_unlabelled(t) for one, _ in known] for t in wearing]
    return SubjectPrior(
        reference=round(float(places.mean()), 4),
        reference_sd=round(float(places.std(ddof=1)), 4),
        target=round(float(targets.mean()), 4),
        target_sd=round(float(targets.std(ddof=1)), 4),
        target_follows=_follows(np.array(both, np.float64).reshape(-1, 2)),
        known=noise("known", stated, amounts),
        unlabelled=noise("unlabelled", worn, wearing) if wearing else None,
        shift_sd=shift_sd,
        subjects=len(known),
    )


def _follows(places: Float64[Array, "subject class"]) -> float:
    """How far the place of the target class moves with that of the reference class."""
    if len(places) < LEAST_SUBJECTS or not places[:, 0].std() > 0:
        return 0.0
    together = np.cov(places.T)
    return round(float(np.clip(together[0, 1] / together[0, 0], 0.0, 1.0)), 4)
