"""Ways of adapting to one patient from his own sinus rhythm, all from the same windows of it.

A `Population` is a calibrated classifier on one space and the prior over patients; each way is a
function of a person and of the minutes of evidence, and gives the log odds of his scored windows.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from adaptation_spaces_windows import LEAST_RUN_MIN, Cohort, Person
from scipy.optimize import minimize
from scipy.special import expit

from pacl.adaptation import (
    Evidence,
    LabelledStretches,
    SubjectPrior,
    adjusted,
    learn_prior,
    posterior,
)
from pacl.evaluation import Probe, fit_probe
from pacl.studies.beats.calibrate import fit_slope

AMOUNTS = (0.5, 1.0, 2.0, 5.0, 15.0, 60.0)
"""Minutes of evidence for which the noise is estimated."""
CHOSEN_AT = 5.0
"""Strengths are chosen on the training patients for so many minutes of evidence."""
FOLDS = 5
OF_A_PATIENT = 500
CLIP = 0.001
SHRINK = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, math.inf)
PENALTY = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, math.inf)

Way = Callable[[Person, float], np.ndarray]


class Figures(NamedTuple):
    """Of one patient: mean log loss, and shares of time called wrong: all, of SR, and of AF."""

    loss: float
    wrong: float
    false: float
    missed: float


def score(logit: np.ndarray, cohort: Cohort, rows: np.ndarray) -> Figures:
    """Score log odds of some windows, each weighted by the minutes of its stride."""
    af, minutes = cohort.label[rows] == 1, cohort.minutes[rows]
    likely = np.clip(expit(logit), CLIP, 1 - CLIP)
    loss, wrong = -np.log(np.where(af, likely, 1 - likely)), (logit > 0) != af
    return Figures(
        *(
            float(np.average(what[some], weights=minutes[some]))
            for what, some in ((loss, af >= 0), (wrong, af >= 0), (wrong, ~af), (wrong, af))
        )
    )


@dataclass(frozen=True, eq=False)
class Space:
    """Features of all windows of two databases, and how a classifier is fitted to them.

    `head` is the classifier of all training windows, where it is there already.
    """

    train: Cohort
    test: Cohort
    x_train: np.ndarray
    x_test: np.ndarray
    fit: Callable[[np.ndarray, np.ndarray], Any] = fit_probe
    head: Any = None


def balanced(patient: np.ndarray) -> np.ndarray:
    """Rows with as many windows of each patient, as far as they have them."""
    generator = np.random.default_rng(0)
    own = (np.flatnonzero(patient == one) for one in np.unique(patient))
    return np.concatenate(
        [generator.choice(rows, min(rows.size, OF_A_PATIENT), replace=False) for rows in own]
    )


def slope_of(logit: np.ndarray, label: np.ndarray) -> float:
    """The factor that turns logits into log odds; no shift."""
    return fit_slope(np.where(label == 1, logit, -logit))


class OutOfFold:
    """Classifiers of four fifths of the patients, log odds of the others, and their slope."""

    def __init__(self, x: np.ndarray, label: np.ndarray, patient: np.ndarray, fit: Any) -> None:
        generator = np.random.default_rng(0)
        present = np.unique(patient)
        drawn = generator.permutation(np.arange(present.size) % FOLDS)
        self.fold = drawn[np.searchsorted(present, patient)]
        self.heads = [fit(x[self.fold != k], label[self.fold != k]) for k in range(FOLDS)]
        raw = self.by_fold(x, [head.logit for head in self.heads])
        self.balanced = balanced(patient)
        self.slope = slope_of(raw[self.balanced], label[self.balanced])
        self.logit = self.slope * raw

    def by_fold(self, x: np.ndarray, logits: Sequence[Any]) -> np.ndarray:
        """Of each window, by the function of its own fold."""
        found = np.empty(len(x))
        for fold, logit in enumerate(logits):
            found[self.fold == fold] = logit(x[self.fold == fold])
        return found


class Population:
    """A calibrated classifier, the prior of the training patients, and log odds of the test."""

    def __init__(self, space: Space) -> None:
        self.space, train, test = space, space.train, space.test
        self.out = OutOfFold(space.x_train, train.label, train.patient, space.fit)
        self.head = space.head or space.fit(space.x_train, train.label)
        self.prior = learned(stretches(train, self.out.logit).values())
        self.logit = self.out.slope * self.head.logit(space.x_test)
        self.unseen = learned(stretches(test, self.logit).values())
        self.by_others = {one.name: self._by_others(one) for one in test.people}

    def _by_others(self, one: Person) -> tuple[np.ndarray, SubjectPrior]:
        """Log odds and prior with the slope and the places of the other test patients.

        The encoder has not seen them, as it has not seen this patient.
        """
        test = self.space.test
        rows = balanced(test.patient)
        rows = rows[test.patient[rows] != test.patient[one.run[0]]]
        logit = self.logit * slope_of(self.logit[rows], test.label[rows])
        others = stretches(test, logit)
        del others[one.name]
        return logit, learned(others.values())

    def ways(self) -> Iterator[tuple[str, Way]]:
        """Ways that need log odds alone."""
        test = self.space.test
        yield "none", lambda one, _: self.logit[one.scored]
        yield "ours", lambda one, t: ours(self.logit, self.prior, test, one, t)
        yield "shift", self._shift
        yield "none, by others", lambda one, _: self.by_others[one.name][0][one.scored]
        yield "ours, by others", lambda one, t: ours(*self.by_others[one.name], test, one, t)

    def _shift(self, one: Person, minutes: float) -> np.ndarray:
        seen = evidence(self.logit, self.space.test, one.evidence(minutes))
        away = seen.mean - self.prior.reference if seen.amount else 0.0
        return self.logit[one.scored] - away


def evidence(logit: np.ndarray, cohort: Cohort, rows: np.ndarray) -> Evidence:
    """Windows as evidence, each with the minutes of its stride."""
    return Evidence().plus(logit[rows], cohort.minutes[rows])


def ours(
    logit: np.ndarray, prior: SubjectPrior, cohort: Cohort, one: Person, minutes: float
) -> np.ndarray:
    """Posterior of the person's sinus rhythm, and log odds adjusted by it."""
    own = posterior(prior, evidence(logit, cohort, one.evidence(minutes)))
    return adjusted(logit[one.scored], own)


