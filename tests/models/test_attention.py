"""Eq. 5: by hand, against a loop, and by what must hold."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.models import AttentionPool


def pool(weight, bias: float = 0.0) -> AttentionPool:
    attention = AttentionPool(len(weight)).double()
    with torch.no_grad():
        attention.score.weight.copy_(torch.as_tensor(weight).reshape(1, -1, 1))
        attention.score.bias.fill_(bias)
    return attention


def test_by_hand():
    # w . h_t = 0 and log 3: alpha = 1/4 and 3/4
    h = torch.tensor([[[0.0, math.log(3)], [8.0, 4.0]]], dtype=torch.float64)
    found = pool([1.0, 0.0])(h)[0].tolist()
    assert found == pytest.approx([0.75 * math.log(3), 5.0])


def oracle(h: np.ndarray, w: np.ndarray) -> np.ndarray:
    z = np.zeros(h.shape[:2])
    for i in range(len(h)):
        scores = [math.exp(float(w @ h[i, :, t])) for t in range(h.shape[2])]
        for t, score in enumerate(scores):
            z[i] += score / sum(scores) * h[i, :, t]
    return z


@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 9), st.integers(0, 999))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_against_a_loop(windows, channels, time, seed):
    drawn = np.random.default_rng(seed)
    h, w = drawn.standard_normal((windows, channels, time)), drawn.standard_normal(channels)
    # Eq. 5 has no bias: the softmax does not see it
    for bias in (0.0, 5.0):
        found = pool(w, bias)(torch.from_numpy(h)).detach()
        np.testing.assert_allclose(found, oracle(h, w), rtol=1e-10, atol=1e-12)


def test_weights_sum_to_one():
    # a channel that is 1 at all times pools to the sum of the weights
    h = torch.randn(5, 3, 40, dtype=torch.float64) * 10
    h[:, 1] = 1.0
    found = pool([2.0, 0.0, -3.0])(h)[:, 1]
    torch.testing.assert_close(found.detach(), torch.ones(5, dtype=torch.float64))


def test_a_constant_score_gives_the_mean():
    h = torch.randn(5, 3, 40, dtype=torch.float64)
    torch.testing.assert_close(pool([0.0, 0.0, 0.0], 2.0)(h).detach(), h.mean(dim=2))


def test_order_in_time_does_not_matter():
    h = torch.randn(2, 3, 10, dtype=torch.float64)
    attention = pool([1.0, -2.0, 0.5])
    torch.testing.assert_close(attention(h), attention(h.flip(2)))


def test_large_scores_do_not_overflow():
    h = torch.tensor([[[1e4, -1e4, 9e3]]])
    attention = pool([1.0]).float()
    assert attention(h).item() == pytest.approx(1e4)


def test_masks_multiply_scores_before_and_weights_after_the_softmax():
    h = torch.tensor([[[math.log(3), math.log(3), 0.0]]], dtype=torch.float64)
    attention, shape = pool([1.0]), (1, 1, 3)
    kept = torch.tensor([2.0, 0.0, 2.0], dtype=torch.float64).reshape(shape)
    # scores 2 log 3, 0, 0: weights 9, 1, 1 of 11
    assert attention(h, keep_scores=kept).item() == pytest.approx(10 / 11 * math.log(3))
    # weights 3, 3, 1 of 7; then 6, 0, 2, which need not sum to one
    assert attention(h, keep_weights=kept).item() == pytest.approx(6 / 7 * math.log(3))
    both = attention(h, kept, kept)
    assert both.item() == pytest.approx(18 / 11 * math.log(3))
