"""Sums over the counts in a window, against counting them one by one."""

from collections import Counter

import numpy as np
import pytest

from pacl.rivals.beats.windowed import centred, sum_over_counts


@pytest.mark.parametrize("codes", [1, 3, 40, 10_000])
@pytest.mark.parametrize("size", [1, 5, 20])
def test_as_counted_one_by_one(codes, size):
    rng = np.random.default_rng(codes)
    code = rng.integers(codes, size=90)
    value = np.append(0.0, rng.standard_normal(size))
    slow = [
        sum(value[count] for count in Counter(code[at : at + size].tolist()).values())
        for at in range(code.size - size + 1)
    ]
    np.testing.assert_allclose(sum_over_counts(code, value), slow, atol=1e-12)


@pytest.mark.parametrize("size", [1, 4, 5])
def test_every_beat_is_in_the_window_that_judges_it(size):
    first = np.arange(12 - size + 1, dtype=np.float64)
    chosen = centred(first, 12)
    beat = np.arange(12)
    assert ((chosen <= beat) & (beat < chosen + size)).all()
    assert chosen[6] == 6 - size // 2
