"""One system less another, and a split by windows less the split by patients, with intervals.

A difference is over pairs of windows that one model judged under both: models of different folds
have no common scale, and two splits would otherwise be compared by different pairs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from pacl.axes import Array, Int64
from pacl.evaluation import (
    AurocPairs,
    NoIntervalError,
    Predictions,
    SubjectComparison,
    compare_auroc,
    compare_subjects,
    count_pairs,
)
from pacl.studies.errors import RunError
from pacl.studies.rivals.predictions import MethodPredictions
from pacl.studies.rivals.protocol import LEAK, ON_NETWORKS
from pacl.studies.rivals.rows import (
    ALL_WINDOWS,
    NAN,
    REFERENCES,
    WITHIN_PATIENTS,
    DifferenceRow,
    InflationRow,
)

Seeds = list[MethodPredictions]
"""One method, one entry per seed."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """A difference over one kind of pairs."""

    measure: str
    seeds: int
    estimate: float
    low: float = NAN
    high: float = NAN
    p: float = NAN
    seeds_better: float = NAN
    subjects_better: float | None = NAN


def differences(
    methods: Mapping[str, Seeds], *, study: str, condition: str, dataset: str
) -> Iterator[DifferenceRow]:
    """Every method less each reference: all windows together, and within patients.

    The proposed objective on another network also less that network as it is otherwise trained.
    """
    every = [(method, reference) for reference in REFERENCES for method in methods]
    for method, reference in (*every, *ON_NETWORKS.items()):
        if method != reference and {method, reference} <= methods.keys():
            for found in _less(methods[method], methods[reference]):
                yield DifferenceRow(
                    study=study,
                    condition=condition,
                    dataset=dataset,
                    method=method,
                    reference=reference,
                    **asdict(found),
                )


def inflation(
    conditions: Mapping[str, Mapping[str, Seeds]], *, dataset: str
) -> Iterator[InflationRow]:
    """A split by windows less the split by patients, for each system that was tried with both."""
    by_patients = conditions.get(LEAK[0], {})
    for condition in LEAK[1:]:
        for method, seeds in conditions.get(condition, {}).items():
            if method in by_patients:
                for found in _less(seeds, by_patients[method]):
                    yield InflationRow(
                        dataset=dataset, condition=condition, method=method, **asdict(found)
                    )


def _less(these: Seeds, those: Seeds) -> Iterator[_Compared]:
    """One less the other, of the seeds that both have, which judged the same windows."""
    mine, theirs = ({one.key.seed: one for one in each} for each in (these, those))
    common = sorted(mine.keys() & theirs.keys())
    if not common:
        return
    both = [[each[seed].predictions for seed in common] for each in (mine, theirs)]
    like, random = these[0].predictions, np.random.default_rng(0)
    if any(not np.array_equal(one.subjects, like.subjects) for each in both for one in each):
        raise RunError(
            "rivals",
            f"{these[0].key} and {those[0].key} judged different windows",
            "run the study again",
        )
    models = _joint(_models(like), _models(those[0].predictions))
    pairs = [[_pairs(each[seed], models) for seed in common] for each in (mine, theirs)]
    first, second = (np.stack([one.logit for one in each]) for each in both)
    all_windows = partial(
        compare_auroc, like.labels, first, second, like.subjects, random, models=(models, models)
    )
    auroc, other_auroc = (np.mean([one.auroc for one in each]) for each in pairs)
    yield _compared(ALL_WINDOWS, len(common), all_windows, float(auroc - other_auroc))
    own, other = (np.stack([one.own for one in each]) for each in pairs)
    known = np.isfinite(own + other).all(axis=0)
    if known.any():
        own, other = own[:, known], other[:, known]
        within = partial(compare_subjects, own, other, random)
        yield _compared(WITHIN_PATIENTS, len(common), within, float(np.mean(own - other)))


def _models(found: Predictions) -> Int64[Array, "window"]:
    return np.zeros(len(found), dtype=np.int64) if found.models is None else found.models


def _joint(one: Int64[Array, "window"], other: Int64[Array, "window"]) -> Int64[Array, "window"]:
    """A number for the two models that judged a window, the same where both are."""
    if np.array_equal(one, other):
        return one
    _, found = np.unique(np.stack([one, other]), axis=1, return_inverse=True)
    return found.ravel().astype(np.int64)


def _pairs(one: MethodPredictions, models: Int64[Array, "window"]) -> AurocPairs:
    """Pairs of windows that `models` have in common."""
    found = one.predictions
    if np.array_equal(_models(found), models):
        return one.pairs
    return count_pairs(found.labels, found.logit, found.subjects, models=models)


def _compared(
    measure: str, seeds: int, compare: Callable[[], SubjectComparison], alone: float
) -> _Compared:
    """A comparison; the difference alone where it has no interval.

    That is where there are too few patients, or all are the same under both. Limits are for other
    patients and other seeds, where there are several, else for the same.
    """
    try:
        found = compare()
    except NoIntervalError:
        return _Compared(measure, seeds, alone)
    interval = found.over_both or found.over_subjects
    return _Compared(
        measure,
        seeds,
        found.difference,
        interval.low,
        interval.high,
        found.flips.p_value,
        found.seeds_better,
        found.subjects_better,
    )
