"""Eq. 3 and Khosla's L_out: by hand, against loops, finite differences; and what is refused."""

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch.func import functional_call

from objectives.oracle import FORMS, NAMED, Anchors, batches, policies, unit
from pacl.objectives import (
    POLICIES,
    ObjectiveError,
    PairPolicy,
    PolicyError,
    SubjectContrastiveLoss,
    anchor_losses,
    negative,
    positive,
)
from support.refusals import refused


def made(policy, tau: float = 0.1, form: str = "log_sum", **kwargs) -> SubjectContrastiveLoss:
    """A loss in float64 that skips anchors without positives."""
    kwargs.setdefault("without_positives", "skip")
    return SubjectContrastiveLoss(policy, tau, form=form, **kwargs).double()


# ---------------------------------------------------------------------------------- by hand


@pytest.mark.parametrize(("tau", "expected"), [(1.0, 0.861994804), (0.5, 0.758623676)])
@pytest.mark.parametrize("form", FORMS)
def test_four_windows_of_one_subject(tau, expected, form):
    # on a circle, SR, SR, AF, AF: each anchor has its positive at a right angle (s = 0), one
    # negative at a right angle and one opposite (s = -1 / tau): L = log(2 + exp(-1 / tau))
    embedded = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    labels, subjects = torch.tensor([0, 0, 1, 1]), torch.tensor([4, 4, 4, 4])
    for policy in ("subject-aware", "supcon", "subject-class"):
        loss = SubjectContrastiveLoss(policy, tau, form=form)
        assert loss(embedded, labels, subjects).item() == pytest.approx(expected, rel=1e-6)


HAND = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
HAND_LABELS = torch.tensor([0, 0, 0, 1])
HAND_SUBJECTS = torch.tensor([1, 1, 2, 2])


@pytest.mark.parametrize(
    ("policy", "form", "at_1", "at_half", "lonely"),
    [
        # [log(1 + e^-1.6) + log(1 + e^-1.2)] / 2 at tau = 1; windows 2 and 3 have no positive
        ("subject-aware", "log_sum", 0.223591604, 0.063394743, 2),
        ("subject-aware", "mean_log", 0.223591604, 0.063394743, 2),
        # [log (e^.6 + 1 + e^-1)/(e^.6 + 1) + log (e^.6 + e^.8 + e^-.6)/(e^.6 + e^.8)
        #  + log (2 + e^.8)/(1 + e^.8)] / 3
        ("supcon", "log_sum", 0.173243026, 0.073960807, 1),
        # [log(e^.6 + 1 + e^-1) - .3 + log(e^.6 + e^.8 + e^-.6) - .7 + log(2 + e^.8) - .4] / 3
        ("supcon", "mean_log", 0.908818854, 0.927360294, 1),
        # [log(e^.6 + 1 + e^-1) - .6 + log(e^.6 + e^.8 + e^-.6) - .6] / 2
        ("subject-class", "log_sum", 0.742654640, 0.621451499, 2),
        # [both of these + log(2 + e^.8) + log(1 + e^-1 + e^-.6)] / 4
        ("subject", "log_sum", 0.894264216, 0.886077754, 0),
    ],
)
def test_two_subjects(policy, form, at_1, at_half, lonely):
    for tau, expected in ((1.0, at_1), (0.5, at_half)):
        loss = made(policy, tau, form)
        found = loss(HAND, HAND_LABELS, HAND_SUBJECTS).item()
        assert found == pytest.approx(expected, abs=1e-7)
        assert loss.skipped == lonely


def test_weights_by_hand():
    # anchor 0 only: its positive counts twice, of its negatives that of the same subject thrice
    policy = PairPolicy(positive(2.0), negative(3.0), negative(0.5), negative(0.25))
    weights = policy.weights(HAND_LABELS, HAND_SUBJECTS, torch.float64)
    tau = torch.tensor(1.0, dtype=torch.float64)
    found = anchor_losses(HAND, weights, tau, "log_sum")[0].item()
    up = 2 * math.exp(0.6)
    expected = math.log((up + 0.5 * math.exp(0) + 0.25 * math.exp(-1)) / up)
    assert found == pytest.approx(expected, rel=1e-12)


