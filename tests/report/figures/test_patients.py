from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

from pacl.evaluation import rank_correlation
from pacl.report.figures.patients import compute_patients, draw_patients
from pacl.report.style import FigureError
from support.refusals import refused


def evaluation(**patients):
    """Patients by name: AUROC and SR cohesion."""
    rows = [
        SimpleNamespace(subject=name, auroc=auroc, cohesion=(cohesion, None))
        for name, (auroc, cohesion) in patients.items()
    ]
    both = SimpleNamespace(per_subject=rows)
    return SimpleNamespace(detection=both, pooled=both)


def many(count, seed=0):
    generator = np.random.default_rng(seed)
    auroc, cohesion = 1 - generator.exponential(0.02, count), generator.uniform(0.6, 1, count)
    names = [f"patient_{n:03d}" for n in range(count)]
    values = zip(auroc.tolist(), cohesion.tolist(), strict=True)
    return evaluation(**dict(zip(names, values, strict=True)))


def test_patients_are_averaged_over_seeds_worst_first():
    seeds = [
        evaluation(a=(1.0, 0.9), b=(0.6, 0.8), c=(None, 0.5)),
        evaluation(a=(0.8, 0.7), b=(0.8, 0.8), c=(None, 0.5)),
    ]
    panel = compute_patients({"bce": seeds})["bce"]
    assert [one.patient for one in panel.points] == ["b", "a"]
    worst, best = panel.points
    assert (worst.auroc, worst.cohesion) == pytest.approx((0.7, 0.8))
    assert worst.auroc_deviation == pytest.approx(np.std([0.6, 0.8], ddof=1))
    assert worst.cohesion_deviation == 0
    assert best.cohesion == pytest.approx(0.8)
    assert (panel.without, panel.seeds) == (1, 2)


def test_one_seed_has_no_spread():
    (point,) = compute_patients({"bce": [evaluation(a=(0.9, 0.8))]})["bce"].points
    assert (point.auroc_deviation, point.cohesion_deviation) == (0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_the_rank_correlation_is_that_of_an_oracle(seed):
    one, other = np.random.default_rng(seed).integers(0, 8, (2, 30)).astype(np.float64)
    assert rank_correlation(one, other) == pytest.approx(spearmanr(one, other).statistic)


def test_few_or_equal_patients_have_no_rank_correlation():
    assert rank_correlation(np.arange(4.0), np.arange(4.0)) is None
    assert rank_correlation(np.ones(9), np.arange(9.0)) is None
    assert rank_correlation(np.arange(9.0), np.arange(9.0) ** 2) == pytest.approx(1)


@pytest.mark.parametrize("patients", [1, 3, 20, 60])
@pytest.mark.parametrize("seeds", [1, 5])
def test_names_cover_neither_each_other_nor_the_edge(patients, seeds):
    given = {loss: [many(patients, seed) for seed in range(seeds)] for loss in ("bce", "supcon")}
    figure = draw_patients(compute_patients(given))
    for axes in figure.axes:
        inside = axes.get_window_extent()
        boxes = [text.get_window_extent() for text in axes.texts]
        assert len(boxes) == min(patients, 3)
        for at, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:at])
            assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
            assert inside.y0 <= box.y0 <= box.y1 <= inside.y1


def test_what_cannot_be_drawn_is_named():
    with refused(FigureError, "evaluation"):
        compute_patients({"bce": []})
    with refused(FigureError, "bce", "both rhythms"):
        compute_patients({"bce": [evaluation(a=(None, 0.9))]})
    with refused(FigureError, "bce", "seeds"):
        compute_patients({"bce": [evaluation(a=(1.0, 0.9)), evaluation(b=(1.0, 0.9))]})
