"""COSEn by hand (Lake and Moorman 2011)."""

import math

import numpy as np
import pytest

from pacl.rivals.beats import LakeMoorman
from pacl.rivals.beats.lake_moorman import cosen


def test_all_alike():
    """Every pair matches: no entropy is left but ln(2 r / mean)."""
    assert cosen(np.full((1, 12), 600.0)) == pytest.approx([math.log(60 / 600)])


def test_by_hand():
    """Ten beats alike, then a long one and one alike: 10 templates of 800, 1 of 1600.

    B: 45 pairs of the ten. A: 36 of them are followed alike, the pairs without the last one.
    """
    rr_ms = np.array([[800.0] * 10 + [1600.0, 800.0]])
    expected = math.log(45 / 36) + math.log(60) - math.log(rr_ms.mean())
    assert cosen(rr_ms) == pytest.approx([expected])


def counted(rr_ms, r_ms):
    """A and B, pair by pair."""
    pairs = [(i, j) for i in range(11) for j in range(i) if abs(rr_ms[i] - rr_ms[j]) <= r_ms]
    return sum(abs(rr_ms[i + 1] - rr_ms[j + 1]) <= r_ms for i, j in pairs), len(pairs)


def test_the_tolerance_grows_until_five_pairs_match():
    """Whole intervals in steps of 1 ms, as the exact tolerance is one of their differences."""
    for seed in range(20):
        rr_ms = np.random.default_rng(seed).integers(400, 1600, 12).astype(np.float64)
        r_ms = next(r for r in range(30, 1200) if counted(rr_ms, r)[0] >= 5)
        a, b = counted(rr_ms, r_ms)
        expected = math.log(b / a) + math.log(2 * r_ms) - math.log(rr_ms.mean())
        assert r_ms > 30
        assert cosen(rr_ms[None]) == pytest.approx([expected])


def test_the_published_threshold():
    rr_ms = np.full(12, 600, np.float32)
    assert LakeMoorman().logits(rr_ms) == pytest.approx(np.full(12, math.log(60 / 600) + 1.4))
