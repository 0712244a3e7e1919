"""Cross-entropy, of two classes and of more, against its definition, window by window."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.objectives import (
    BinaryCrossEntropyLoss,
    CrossEntropyLoss,
    ObjectiveError,
    StackedObjective,
    stackable,
)
from support.refusals import refused

SUBJECTS = torch.tensor([0, 0, 1, 1])
LABELS = torch.tensor([0, 1, 1, 0])


def made(features: int = 3, seed: int = 0, **kwargs: str) -> BinaryCrossEntropyLoss:
    return BinaryCrossEntropyLoss(features, generator=torch.Generator().manual_seed(seed), **kwargs)


def oracle(embedded, labels, weight, bias) -> tuple[float, np.ndarray]:
    """-[y log p + (1 - y) log(1 - p)], and its gradient (p - y) w, averaged over windows."""
    loss, gradient = 0.0, np.zeros_like(embedded)
    for i, (row, label) in enumerate(zip(embedded, labels, strict=True)):
        p = 1 / (1 + math.exp(-(sum(a * b for a, b in zip(row, weight, strict=True)) + bias)))
        loss -= (math.log(p) if label else math.log(1 - p)) / len(labels)
        gradient[i] = (p - label) * weight / len(labels)
    return loss, gradient


def test_by_hand():
    loss = made(2)
    with torch.no_grad():
        loss.head.weight.copy_(torch.tensor([[1.0, -1.0]]))
        loss.head.bias.fill_(math.log(3) - 1)
    # logits log 3 and -log 3 ... the second window: (log 3 - 1) + 1 - 2 log 3
    embedded = torch.tensor([[1.0, 0.0], [0.0, 2 * math.log(3) - 1]])
    # p = 3/4 and 1/4: AF costs -log(3/4), and SR costs -log(3/4) too
    found = loss(embedded, torch.tensor([1, 0]), torch.tensor([5, 5]))
    assert found.item() == pytest.approx(0.287682072, rel=1e-6)
    found = loss(embedded, torch.tensor([0, 0]), torch.tensor([5, 5]))
    assert found.item() == pytest.approx((1.386294361 + 0.287682072) / 2, rel=1e-6)


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 999))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_against_a_loop(features, windows, seed):
    drawn = np.random.default_rng(seed)
    loss = made(features, seed).double()
    embedded = torch.from_numpy(drawn.standard_normal((windows, features)) * 2).requires_grad_()
    labels = torch.from_numpy(drawn.integers(0, 2, windows))
    found = loss(embedded, labels, torch.zeros_like(labels))
    found.backward()
    value, gradient = oracle(
        embedded.detach().numpy(),
        labels.tolist(),
        loss.head.weight.detach().numpy()[0],
        loss.head.bias.item(),
    )
    assert found.dtype == torch.float64
    assert found.item() == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(embedded.grad, gradient, rtol=1e-9, atol=1e-14)


def test_subjects_make_no_difference():
    loss, embedded = made(), torch.randn(4, 3)
    expected = loss(embedded, LABELS, SUBJECTS)
    assert loss(embedded, LABELS, torch.tensor([9, 8, 7, 7])) == expected


@pytest.mark.parametrize("reads", ["projected_raw", "pooled_raw"])
def test_reads(reads):
    assert made(reads=reads).reads == reads
    assert made().reads == "projected_raw"


def test_another_embedding_is_refused():
    init = getattr(BinaryCrossEntropyLoss.__init__, "__wrapped__", BinaryCrossEntropyLoss.__init__)
    with refused(ObjectiveError, "'pooled'", "projected_raw", "pooled_raw"):
        init(BinaryCrossEntropyLoss.__new__(BinaryCrossEntropyLoss), 3, "pooled")


def test_other_labels_are_refused():
    with refused(ObjectiveError, "[-1, 2]"):
        made()(torch.randn(4, 3), torch.tensor([0, 2, 1, -1]), SUBJECTS)


def test_an_empty_batch_is_refused():
    with refused(ObjectiveError, "window"):
        made()(torch.randn(0, 3), LABELS[:0], SUBJECTS[:0])


def test_first_weights_are_the_generators():
    one, same, other = made(50, 1), made(50, 1), made(50, 2)
    assert torch.equal(one.head.weight, same.head.weight)
    assert torch.equal(one.head.bias, same.head.bias)
    assert not torch.equal(one.head.weight, other.head.weight)
    # torch's own default: uniform within 1 / sqrt(features)
    weight = made(10_000).head.weight.detach()
    assert weight.abs().max() <= 0.01
    assert weight.std().item() == pytest.approx(0.01 / math.sqrt(3), rel=0.05)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype):
    loss, embedded = made(8), torch.randn(4, 8)
    half = embedded.to(dtype).requires_grad_()
    exact = loss(half.detach().float(), LABELS, SUBJECTS)
    found = loss(half, LABELS, SUBJECTS)
    found.backward()
    assert found.dtype == torch.float32
    assert found.item() == pytest.approx(exact.item(), rel=1e-6)
    assert half.grad.dtype == dtype
    assert half.grad.isfinite().all()
    halved = made(8).to(dtype)(half, LABELS, SUBJECTS)
    assert halved.dtype == torch.float32
    assert halved.item() == pytest.approx(exact.item(), rel=0.02)


def test_under_autocast_and_for_huge_logits():
    loss = made(8)
    drawn = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))
    embedded = (drawn * 1e4).requires_grad_()
    exact = loss(embedded, LABELS, SUBJECTS)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = loss(embedded, LABELS, SUBJECTS)
    found.backward()
    assert found.dtype == torch.float32
    assert found.item() == pytest.approx(exact.item(), rel=0.05)
    assert embedded.grad.isfinite().all()
    assert loss.head.weight.grad.isfinite().all()


def test_has_nothing_to_log():
    loss = made()
    loss.after_step()
    assert loss.report() == {}


def test_many_classes_against_a_loop():
    loss = CrossEntropyLoss(4, 5, generator=torch.Generator().manual_seed(1)).double()
    generator = torch.Generator().manual_seed(2)
    embedded = torch.randn(9, 5, generator=generator, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([0, 1, 2, 3, 3, 2, 1, 0, 3])
    found = loss(embedded, labels, labels)
    expected = 0.0
    for row, label in zip(embedded.tolist(), labels.tolist(), strict=True):
        logits = [
            sum(a * b for a, b in zip(row, weight, strict=True)) + bias
            for weight, bias in zip(loss.head.weight.tolist(), loss.head.bias.tolist(), strict=True)
        ]
        expected += math.log(sum(map(math.exp, logits))) - logits[label]
    assert found.item() == pytest.approx(expected / 9, abs=1e-12)
    found.backward()
    assert embedded.grad.abs().sum() > 0


def test_of_two_classes_it_is_binary_cross_entropy():
    binary = BinaryCrossEntropyLoss(3, generator=torch.Generator().manual_seed(0)).double()
    both = CrossEntropyLoss(2, 3, generator=torch.Generator().manual_seed(0)).double()
    with torch.no_grad():
        both.head.weight.copy_(torch.cat([torch.zeros(1, 3), binary.head.weight]))
        both.head.bias.copy_(torch.cat([torch.zeros(1), binary.head.bias]))
    embedded = torch.randn(6, 3, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    labels = torch.tensor([0, 1, 1, 0, 1, 0])
    assert both(embedded, labels, labels).item() == pytest.approx(
        binary(embedded, labels, labels).item(), abs=1e-12
    )


def test_labels_of_no_class_are_refused():
    embedded = torch.zeros(2, 3)
    with refused(ObjectiveError, 3, "0 to 2"):
        CrossEntropyLoss(3, 3)(embedded, torch.tensor([0, 3]), torch.tensor([0, 0]))
    with refused(ObjectiveError, 2, "cross-entropy"):
        BinaryCrossEntropyLoss(3)(embedded, torch.tensor([0, 2]), torch.tensor([0, 0]))
    with refused(ObjectiveError, 1):
        CrossEntropyLoss(1)


def test_runs_of_many_classes_are_not_stacked():
    objective = CrossEntropyLoss(3, 3)
    assert not stackable(objective)
    with refused(ObjectiveError, "CrossEntropyLoss", "separately"):
        StackedObjective.of([objective])
