"""One system less another, and a split by windows less the split by patients, with intervals."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from pacl.evaluation import (
    NoIntervalError,
    PatientComparison,
    compare_auroc,
    compare_patients,
)
from pacl.studies.errors import RunError
from pacl.studies.rivals.protocol import LEAK
from pacl.studies.rivals.told import Told

REFERENCES = ("proposed", "statistics")
"""Systems that the others are held against."""


def differences(methods: Mapping[str, list[Told]]) -> Iterator[dict[str, object]]:
    """Every method less each reference: all windows together, and within patients."""
    for reference in REFERENCES:
        for method, seeds in methods.items():
            if method != reference and reference in methods:
                for row in _less(seeds, methods[reference]):
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
    first, second = (np.stack([one.logit for one in each]) for each in both)
    own, other = (np.stack([one.pairs.own for one in each]) for each in both)
    known = np.isfinite(own + other).all(axis=0)
    compared = {
        "all windows": partial(
            compare_auroc,
            like.labels,
            first,
            second,
            like.patients,
            random,
            models=(like.models, those[0].models),
        ),
    }
    if known.any():
        compared["within patients"] = partial(
            compare_patients, own[:, known], other[:, known], random
        )
    for measure, compare in compared.items():
        yield {"measure": measure, "seeds": len(common), **_difference(compare)}


def _difference(compare: Callable[[], PatientComparison]) -> dict[str, float | None]:
    """A comparison in numbers; nothing where all patients are the same under both.

    Limits are for other patients and other seeds, where there are several, else for the same.
    """
    try:
        found = compare()
    except NoIntervalError:
        names = ("estimate", "low", "high", "p", "seeds_better", "patients_better")
        return dict.fromkeys(names, float("nan"))
    interval = found.over_both or found.over_patients
    return {
        "estimate": found.difference,
        "low": interval.low,
        "high": interval.high,
        "p": found.flips.p_value,
        "seeds_better": found.seeds_better,
        "patients_better": found.patients_better,
    }
