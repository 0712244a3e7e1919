import pytest

from pacl.report.figures.curves import compute_curves, draw_curves
from pacl.report.style import FigureError
from support.refusals import refused


def epoch(number, score, *, best=False, spread=0.5):
    return {
        "epoch": number,
        "score": score,
        "loss": 1 / number,
        "best": best,
        "pooled_spread": 0.6,
        "projected_spread": spread,
    }


RUN = [epoch(1, 0.8, best=True), epoch(2, 0.9, best=True), epoch(3, 0.85, spread=0.01)]


def test_the_last_best_epoch_is_the_best():
    (curve,) = compute_curves({"bce": [RUN]})["bce"]
    assert (curve.best, curve.collapsed) == (2, (3,))
    assert curve.score == (0.8, 0.9, 0.85)
    assert curve.loss == pytest.approx((1, 0.5, 1 / 3))


def test_runs_without_epochs_are_left_out():
    found = compute_curves({"bce": [[], RUN], "supcon": [[]]})
    assert {loss: len(runs) for loss, runs in found.items()} == {"bce": 1}


def test_all_losses_share_the_axis_of_the_score_only():
    low = [epoch(1, 0.2, best=True)]
    figure = draw_curves(compute_curves({"bce": [RUN, RUN], "supcon": [low]}))
    left, right, left_loss, right_loss = figure.axes
    assert left.get_ylim() == right.get_ylim()
    assert left_loss.get_ylim() != right_loss.get_ylim()


def test_a_collapse_is_marked_where_there_is_one():
    def words(run):
        (legend,) = draw_curves(compute_curves({"bce": [run]})).legends
        return [text.get_text() for text in legend.get_texts()]

    assert words(RUN)[1:] == ["embeddings collapsed to a point"]
    assert words(RUN[:2])[1:] == []


def test_what_cannot_be_drawn_is_named():
    with refused(FigureError):
        compute_curves({"bce": [[]]})
    with refused(FigureError, "bce", "score"):
        compute_curves({"bce": [[{"epoch": 1, "best": True}]]})
