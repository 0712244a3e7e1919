import math

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from pacl.models import Encoder
from pacl.rivals.pmq import EMPTY, Memory, queue_loss

TAU = torch.tensor(0.2, dtype=torch.float64)


def small(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return Encoder(channels=(8, 8, 8), projected_features=8, view="relative", generator=generator)


def memory(encoder, windows=12):
    return Memory(encoder, windows, momentum=0.9, temperature=0.2)


def sphere(count, seed=0, features=5):
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(count, features, generator=generator, dtype=torch.float64), dim=1)


def oracle(query, key, queue, same, there, tau):
    total = 0.0
    for i in range(len(query)):
        own = float(query[i] @ key[i]) / tau
        known = [k for k in range(len(queue)) if there[k]]
        score = {k: float(query[i] @ queue[k]) / tau for k in known}
        below = math.exp(own) + sum(math.exp(score[k]) for k in known)
        near = [own, *(score[k] for k in known if same[i][k])]
        total += sum(math.log(below) - s for s in near) / len(near)
    return total / len(query)


def parts(seed=0):
    generator = torch.Generator().manual_seed(seed)
    same = torch.rand((6, 9), generator=generator) < 0.4
    there = torch.arange(9) < 7
    return sphere(6), sphere(6, 1), sphere(9, 2), same, there


def test_by_hand():
    query = torch.tensor([[1.0, 0.0]])
    queue = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    same, there = torch.tensor([[True, False, True]]), torch.tensor([True, True, False])
    # positives: the key and the first entry, both at 1; one negative at 0; the last is not there
    expected = math.log(2 * math.e + 1) - 1
    found = queue_loss(query, query, queue, same, there, torch.tensor(1.0))
    assert float(found) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_as_an_explicit_loop(seed):
    assert float(queue_loss(*parts(seed), TAU)) == pytest.approx(oracle(*parts(seed), 0.2))


def test_what_is_not_there_does_not_matter():
    query, key, queue, same, there = parts()
    other, mates = queue.clone(), same.clone()
    other[~there], mates[:, ~there] = 5.0, True
    known = queue_loss(query, key, queue, same, there, TAU)
    torch.testing.assert_close(queue_loss(query, key, other, mates, there, TAU), known)
    cut = queue_loss(query, key, queue[there], same[:, there], there[there], TAU)
    torch.testing.assert_close(cut, known)


def test_the_order_of_the_queue_does_not_matter():
    query, key, queue, same, there = parts()
    mixed = torch.randperm(9, generator=torch.Generator().manual_seed(1))
    found = queue_loss(query, key, queue[mixed], same[:, mixed], there[mixed], TAU)
    torch.testing.assert_close(found, queue_loss(query, key, queue, same, there, TAU))


def test_an_empty_queue_has_a_loss_of_nothing():
    query, key, queue, same, _ = parts()
    nobody = torch.zeros(9, dtype=torch.bool)
    assert float(queue_loss(query, key, queue, same, nobody, TAU)) == pytest.approx(0, abs=1e-9)


def step(method, encoder, patients, seed):
    count = len(patients)
    views = 600 + 400 * torch.rand((2 * count, 64), generator=torch.Generator().manual_seed(seed))
    keys = method.slow(views, {}).projected.clone()
    loss = method.loss(encoder(views, {}), views, torch.tensor(patients))
    method.after_step(encoder)
    return loss, keys[:count]


def test_the_queue_fills_from_empty_and_the_oldest_leave():
    encoder = small()
    method = memory(encoder)
    assert method.whose.tolist() == [EMPTY] * 12
    kept = []
    for number in range(4):
        _, keys = step(method, encoder, [number] * 4, number)
        kept.append(keys)
    assert method.whose.tolist() == [3] * 4 + [1] * 4 + [2] * 4
    torch.testing.assert_close(method.queue, torch.cat([kept[3], kept[1], kept[2]]))
    assert not method.queue.requires_grad


def test_a_batch_is_compared_with_what_was_there_before_it():
    encoder = small()
    method = memory(encoder)
    first, keys = step(method, encoder, [0, 1, 2, 3], 0)
    assert float(first.detach()) == pytest.approx(0, abs=1e-6)  # nothing is remembered yet
    views = 600 + 400 * torch.rand((8, 64), generator=torch.Generator().manual_seed(9))
    patients = [1, 5, 1, 0]
    out, slow = encoder(views, {}).projected, method.slow(views, {}).projected
    found = method.loss(encoder(views, {}), views, torch.tensor(patients))
    same = [[who == other for other in (0, 1, 2, 3)] for who in patients * 2]
    expected = oracle(
        out.detach().double(), slow.roll(4, dims=0).double(), keys.double(), same, [True] * 4, 0.2
    )
    assert float(found.detach()) == pytest.approx(expected, rel=1e-4)


def test_learning_still_has_its_gradient_after_the_queue_has_moved():
    encoder = small()
    method = memory(encoder)
    step(method, encoder, [0, 1, 2, 3], 0)
    loss, _ = step(method, encoder, [0, 1, 1, 2], 1)  # the queue moves before backward
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    views = torch.full((8, 64), 800.0) + torch.arange(64)
    method.loss(encoder(views, {}), views, torch.tensor([0, 1, 1, 2])).backward()
    assert all(value.grad is None for value in method.slow.parameters())
    assert all(value.grad is not None for value in encoder.parameters())


@pytest.mark.parametrize(
    ("windows", "entries"), [(100_000, 16_384), (1000, 896), (200, 128), (50, 50)]
)
def test_the_queue_is_no_longer_than_there_are_windows(windows, entries):
    method = Memory(small(), windows, momentum=0.99, temperature=0.1)
    assert method.queue.shape == (entries, 8)
    each = method.rows(1, np.random.default_rng(0)).shape[1]
    assert entries % each == 0, "a batch would run over the end"
