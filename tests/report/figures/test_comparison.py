from dataclasses import replace

import numpy as np
import pytest

from pacl.evaluation import EvaluationError, read_evaluation
from pacl.report.figures.comparison import (
    PAPER_METRICS,
    compute_comparison,
    draw_comparison,
    metric_values,
)
from pacl.report.style import FigureError
from support.refusals import refused
from support.small_runs import small_run


def test_mean_and_sample_deviation_over_seeds():
    found = compute_comparison({"bce": {"AUROC": [0.9, 0.8, 1.0]}}).of("AUROC", "bce")
    assert found.mean == pytest.approx(0.9)
    assert found.deviation == pytest.approx(0.1)
    assert found.values == (0.9, 0.8, 1.0)


def test_one_seed_has_no_deviation_and_a_missing_value_no_mean():
    values = {"bce": {"a": [0.9], "b": [0.5, None]}}
    found = compute_comparison(values)
    assert (found.of("a", "bce").mean, found.of("a", "bce").deviation) == (0.9, None)
    assert (found.of("b", "bce").mean, found.of("b", "bce").values) == (None, (0.5,))
    draw_comparison(found)


def test_values_are_taken_from_evaluations_by_their_keys():
    read = read_evaluation(small_run().path / "test")
    sr, af = read.detection.classes
    classes = (replace(sr, f1=0.5), replace(af, precision=0.2, recall=0.3, f1=0.4))
    one = replace(read, detection=replace(read.detection, auroc=0.1, classes=classes, accuracy=0.6))
    found = metric_values({"bce": [one, one]})
    wanted = zip(PAPER_METRICS, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), strict=True)
    assert found == {"bce": {name: [value] * 2 for name, value in wanted}}
    with refused(EvaluationError, "detection.nothing"):
        metric_values({"bce": [one]}, {"nothing": "detection.nothing"})


def test_the_axis_is_not_cut_off_below_what_is_drawn():
    values = {"bce": {"AUROC": [0.95, 0.99]}, "supcon": {"AUROC": [0.2, 0.4]}}
    (axes,) = draw_comparison(compute_comparison(values)).axes
    low, high = axes.get_ylim()
    assert low < 0.3 - np.std([0.2, 0.4], ddof=1)
    assert high > 0.99


def test_dots_are_drawn_and_no_bars():
    """A bar on an axis that does not begin at 0 would lie."""
    (axes,) = draw_comparison(compute_comparison({"bce": {"AUROC": [0.95, 0.99]}})).axes
    assert not axes.patches


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("losses", [1, 3, 9])
@pytest.mark.parametrize("seeds", [1, 5])
def test_any_number_of_losses_and_seeds_can_be_drawn(losses, seeds, separate):
    values = {f"loss {n}": {"a": [0.5] * seeds, "b": [2.0] * seeds} for n in range(losses)}
    figure = draw_comparison(compute_comparison(values), separate=separate)
    assert len(figure.axes) == 1 + separate


def test_what_is_missing_is_named():
    with refused(FigureError, "metrics"):
        compute_comparison({})
    with refused(FigureError, "supcon", "AUROC"):
        compute_comparison({"bce": {"AUROC": [0.5]}, "supcon": {}})
