"""Alignment and uniformity of each subject's windows, by kind of pair (Wang & Isola 2020).

The paper claims without measuring it that "clusters from different subjects remain spread out on
the hypersphere". There are four kinds of pairs: same or other subject x same or other class. The
paper's objective attracts pairs of the same subject and class, repels pairs of other classes, and
ignores pairs of other subjects' same class: nothing in it pushes subjects apart.

`alignment` is a mean squared distance (0 coinciding, 2 as if independent, 4 opposite), `uniformity`
is log mean exp(-2 |x-y|^2) (0 coinciding, lower is more spread, -8 opposite). Where subjects share
one prototype, `spread_ratio` and `centroid_cosine` are near 1; where they are apart, the ratio is
well above 1 and the cosine well below.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float, Float64, Int, Int64
from pacl.evaluation.classes import one_named
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.subject_groups import (
    SHARPNESS,
    SubjectGroups,
    centroid_cosines,
    draw_windows,
    group_windows,
    known,
    mean_kernels,
    mean_squared_distances,
    over,
)

# How often a pair of each kind is counted, starting from each window of a subject, or of a class.
_MET_BY_SUBJECT = np.array([2, 1, 1, 1])
_MET_BY_CLASS = np.array([2, 1, 2, 1])


@dataclass(frozen=True, slots=True)
class PairSpread:
    """Pairs of one kind; both numbers are `None` where there is no pair.

    Parameters
    ----------
    alignment
        Mean |x-y|^2, exact over all pairs.
    uniformity
        log mean exp(-2 |x-y|^2), over the windows drawn; each group is weighted by all its windows.
    pairs, subjects
        Number of pairs, and of subjects who have such a pair.
    """

    alignment: float | None
    uniformity: float | None
    pairs: int
    subjects: int


@dataclass(frozen=True, slots=True)
class SpreadByKind:
    """The four kinds of pairs, as in `PairPolicy`."""

    same_subject_same_class: PairSpread
    same_subject_other_class: PairSpread
    other_subject_same_class: PairSpread
    other_subject_other_class: PairSpread


@dataclass(frozen=True, slots=True)
class SubjectSpread:
    """Pairs of which one window is of this subject and class."""

    subject: str
    class_name: str
    windows: int
    windows_drawn: int
    kinds: SpreadByKind


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """Pairs of which one window is of this class.

    Parameters
    ----------
    averaged
        Means of the subjects' rows: each subject who has such a pair counts equally.
    pooled
        Over all pairs: subjects with many windows count more.
    spread_ratio
        `averaged` alignment of other subjects' same class, over that of the same subject's. `None`
        with one subject, or where each subject's windows coincide.
    centroid_uniformity, centroid_cosine
        Uniformity and mean cosine of the subjects' normalised centroids, over pairs of subjects:
        do clusters stay apart, however wide each is? `None` with fewer than two centroids.
    """

    name: str
    subjects: int
    averaged: SpreadByKind
    pooled: SpreadByKind
    spread_ratio: float | None
    centroid_uniformity: float | None
    centroid_cosine: float | None


@dataclass(frozen=True, slots=True)
class SphereSpread:
    """Alignment and uniformity by class and by subject; `exact` when all windows were used."""

    classes: tuple[ClassSpread, ...]
    per_subject: tuple[SubjectSpread, ...]
    windows: int
    windows_drawn: int
    exact: bool

    def of_class(self, name: str) -> ClassSpread:
        """A class by its name."""
        return one_named(self.classes, name)


def measure_spread(
    embedded: Float[Array, "window feature"],
    labels: Int[Array, "window"],
    subjects: Int[Array, "window"],
    generator: np.random.Generator,
    names: Sequence[str] | None = None,
    *,
    class_names: Sequence[str] | None = None,
    per_group: int = 200,
) -> SphereSpread:
    """Measure how close and how spread windows are, for each subject and class.

    Parameters
    ----------
    embedded, labels, subjects, names, class_names
        As in `measure_geometry`.
    per_group
        How many windows of a subject and class the uniformity uses at most; if there are more, they
        are drawn. Alignment uses all.
    """
    if per_group < 2:
        raise EvaluationError(f"per_group is {per_group}; a pair needs at least 2 windows")
    groups = group_windows(embedded, labels, subjects, names, class_names)
    drawn = draw_windows(groups, per_group, generator)
    tally = _tally(groups, drawn)
    used = np.bincount(groups.of_window[drawn])
    return SphereSpread(
        classes=tuple(
            _class_spread(groups, tally, member) for member in range(len(groups.class_names))
        ),
        per_subject=tuple(
            SubjectSpread(
                subject=groups.names[groups.subject[at]],
                class_name=groups.class_names[groups.label[at]],
                windows=int(groups.windows[at]),
                windows_drawn=int(used[at]),
                kinds=_by_kind(_means(tally[:, :, at]), tally[:, :, [at]], _MET_BY_SUBJECT),
            )
            for at in range(len(used))
        ),
        windows=len(groups.embedded),
        windows_drawn=len(drawn),
        exact=len(drawn) == len(groups.embedded),
    )


def _tally(groups: SubjectGroups, drawn: Int64[Array, "drawn"]) -> Float64[Array, "3 4 group"]:
    """Sums over each group's pairs, by kind: of |x-y|^2, of the kernel, and of 1.

    Means between groups are weighted by all pairs of the two groups, not by those drawn, so that
    drawing estimates the same number.
    """
    pairs = np.outer(groups.windows, groups.windows) - np.diag(groups.windows)
    same_subject = groups.subject[:, None] == groups.subject
    same_class = groups.label[:, None] == groups.label
    kinds = [
        np.where(subject & label, pairs, 0)
        for subject in (same_subject, ~same_subject)
        for label in (same_class, ~same_class)
    ]
    means = (mean_squared_distances(groups), mean_kernels(groups, drawn), 1.0)
    return np.stack([[(weight * mean).sum(axis=1) for weight in kinds] for mean in means])


def _class_spread(
    groups: SubjectGroups, tally: Float64[Array, "3 4 group"], member: int
) -> ClassSpread:
    chosen = np.flatnonzero(groups.label == member)
    tally = tally[:, :, chosen]
    means = _means(tally)
    valued = ~np.isnan(means)
    average = over(np.where(valued, means, 0).sum(axis=2), valued.sum(axis=2))
    averaged = _by_kind(average, tally, _MET_BY_CLASS)
    within = averaged.same_subject_same_class.alignment
    beyond = averaged.other_subject_same_class.alignment
    cosines = centroid_cosines(groups, chosen)
    kernel = np.exp(SHARPNESS * (2 * cosines - 2))
    return ClassSpread(
        name=groups.class_names[member],
        subjects=len(chosen),
        averaged=averaged,
        pooled=_by_kind(_means(tally.sum(axis=2)), tally, _MET_BY_CLASS),
        spread_ratio=beyond / within if within and beyond is not None else None,
        centroid_uniformity=float(np.log(kernel.mean())) if len(cosines) else None,
        centroid_cosine=float(cosines.mean()) if len(cosines) else None,
    )


def _means(tally: Float64[Array, "3 4 *row"]) -> Float64[Array, "2 4 *row"]:
    """Alignment and uniformity, NaN where there is no pair."""
    alignment, kernel = over(tally[:2], tally[2])
    return np.stack([alignment, np.log(kernel)])


def _by_kind(
    means: Float64[Array, "2 4"], tally: Float64[Array, "3 4 row"], met: Int64[Array, "4"]
) -> SpreadByKind:
    pairs = tally[2].sum(axis=1) / met
    subjects = np.sum(tally[2] > 0, axis=1)
    return SpreadByKind(
        *(
            PairSpread(known(alignment), known(uniformity), int(count), int(having))
            for (alignment, uniformity), count, having in zip(means.T, pairs, subjects, strict=True)
        )
    )
