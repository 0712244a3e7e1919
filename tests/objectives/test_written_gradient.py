"""The written gradient is the one that autograd finds, to the bit; and what it leaves to it."""

import math

import pytest
import torch
from hypothesis import given, settings
from torch.autograd import forward_ad
from torch.func import functional_call

from objectives.oracle import FORMS, batches, policies, unit
from pacl.objectives import (
    POLICIES,
    CrossBatchMemory,
    PairPolicy,
    SubjectContrastiveLoss,
    negative,
    positive,
)
from pacl.objectives.kind_weights import NEVER, kind_weights

WEIGHTED = PairPolicy(positive(2.0), negative(0.3), positive(0.2), negative())
LABELS, SUBJECTS = torch.arange(48) % 3, torch.arange(48) // 3 % 4
LONELY = torch.where(torch.arange(48) == 7, 99, SUBJECTS)  # of a subject of its own


def made(policy="subject-aware", form="log_sum", dtype=torch.float32, held=0, **settings):
    """A loss of at least single precision, for embeddings of any."""
    memory = CrossBatchMemory(held, 16) if held else None
    settings.setdefault("without_positives", "skip")
    loss = SubjectContrastiveLoss(policy, form=form, memory=memory, **settings)
    return loss.double() if dtype == torch.float64 else loss


@pytest.fixture
def by_autograd(monkeypatch):
    """Switches the written gradient off."""
    return lambda: monkeypatch.setattr(
        "pacl.objectives.contrastive.can_be_written", lambda *given: False
    )


def two_steps(loss, dtype, subjects, factor=1.0):
    """Value and gradients of the second of two batches, so that a memory has something."""
    for seed in (0, 1):
        embedded = unit(48, 16, seed, dtype).requires_grad_()
        value = loss(embedded, LABELS, subjects)
        found = torch.autograd.grad(factor * value, (embedded, loss.temperature.log_tau))
    return value.detach(), *found


@pytest.mark.parametrize("held", [0, 20, 200])
@pytest.mark.parametrize("subjects", [SUBJECTS, LONELY], ids=["all", "one skipped"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("policy", [*POLICIES, WEIGHTED], ids=str)
def test_equal_to_autograd_to_the_bit(policy, form, dtype, subjects, held, by_autograd):
    ours = two_steps(written := made(policy, form, dtype, held), dtype, subjects)
    by_autograd()
    theirs = two_steps(recorded := made(policy, form, dtype, held), dtype, subjects)
    assert all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True))
    assert written.skipped == recorded.skipped


