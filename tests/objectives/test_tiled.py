"""Tiles say what the matrix of all pairs says: any policy, any groups, any order."""

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from pacl.objectives import (
    IGNORED,
    POLICIES,
    ObjectiveError,
    PairPolicy,
    SubjectContrastiveLoss,
    negative,
    positive,
)
from pacl.objectives.all_pairs import anchor_losses
from pacl.objectives.contrastive import TILED_FROM
from pacl.objectives.sorted_windows import SortedWindows
from pacl.objectives.tiled import RunningSum, tiled_losses
from support.refusals import refused

RULES = {
    **POLICIES,
    "weighted": PairPolicy(positive(0.7), negative(2.0), positive(0.2), negative(0.5)),
    "other class of a subject": PairPolicy(positive(2.0), positive(0.3), IGNORED, negative()),
    "upside down": PairPolicy(negative(), positive(), positive(3.0), IGNORED),
}
every_rule = pytest.mark.parametrize("policy", RULES.values(), ids=RULES)
both_forms = pytest.mark.parametrize("mean_log", [False, True], ids=["log_sum", "mean_log"])


def batch(windows=41, classes=3, subjects=6, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    embedded = normalize(torch.randn(windows, 5, generator=generator, dtype=dtype), dim=1)
    labels = torch.randint(classes, (windows,), generator=generator)
    return embedded, labels, torch.randint(subjects, (windows,), generator=generator) * 11 - 20


def dense(embedded, labels, subjects, policy, tau, mean_log):
    weights = policy.weights(labels, subjects, embedded.dtype)
    valid = weights.positive.isfinite().any(dim=1)
    losses = anchor_losses(embedded, weights, tau, "mean_log" if mean_log else "log_sum")
    return torch.where(valid, losses, 0), valid


def compare(given, policy, mean_log):
    """Losses, their mask and gradients, by all pairs and by tiles."""
    embedded, labels, subjects = given
    found = []
    weights = torch.rand(len(labels), dtype=torch.float64)
    for compute in (dense, lambda *given: tiled_losses(*given[:-1], mean_log=given[-1])):
        rows = embedded.clone().requires_grad_()
        tau = torch.tensor(0.07, dtype=torch.float64, requires_grad=True)
        losses, valid = compute(rows, labels, subjects, policy, tau, mean_log)
        slopes = torch.autograd.grad((weights * losses).sum(), (rows, tau))
        found.append((losses.detach(), valid, *slopes))
    for expected, got in zip(*found, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-11)


@every_rule
@both_forms
@pytest.mark.usefixtures("tiles")
def test_value_and_gradients_are_those_of_all_pairs(policy, mean_log):
    compare(batch(), policy, mean_log)


@every_rule
@both_forms
@pytest.mark.parametrize(("classes", "subjects"), [(1, 1), (2, 1), (1, 9), (40, 2), (2, 40)])
@pytest.mark.parametrize("tiles", [(256, 2048), (5, 7)], indirect=True)
@pytest.mark.usefixtures("tiles")
def test_groups_of_any_size(policy, mean_log, classes, subjects):
    compare(batch(40, classes, subjects, seed=4), policy, mean_log)


@both_forms
@pytest.mark.usefixtures("tiles")
def test_anchors_without_any_pair_have_no_slope(mean_log):
    embedded, labels, subjects = batch(20, 1, 3)
    subjects[-1] = 99  # of the same class as all, and of nobody else
    compare((embedded, labels, subjects), RULES["subject-aware"], mean_log)


def test_many_small_classes_are_cut_into_few_stretches():
    labels = torch.arange(2048)
    windows = SortedWindows(labels, labels % 7, POLICIES["supcon"])
    assert len(windows.within) <= 8 * 8
    rows = {(part.rows.start, part.rows.stop) for part in windows.within}
    assert sum(stop - start for start, stop in rows) == 2048


@both_forms
@every_rule
def test_gradients_by_differences(policy, mean_log):
    _, labels, subjects = batch(13, 2, 3)
    free = torch.randn(13, 4, dtype=torch.float64, requires_grad=True)
    tau = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)

    def losses(rows, temperature):
        found, _ = tiled_losses(
            normalize(rows, dim=1), labels, subjects, policy, temperature, mean_log=mean_log
        )
        return found

    assert torch.autograd.gradcheck(losses, (free, tau))


def test_by_hand():
    embedded = torch.eye(3, dtype=torch.float64)[[0, 0, 1]]
    labels, subjects = torch.tensor([0, 0, 1]), torch.tensor([4, 4, 4])
    losses, valid = tiled_losses(
        embedded, labels, subjects, POLICIES["subject-aware"], torch.tensor(0.5).double()
    )
    assert valid.tolist() == [True, True, False]
    # One positive at cosine 1, one negative at cosine 0: log(1 + exp((0 - 1) / 0.5)).
    assert losses.tolist() == pytest.approx([np.log1p(np.exp(-2.0))] * 2 + [0.0])


@pytest.mark.usefixtures("tiles")
def test_the_order_of_windows_does_not_matter():
    embedded, labels, subjects = batch(seed=2)
    tau = torch.tensor(0.1).double()
    losses, _ = tiled_losses(embedded, labels, subjects, POLICIES["subject-aware"], tau)
    mixed = torch.randperm(len(labels), generator=torch.Generator().manual_seed(1))
    again, _ = tiled_losses(
        embedded[mixed], labels[mixed], subjects[mixed], POLICIES["subject-aware"], tau
    )
    torch.testing.assert_close(again, losses[mixed])


