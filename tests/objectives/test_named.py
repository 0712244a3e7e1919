"""Objectives by name, and what every one of them can do."""

import pytest
import torch

from pacl.objectives import (
    OBJECTIVES,
    POLICIES,
    BinaryCrossEntropyLoss,
    ObjectiveError,
    SubjectContrastiveLoss,
    make_objective,
)
from pacl.registry import Entry
from pacl.settings import LOSSES
from pacl.testing import check_loss
from support.refusals import refused


def test_names():
    assert (
        *("subject-aware", "supcon", "subject-class", "subject", "bce", "cross-entropy"),
    ) == OBJECTIVES


@pytest.mark.parametrize("name", OBJECTIVES)
def test_contract(name):
    check_loss(name)
    if name != "bce":
        check_loss(name, classes=3)
    reads = "projected_raw" if name in ("bce", "cross-entropy") else "projected"
    assert make_objective(name, features=4).reads == reads


@pytest.mark.parametrize("name", POLICIES)
def test_defaults(name):
    objective = make_objective(name)
    assert isinstance(objective, SubjectContrastiveLoss)
    assert objective.policy == POLICIES[name]
    assert objective.form == ("mean_log" if name == "supcon" else "log_sum")
    assert objective.without_positives == "error"
    assert objective.temperature.floor == 0.01
    assert objective.temperature.log_tau.requires_grad
    assert objective.report() == {"tau": pytest.approx(0.05, rel=1e-6)}


def test_arguments_arrive():
    objective = make_objective(
        "supcon",
        temperature=0.2,
        learnable=False,
        floor=0.1,
        form="log_sum",
        without_positives="skip",
    )
    assert isinstance(objective, SubjectContrastiveLoss)
    assert objective.form == "log_sum"
    assert objective.report() == {"tau": pytest.approx(0.2, rel=1e-6), "skipped": 0.0}
    assert objective.temperature.floor == 0.1
    assert not objective.temperature.log_tau.requires_grad
    assert make_objective("subject-aware", form="mean_log").form == "mean_log"
    head = make_objective("bce", head_on="pooled_raw", features=5)
    assert isinstance(head, BinaryCrossEntropyLoss)
    assert head.reads == "pooled_raw"
    assert head.head.weight.shape == (1, 5)


def test_bce_from_a_generator():
    one, same = (
        make_objective("bce", generator=torch.Generator().manual_seed(3)).state_dict()
        for _ in range(2)
    )
    assert torch.equal(one["head.weight"], same["head.weight"])


def test_a_loss_that_does_not_say_what_it_reads_is_named(monkeypatch):
    class Pull(torch.nn.Module): ...

    monkeypatch.setattr(LOSSES, "_added", {})
    LOSSES.add(Entry("pull", lambda *_, **__: Pull()))
    with refused(ObjectiveError, "pull", "Pull", "reads", "'pooled'"):
        make_objective("pull")


def test_unknown():
    with refused(
        ObjectiveError,
        "'simclr'",
        "subject-aware, supcon, subject-class, subject, bce",
    ):
        make_objective("simclr")
