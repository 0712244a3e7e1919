"""Geometry of embeddings on the sphere: cohesion, centroids, compactness (Eqs. 6-10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.classes import one_named
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.subject_groups import ROUNDING, group_windows, known, over


@dataclass(frozen=True, slots=True)
class ClassGeometry:
    """One class, per subject and over all its windows. `None` is a number that has no value.

    Parameters
    ----------
    cohesion
        Eq. 6: mean cosine of a window to its own subject's class centroid, then the mean over the
        subjects who have the class; each counts equally. One window alone has cohesion 1.
    subjects
        How many subjects have the class.
    subjects_without_direction
        Of them, those whose centroid is the zero vector: nothing has a cosine to it, so they are
        left out of `cohesion`.
    global_cohesion
        Mean cosine to the centroid of the class, which is |mu^c|. How far it is below
        `cohesion` is how much subjects differ.
    spread
        d-bar^c, mean distance to the centroid of the class; in the denominator of Eq. 9.
    subject_spread
        d-bar_p^c, the denominator of Eq. 10, averaged over the subjects who have the class.
    windows
        |S^c|.
    """

    name: str
    cohesion: float | None
    subjects: int
    subjects_without_direction: int
    global_cohesion: float | None
    spread: float | None
    subject_spread: float | None
    windows: int


@dataclass(frozen=True, slots=True)
class PairGeometry:
    """Two classes beside each other. `None` is a number that has no value.

    Parameters
    ----------
    centroid_distance
        Eq. 7: distance of the two classes' centroids, which lie within the sphere.
    centroid_similarity
        Eq. 8: cosine of the two centroids.
    compactness
        Eq. 9: `centroid_distance` over the sum of the classes' spreads.
    subject_compactness
        Eq. 10: the same within each subject, averaged over the subjects who have both classes.
    subjects_with_both
        How many those are.
    subjects_without_spread
        Of them, those both of whose classes are a single point. Their ratio divides by zero, so
        they are left out of `subject_compactness`.
    """

    first: str
    second: str
    centroid_distance: float | None
    centroid_similarity: float | None
    compactness: float | None
    subject_compactness: float | None
    subjects_with_both: int
    subjects_without_spread: int


@dataclass(frozen=True, slots=True)
class SubjectGeometry:
    """One subject's summands of the averages; `None` where the subject lacks the class.

    Parameters
    ----------
    windows
        Of each class, by its number.
    cohesion
        The summand of Eq. 6, of each class.
    spread
        d-bar_p^c, mean distance to the subject's class centroid, of each class.
    resultant
        |mu_p^c|, the length of that centroid: 1 when all windows coincide, 0 when they cancel.
        Equal to the cohesion wherever that has a value.
    centroid_distance, centroid_similarity
        Eqs. 7 and 8 between the subject's own centroids, the mean over the pairs of classes the
        subject has.
    compactness
        The summand of Eq. 10, the mean over the same pairs. Large when the spreads are small,
        wherever the centroids are.
    """

    subject: str
    windows: tuple[int, ...]
    cohesion: tuple[float | None, ...]
    spread: tuple[float | None, ...]
    resultant: tuple[float | None, ...]
    centroid_distance: float | None
    centroid_similarity: float | None
    compactness: float | None


@dataclass(frozen=True, slots=True)
class Geometry:
    """All of the appendix's metrics. `None` is a number that has no value.

    Parameters
    ----------
    classes
        Eq. 6 and the spreads, by class.
    pairs
        Eqs. 7 to 10, by pair of classes: (0, 1), (0, 2), ..., (1, 2), ...
    centroid_distance, centroid_similarity, compactness
        Eqs. 7 to 9, the means over the pairs.
    subject_compactness
        Eq. 10: the mean over subjects of their `compactness`.
    subjects_with_several
        How many subjects have windows of two classes or more.
    per_subject
        One row per subject, in the order of their codes.
    """

    classes: tuple[ClassGeometry, ...]
    pairs: tuple[PairGeometry, ...]
    centroid_distance: float | None
    centroid_similarity: float | None
    compactness: float | None
    subject_compactness: float | None
    subjects_with_several: int
    per_subject: tuple[SubjectGeometry, ...]

    def of_class(self, name: str) -> ClassGeometry:
        """A class by its name."""
        return one_named(self.classes, name)

    def of_pair(self, first: str, second: str) -> PairGeometry:
        """Two classes by their names, in any order."""
        for one in self.pairs:
            if {one.first, one.second} == {first, second}:
                return one
        known = ", ".join(one.name for one in self.classes)
        raise EvaluationError(f"no pair of classes {first!r} and {second!r} among {known}")


def measure_geometry(
    embedded: Float[Array, "window feature"],
    labels: Int[Array, "window"],
    subjects: Int[Array, "window"],
    names: Sequence[str] | None = None,
    *,
    class_names: Sequence[str] | None = None,
) -> Geometry:
    """Measure how windows of each subject and class lie on the sphere.

    Parameters
    ----------
    embedded
        Embeddings of length 1.
    labels, class_names
        Number of each window's class, and the name of each class.
    subjects, names
        Code of each window's subject, and the name of each code.
    """
    groups = group_windows(embedded, labels, subjects, names, class_names)
    shape = (len(groups.names), len(groups.class_names))
    centroids = np.full((*shape, embedded.shape[1]), np.nan)
    centroids[groups.subject, groups.label] = groups.means(groups.embedded)
    own = centroids[groups.subject, groups.label][groups.of_window]
    spreads = groups.table(groups.means(_distances(groups.embedded, own)[:, None])[:, 0])
    spreads[spreads <= ROUNDING] = 0
    resultants = _lengths(centroids)
    cohesions = _cohesions(resultants)
    windows = np.zeros(shape, dtype=np.int64)
    windows[groups.subject, groups.label] = groups.windows

    total = windows.sum(axis=0)
    share = windows / np.maximum(total, 1)
    overall = np.einsum("pc,pcf->cf", share, np.nan_to_num(centroids))
    overall[total == 0] = np.nan
    label = groups.label[groups.of_window]
    distances = _distances(groups.embedded, overall[label])
    spread = over(np.bincount(label, weights=distances, minlength=shape[1]), total)
    spread[spread <= ROUNDING] = 0
    global_cohesions = _cohesions(_lengths(overall))
    classes = tuple(
        ClassGeometry(
            name=name,
            cohesion=_mean(cohesions[:, c]),
            subjects=int(np.sum(windows[:, c] > 0)),
            subjects_without_direction=int(np.sum(resultants[:, c] == 0)),
            global_cohesion=known(global_cohesions[c]),
            spread=known(spread[c]),
            subject_spread=_mean(spreads[:, c]),
            windows=int(total[c]),
        )
        for c, name in enumerate(groups.class_names)
    )
    within, among, pairs = [], [], []
    for two in combinations(range(shape[1]), 2):
        of_subjects = _between(centroids[:, two], spreads[:, two])
        of_classes = _between(overall[None, two], spread[None, two])[0]
        within.append(of_subjects)
        among.append(of_classes)
        distance, similarity, compactness = map(known, of_classes)
        pairs.append(
            PairGeometry(
                first=groups.class_names[two[0]],
                second=groups.class_names[two[1]],
                centroid_distance=distance,
                centroid_similarity=similarity,
                compactness=compactness,
                subject_compactness=_mean(of_subjects[:, 2]),
                subjects_with_both=int(np.sum(windows[:, two].all(axis=1))),
                subjects_without_spread=int(np.sum(spreads[:, two].sum(axis=1) == 0)),
            )
        )
    of_subject = _means_of_pairs(np.stack(within))
    distance, similarity, compactness = map(known, _means_of_pairs(np.stack(among)))
    return Geometry(
        classes=classes,
        pairs=tuple(pairs),
        centroid_distance=distance,
        centroid_similarity=similarity,
        compactness=compactness,
        subject_compactness=_mean(of_subject[:, 2]),
        subjects_with_several=int(np.sum((windows > 0).sum(axis=1) > 1)),
        per_subject=tuple(
            SubjectGeometry(
                name,
                tuple(windows[at].tolist()),
                tuple(map(known, cohesions[at])),
                tuple(map(known, spreads[at])),
                tuple(map(known, resultants[at])),
                *map(known, of_subject[at]),
            )
            for at, name in enumerate(groups.names)
        ),
    )


def _between(
    centroids: Float64[Array, "row 2 feature"], spreads: Float64[Array, "row 2"]
) -> Float64[Array, "row 3"]:
    """Eqs. 7, 8 and 9 of each row's two centroids; NaN where one has no value."""
    first, second = centroids[:, 0], centroids[:, 1]
    distance = np.linalg.norm(first - second, axis=1)
    cosine = over(np.sum(first * second, axis=1), _lengths(centroids).prod(axis=1))
    return np.stack([distance, np.clip(cosine, -1, 1), over(distance, spreads.sum(axis=1))], axis=1)


