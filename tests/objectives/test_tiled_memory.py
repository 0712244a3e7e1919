"""Tiles with a memory say what the matrix of all pairs says: any policy, any groups, any order."""

import pytest
import torch
from torch.nn.functional import normalize

from objectives.test_tiled import RULES, batch, both_forms, every_rule
from pacl.objectives import CrossBatchMemory, SubjectContrastiveLoss, contrastive
from pacl.objectives.all_pairs import anchor_losses
from pacl.objectives.pairs import kinds_between, pair_kinds
from pacl.objectives.sorted_windows import SortedWindows
from pacl.objectives.tiled import tiled_losses


def past(windows=29, classes=4, subjects=9, seed=7):
    """Other classes and subjects than in the batch are among them."""
    embedded, labels, whose = batch(windows, classes, subjects, seed)
    return embedded, labels + 1, whose


def dense(embedded, labels, subjects, policy, tau, mean_log, memory):
    kinds = [pair_kinds(labels, subjects), kinds_between(labels, subjects, *memory[1:])]
    weights = policy.weights_of(torch.cat(kinds, dim=1), embedded.dtype)
    valid = weights.positive.isfinite().any(dim=1)
    form = "mean_log" if mean_log else "log_sum"
    return torch.where(valid, anchor_losses(embedded, weights, tau, form, memory[0]), 0), valid


def tiled(*given):
    return tiled_losses(*given[:-2], mean_log=given[-2], memory=given[-1])


@every_rule
@both_forms
@pytest.mark.parametrize(
    "remembered", [past(), past(1), past(60, 1, 1)], ids=["some", "1", "alike"]
)
@pytest.mark.usefixtures("tiles")
def test_value_and_gradients_are_those_of_all_pairs(policy, mean_log, remembered):
    embedded, labels, subjects = batch(31)
    weights = torch.rand(31, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    found = []
    for compute in (dense, tiled):
        rows = embedded.clone().requires_grad_()
        tau = torch.tensor(0.07, dtype=torch.float64, requires_grad=True)
        losses, valid = compute(rows, labels, subjects, policy, tau, mean_log, remembered)
        slopes = torch.autograd.grad((weights * losses).sum(), (rows, tau))
        found.append((losses.detach(), valid, *slopes))
    for expected, got in zip(*found, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-11)


@both_forms
@every_rule
def test_gradients_by_differences(policy, mean_log):
    _, labels, subjects = batch(9, 2, 3)
    embedded, *of_past = past(8, 2, 3)
    memory = (normalize(embedded[:, :4], dim=1), *of_past)
    free = torch.randn(
        9, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(2), requires_grad=True
    )
    tau = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)

    def losses(rows, temperature):
        given = (normalize(rows, dim=1), labels, subjects, policy, temperature)
        return tiled_losses(*given, mean_log=mean_log, memory=memory)[0]

    assert torch.autograd.gradcheck(losses, (free, tau))


@pytest.mark.usefixtures("tiles")
def test_what_is_remembered_gets_no_gradient():
    remembered = past()
    remembered[0].requires_grad_()
    rows = batch()[0].requires_grad_()
    tau = torch.tensor(0.1).double()
    losses, _ = tiled(rows, *batch()[1:], RULES["supcon"], tau, False, remembered)
    losses.sum().backward()
    assert rows.grad.abs().sum() > 0
    assert remembered[0].grad is None


@both_forms
def test_a_memory_of_nothing_changes_nothing(mean_log):
    tau = torch.tensor(0.1).double()
    given = (*batch(), RULES["weighted"], tau)
    nothing = tuple(each[:0] for each in past())
    with_memory = tiled_losses(*given, mean_log=mean_log, memory=nothing)
    for got, expected in zip(with_memory, tiled_losses(*given, mean_log=mean_log), strict=True):
        assert torch.equal(got, expected)


def test_stretches_beyond_the_batch_are_met_once():
    windows = SortedWindows(*batch()[1:], RULES["supcon"], past()[1:])
    assert [(part.past, part.twin) for part in windows.beyond] == [(True, 0)] * len(windows.beyond)
    assert not any(part.past for part in windows.within)
    assert list(windows) == [*windows.within, *windows.beyond]


def test_what_a_policy_ignores_is_not_computed():
    _, labels, subjects = batch(300, 2, 40)
    _, *remembered = batch(500, 2, 40, seed=1)
    areas = {
        name: sum(
            (part.rows.stop - part.rows.start) * (part.columns.stop - part.columns.start)
            for part in SortedWindows(labels, subjects, RULES[name], tuple(remembered)).beyond
        )
        for name in ("supcon", "subject-aware")
    }
    assert areas["supcon"] == 300 * 500
    assert areas["subject-aware"] < areas["supcon"]


def test_a_device_with_kernels_is_given_to_them(monkeypatch):
    given = {}

    def triton_losses(*arguments, **more):
        given["arguments"], given["more"] = arguments, more
        return torch.ones(64), torch.ones(64, dtype=torch.bool)

    monkeypatch.setattr("pacl.objectives.kernels.triton_losses", triton_losses)
    monkeypatch.setattr(contrastive, "_has_kernels", lambda exact: exact.dtype == torch.float32)
    embedded, labels, subjects = batch(64, 2, 4)
    memory = CrossBatchMemory(16, 5)
    loss = SubjectContrastiveLoss(form="mean_log", tiled=True, memory=memory, fast=True)
    assert loss(embedded.bfloat16(), labels, subjects) == 1
    exact, *others, tau = given["arguments"]
    assert exact.dtype == torch.float32
    assert others == [labels, subjects, loss.policy]
    assert torch.equal(tau, loss.temperature())
    assert given["more"].keys() == {"mean_log", "memory", "fast"}
    assert given["more"]["mean_log"] is given["more"]["fast"] is True
    assert len(given["more"]["memory"].labels) == 0
    given.clear()
    loss.without_positives = "skip"
    loss(embedded, labels, subjects)  # in double precision
    SubjectContrastiveLoss(tiled=False, without_positives="skip")(
        embedded.float(), labels, subjects
    )
    assert not given


def test_fast_has_no_effect_on_a_cpu():
    embedded, labels, subjects = batch(64, 2, 4, dtype=torch.float32)
    losses = [
        SubjectContrastiveLoss(tiled=True, fast=fast, without_positives="skip")
        for fast in (True, False)
    ]
    values = [loss(embedded, labels, subjects).detach() for loss in losses]
    assert torch.equal(*values)