def test_single_precision_at_the_lowest_temperature():
    embedded, labels, subjects = batch(600, 2, 8, dtype=torch.float64)
    for policy in POLICIES.values():
        tau = torch.tensor(0.01, dtype=torch.float64)
        expected, _ = dense(embedded, labels, subjects, policy, tau, False)
        got, _ = tiled_losses(embedded.float(), labels, subjects, policy, tau.float())
        assert torch.isfinite(got).all()
        torch.testing.assert_close(got.double(), expected, rtol=1e-5, atol=2e-5)


def test_what_a_policy_ignores_is_not_computed():
    _, labels, subjects = batch(600, 2, 50)
    kinds = {name: SortedWindows(labels, subjects, rule) for name, rule in RULES.items()}
    areas = {
        name: sum(
            (part.rows.stop - part.rows.start) * (part.columns.stop - part.columns.start)
            for part in windows
        )
        for name, windows in kinds.items()
    }
    assert areas["supcon"] == 600 * 600
    assert areas["subject-aware"] < areas["supcon"]


def test_a_sum_of_nothing_and_of_very_different_numbers():
    found = RunningSum.like(torch.zeros(3, 1, dtype=torch.float64))
    rows = slice(0, 3)
    found.add(rows, torch.tensor([[-torch.inf], [-800.0], [900.0]]).double())
    found.add(rows, torch.tensor([[-torch.inf], [700.0], [-900.0]]).double())
    assert found.log().tolist() == [-torch.inf, 700.0, 900.0]


@pytest.mark.parametrize("form", ["log_sum", "mean_log"])
@pytest.mark.parametrize("learnable", [False, True])
def test_the_loss_takes_tiles_by_size_and_says_the_same(form, learnable):
    embedded, labels, subjects = batch(TILED_FROM, 2, 9, dtype=torch.float32)
    found = []
    for tiled in (None, True, False):
        loss = SubjectContrastiveLoss(form=form, learnable=learnable, tiled=tiled)
        rows = embedded.clone().requires_grad_()
        value = loss(rows, labels, subjects)
        value.backward()
        slopes = [one.grad for one in loss.parameters()]
        found.append([value.detach(), rows.grad, *(one for one in slopes if one is not None)])
    for by_size, tiles, matrix in zip(*found, strict=True):
        assert torch.equal(by_size, tiles)
        torch.testing.assert_close(tiles, matrix, rtol=1e-4, atol=1e-6)


def test_below_that_size_it_does_not(monkeypatch):
    monkeypatch.setattr("pacl.objectives.contrastive.tiled_losses", None)
    SubjectContrastiveLoss(without_positives="skip")(*batch(64, 2, 4, dtype=torch.float32))


def test_anchors_without_positives_are_refused_or_counted():
    embedded, labels, subjects = batch(40, 2, 4, dtype=torch.float32)
    subjects[0] = 99
    with refused(ObjectiveError, "1 of 40 anchors"):
        SubjectContrastiveLoss(tiled=True)(embedded, labels, subjects)
    losses = [SubjectContrastiveLoss(tiled=t, without_positives="skip") for t in (True, False)]
    values = [loss(embedded, labels, subjects) for loss in losses]
    torch.testing.assert_close(*values)
    assert [loss.skipped for loss in losses] == [1, 1]


def test_half_precision_is_computed_in_single():
    embedded, labels, subjects = batch(64, 2, 4, dtype=torch.float32)
    loss = SubjectContrastiveLoss(tiled=True, without_positives="skip")
    found, exact = (
        loss(rows, labels, subjects).detach() for rows in (embedded.bfloat16(), embedded)
    )
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, exact, rtol=0.05, atol=0.0)


def test_transforms_are_refused_with_a_remedy():
    embedded, labels, subjects = batch(16, 2, 3, dtype=torch.float32)
    loss = SubjectContrastiveLoss(tiled=True, check=False, without_positives="skip")

    def of(one):
        return loss(one, labels, subjects)

    for transformed in (
        lambda: torch.func.vmap(of)(embedded.expand(2, -1, -1)),
        lambda: torch.func.grad(of)(embedded),
    ):
        with refused(ObjectiveError, "torch.func", "tiled=False"):
            transformed()
    loss.tiled = False
    assert torch.func.grad(of)(embedded).isfinite().all()


def test_second_derivatives_by_the_temperature_alone_are_refused_too():
    embedded, labels, subjects = batch(16, 2, 3)
    loss = SubjectContrastiveLoss(tiled=True, without_positives="skip")
    value = loss(embedded, labels, subjects)
    (slope,) = torch.autograd.grad(value, loss.temperature.log_tau, create_graph=True)
    with refused(ObjectiveError, "tiled=False"):
        torch.autograd.grad(slope.square(), loss.temperature.log_tau)


def test_second_derivatives_are_refused_and_not_forgotten():
    embedded, labels, subjects = batch(16, 2, 3)
    loss = SubjectContrastiveLoss(tiled=True, without_positives="skip")
    leaf = embedded.clone().requires_grad_()
    value = loss(leaf, labels, subjects)
    (slope,) = torch.autograd.grad(value, leaf, create_graph=True)
    with refused(ObjectiveError, "tiled=False"):
        torch.autograd.grad(value + slope.square().sum(), leaf)
    expected = torch.autograd.grad(loss(leaf, labels, subjects), leaf)[0]
    torch.testing.assert_close(slope.detach(), expected)