def _means_of_pairs(pairs: Float64[Array, "pair *row 3"]) -> Float64[Array, "*row 3"]:
    """Means over the pairs that have a value; NaN without any."""
    valued = ~np.isnan(pairs)
    return over(np.where(valued, pairs, 0).sum(axis=0), valued.sum(axis=0))


def _distances(
    some: Float64[Array, "window feature"], others: Float64[Array, "window feature"]
) -> Float64[Array, "window"]:
    apart = some - others
    return np.asarray(np.sqrt(np.einsum("wf,wf->w", apart, apart)))


def _lengths(vectors: Float64[Array, "*row feature"]) -> Float64[Array, "*row"]:
    """Lengths of mean vectors: never above 1, and exactly 0 where only rounding is left."""
    length = np.minimum(np.linalg.norm(vectors, axis=-1), 1)
    return np.where(length <= ROUNDING, 0, length)


def _cohesions(lengths: Float64[Array, "*row"]) -> Float64[Array, "*row"]:
    """Eq. 6: the mean of z.mu-hat over a group is mu.mu-hat, which is |mu|; NaN without mu-hat."""
    return np.where(lengths > 0, lengths, np.nan)


def _mean(values: Float64[Array, "row"]) -> float | None:
    """Mean of those that have a value."""
    return float(np.nanmean(values)) if not np.isnan(values).all() else None