@pytest.mark.parametrize("subjects", [SUBJECTS, LONELY], ids=["all", "one skipped"])
@pytest.mark.parametrize("form", FORMS)
def test_a_loss_that_is_scaled(form, subjects, by_autograd):
    ours = two_steps(made(form=form), torch.float32, subjects, factor=0.3)
    by_autograd()
    theirs = two_steps(made(form=form), torch.float32, subjects, factor=0.3)
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("form", FORMS)
def test_tau_below_its_floor(form, by_autograd):
    found = []
    for _ in range(2):
        loss = made(form=form)
        with torch.no_grad():
            loss.temperature.log_tau.fill_(math.log(0.002))
        found.append(two_steps(loss, torch.float32, SUBJECTS))
        by_autograd()
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("cast", [torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_tau_of_another_precision_than_the_embeddings(form, cast, by_autograd):
    ours = two_steps(made(form=form).to(cast), torch.float32, SUBJECTS)
    by_autograd()
    theirs = two_steps(made(form=form).to(cast), torch.float32, SUBJECTS)
    assert [one.dtype for one in ours] == [one.dtype for one in theirs]
    assert all(torch.equal(*pair) for pair in zip(ours[:2], theirs[:2], strict=True))
    torch.testing.assert_close(ours[2], theirs[2])


@given(batches(), policies())
@settings(max_examples=30, derandomize=True, deadline=None)
def test_weights_are_those_of_the_policy(batch, made_policy):
    _, labels, subjects = batch
    policy, _ = made_policy
    for dtype in (torch.float32, torch.float64):
        exact = policy.weights(labels, subjects, dtype)
        every = torch.maximum(exact.positive, exact.negative)
        for form, second in (("log_sum", exact.negative), ("mean_log", every)):
            found = kind_weights(labels, subjects, policy, form, dtype)
            expected = torch.stack([exact.positive, second])
            assert torch.equal(found, torch.where(expected.isfinite(), expected, NEVER))


def test_ids_of_any_integer_type_and_size():
    large = 2**40 * SUBJECTS - 3  # would be equal in 32 bits
    expected = kind_weights(LABELS, SUBJECTS, WEIGHTED, "log_sum", torch.float32)
    for labels, subjects in ((LABELS.to(torch.int8), large), (LABELS, SUBJECTS.to(torch.int16))):
        found = kind_weights(labels, subjects, WEIGHTED, "log_sum", torch.float32)
        assert torch.equal(found, expected)
    loss = made(held=20)
    loss(unit(48, 16, 0, torch.float32), LABELS.to(torch.int8), SUBJECTS.to(torch.int32))


# ----------------------------------------------------------------------- what autograd still does


def value_of(loss):
    """The loss as a function of the embeddings and the logarithm of tau."""

    def value(embedded, log_tau):
        given = embedded, LABELS[::4], torch.arange(12) // 11
        return functional_call(loss, {"temperature.log_tau": log_tau}, given)

    return value, (unit(12, 4, 0).requires_grad_(), torch.tensor(-1.0).double().requires_grad_())


@pytest.mark.parametrize("form", FORMS)
def test_second_derivatives(form):
    value, inputs = value_of(made(WEIGHTED, form, torch.float64))
    assert torch.autograd.gradcheck(value, inputs)
    assert torch.autograd.gradgradcheck(value, inputs)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # of torch's own forward mode
@pytest.mark.parametrize("form", FORMS)
def test_transforms(form):
    value, inputs = value_of(made(form=form, dtype=torch.float64))
    expected = torch.autograd.grad(value(*inputs), inputs)
    for found in (
        torch.func.grad(value, argnums=(0, 1))(*inputs),
        torch.func.jacrev(value, argnums=(0, 1))(*inputs),
        torch.autograd.functional.jacobian(value, inputs, vectorize=True),
    ):
        torch.testing.assert_close(found, expected)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(inputs[0], torch.ones_like(inputs[0]))
        slope = forward_ad.unpack_dual(value(dual, inputs[1])).tangent
    torch.testing.assert_close(slope, expected[0].sum())


def test_only_one_of_both_gradients():
    embedded = unit(48, 16, 0, torch.float32)
    loss = made()
    loss(embedded, LABELS, SUBJECTS).backward()
    by_tau = loss.temperature.log_tau.grad.clone()
    fixed = made(learnable=False)
    fixed(leaf := embedded.clone().requires_grad_(), LABELS, SUBJECTS).backward()
    assert fixed.temperature.log_tau.grad is None
    both = two_steps(made(), torch.float32, SUBJECTS)
    loss(leaf := unit(48, 16, 1, torch.float32).requires_grad_(), LABELS, SUBJECTS).backward()
    assert torch.equal(leaf.grad, both[1])
    assert torch.equal(loss.temperature.log_tau.grad, by_tau + both[2])
    (slope,) = torch.autograd.grad(fixed(leaf, LABELS, SUBJECTS), leaf, create_graph=True)
    assert torch.autograd.grad(slope.square().sum(), leaf)[0].isfinite().all()


def test_backward_can_be_repeated():
    embedded = unit(48, 16, 0, torch.float32).requires_grad_()
    value = made()(embedded, LABELS, SUBJECTS)
    first, second = (torch.autograd.grad(value, embedded, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, second)


def test_not_a_number_is_not_hidden_without_checks():
    embedded = unit(48, 16, 0, torch.float32)
    embedded[3] = math.nan
    for form in FORMS:
        assert made(form=form, check=False)(embedded, LABELS, SUBJECTS).isnan()


@pytest.mark.parametrize("form", FORMS)
def test_no_gradient_is_computed_where_none_is_wanted(form, monkeypatch):
    embedded = unit(48, 16, 0, torch.float32).requires_grad_()
    expected = made(form=form)(embedded, LABELS, SUBJECTS)
    monkeypatch.setattr("pacl.objectives.written_gradient._softmax_", None)  # of slopes
    with torch.no_grad():
        found = made(form=form)(embedded, LABELS, SUBJECTS)
    assert torch.equal(found, expected.detach())
