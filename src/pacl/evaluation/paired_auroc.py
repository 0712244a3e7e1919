"""Two losses compared by their pooled AUROC on the same patients and seeds."""

from collections.abc import Sequence

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.auroc_pairs import AurocPairs, count_pairs
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.intervals import LEVEL
from pacl.evaluation.paired import PatientComparison, compare_over_patients
from pacl.evaluation.rank_correlation import ranks
from pacl.evaluation.sign_flip import flip_test


def compare_auroc(
    labels: Int[Array, "label"],
    first: Float[Array, "seed window"],
    second: Float[Array, "other_seed other_window"],
    patients: Int[Array, "code"],
    generator: np.random.Generator | None = None,
    *,
    models: tuple[Int[Array, "model"], Int[Array, "other_model"]] | None = None,
    level: float = LEVEL,
) -> PatientComparison:
    """Compare the pooled AUROC of two losses' scores of the same windows.

    `models` says for both losses which model scored each window, where there were several, such as
    those of folds: then only windows of one model are compared with each other.

    A flip swaps the two losses' scores of all windows of a patient, in all seeds. For that, scores
    are replaced by their ranks within a loss and seed, which no AUROC notices: a loss whose
    probabilities are higher throughout would otherwise disorder every mixture. Ranks are those
    among the windows of a model.
    """
    if first.shape != second.shape or not first.size:
        raise EvaluationError(
            f"scores of {first.shape} and of {second.shape} seeds and windows; give both losses' "
            "scores of the same seeds and windows"
        )
    codes, patient = np.unique(patients, return_inverse=True)
    count = len(codes)
    if not labels.size == patients.size == first.shape[1]:
        raise EvaluationError(
            f"{labels.size} labels, {patients.size} patients, {first.shape[1]} scores; give each "
            "window all three"
        )
    one_model = np.zeros(labels.size, np.int64)
    of_first, of_second = (one_model, one_model) if models is None else models
    mixed = [
        count_pairs(
            np.tile(labels, 2),
            np.concatenate([_ranks(one, of_first), _ranks(other, of_second)]),
            np.concatenate([patient, patient + count]),
            models=None if models is None else np.concatenate(models),
        )
        for one, other in zip(first, second, strict=True)
    ]

    def of_seed(weights: Float64[Array, "resample both"]) -> Float64[Array, "seed resample"]:
        swapped = np.roll(weights, count, axis=1)
        return np.stack([pairs.pooled(weights) - pairs.pooled(swapped) for pairs in mixed])

    def difference(weights: Float64[Array, "resample patient"]) -> Float64[Array, "resample"]:
        return np.asarray(of_seed(np.hstack([weights, np.zeros_like(weights)])).mean(axis=0))

    def flipped(signs: Float64[Array, "flip patient"]) -> Float64[Array, "flip"]:
        return np.asarray(of_seed(np.hstack([1 + signs, 1 - signs]) / 2).mean(axis=0))

    return compare_over_patients(
        difference,
        of_seed=of_seed(np.repeat([[1.0, 0.0]], count, axis=1))[:, 0],
        of_patient=_own_differences(mixed, count),
        patients=count,
        flips=flip_test(flipped, count, generator),
        level=level,
    )


def _ranks(score: Float[Array, "window"], models: Int[Array, "model"]) -> Float64[Array, "window"]:
    """Mean rank of each score among its model's, from 0 to 1; scores that are equal stay so."""
    if np.isnan(score).any():
        raise EvaluationError("scores that are NaN; look for a diverged training run")
    found = np.empty(score.size)
    for model in np.unique(models):
        rows = models == model
        found[rows] = (ranks(score[rows].astype(np.float64)) + 0.5) / np.count_nonzero(rows)
    return found


def _own_differences(mixed: Sequence[AurocPairs], patients: int) -> Float64[Array, "own"]:
    """First less second of patients who have an AUROC of their own, averaged over seeds."""
    both = mixed[0].both[:patients]
    own = np.stack([pairs.own for pairs in mixed])
    return np.asarray((own[:, :patients] - own[:, patients:]).mean(axis=0)[both])
