"""One system less another, and a split by windows less the split by patients, with intervals.

A difference is over pairs of windows that one model judged under both: models of different folds
have no common scale, and two splits would else be compared by different pairs.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from pacl.axes import Array, Int64
from pacl.evaluation import (
    AurocPairs,
    NoIntervalError,
    PatientComparison,
    compare_auroc,
    compare_patients,
    count_pairs,
)
from pacl.studies.errors import RunError
from pacl.studies.rivals.protocol import LEAK, ON_NETWORKS
from pacl.studies.rivals.told import Told

REFERENCES = ("patient-aware", "statistics")
"""Systems that the others are held against."""


def differences(methods: Mapping[str, list[Told]]) -> Iterator[dict[str, object]]:
    """Every method less each reference: all windows together, and within patients.

    The proposed objective on another network also less that network as it is otherwise trained.
    """
    every = [(method, reference) for reference in REFERENCES for method in methods]
    for method, reference in (*every, *ON_NETWORKS.items()):
        if method != reference and {method, reference} <= methods.keys():
            for row in _less(methods[method], methods[reference]):
                yield {"method": method, "reference": reference, **row}


def inflation(conditions: Mapping[str, Mapping[str, list[Told]]]) -> Iterator[dict[str, object]]:
    """A split by windows less the split by patients, for each system that went through both."""
    by_patients = conditions.get(LEAK[0], {})
    for condition in LEAK[1:]:
        for method, seeds in conditions.get(condition, {}).items():
            if method in by_patients:
                for row in _less(seeds, by_patients[method]):
                    yield {"condition": condition, "method": method, **row}


def _less(these: list[Told], those: list[Told]) -> Iterator[dict[str, object]]:
    """One less the other, of the seeds that both have, which judged the same windows."""
    mine, theirs = ({one.cell.seed: one for one in each} for each in (these, those))
    common = sorted(mine.keys() & theirs.keys())
    if not common:
        return
    both = [[each[seed] for seed in common] for each in (mine, theirs)]
    like, random = these[0], np.random.default_rng(0)
    if any(not np.array_equal(one.patients, like.patients) for each in both for one in each):
        raise RunError("rivals", f"{like.cell} and {those[0].cell}: other windows", "study anew")
    models = _joint(like.models, those[0].models)
    pairs = [[_pairs(one, models) for one in each] for each in both]
    first, second = (np.stack([one.logit for one in each]) for each in both)
    all_windows = partial(
        compare_auroc, like.labels, first, second, like.patients, random, models=(models, models)
    )
    auroc, other_auroc = (np.mean([one.auroc for one in each]) for each in pairs)
    found = {"all windows": _difference(all_windows, float(auroc - other_auroc))}
    own, other = (np.stack([one.own for one in each]) for each in pairs)
    known = np.isfinite(own + other).all(axis=0)
    if known.any():
        own, other = own[:, known], other[:, known]
        within = partial(compare_patients, own, other, random)
        found["within patients"] = _difference(within, float(np.mean(own - other)))
    for measure, difference in found.items():
        yield {"measure": measure, "seeds": len(common), **difference}


def _joint(one: Int64[Array, "window"], other: Int64[Array, "window"]) -> Int64[Array, "window"]:
    """A number for the two models that judged a window, the same where both are."""
    if np.array_equal(one, other):
        return one
    _, found = np.unique(np.stack([one, other]), axis=1, return_inverse=True)
    return found.ravel().astype(np.int64)


def _pairs(told: Told, models: Int64[Array, "window"]) -> AurocPairs:
    """Pairs of windows that `models` have in common."""
    if np.array_equal(told.models, models):
        return told.pairs
    return count_pairs(told.labels, told.logit, told.patients, models=models)


def _difference(compare: Callable[[], PatientComparison], alone: float) -> dict[str, float | None]:
    """A comparison in numbers; the difference alone where it has no interval.

    That is where there are too few patients, or all are the same under both. Limits are for other
    patients and other seeds, where there are several, else for the same.
    """
    try:
        found = compare()
    except NoIntervalError:
        unknown = ("low", "high", "p", "seeds_better", "patients_better")
        return {"estimate": alone, **dict.fromkeys(unknown, float("nan"))}
    interval = found.over_both or found.over_patients
    return {
        "estimate": found.difference,
        "low": interval.low,
        "high": interval.high,
        "p": found.flips.p_value,
        "seeds_better": found.seeds_better,
        "patients_better": found.patients_better,
    }
