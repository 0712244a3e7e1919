"""COSEn by hand (Lake and Moorman 2011)."""

import math

import numpy as np
import pytest

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


def test_the_tolerance_grows_until_five_pairs_match():
    rr_ms = np.array([400.0, 900, 500, 1400, 650, 1150, 800, 1700, 430, 1900, 1000, 600])
    slow, r = [], 30.0
    while True:
        a = b = 0
        for i in range(11):
            for j in range(i):
                first = abs(rr_ms[i] - rr_ms[j]) <= r
                b += first
                a += first and abs(rr_ms[i + 1] - rr_ms[j + 1]) <= r
        if a >= 5:
            slow.append(math.log(b / a) + math.log(2 * r) - math.log(rr_ms.mean()))
            break
        r += 1
    assert r > 30
    assert cosen(rr_ms[None]) == pytest.approx(slow)
