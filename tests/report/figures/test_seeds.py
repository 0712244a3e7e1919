import pytest

from pacl.report.figures.seeds import SeedScore, compute_seeds, draw_seeds
from pacl.report.style import FigureError
from support.refusals import refused


def test_scores_are_in_the_order_of_their_seeds_with_their_mean():
    found = compute_seeds({"test": {"bce": [SeedScore(2, 0.9), SeedScore(1, 0.7)]}})
    assert [one.seed for one in found.scores["test"]["bce"]] == [1, 2]
    assert found.means["test"]["bce"] == pytest.approx(0.8)


def test_a_loss_without_runs_is_left_out():
    found = compute_seeds({"a": {"bce": [], "supcon": [SeedScore(1, 0.9)]}, "b": {"bce": []}})
    assert [*found.scores] == ["a"]
    assert found.losses == ("supcon",)


def test_cohorts_share_their_axis_which_never_leaves_1_far_behind():
    scores = {
        "a": {"bce": [SeedScore(1, 0.99, 0.97, 1.0)]},
        "b": {"supcon": [SeedScore(1, 0.7), SeedScore(2, 0.8, 0.75, 0.85)]},
    }
    left, right = draw_seeds(compute_seeds(scores)).axes
    assert left.get_ylim() == right.get_ylim()
    low, high = left.get_ylim()
    assert low < 0.7
    assert 1.0 < high < 1.01


def test_what_cannot_be_drawn_is_named():
    with refused(FigureError, "AUROC"):
        compute_seeds({"test": {}})
    with refused(FigureError, "bce", "test", "seed"):
        compute_seeds({"test": {"bce": [SeedScore(1, 0.9), SeedScore(1, 0.9)]}})
    with refused(FigureError, "bce", "test", 1):
        compute_seeds({"test": {"bce": [SeedScore(1, 0.9, 0.8)]}})
