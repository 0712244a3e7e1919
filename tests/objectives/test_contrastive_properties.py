"""What must hold for the contrastive loss, whatever the batch."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from objectives.oracle import FORMS, NAMED, Anchors, batches, policies, unit
from pacl.objectives import PairPolicy, Role, SubjectContrastiveLoss, anchor_losses

TAU = torch.tensor(0.2, dtype=torch.float64)
quick = settings(max_examples=20, derandomize=True, deadline=None)


def value(policy, form, embedded, labels, subjects) -> float:
    loss = SubjectContrastiveLoss(policy, 0.2, form=form, without_positives="skip").double()
    return loss(embedded, labels, subjects).item()


def has_positives(pairs, batch) -> bool:
    return bool(Anchors(*batch, pairs, 0.2, "log_sum").losses)


@pytest.mark.parametrize("form", FORMS)
@given(batch=batches(), made=policies(), seed=st.integers(0, 99))
@quick
def test_order_names_and_rotation_do_not_matter(form, batch, made, seed):
    policy, pairs = made
    assume(has_positives(pairs, batch))
    embedded, labels, subjects = batch
    expected = value(policy, form, *batch)
    drawn = np.random.default_rng(seed)

    order = torch.from_numpy(drawn.permutation(len(labels)))
    assert value(policy, form, *(part[order] for part in batch)) == pytest.approx(expected)

    renamed = 17 - 3 * subjects, 100 * labels - 7
    assert value(policy, form, embedded, renamed[1], renamed[0]) == pytest.approx(
        expected, rel=1e-12
    )

    size = embedded.shape[1]
    rotation = torch.from_numpy(np.linalg.qr(drawn.standard_normal((size, size)))[0])
    rotated = value(policy, form, embedded @ rotation, labels, subjects)
    assert rotated == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
@given(batch=batches())
@quick
def test_subject_aware_is_supcon_for_a_single_subject(form, batch):
    embedded, labels, _ = batch
    assume(has_positives(NAMED["supcon"], batch))
    alone = torch.full_like(labels, 3)
    one = value("subject-aware", form, embedded, labels, alone)
    assert one == value("supcon", form, embedded, labels, alone)
    # and subject-class too, since a single subject leaves only the class
    assert one == value("subject-class", form, embedded, labels, alone)


@pytest.mark.parametrize("form", FORMS)
@given(batch=batches(lonely=False), extra=st.integers(1, 4), seed=st.integers(0, 99))
@quick
def test_same_class_windows_of_another_subject_are_in_neither_sum(form, batch, extra, seed):
    embedded, labels, subjects = batch
    added = unit(extra, embedded.shape[1], seed)
    stranger = int(subjects.max()) + 1
    more = torch.cat([embedded, added])
    policy = PairPolicy.named("subject-aware")
    all_subjects = torch.cat([subjects, torch.full((extra,), stranger)])
    for label in labels.unique():
        all_labels = torch.cat([labels, label.repeat(extra)])
        before = anchor_losses(embedded, policy.weights(labels, subjects, torch.float64), TAU, form)
        weights = policy.weights(all_labels, all_subjects, torch.float64)
        after = anchor_losses(more, weights, TAU, form)[: len(labels)]
        same = labels == label
        torch.testing.assert_close(after[same], before[same], rtol=1e-12, atol=1e-12)
        # while to other classes they are negatives, which can only cost
        assert (after[~same] > before[~same]).all()


@given(batch=batches(), made=policies())
@quick
def test_log_sum_is_never_negative_and_zero_without_negatives(batch, made):
    policy, pairs = made
    assume(has_positives(pairs, batch))
    assert value(policy, "log_sum", *batch) >= 0
    embedded, labels, subjects = batch
    nobody_else = value("subject-aware", "log_sum", embedded, labels * 0, subjects * 0)
    assert nobody_else == 0


@given(batch=batches(), made=policies())
@quick
def test_log_sum_is_at_most_mean_log_for_equal_weights(batch, made):
    # Jensen: the logarithm of a mean is at least the mean of logarithms, and log |P| >= 0
    _, pairs = made
    policy = PairPolicy(*(Role(pairs(p, c)[0]) for p in (True, False) for c in (True, False)))
    assume(has_positives(pairs, batch))
    assert value(policy, "log_sum", *batch) <= value(policy, "mean_log", *batch) + 1e-12


def scaled(policy: PairPolicy, factor: float) -> PairPolicy:
    return PairPolicy(**{k: Role(n, w * factor) for k, (n, w) in policy.to_dict().items()})


@given(batch=batches(), made=policies(), factor=st.sampled_from([1e-60, 0.01, 3.0, 1e60]))
@quick
def test_weights_scaled_together_leave_log_sum_unchanged(batch, made, factor):
    policy, pairs = made
    assume(has_positives(pairs, batch))
    other = value(scaled(policy, factor), "log_sum", *batch)
    assert other == pytest.approx(value(policy, "log_sum", *batch), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(batch=batches(), made=policies(), factor=st.sampled_from([1e-60, 0.01, 3.0, 1e60]))
@settings(max_examples=10, derandomize=True, deadline=None)
def test_weights_scaled_together_leave_the_gradient_unchanged(form, dtype, batch, made, factor):
    # of mean_log the value moves by the logarithm of the factor, which no embedding can change
    policy, pairs = made
    assume(has_positives(pairs, batch))
    embedded, labels, subjects = batch
    gradients = []
    for one in (policy, scaled(policy, factor)):
        leaf = embedded.clone().to(dtype).requires_grad_()
        loss = SubjectContrastiveLoss(one, 0.2, form=form, without_positives="skip")
        loss(leaf, labels, subjects).backward()
        gradients.append(leaf.grad)
    close = (
        {"rtol": 1e-8, "atol": 1e-10} if dtype == torch.float64 else {"rtol": 1e-3, "atol": 1e-3}
    )
    torch.testing.assert_close(*gradients, **close)


def on_circle(*degrees: float) -> torch.Tensor:
    angle = torch.deg2rad(torch.tensor(degrees, dtype=torch.float64))
    return torch.stack([angle.cos(), angle.sin()], dim=1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("policy", ["subject-aware", "supcon", "subject-class"])
def test_moving_to_a_positive_lowers_the_loss_and_to_a_negative_raises_it(policy, form):
    # SR at 0 and 90, AF at 180 and 270 degrees, one subject
    labels, subjects = torch.tensor([0, 0, 1, 1]), torch.tensor([1, 1, 1, 1])
    at = [
        value(policy, form, on_circle(turn, 90.0, 180.0, 270.0), labels, subjects)
        for turn in (-10.0, 0.0, 10.0, 20.0)
    ]
    assert at == sorted(at, reverse=True)
    assert len(set(at)) == 4


@pytest.mark.parametrize("form", FORMS)
@given(batch=batches(lonely=False), seed=st.integers(0, 99))
@quick
def test_a_step_down_the_gradient_lowers_the_loss(form, batch, seed):
    embedded, labels, subjects = batch
    leaf = embedded.clone().requires_grad_()
    loss = SubjectContrastiveLoss("subject-aware", 0.2, form=form).double()
    before = loss(leaf, labels, subjects)
    before.backward()
    # along the sphere
    along = leaf.grad - (leaf.grad * embedded).sum(dim=1, keepdim=True) * embedded
    assume(float(along.norm()) > 1e-6)
    step = torch.nn.functional.normalize(embedded - 1e-4 * along / along.norm(), dim=1)
    assert loss(step, labels, subjects).item() < before.item()