def stretches(cohort: Cohort, logit: np.ndarray) -> dict[str, LabelledStretches]:
    """Windows of each patient; those of other rhythms than SR and AF are of neither class."""
    label = np.where(cohort.sinus | (cohort.label == 1), cohort.label, 2)
    own = {
        f"{cohort.name}/{cohort.table.patient.names[code]}": cohort.patient == code
        for code in np.unique(cohort.patient)
    }
    return {
        name: LabelledStretches(logit[rows], label[rows], cohort.minutes[rows])
        for name, rows in own.items()
    }


def learned(subjects: Any) -> SubjectPrior:
    """The prior over some patients."""
    return learn_prior(subjects, AMOUNTS, least_run=LEAST_RUN_MIN)


class Prototypes:
    """Distance to the person's own sinus rhythm, shrunk to the population's, and to AF."""

    def __init__(self, population: Population) -> None:
        self.space, out = population.space, population.out
        x, train = self.space.x_train, self.space.train
        self.centres = self._centres(x, train, np.ones(len(x), bool))
        in_folds = [self._centres(x, train, out.fold != fold) for fold in range(FOLDS)]
        apart = out.by_fold(x, [lambda own, c=c: nearer(own, *c) for c in in_folds])
        some = out.balanced
        self.scale = fit_probe(apart[some, None], train.label[some])

        def loss(shrink: float) -> float:
            found = []
            for one in train.people:
                centres = in_folds[out.fold[one.scored[0]]]
                rows = one.evidence(CHOSEN_AT)
                logit = self._logit(x, rows, one.scored, centres, shrink)
                found.append(score(logit, train, one.scored).loss)
            return float(np.mean(found))

        self.shrink = min(reversed(SHRINK), key=loss)

    def __call__(self, one: Person, minutes: float) -> np.ndarray:
        """Log odds of the scored windows."""
        rows = one.evidence(minutes)
        return self._logit(self.space.x_test, rows, one.scored, self.centres, self.shrink)

    def _logit(
        self, x: np.ndarray, rows: np.ndarray, scored: np.ndarray, centres: Any, shrink: float
    ) -> np.ndarray:
        sinus, af = centres
        if rows.size and shrink < math.inf:
            weight = rows.size / (rows.size + shrink)
            sinus = weight * x[rows].mean(axis=0, dtype=np.float64) + (1 - weight) * sinus
        return self.scale.logit(nearer(x[scored], sinus, af)[:, None])

    @staticmethod
    def _centres(x: np.ndarray, cohort: Cohort, kept: np.ndarray) -> list[np.ndarray]:
        """Mean over patients of the mean of their windows of each class."""
        found = []
        for rows in (cohort.sinus & kept, (cohort.label == 1) & kept):
            own = np.unique(cohort.patient[rows])
            means = [x[rows & (cohort.patient == one)].mean(0, dtype=np.float64) for one in own]
            found.append(np.mean(means, axis=0))
        return found


def nearer(x: np.ndarray, sinus: np.ndarray, af: np.ndarray) -> np.ndarray:
    """Squared distance to the sinus rhythm less that to AF."""
    return x @ (2 * (af - sinus)) + sinus @ sinus - af @ af


class TunedHead:
    """The population's head, fitted further to the person's windows as sinus rhythm."""

    def __init__(self, population: Population) -> None:
        self.population, self.space, out = population, population.space, population.out
        train = self.space.train
        heads = [calibrated(head, out.slope) for head in out.heads]
        self.head = calibrated(population.head, out.slope)

        def loss(penalty: float) -> float:
            found = []
            for one in train.people:
                x, head = self.space.x_train, heads[out.fold[one.scored[0]]]
                own = tuned(head, x[one.evidence(CHOSEN_AT)], penalty)
                found.append(score(own.logit(x[one.scored]), train, one.scored).loss)
            return float(np.mean(found))

        self.penalty = min(reversed(PENALTY), key=loss)

    def __call__(self, one: Person, minutes: float) -> np.ndarray:
        """Log odds of the scored windows."""
        rows = one.evidence(minutes)
        if not rows.size or self.penalty == math.inf:
            return self.population.logit[one.scored]
        own = tuned(self.head, self.space.x_test[rows], self.penalty)
        return own.logit(self.space.x_test[one.scored])


def calibrated(head: Probe, slope: float) -> Probe:
    """A head with its slope in it."""
    return Probe(slope * head.weight, slope * float(head.bias))


def tuned(head: Probe, sinus: np.ndarray, penalty: float) -> Probe:
    """The head that calls windows sinus rhythm, at the price of the squared way from the old."""
    if penalty == math.inf:
        return head
    x = np.column_stack([sinus, np.ones(len(sinus))]).astype(np.float64)
    began = np.append(head.weight, head.bias)

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        logit, away = x @ at, at - began
        slope = x.T @ expit(logit) + penalty * away
        return float(np.logaddexp(0, logit).sum() + penalty / 2 * away @ away), slope

    found = minimize(loss, began, jac=True, method="L-BFGS-B").x
    return Probe(found[:-1], float(found[-1]))
