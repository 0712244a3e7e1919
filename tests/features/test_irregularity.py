from itertools import pairwise

import numpy as np
import pytest

from pacl.features.irregularity import (
    IRREGULARITY_NAMES,
    coefficient_of_sample_entropy,
    irregularity_features,
)


def _named(rr_ms):
    return dict(zip(IRREGULARITY_NAMES, irregularity_features(rr_ms).T, strict=True))


def _cosen(rr_ms):
    tolerance_ms = 30.0
    while True:
        pairs = still = 0
        for one in range(rr_ms.size - 1):
            for other in range(one + 1, rr_ms.size - 1):
                near = abs(rr_ms[one] - rr_ms[other]) <= tolerance_ms
                pairs += near
                still += near and abs(rr_ms[one + 1] - rr_ms[other + 1]) <= tolerance_ms
        if still >= 5:
            return -np.log(still / pairs) + np.log(2 * tolerance_ms) - np.log(rr_ms.mean())
        tolerance_ms *= 2


def test_the_coefficient_of_sample_entropy_is_that_of_a_loop(many):
    generator = np.random.default_rng(5)
    wild = generator.uniform(250, 2000, (20, 60)).round()  # some need more than 30 ms
    for rr_ms in (many[:20], wild[:, :20].copy(), wild):
        expected = [_cosen(row) for row in rr_ms]
        np.testing.assert_allclose(coefficient_of_sample_entropy(rr_ms), expected, rtol=1e-12)


def test_counts_are_those_of_sets(many):
    found = _named(many)
    for row, rr_ms in enumerate(many):
        step = np.diff(rr_ms)
        cells = {(b // 25, s // 25) for b, s in zip(rr_ms[1:], step, strict=True)}
        assert found["RdRCells"][row] == len(cells)
        points = list(pairwise(step))
        far = [(x, y) for x, y in points if max(abs(x), abs(y)) > 80]
        assert found["LorenzCells"][row] == len({(x // 40, y // 40) for x, y in far})
        assert found["LorenzOrigin"][row] == len(points) - len(far)
        assert found["pStep10"][row] == pytest.approx(np.mean(np.abs(step) > rr_ms.mean() / 10))
        assert found["MedStep"][row] == pytest.approx(np.median(np.abs(step)) / rr_ms.mean())
        turns = [
            rr_ms[at] > max(rr_ms[at - 1], rr_ms[at + 1])
            or rr_ms[at] < min(rr_ms[at - 1], rr_ms[at + 1])
            for at in range(1, rr_ms.size - 1)
        ]
        assert found["TPR"][row] == pytest.approx(np.mean(turns))


def test_entropy_of_levels_by_hand():
    # 48 beats: three of each end are left out, the rest are as many of two values.
    rr_ms = np.repeat([300.0, 700.0, 900.0, 1500.0], [3, 21, 21, 3])[None]
    assert _named(rr_ms)["RREn"] == pytest.approx(1 / 4)
    even = np.repeat(np.arange(18) * 50.0 + 400, 4)[None]  # 72 beats, four of each end left out
    assert _named(even)["RREn"] == pytest.approx(1.0)


def test_beats_in_random_order_turn_two_thirds_of_the_time():
    generator = np.random.default_rng(1)
    found = _named(generator.uniform(400, 1000, (300, 200)))
    assert found["TPR"].mean() == pytest.approx(2 / 3, abs=0.01)


def test_af_is_more_irregular_than_breathing(windows):
    found = _named(windows)
    for name in ("TPR", "CoSEn", "StepEn", "RdRCells", "LorenzCells", "pStep10", "MedStep"):
        assert found[name][1] > found[name][0]
    assert found["LorenzOrigin"][1] < found["LorenzOrigin"][0]
