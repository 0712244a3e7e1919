"""A head that may move in a few directions only: those in which patients' own heads differ."""

import numpy as np
from adaptation_spaces_ways import CHOSEN_AT, Population, calibrated, score
from adaptation_spaces_windows import Person
from scipy.optimize import minimize
from scipy.special import expit

DIRECTIONS = 3
OWN_PENALTY = 0.1
"""Price of the squared way from the population's head to a patient's own."""
LEAST_EACH = 20
WEIGHTS = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""How much a window of evidence counts: windows overlap, and neighbours are alike."""


class Directions:
    """The population's head, moved along learned directions by the evidence of one person.

    The directions and how far patients lie apart along them are the largest eigenvectors of the
    covariance of patients' own heads. With no evidence it is the population's head.
    """

    def __init__(self, population: Population) -> None:
        self.population, self.space, out = population, population.space, population.out
        train, x = self.space.train, self.space.x_train
        heads = [_vector(calibrated(head, out.slope)) for head in out.heads]
        self.head = _vector(calibrated(population.head, out.slope))
        away = []
        for code in np.unique(train.patient):
            rows = np.flatnonzero(train.patient == code)
            af = train.label[rows] == 1
            if min(af.sum(), (~af).sum()) >= LEAST_EACH:
                head = heads[out.fold[rows[0]]]
                away.append(_own(x[rows], af, head, len(rows)) - head)
        values, vectors = np.linalg.eigh(np.cov(np.array(away).T))
        self.axes = vectors[:, -DIRECTIONS:] * np.sqrt(values[-DIRECTIONS:])

        def loss(weight: float) -> float:
            found = []
            for one in train.people:
                head = heads[out.fold[one.scored[0]]]
                own = self._moved(head, x[one.evidence(CHOSEN_AT)], weight)
                found.append(score(_with_one(x[one.scored]) @ own, train, one.scored).loss)
            return float(np.mean(found))

        self.weight = min(WEIGHTS, key=loss)

    def __call__(self, one: Person, minutes: float) -> np.ndarray:
        """Log odds of the scored windows."""
        rows = one.evidence(minutes)
        if not rows.size or not self.weight:
            return self.population.logit[one.scored]
        own = self._moved(self.head, self.space.x_test[rows], self.weight)
        return _with_one(self.space.x_test[one.scored]) @ own

    def _moved(self, head: np.ndarray, sinus: np.ndarray, weight: float) -> np.ndarray:
        """The head with the highest posterior, given windows of sinus rhythm."""
        given = _with_one(sinus)
        base, along = given @ head, given @ self.axes

        def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
            logit = base + along @ at
            slope = weight * (along.T @ expit(logit)) + at
            return float(weight * np.logaddexp(0, logit).sum() + at @ at / 2), slope

        at = minimize(loss, np.zeros(DIRECTIONS), jac=True, method="L-BFGS-B").x
        return head + self.axes @ at


def _own(x: np.ndarray, af: np.ndarray, head: np.ndarray, count: int) -> np.ndarray:
    """A patient's own head, near that of the population."""
    given, sign = _with_one(x), np.where(af, 1.0, -1.0)

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        margin, away = sign * (given @ at), at - head
        slope = -given.T @ (sign * expit(-margin)) / count + OWN_PENALTY * away / count
        value = np.logaddexp(0, -margin).mean() + OWN_PENALTY / 2 * away @ away / count
        return float(value), slope

    found: np.ndarray = minimize(loss, head, jac=True, method="L-BFGS-B").x
    return found


def _vector(head: object) -> np.ndarray:
    return np.append(head.weight, head.bias)  # type: ignore[attr-defined]


def _with_one(x: np.ndarray) -> np.ndarray:
    return np.column_stack([x, np.ones(len(x))]).astype(np.float64)
