import math

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from pacl.models.network import EncoderOutput
from pacl.rivals.simclr import Instances, nt_xent

TAU = torch.tensor(0.2, dtype=torch.float64)


def sphere(count, seed=0, features=5):
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(count, features, generator=generator, dtype=torch.float64), dim=1)


def oracle(embedded, tau):
    """NT-Xent as the paper's algorithm says it, with loops: rows k and k + n are a pair."""
    total, count = 0.0, len(embedded)
    for i in range(count):
        j = (i + count // 2) % count
        below = sum(
            math.exp(float(embedded[i] @ embedded[k]) / tau) for k in range(count) if k != i
        )
        total -= math.log(math.exp(float(embedded[i] @ embedded[j]) / tau) / below)
    return total / count


def test_two_pairs_by_hand():
    one, other = [1.0, 0.0], [0.0, 1.0]
    embedded = torch.tensor([one, other, one, other])
    pair = torch.tensor([0, 1, 0, 1])
    # similarity 1 to the positive, 0 to two negatives
    expected = math.log(math.e + 2) - 1
    assert float(nt_xent(embedded, pair, pair, torch.tensor(1.0))) == pytest.approx(expected)


def test_as_the_papers_algorithm():
    embedded, pair = sphere(12), torch.arange(6).repeat(2)
    assert float(nt_xent(embedded, pair, pair, TAU)) == pytest.approx(oracle(embedded, 0.2))


def test_the_order_of_windows_does_not_matter():
    embedded, pair = sphere(12), torch.arange(6).repeat(2)
    mixed = torch.randperm(12, generator=torch.Generator().manual_seed(1))
    before = nt_xent(embedded, pair, pair, TAU)
    torch.testing.assert_close(nt_xent(embedded[mixed], pair[mixed], pair[mixed], TAU), before)


def test_the_gradient_pulls_pairs_together_and_others_apart():
    embedded = sphere(8).requires_grad_()
    pair = torch.arange(4).repeat(2)
    nt_xent(embedded, pair, pair, TAU).backward()
    similarity = embedded @ embedded.T
    moved = normalize(embedded - 0.01 * embedded.grad, dim=1)
    change = (moved @ moved.T - similarity).detach()
    assert float(change.diagonal(4).mean()) > 0
    with torch.no_grad():
        after = nt_xent(moved, pair, pair, TAU)
        assert float(after) < float(nt_xent(embedded, pair, pair, TAU))


def test_the_method_pairs_the_two_views_of_a_window_whoever_it_is_of():
    method, embedded = Instances(50, 0.2), sphere(12).float()
    out = EncoderOutput(embedded, embedded, embedded, embedded)
    found = method.loss(out, torch.ones(12, 64), torch.zeros(6, dtype=torch.int64))
    assert float(found) == pytest.approx(oracle(embedded.double(), 0.2), rel=1e-5)


def test_a_batch_has_128_windows_in_two_views():
    method = Instances(500, 0.2)
    rows = method.rows(3, np.random.default_rng(0))
    assert rows.shape == (3, 128)
    assert method.views(torch.full((128, 64), 800.0), torch.Generator()).shape == (256, 64)
