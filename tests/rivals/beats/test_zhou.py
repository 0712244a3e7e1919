"""Symbols, words and their entropy by hand (Zhou et al. 2015)."""

import numpy as np
import pytest

from pacl.rivals.beats import Zhou
from pacl.rivals.beats.zhou import word_entropy, words_of


def test_a_word_is_three_symbols_of_five_beats_a_minute():
    rr_ms = np.array([1000.0, 750.0, 100.0])  # 60, 80 and 600 a minute
    assert words_of(rr_ms).tolist() == [12 * 4096 + 16 * 64 + 63]


def test_entropy_by_hand():
    """Of four words, one twice: entropy 1.5 bits of at most 2, three of four words differ."""
    found = word_entropy(np.array([5, 5, 8, 2]), 4)
    assert found == pytest.approx([3 / 4 * 1.5 / 2])


def test_all_different_is_one_and_all_alike_is_nothing():
    assert word_entropy(np.arange(127), 127) == pytest.approx([1.0])
    assert word_entropy(np.zeros(127, np.int64), 127) == pytest.approx([0.0])


def test_the_published_threshold():
    rr_ms = np.full(129, 800, np.float32)
    assert Zhou().logits(rr_ms) == pytest.approx(np.full(129, -0.639))
