"""Intervals over subjects: windows of one subject are alike, so subjects are resampled.

An interval with windows as independent units would be many times too short. The unit here is the
subject, with all windows and all seeds.
"""

from collections.abc import Sequence

import numpy as np

from pacl.axes import Array, Float64
from pacl.evaluation.auroc_pairs import AurocPairs
from pacl.evaluation.class_pairs import MacroPairs
from pacl.evaluation.coverage import Quantity, coverage_of
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import (
    LIMITS,
    RESAMPLED,
    Bounds,
    Interval,
    Method,
    NoIntervalError,
    Statistic,
    carrying_subjects,
    spread_over_subjects,
    weighted_mean,
)

DEFAULT: Method = "effective"
"""Covers best of the four at 6 to 48 subjects (`COVERAGE`), and needs no random draws."""
LEVEL = 0.95
RESAMPLES = 2000


def auroc_interval(
    seeds: Sequence[AurocPairs | MacroPairs],
    generator: np.random.Generator | None = None,
    *,
    method: Method = DEFAULT,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> Interval:
    """Interval of the pooled AUROC, averaged over seeds where several are given.

    Parameters
    ----------
    seeds
        Pairs of each seed's predictions (`count_pairs`, or `count_class_pairs` for more than two
        classes), on the same windows.
    generator
        To draw subjects with; only `percentile` and `bca` do.
    """
    check_same_windows(seeds)
    for kind, windows in zip(seeds[0].class_names, seeds[0].windows, strict=True):
        having = np.flatnonzero(windows)
        if len(having) < 2:
            raise NoIntervalError(
                f"subject {seeds[0].names[having[0]]} alone has windows of class {kind}, of "
                f"{len(windows)} subjects; an interval needs at least 2 subjects with each class"
            )

    def pooled(weights: Float64[Array, "resample subject"]) -> Float64[Array, "resample"]:
        return np.asarray(np.mean([pairs.pooled(weights) for pairs in seeds], axis=0))

    return interval_over_subjects(
        pooled,
        len(seeds[0].names),
        generator,
        method=method,
        level=level,
        resamples=resamples,
        bounds=(0.0, 1.0),
        quantity="pooled AUROC",
    )


def mean_interval(
    values: Float64[Array, "subject"],
    generator: np.random.Generator | None = None,
    *,
    method: Method = DEFAULT,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    bounds: Bounds = (0.0, 1.0),
    quantity: Quantity | None = None,
) -> Interval:
    """Interval of the mean over subjects of one value per subject.

    Parameters
    ----------
    values
        Such as cohesion, balanced accuracy or each subject's own AUROC, averaged over seeds.
    bounds
        Least and greatest possible value: (-1, 1) for a cohesion. With None, `logit` has no meaning
        and `effective` uses the values as they are.
    quantity
        `subject AUROC` if the values are that: its coverage is known.
    """
    unknown = np.flatnonzero(~np.isfinite(values))
    if unknown.size:
        raise EvaluationError(
            f"{unknown.size} of {values.size} subjects have no finite value, the first is subject "
            f"{unknown[0]} (counted from 0); leave them out and report that"
        )
    if bounds and values.size and not bounds[0] <= values.min() <= values.max() <= bounds[1]:
        raise EvaluationError(
            f"values from {values.min():g} to {values.max():g}, bounds {bounds}; give the bounds "
            "of what was measured, or None"
        )
    return interval_over_subjects(
        weighted_mean(values),
        values.size,
        generator,
        method=method,
        level=level,
        resamples=resamples,
        bounds=bounds,
        quantity=quantity,
    )


def interval_over_subjects(
    statistic: Statistic,
    subjects: int,
    generator: np.random.Generator | None = None,
    *,
    method: Method = DEFAULT,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    bounds: Bounds = None,
    quantity: Quantity | None = None,
) -> Interval:
    """Interval of any number that is a function of subjects' weights."""
    if method not in LIMITS:
        raise EvaluationError(f"method {method!r}; give one of {', '.join(LIMITS)}")
    if method == "logit" and bounds is None:
        raise EvaluationError("method 'logit' without bounds; give bounds, or take 'effective'")
    if not 0 < level < 1:
        raise EvaluationError(f"level {level}; give a share between 0 and 1, such as 0.95")
    if method in RESAMPLED and (resamples < 1 or generator is None):
        raise EvaluationError(
            f"method {method!r} with {resamples} resamples and "
            f"{'no' if generator is None else 'a'} generator; give a number from 1 and a "
            "numpy.random.Generator to draw subjects with"
        )
    drawn = resamples if method in RESAMPLED else 0
    spread = spread_over_subjects(statistic, subjects, resamples=drawn, generator=generator)
    low, high = LIMITS[method](spread, level, bounds)
    return Interval(
        low=low,
        high=high,
        estimate=spread.estimate,
        method=method,
        level=level,
        subjects=subjects,
        coverage=coverage_of(quantity, method, level, subjects),
        undefined=spread.undefined,
        effective_subjects=carrying_subjects(spread.without - spread.without.mean()),
    )


def check_same_windows(seeds: Sequence[AurocPairs | MacroPairs]) -> None:
    """Refuse seeds whose predictions are not on the same windows."""
    if not seeds:
        raise EvaluationError("no predictions; give the pairs of at least one seed")
    first, *others = ((one.names, np.stack(one.windows).tolist()) for one in seeds)
    for at, other in enumerate(others, start=1):
        if other != first:
            raise EvaluationError(
                f"seed {at} (counted from 0) was evaluated on other subjects or windows than the "
                "first; evaluate all seeds on the same window set"
            )