# ------------------------------------------------------------------------------ explicit loops


def agree(policy, pairs, batch, tau, form) -> None:
    """Value, gradient and tau's gradient are those of the loops."""
    embedded, labels, subjects = batch
    loss = made(policy, tau, form)
    tau = loss.temperature().item()
    expected = Anchors(embedded, labels, subjects, pairs, tau, form)
    assume(expected.losses)
    embedded = embedded.clone().requires_grad_()
    found = loss(embedded, labels, subjects)
    found.backward()
    assert found.dtype == torch.float64
    assert found.item() == pytest.approx(expected.mean, rel=1e-9, abs=1e-12)
    assert loss.skipped == expected.lonely
    np.testing.assert_allclose(embedded.grad, expected.d_embedded, rtol=1e-8, atol=1e-10)
    # the parameter is log tau: d / d log tau = tau d / d tau
    d_log_tau = loss.temperature.log_tau.grad.item()
    assert d_log_tau == pytest.approx(expected.d_tau * tau, rel=1e-8, abs=1e-10)


TAUS = st.sampled_from([0.02, 0.05, 0.07, 0.5, 1.0, 3.0])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("policy", NAMED)
@given(batch=batches(), tau=TAUS)
@settings(max_examples=25, derandomize=True, deadline=None)
def test_named_policies_against_loops(policy, form, batch, tau):
    agree(policy, NAMED[policy], batch, tau, form)


@pytest.mark.parametrize("form", FORMS)
@given(batch=batches(), made_policy=policies(), tau=TAUS)
@settings(max_examples=60, derandomize=True, deadline=None)
def test_any_policy_against_loops(form, batch, made_policy, tau):
    agree(*made_policy, batch, tau, form)


