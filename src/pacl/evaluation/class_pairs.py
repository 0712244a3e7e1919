"""The AUROC of each class against all others under any weights of subjects, and their mean."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Bool, Float, Float64, Int, Int64
from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.classes import check_labels, check_several, named_classes, of_two
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.subject_groups import over


@dataclass(frozen=True, eq=False, slots=True)
class MacroPairs:
    """Pairs of windows of each class and of all others; the AUROC is the mean over classes.

    `each` has the classes that have windows, by their numbers.
    """

    each: tuple[AurocPairs, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The subjects."""
        return self.each[0].names

    @property
    def windows(self) -> tuple[Int64[Array, "subject"], ...]:
        """Windows of each class, by subject."""
        return tuple(one.detected for one in self.each)

    @property
    def class_names(self) -> tuple[str, ...]:
        """Name of each class."""
        return tuple(one.class_names[1] for one in self.each)

    def pooled(self, weights: Float64[Array, "resample subject"]) -> Float64[Array, "resample"]:
        """AUROC over all windows, each subject taken `weights` times; NaN without every class."""
        return np.asarray(np.mean([one.pooled(weights) for one in self.each], axis=0))

    @property
    def auroc(self) -> float:
        """AUROC over all windows of all subjects."""
        return float(self.pooled(np.ones((1, len(self.names))))[0])

    @property
    def both(self) -> Bool[Array, "subject"]:
        """Which subjects have windows of several classes, and so their own AUROC."""
        return np.asarray(np.any([one.both for one in self.each], axis=0))

    @property
    def own(self) -> Float64[Array, "subject"]:
        """Each subject's own AUROC, the mean over the classes the subject has; else NaN."""
        found = np.stack([one.own for one in self.each])
        known = ~np.isnan(found)
        total, count = np.where(known, found, 0).sum(axis=0), known.sum(axis=0)
        return over(total, count)


def count_class_pairs(
    labels: Int[Array, "label"],
    score: Float[Array, "window *class"],
    subjects: Int[Array, "code"],
    names: Sequence[str] | None = None,
    models: Int[Array, "model"] | None = None,
    class_names: Sequence[str] | None = None,
) -> AurocPairs | MacroPairs:
    """Count the pairs of windows: of two classes as `count_pairs`, of more for each class.

    Parameters
    ----------
    score
        Of class 1 where there are two classes, of each class where there are more.
    """
    score = of_two(score)
    if score.ndim == 1:
        found = count_pairs(labels, score, subjects, names, models)
        return replace(found, class_names=named_classes(2, class_names))
    if labels.size != len(score):
        raise EvaluationError(f"{labels.size} labels, {len(score)} scores; give each window both")
    known = named_classes(score.shape[1], class_names)
    check_labels(labels, known)
    check_several(labels, known, "AUROC")
    return MacroPairs(
        tuple(
            replace(
                count_pairs((labels == at).astype(np.int64), score[:, at], subjects, names, models),
                class_names=("others", known[at]),
            )
            for at in np.unique(labels).tolist()
        )
    )
