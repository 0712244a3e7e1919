import numpy as np
import pytest

from pacl.records.simulate.places import apart, clustered, free, ranges


def test_places_come_at_their_rate():
    for clustering in (0.0, 1.0, 4.0):
        at = clustered(1_000_000, 0.01, clustering, np.random.default_rng(0))
        assert at.size == pytest.approx(10_000, rel=0.1)
        assert np.all(np.diff(at) > 0)
        assert at[-1] < 1_000_000


def test_clustering_is_the_variance_of_the_rate():
    at = clustered(2_000_000, 0.05, 2.0, np.random.default_rng(1))
    counts = np.bincount(at // 256)[:-1]
    # places drawn twice count once, so bursts lose a little
    assert counts.var() / counts.mean() ** 2 == pytest.approx(2.0 + 1 / 12.8, rel=0.2)


def test_no_rate_no_places():
    assert clustered(1000, 0.0, 1.0, np.random.default_rng(0)).size == 0


def test_ranges_by_hand():
    starts, counts = np.array([3, 20]), np.array([3, 2])
    assert ranges(starts, counts).tolist() == [3, 4, 5, 20, 21]
    assert ranges(starts, counts, 2).tolist() == [3, 5, 7, 20, 22]


def test_apart_and_free_by_hand():
    assert apart(np.array([1, 2, 4, 7]), 2).tolist() == [1, 4, 7]
    taken = np.zeros(10, dtype=bool)
    taken[4] = True
    # 0 has no beat before it, 3 and 4 hit the taken one, 5 follows it, 9 has no beat after it
    assert free(np.array([0, 1, 2, 3, 4, 5, 6, 9]), taken, 2).tolist() == [1, 2, 6]
