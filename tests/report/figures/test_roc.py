import numpy as np
import pytest
from sklearn.metrics import roc_curve

from pacl.evaluation import EvaluationError, measure_auroc
from pacl.evaluation.auroc import roc_at
from pacl.report.figures.roc import GRID, compute_roc, draw_roc
from pacl.report.style import FigureError
from support.refusals import refused


def judged(seed, windows=300, apart=1.5, ties=False):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 2, windows)
    score = 1 / (1 + np.exp(-generator.normal(apart * labels, 1)))
    return labels, np.round(score, 1) if ties else score


def test_a_curve_by_hand():
    """Scores from the top: AF, SR, AF, SR: up to 1/2, right to 1/2, up to 1, right to 1."""
    labels, score = np.array([1, 0, 1, 0]), np.array([0.9, 0.8, 0.7, 0.1])
    found = roc_at(labels, score, np.array([0, 0.25, 0.499, 0.5, 1.0]))
    assert found == pytest.approx([0.5, 0.5, 0.5, 1.0, 1.0])


def test_windows_that_tie_come_together():
    labels, score = np.array([1, 0]), np.array([0.5, 0.5])
    assert roc_at(labels, score, np.array([0, 0.3, 1.0])) == pytest.approx([0, 0.3, 1])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_curve_is_that_of_an_oracle(seed, ties):
    labels, score = judged(seed, ties=ties)
    false, true, _ = roc_curve(labels, score, drop_intermediate=False)
    between = (false[1:] + false[:-1])[np.diff(false) > 0] / 2
    wanted = np.interp(between, false, true)  # between two vertices nothing is upright
    assert roc_at(labels, score, between) == pytest.approx(wanted)
    exact = roc_at(labels, score, np.unique(false))
    assert exact == pytest.approx([true[false == x].max() for x in np.unique(false)])


def test_the_area_below_the_curve_is_the_auroc():
    labels, score = judged(1, windows=2000)
    fine = np.linspace(0, 1, 20_001)
    area = np.trapezoid(roc_at(labels, score, fine), fine)
    assert area == pytest.approx(measure_auroc(labels, score), abs=1e-4)


def test_seeds_are_averaged_at_the_same_share_of_false_alarms():
    seeds = [judged(1), judged(2)]
    curve = compute_roc({"bce": seeds}).curves["bce"]
    assert curve.mean == pytest.approx(np.mean([roc_at(*one, GRID) for one in seeds], axis=0))
    assert curve.aurocs == tuple(measure_auroc(*one) for one in seeds)
    assert np.all(np.diff(curve.mean) >= -1e-12)


def test_the_corner_is_as_large_as_the_worst_loss_needs():
    assert compute_roc({"bce": [judged(1, apart=9.0)]}).zoom == 0.02
    assert compute_roc({"bce": [judged(1, apart=9.0)], "supcon": [judged(1)]}).zoom == 0.4


@pytest.mark.parametrize("seeds", [1, 5])
@pytest.mark.parametrize("losses", [1, 3])
def test_any_number_of_losses_and_seeds_can_be_drawn(losses, seeds):
    given = {f"loss {n}": [judged(seed + n) for seed in range(seeds)] for n in range(losses)}
    whole, corner = draw_roc(compute_roc(given)).axes
    assert len(whole.get_legend().get_texts()) == losses
    assert corner.get_ylim()[1] == 1


def test_what_cannot_be_drawn_is_named():
    with refused(FigureError, "predictions"):
        compute_roc({"bce": []})
    with refused(EvaluationError, 2, 0):
        compute_roc({"bce": [(np.array([0, 0]), np.array([0.1, 0.2]))]})
