"""Sensors on a ring, such as an arm band, turned to a common place for each subject.

Training subjects are turned so that the mean amplitudes of their classes agree. A new subject has
no labels: of all turns, the one is taken under which the windows are most likely, by a linear
discriminant analysis of the training subjects. Nothing but unlabelled windows of a new subject is
used, and all systems get the turned windows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Float64, Int, Int64
from pacl.systems.feature_systems import shrinkage_lda
from pacl.systems.features import FEATURES, time_domain_features
from pacl.systems.inputs import by_subject, with_values
from pacl.windows import WindowSet

AMPLITUDE = FEATURES.index("log root mean square")
ROUNDS = 5
"""How often training subjects are turned to each other."""


def placed(windows: WindowSet, learned: Array) -> tuple[WindowSet, dict[str, int]]:
    """The windows of each subject with its channels turned, and by how many channels each is.

    Parameters
    ----------
    windows
        Of all subjects.
    learned
        Mask of the windows whose labels may be used.
    """
    subject, labels = windows.table.subject, windows.table.labels
    x = windows.take()
    features = by_subject(time_domain_features(x), subject.codes, (0,))
    codes = np.unique(subject.codes[learned])
    means = [
        class_means(
            features[learned & (subject.codes == code)][..., AMPLITUDE],
            labels[learned & (subject.codes == code)],
            len(windows.class_names),
        )
        for code in codes
    ]
    turns = dict(zip(codes.tolist(), training_turns(means), strict=True))
    known = turned(features, subject.codes, turns)
    placement = Placement.fit(known[learned], labels[learned])
    for code in np.setdiff1d(np.unique(subject.codes), codes).tolist():
        turns[code] = placement.turn(features[subject.codes == code])
    found = with_values(windows, turned(x, subject.codes, turns))
    return found, {subject.names[code]: turn for code, turn in sorted(turns.items())}


def turned(
    x: Float32[Array, "window channel time"],
    subject: Int[Array, "window"],
    turns: Mapping[int, int],
) -> Float32[Array, "window channel time"]:
    """Windows with the channels of each subject rolled; subjects without a turn stay."""
    found = x.copy()
    for code, turn in turns.items():
        if turn:
            rows = subject == code
            found[rows] = np.roll(x[rows], turn, axis=1)
    return found


def class_means(
    amplitude: Float32[Array, "window channel"], labels: Int64[Array, "window"], classes: int
) -> Float64[Array, "class channel"]:
    """Mean amplitude of each channel in each class; 0 where a class has no windows."""
    found = np.zeros((classes, amplitude.shape[1]))
    for number in np.unique(labels):
        found[number] = amplitude[labels == number].mean(axis=0)
    return found


def training_turns(
    means: "list[Float64[Array, 'class channel']]", rounds: int = ROUNDS
) -> list[int]:
    """By how many channels to roll each subject so that it agrees best with the others.

    Examples
    --------
    >>> one = np.eye(4)
    >>> training_turns([one, one, np.roll(one, 1, axis=1)])
    [0, 0, 3]
    """
    turns = [0] * len(means)
    if len(means) < 2:
        return turns
    for _ in range(rounds):
        before = list(turns)
        for who, own in enumerate(means):
            others = [np.roll(one, turns[at], axis=1) for at, one in enumerate(means) if at != who]
            goal = np.mean(others, axis=0)
            fits = [np.sum(np.roll(own, turn, axis=1) * goal) for turn in range(own.shape[1])]
            turns[who] = int(np.argmax(fits))
        if turns == before:
            break
    return turns


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """Finds by how many channels a new subject is turned, from unlabelled windows."""

    means: Float64[Array, "class feature"]
    whiten: Float64[Array, "feature feature"]
    log_share: Float64[Array, "class"]

    @classmethod
    def fit(
        cls, features: Float32[Array, "window channel feature"], labels: Int64[Array, "window"]
    ) -> "Placement":
        """Fit to features of training subjects that are turned already."""
        model = shrinkage_lda(features.reshape(len(features), -1), labels)
        shares = np.unique(labels, return_counts=True)[1] / len(labels)
        whiten = np.linalg.cholesky(np.linalg.inv(model.covariance_))
        return cls(model.means_, whiten, np.log(shares))

    def turn(self, features: Float32[Array, "window channel feature"]) -> int:
        """The turn under which the windows are most likely."""
        return int(np.argmax([self._fits(features, at) for at in range(features.shape[1])]))

    def _fits(self, features: Float32[Array, "window channel feature"], turn: int) -> float:
        from scipy.special import logsumexp

        x = np.roll(features, turn, axis=1).reshape(len(features), -1).astype(np.float64)
        far = np.stack([(((x - mean) @ self.whiten) ** 2).sum(axis=1) for mean in self.means])
        return float(logsumexp(self.log_share[:, None] - far / 2, axis=0).mean())
