import numpy as np
import pytest

from pacl.features.time import TIME_NAMES, time_features
from pacl.features.triangle import BIN_MS, WORST, triangle_features


def test_a_case_by_hand():
    # Steps +10, -60, 0, +70; deviations from the mean +14, +24, -36, -36, +34.
    rr_ms = np.array([[800.0, 810.0, 750.0, 750.0, 820.0]])
    found = dict(zip(TIME_NAMES, time_features(rr_ms)[0], strict=True))
    assert found["MeanNN"] == 786
    assert found["SDNN"] == pytest.approx(np.sqrt((14**2 + 24**2 + 2 * 36**2 + 34**2) / 4))
    assert found["RMSSD"] == pytest.approx(np.sqrt((100 + 3600 + 0 + 4900) / 4))
    assert found["SDSD"] == pytest.approx(np.sqrt((5**2 + 65**2 + 5**2 + 65**2) / 3))
    assert found["CVNN"] == pytest.approx(found["SDNN"] / 786)
    assert found["CVSD"] == pytest.approx(found["RMSSD"] / 786)
    assert found["SDRMSSD"] == pytest.approx(found["SDNN"] / found["RMSSD"])
    assert (found["MedianNN"], found["MadNN"]) == (800, pytest.approx(1.4826 * 20))
    assert found["MCVNN"] == pytest.approx(1.4826 * 20 / 800)
    assert found["IQRNN"] == 60
    assert (found["Prc20NN"], found["Prc80NN"]) == (750, pytest.approx(812))
    assert (found["pNN50"], found["pNN20"]) == (40, 40)
    assert (found["MinNN"], found["MaxNN"]) == (750, 820)
    assert found["HTI"] == 2.5


def _triangle(rr_ms):
    """The fit of NeuroKit2, foot by foot: the left one stands, the right one is tried anew."""
    edges = np.arange(0, rr_ms.max() + BIN_MS, BIN_MS)
    count, _ = np.histogram(rr_ms, edges)
    top, left = int(count.argmax()), int(np.flatnonzero(edges > rr_ms.min())[0])
    best, width = WORST, 0.0
    right = top + 1
    while left < top and edges[right] < rr_ms.max():
        missed = 0.0
        for at in range(left, right + 1):
            share = (at - left) / (top - left) if at <= top else (right - at) / (right - top)
            missed += (count[at] - share * count[top]) ** 2
        if missed < best - 1e-7:
            best, width = missed, edges[right] - edges[left]
        right += 1
    return rr_ms.size / count.max(), width


def test_the_triangle_is_that_of_a_loop(many):
    found = triangle_features(many)
    expected = np.array([_triangle(rr_ms) for rr_ms in many])
    np.testing.assert_array_equal(found[:, 0], expected[:, 0])
    np.testing.assert_allclose(found[:, 1], expected[:, 1])
    assert (found[:, 1] > 0).sum() > 50


def test_the_longest_interval_is_in_the_last_bin_even_on_its_edge():
    on_edge = np.repeat([99 * BIN_MS + 1, 100 * BIN_MS], [8, 12])[None]
    assert triangle_features(on_edge)[0, 0] == 1
