from types import SimpleNamespace

import numpy as np
import pytest

from pacl.evaluation.calibration import measure_calibration
from pacl.report.figures.calibration import _short, compute_reliability, draw_reliability
from pacl.report.style import FigureError
from support.refusals import refused


def predictions(seed, windows=400):
    generator = np.random.default_rng(seed)
    probability = generator.uniform(0, 0.85, windows)  # leaves the last bin empty
    return (generator.uniform(size=windows) < probability).astype(np.int64), probability


def evaluation(labels, probability):
    calibration = measure_calibration(labels, probability)
    return SimpleNamespace(detection=SimpleNamespace(calibration=calibration))


def test_one_seed_is_drawn_as_it_was_measured():
    one = evaluation(*predictions(1))
    found = compute_reliability({"bce": [one]})["bce"]
    for mine, stated in zip(found.bins, one.detection.calibration.bins, strict=True):
        assert mine.windows == stated.windows
        assert mine.share == pytest.approx(stated.share)
        assert mine.mean_probability == pytest.approx(stated.mean_probability)
        assert mine.lowest == mine.highest == stated.share
    assert found.bins[-1].share is None


def test_seeds_are_taken_together_window_by_window():
    """An oracle: the bins of all windows of both seeds as one set."""
    some, more = predictions(1, 300), predictions(2, 500)
    found = compute_reliability({"bce": [evaluation(*some), evaluation(*more)]})["bce"]
    whole = measure_calibration(*(np.concatenate(parts) for parts in zip(some, more, strict=True)))
    for mine, stated in zip(found.bins, whole.bins, strict=True):
        assert mine.windows == stated.windows / 2
        assert mine.share == pytest.approx(stated.share)
        assert mine.mean_probability == pytest.approx(stated.mean_probability)
        if mine.lowest is not None:
            assert mine.lowest <= mine.share <= mine.highest
    assert found.seeds == 2


@pytest.mark.parametrize("seeds", [1, 5])
@pytest.mark.parametrize("losses", [1, 3])
def test_any_number_of_losses_and_seeds_can_be_drawn(losses, seeds):
    given = {
        f"loss {n}": [evaluation(*predictions(seed)) for seed in range(seeds)]
        for n in range(losses)
    }
    assert len(draw_reliability(compute_reliability(given)).axes) == 2 * losses


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0"), (7.4, "7"), (999, "999"), (1234, "1.2k"), (12_345, "12k"), (2_500_000, "2.5M")],
)
def test_counts_are_short(count, words):
    assert _short(float(count)) == words


def test_what_cannot_be_drawn_is_named():
    with refused(FigureError, "evaluation"):
        compute_reliability({"bce": []})