@pytest.mark.parametrize("form", FORMS)
@given(batch=batches(), made_policy=policies(), tau=st.sampled_from([0.1, 0.5, 1.0]))
@settings(max_examples=10, derandomize=True, deadline=None)
def test_gradient_against_finite_differences(form, batch, made_policy, tau):
    embedded, labels, subjects = batch
    policy, pairs = made_policy
    assume(Anchors(embedded, labels, subjects, pairs, tau, form).losses)
    loss = made(policy, tau, form)

    def value(embedded, log_tau):
        return functional_call(loss, {"temperature.log_tau": log_tau}, (embedded, labels, subjects))

    log_tau = torch.tensor(math.log(tau), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(value, (embedded.clone().requires_grad_(), log_tau))


@given(batch=batches(), tau=TAUS)
@settings(max_examples=40, derandomize=True, deadline=None)
def test_supcon_is_l_out_of_khosla(batch, tau):
    """L_out = sum_i -1/|P(i)| sum_{p in P(i)} log exp(z_i.z_p/t) / sum_{a in A(i)} exp(z_i.z_a/t).

    Eq. 2 of Khosla et al. (2020), on matrices with numpy; here as a mean over anchors.
    """
    z, labels, subjects = batch
    logits = z.numpy() @ z.numpy().T / tau
    others = ~np.eye(len(z), dtype=bool)
    alike = (labels[:, None] == labels[None]).numpy() & others
    assume(alike.any())
    log_probability = logits - np.log((np.exp(logits) * others).sum(axis=1, keepdims=True))
    has = alike.any(axis=1)
    l_out = -(log_probability * alike).sum(axis=1)[has] / alike.sum(axis=1)[has]
    found = made("supcon", tau, "mean_log")(z, labels, subjects).item()
    assert found == pytest.approx(l_out.mean(), rel=1e-6)


@given(st.integers(1, 4), st.integers(2, 4), st.integers(0, 999))
@settings(max_examples=20, derandomize=True, deadline=None)
def test_forms_agree_where_each_anchor_has_one_positive(people, classes, seed):
    # two windows of each subject and class
    labels = torch.arange(classes).repeat_interleave(2).repeat(people)
    subjects = torch.arange(people).repeat_interleave(2 * classes)
    embedded = unit(len(labels), 4, seed)
    one, other = (
        made("subject-aware", form=form)(embedded, labels, subjects).item() for form in FORMS
    )
    assert one == pytest.approx(other, rel=1e-12)


# ------------------------------------------------------------------ anchors without positives

LONELY_LABELS = torch.tensor([0, 0, 1, 1, 0])
LONELY_SUBJECTS = torch.tensor([31, 31, 31, 31, 42])


@pytest.mark.parametrize("form", FORMS)
def test_refused_with_the_window_the_subject_and_the_class(form):
    loss = SubjectContrastiveLoss(form=form)
    with refused(
        ObjectiveError,
        "1 of 5 anchors",
        "window 4",
        "subject 42",
        "class 0",
        "without_positives='skip'",
    ):
        loss(unit(5, 3, 0), LONELY_LABELS, LONELY_SUBJECTS)
    assert loss.skipped == 0
    loss(unit(4, 3, 0), LONELY_LABELS[:4], LONELY_SUBJECTS[:4])


@pytest.mark.parametrize("form", FORMS)
def test_skipped_anchors_are_counted_over_calls_and_leave_the_mean(form):
    loss = made("subject-aware", 0.05, form)
    embedded = unit(5, 3, 0).requires_grad_()
    for calls in (1, 2):
        found = loss(embedded, LONELY_LABELS, LONELY_SUBJECTS)
        assert loss.skipped == calls
        assert loss.report()["skipped"] == float(calls)
    pairs = NAMED["subject-aware"]
    expected = Anchors(embedded.detach(), LONELY_LABELS, LONELY_SUBJECTS, pairs, 0.05, form)
    assert sorted(expected.losses) == [0, 1, 2, 3]
    assert found.item() == pytest.approx(expected.mean, rel=1e-6)
    found.backward()
    # the skipped anchor is still a negative of others
    assert embedded.grad.isfinite().all()
    assert embedded.grad[4].abs().sum() > 0


def test_a_skipped_anchor_that_is_nobodys_pair_has_no_gradient():
    # SR of another subject, and only SR here: ignored by all
    policy = POLICIES["subject-aware"]
    embedded = unit(3, 3, 0).requires_grad_()
    loss = made(policy)(embedded, torch.tensor([0, 0, 0]), torch.tensor([1, 1, 2]))
    loss.backward()
    assert loss.item() == 0.0
    assert torch.equal(embedded.grad, torch.zeros_like(embedded))


@pytest.mark.parametrize("without_positives", ["error", "skip"])
def test_all_anchors_lonely_is_refused(without_positives):
    loss = made("subject-aware", without_positives=without_positives)
    with refused(ObjectiveError, "3 of 3 anchors"):
        loss(unit(3, 3, 0), torch.tensor([0, 1, 0]), torch.tensor([1, 1, 2]))
    with refused(ObjectiveError, "1 of 1 anchors"):
        loss(unit(1, 3, 0), torch.tensor([0]), torch.tensor([1]))
    assert loss.skipped == 0


def test_loss_of_lonely_anchors_is_finite_though_meaningless():
    weights = POLICIES["subject-aware"].weights(LONELY_LABELS, LONELY_SUBJECTS)
    for form in FORMS:
        assert anchor_losses(
            unit(5, 3, 0, torch.float32), weights, torch.tensor(0.05), form
        ).isfinite()[4]


# ------------------------------------------------------------------------------------ refused


def unchecked(loss: SubjectContrastiveLoss):
    """`forward` without the axis checks of the tests, as in production."""
    forward = getattr(type(loss).forward, "__wrapped__", type(loss).forward)
    return lambda *batch: forward(loss, *batch)


def test_embeddings_that_are_not_of_unit_length():
    labels, subjects = torch.tensor([0, 0, 1, 1]), torch.tensor([1, 1, 1, 1])
    embedded = unit(4, 3, 0)
    embedded[2] *= 3.0
    with refused(ObjectiveError, "window 2", "length 3"):
        made("subject-aware")(embedded, labels, subjects)
    embedded[2] = math.nan
    with refused(ObjectiveError, "window 2", "length nan"):
        made("subject-aware")(embedded, labels, subjects)
    embedded[2] = 0.0
    with refused(ObjectiveError, "window 2", "length 0,"):
        made("subject-aware")(embedded, labels, subjects)


@pytest.mark.parametrize("scale", [0.995, 1.005])
def test_a_length_within_the_precision_of_halves_is_accepted(scale):
    labels, subjects = torch.tensor([0, 0, 1, 1]), torch.tensor([1, 1, 1, 1])
    assert made("subject-aware")(unit(4, 3, 0) * scale, labels, subjects).isfinite()


@pytest.mark.parametrize(
    ("embedded", "labels", "subjects"),
    [
        ((4, 3), (3,), (4,)),
        ((4, 3), (4,), (5,)),
        ((3, 3), (4,), (4,)),
        ((4,), (4,), (4,)),
        ((4, 3, 2), (4,), (4,)),
        # these would broadcast to a number that means nothing
        ((4, 3), (4, 1), (4,)),
        ((4, 3), (4,), (4, 1)),
        ((4, 3), (), (4,)),
        ((), (4,), (4,)),
        ((0, 3), (0,), (0,)),
    ],
)
def test_shapes(embedded, labels, subjects):
    batch = torch.ones(embedded), torch.zeros(labels, dtype=torch.long)
    with pytest.raises(ObjectiveError) as caught:
        unchecked(made("supcon"))(*batch, torch.zeros(subjects, dtype=torch.long))
    assert f"embeddings of shape {embedded}, labels {labels}, subjects {subjects}" in str(
        caught.value
    )


def test_unknown_names():
    init = getattr(SubjectContrastiveLoss.__init__, "__wrapped__", SubjectContrastiveLoss.__init__)
    for arguments, error, *facts in (
        ({"policy": "simclr"}, PolicyError, "'simclr'"),
        ({"form": "sum_log"}, ObjectiveError, "'sum_log'", "log_sum", "mean_log"),
        ({"without_positives": "zero"}, ObjectiveError, "without_positives='zero'", "error"),
        ({"temperature": 0.0}, ObjectiveError, "temperature 0", 0.01),
    ):
        with refused(error, *facts):
            init(SubjectContrastiveLoss.__new__(SubjectContrastiveLoss), **arguments)


# ------------------------------------------------------------------------------ as a module


def test_tau_is_learned_and_kept_above_its_floor():
    labels, subjects = torch.tensor([0, 0, 1, 1]), torch.tensor([1, 1, 1, 1])
    loss = SubjectContrastiveLoss(temperature=0.05, floor=0.04)
    # perfectly separated classes: lower tau, lower loss
    embedded = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.9, math.sqrt(0.19)], [0.9, 0.19**0.5]])
    optimiser = torch.optim.SGD(loss.parameters(), lr=1.0)
    for _ in range(20):
        optimiser.zero_grad()
        loss(embedded, labels, subjects).backward()
        optimiser.step()
        loss.after_step()
    assert loss.report()["tau"] == pytest.approx(0.04, rel=1e-5)
    assert loss.temperature.log_tau.item() == pytest.approx(math.log(0.04), rel=1e-6)


def test_fixed_tau_has_no_gradient():
    loss = SubjectContrastiveLoss(learnable=False)
    embedded = unit(4, 3, 0, torch.float32).requires_grad_()
    loss(embedded, torch.tensor([0, 0, 1, 1]), torch.tensor([1, 1, 1, 1])).backward()
    assert loss.temperature.log_tau.grad is None
    assert embedded.grad.abs().sum() > 0


def test_reads_and_print():
    loss = SubjectContrastiveLoss("supcon", form="mean_log", without_positives="skip")
    assert loss.reads == "projected"
    assert "form=mean_log, without_positives=skip" in repr(loss)


@pytest.mark.parametrize("form", FORMS)
def test_vmap_without_checks(form):
    loss = made("subject-aware", form=form, check=False)
    many = torch.stack([unit(5, 3, seed) for seed in range(3)])
    found = torch.func.vmap(lambda one: loss(one, LONELY_LABELS, LONELY_SUBJECTS))(many)
    expected = [
        made("subject-aware", form=form)(one, LONELY_LABELS, LONELY_SUBJECTS) for one in many
    ]
    torch.testing.assert_close(found, torch.stack(expected))
