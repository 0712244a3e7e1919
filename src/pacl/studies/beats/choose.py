"""Choosing a recipe for unseen databases: by cohorts left out, never by the reported one.

```
outer   X left out: the figures of X
inner   X and Y left out: the choice for X, made on Y           Y is any other that decides
```

The scalar was fixed before the comparison: the mean over cohorts of the patients' mean log loss. A
recipe whose false AF in cohorts of sinus rhythm, left out as well, is above the limit is not chosen
if another is below it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pacl.studies.beats.cohorts import BeatCohort
from pacl.studies.beats.judge import BeatScores

MOST_FALSE_H = 0.02
"""Limit of hours called AF in 24 hours of sinus rhythm."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Cohorts that a network is not trained on, but evaluated on."""

    names: tuple[str, ...]

    @property
    def slug(self) -> str:
        """Name of a folder."""
        return "without-" + "-".join(self.names) if self.names else "all"


Judged = Mapping[LeftOut, Mapping[str, BeatScores]]
"""For each fit of one recipe, the figures of each cohort that it left out."""


def outer_folds(cohorts: Sequence[BeatCohort]) -> list[LeftOut]:
    """Each cohort left out once."""
    return [LeftOut((one.name,)) for one in cohorts]


def inner_folds(cohorts: Sequence[BeatCohort]) -> list[LeftOut]:
    """Each pair of cohorts that decide, together with all that constrain."""
    held = tuple(one.name for one in cohorts if one.role == "constrains")
    names = [one.name for one in cohorts if one.role == "decides"]
    return [LeftOut((*pair, *held)) for pair in combinations(names, 2)]


def inner_scalar(judged: Judged, cohorts: Sequence[BeatCohort], reported: str) -> float:
    """The scalar for the choice of a cohort, from fits that have not seen it."""
    folds = [one for one in inner_folds(cohorts) if reported in one.names]
    losses = [
        judged[fold][name].mean_log_loss
        for fold in folds
        for name in fold.names
        if name != reported and _role(cohorts, name) == "decides"
    ]
    return float(np.mean(losses))


def inner_false_h(judged: Judged, cohorts: Sequence[BeatCohort], reported: str) -> float:
    """False AF in sinus rhythm, from the same fits; 0 where no cohort constrains."""
    return _false_h(judged, cohorts, [o for o in inner_folds(cohorts) if reported in o.names])


def outer_scalar(judged: Judged, cohorts: Sequence[BeatCohort]) -> float:
    """The scalar for the choice of the detector: each cohort that decides, left out."""
    names = [one.name for one in cohorts if one.role == "decides"]
    return float(np.mean([judged[LeftOut((name,))][name].mean_log_loss for name in names]))


def outer_false_h(judged: Judged, cohorts: Sequence[BeatCohort]) -> float:
    """False AF in sinus rhythm that was left out; 0 where no cohort constrains."""
    return _false_h(judged, cohorts, outer_folds(cohorts))


def chosen(scalars: Mapping[str, float], false_h: Mapping[str, float]) -> str:
    """The recipe with the lowest criterion among those below the limit of false AF.

    If none is below it, the one with the least false AF.

    Examples
    --------
    >>> chosen({"a": 0.05, "b": 0.06}, {"a": 0.03, "b": 0.01})
    'b'
    """
    allowed = [name for name in scalars if false_h[name] <= MOST_FALSE_H]
    if not allowed:
        return min(false_h, key=lambda name: false_h[name])
    return min(allowed, key=lambda name: scalars[name])


def _false_h(judged: Judged, cohorts: Sequence[BeatCohort], folds: Sequence[LeftOut]) -> float:
    hours = [
        judged[fold][name].false_af_h_per_day
        for fold in folds
        for name in fold.names
        if _role(cohorts, name) == "constrains"
    ]
    return float(np.mean(hours)) if hours else 0.0


def _role(cohorts: Sequence[BeatCohort], name: str) -> str:
    return next(one.role for one in cohorts if one.name == name)
