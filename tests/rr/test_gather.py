import numpy as np
import pytest

from pacl.rr import gather

RR_MS = np.arange(20, dtype=np.float32) * 10


def test_windows_begin_where_asked_in_that_order():
    assert gather(RR_MS, np.array([5, 0, 5]), 3).tolist() == [
        [50, 60, 70],
        [0, 10, 20],
        [50, 60, 70],
    ]
    assert gather(RR_MS, np.array([17]), 3).tolist() == [[170, 180, 190]]
    with pytest.raises(IndexError):
        gather(RR_MS, np.array([18]), 3)


def test_each_window_is_scaled_by_its_own():
    found = gather(RR_MS, np.array([1, 2]), 2, np.array([10.0, 0.0]), np.array([5.0, 10.0]))
    assert found.tolist() == [[0, 2], [2, 3]]
    assert found.dtype == np.float32
    assert gather(RR_MS, np.array([1]), 2, np.array([10.0])).tolist() == [[0, 10]]


def test_the_beats_stay_as_they_are():
    before = RR_MS.copy()
    found = gather(RR_MS, np.array([0, 1]), 4, np.ones(2), np.ones(2))
    found[:] = -1
    assert np.array_equal(RR_MS, before)


def test_no_windows_asked_for():
    assert gather(RR_MS, np.empty(0, np.int64), 4).shape == (0, 4)


@pytest.mark.parametrize("seed", range(5))
def test_against_a_loop(seed):
    generator = np.random.default_rng(seed)
    rr_ms = generator.uniform(300, 1500, 300).astype(np.float32)
    start = generator.integers(0, 290, 50)
    centre, scale = generator.uniform(600, 900, 50), generator.uniform(10, 90, 50)
    found = gather(rr_ms, start, 10, centre, scale)
    for row, at in enumerate(start.tolist()):
        for beat in range(10):
            expected = (float(rr_ms[at + beat]) - centre[row]) / scale[row]
            assert found[row, beat] == pytest.approx(expected, rel=1e-5, abs=1e-5)
