"""Outcomes of a study: each loss with each seed, on the patients of one cohort (3)."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch

from pacl.axes import Array, Float64
from pacl.evaluation import Evaluation, Geometry, Predictions, read_evaluation
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder
from pacl.studies.metric import number_at, value_of
from pacl.training import COLLAPSED, EpochLog, spread


@dataclass(frozen=True, eq=False)
class Outcome:
    """One loss with one seed: one run, or one for each fold.

    With `again`, numbers are measured anew from predictions and embeddings, not read from
    `evaluation.json`.
    """

    loss: str
    seed: int
    runs: tuple[RunFolder, ...]
    on: str
    again: bool = False

    @classmethod
    def of_run(cls, run: RunFolder, on: str, *, again: bool = False) -> "Outcome":
        """A run by itself; one whose weights were imported has no seed, which is -1."""
        return cls(run.title, -1 if run.imported else run.plan.seed, (run,), on, again)

    @cached_property
    def evaluated(self) -> tuple[Predictions, ...]:
        """Predictions and embeddings, fold by fold."""
        return tuple(run.evaluated(self.on) for run in self.runs)

    @cached_property
    def predictions(self) -> Predictions:
        """Predictions for all patients, each by the run that had not seen the patient."""
        return Predictions.concat(self.evaluated).by_name()

    @cached_property
    def measured(self) -> Evaluation:
        """As in `evaluation.json`. Over folds, see `merge_folds`."""
        if self.again:
            each = [one.measure() for one in self.evaluated]
        else:
            each = [read_evaluation(run.evaluated_where(self.on)) for run in self.runs]
        return each[0] if len(each) == 1 else merge_folds(each, self.predictions)

    def value(self, key: str) -> float:
        """A number of the evaluation by its dotted key; NaN where it has none."""
        found = value_of(self.measured, key)
        return np.nan if found is None else found

    def of_patients(self, section: str, key: str) -> dict[str, float]:
        """A number of each patient, such as `detection` `auroc`; NaN where one has none."""
        rows = getattr(self.measured, section).per_subject
        numbers = {row.subject: number_at(row, key) for row in rows}
        return {name: np.nan if one is None else one for name, one in numbers.items()}

    @cached_property
    def collapsed(self) -> bool:
        """Whether the embeddings of a run were a single point in the epoch that was kept.

        Pooled or projected: once the projected embeddings are a point, nothing more is learned. For
        imported runs the evaluated embeddings are used.
        """
        return any(self._collapsed(at, run) for at, run in enumerate(self.runs))

    def _collapsed(self, at: int, run: RunFolder) -> bool:
        if run.imported:
            pooled = torch.from_numpy(self.evaluated[at].embeddings.pooled)
            return bool(spread(pooled.double()) < COLLAPSED)
        kept = [EpochLog(**one) for one in run.history() if one["best"]][-1:]
        return any(log.collapsed for log in kept)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """All losses and seeds of a study on one cohort.

    Parameters
    ----------
    title
        Name of the cohort.
    on
        Which evaluation of the runs: `test`, or the name of other windows.
    each
        An outcome for each loss and seed, losses in the order in which they are shown.
    """

    title: str
    on: str
    each: tuple[Outcome, ...]

    def __post_init__(self) -> None:
        expected = {(loss, seed) for loss in self.losses for seed in self.seeds}
        if len(self.each) != len(expected):
            raise RunError(
                self.title,
                f"{len(self.each)} outcomes of {len(self.losses)} losses and {len(self.seeds)} "
                "seeds",
                "train every loss with every seed, each once",
            )

    @property
    def losses(self) -> tuple[str, ...]:
        """In the order in which they are shown."""
        return tuple(dict.fromkeys(one.loss for one in self.each))

    @property
    def seeds(self) -> tuple[int, ...]:
        """In the order in which they were given."""
        return tuple(dict.fromkeys(one.seed for one in self.each))

    @property
    def folds(self) -> int:
        """How many runs an outcome is made of."""
        return len(self.each[0].runs)

    def of(self, loss: str) -> tuple[Outcome, ...]:
        """The outcomes of a loss, by seed."""
        found = {one.seed: one for one in self.each if one.loss == loss}
        return tuple(found[seed] for seed in self.seeds)

    def values(self, loss: str, key: str) -> Float64[Array, "seed"]:
        """A number of each seed by its dotted key, such as `detection.auroc`."""
        return np.array([one.value(key) for one in self.of(loss)], dtype=np.float64)

    @cached_property
    def patients(self) -> tuple[str, ...]:
        """Names of all patients, sorted."""
        return self.each[0].predictions.names

    def by_patient(self, loss: str, section: str, key: str) -> Float64[Array, "seed patient"]:
        """A number of each seed and patient, such as `pooled` `cohesion.0`; NaN where none."""
        rows = [one.of_patients(section, key) for one in self.of(loss)]
        return np.array(
            [[row.get(patient, np.nan) for patient in self.patients] for row in rows],
            dtype=np.float64,
        )


def merge_folds(each: Sequence[Evaluation], predictions: Predictions) -> Evaluation:
    """One evaluation of several folds, each tested on other patients.

    Detection is measured again on the predictions of all patients. Embeddings of different folds
    are in different spaces: numbers of patients are averaged over all patients, those of a space
    over the folds.
    """
    merged: Evaluation = _mean_over_folds(each)
    return replace(
        merged,
        detection=predictions.detected(),
        pooled=_average_patients(merged.pooled),
        projected=_average_patients(merged.projected),
    )


def _average_patients(geometry: Geometry) -> Geometry:
    """Means over all patients instead of means over folds."""

    def mean(key: str) -> Any:
        return _mean([number_at(row, key) for row in geometry.per_subject])

    classes = tuple(
        replace(one, cohesion=mean(f"cohesion.{at}"), subject_spread=mean(f"spread.{at}"))
        for at, one in enumerate(geometry.classes)
    )
    return replace(geometry, classes=classes, subject_compactness=mean("compactness"))


def _mean_over_folds(each: Sequence[Any]) -> Any:
    """Field by field: subjects end to end, whole numbers summed, others averaged."""
    first = each[0]
    if is_dataclass(first):
        means = {}
        for field in fields(first):
            values = [getattr(one, field.name) for one in each]
            subjects = field.name == "per_subject"
            means[field.name] = sum(values, ()) if subjects else _mean_over_folds(values)
        return replace(first, **means)  # type: ignore[type-var]
    if isinstance(first, tuple):
        return tuple(_mean_over_folds(both) for both in zip(*each, strict=True))
    if isinstance(first, bool):
        return all(each)
    if isinstance(first, int):
        return sum(each)
    if isinstance(first, str):
        return first
    return _mean(each)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
