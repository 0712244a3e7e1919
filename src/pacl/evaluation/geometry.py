"""Geometry of embeddings on the sphere: cohesion, centroids, compactness (Eqs. 6-10)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.subject_groups import ROUNDING, group_windows, known, over
from pacl.records import Rhythm


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

    cohesion: float | None
    subjects: int
    subjects_without_direction: int
    global_cohesion: float | None
    spread: float
    subject_spread: float
    windows: int


@dataclass(frozen=True, slots=True)
class SubjectGeometry:
    """One subject's summands of the averages; `None` where the subject lacks the class.

    Parameters
    ----------
    sr_cohesion, af_cohesion
        The summand of Eq. 6.
    sr_spread, af_spread
        d-bar_p^c, mean distance to the subject's class centroid.
    sr_resultant, af_resultant
        |mu_p^c|, the length of that centroid: 1 when all windows coincide, 0 when they cancel.
        Equal to the cohesion wherever that has a value.
    centroid_distance, centroid_similarity
        Eqs. 7 and 8 between the subject's own two centroids.
    compactness
        The summand of Eq. 10. Large when the spreads are small, wherever the centroids are.
    """

    subject: str
    sr_windows: int
    af_windows: int
    sr_cohesion: float | None
    af_cohesion: float | None
    sr_spread: float | None
    af_spread: float | None
    sr_resultant: float | None
    af_resultant: float | None
    centroid_distance: float | None
    centroid_similarity: float | None
    compactness: float | None


@dataclass(frozen=True, slots=True)
class Geometry:
    """All of the appendix's metrics. `None` is a number that has no value.

    Parameters
    ----------
    sr, af
        Eq. 6 and the spreads, by class.
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
    per_subject
        One row per subject, in the order of their codes.
    """

    sr: ClassGeometry
    af: ClassGeometry
    centroid_distance: float
    centroid_similarity: float | None
    compactness: float | None
    subject_compactness: float | None
    subjects_with_both: int
    subjects_without_spread: int
    per_subject: tuple[SubjectGeometry, ...]


def measure_geometry(
    embedded: Float[Array, "window feature"],
    rhythm: Int[Array, "window"],
    subjects: Int[Array, "window"],
    names: Sequence[str] | None = None,
) -> Geometry:
    """Measure how windows of each subject and class lie on the sphere.

    Parameters
    ----------
    embedded
        Embeddings of length 1.
    subjects, names
        Code of each window's subject, and the name of each code.
    """
    groups = group_windows(embedded, rhythm, subjects, names)
    centroids = np.full((len(groups.names), 2, embedded.shape[1]), np.nan)
    centroids[groups.subject, groups.rhythm] = groups.means(groups.embedded)
    own = centroids[groups.subject, groups.rhythm][groups.of_window]
    spreads = groups.table(groups.means(_distances(groups.embedded, own)[:, None])[:, 0])
    spreads[spreads <= ROUNDING] = 0
    resultants = _lengths(centroids)
    cohesions = _cohesions(resultants)
    between = _between(centroids, spreads)
    windows = np.zeros((len(groups.names), 2), dtype=np.int64)
    windows[groups.subject, groups.rhythm] = groups.windows

    overall = np.einsum("pc,pcf->cf", windows / windows.sum(axis=0), np.nan_to_num(centroids))
    label = groups.rhythm[groups.of_window]
    distances = _distances(groups.embedded, overall[label])
    spread = np.bincount(label, weights=distances) / windows.sum(axis=0)
    spread[spread <= ROUNDING] = 0
    global_cohesions = _cohesions(_lengths(overall))
    sr, af = (
        ClassGeometry(
            cohesion=_mean(cohesions[:, c]),
            subjects=int(np.sum(windows[:, c] > 0)),
            subjects_without_direction=int(np.sum(resultants[:, c] == 0)),
            global_cohesion=known(global_cohesions[c]),
            spread=float(spread[c]),
            subject_spread=float(np.nanmean(spreads[:, c])),
            windows=int(windows[:, c].sum()),
        )
        for c in (Rhythm.SR, Rhythm.AF)
    )
    distance, similarity, compactness = _between(overall[None], spread[None])[0]
    # columns in the order of the fields of SubjectGeometry
    rows = np.hstack([cohesions, spreads, resultants, between])
    return Geometry(
        sr=sr,
        af=af,
        centroid_distance=float(distance),
        centroid_similarity=known(similarity),
        compactness=known(compactness),
        subject_compactness=_mean(between[:, 2]),
        subjects_with_both=int(np.sum(windows.all(axis=1))),
        subjects_without_spread=int(np.sum(spreads.sum(axis=1) == 0)),
        per_subject=tuple(
            SubjectGeometry(name, *counts, *map(known, row))
            for name, counts, row in zip(groups.names, windows.tolist(), rows, strict=True)
        ),
    )


def _between(
    centroids: Float64[Array, "row 2 feature"], spreads: Float64[Array, "row 2"]
) -> Float64[Array, "row 3"]:
    """Eqs. 7, 8 and 9 of each row's two centroids; NaN where one has no value."""
    sr, af = centroids[:, Rhythm.SR], centroids[:, Rhythm.AF]
    distance = np.linalg.norm(sr - af, axis=1)
    cosine = over(np.sum(sr * af, axis=1), _lengths(centroids).prod(axis=1))
    return np.stack([distance, np.clip(cosine, -1, 1), over(distance, spreads.sum(axis=1))], axis=1)


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
