"""Objectives by name, and what every one of them can do."""

import pytest
import torch

from objectives.oracle import unit
from pacl.objectives import (
    OBJECTIVES,
    POLICIES,
    BinaryCrossEntropyLoss,
    Objective,
    ObjectiveError,
    SubjectContrastiveLoss,
    make_objective,
)
from support.refusals import refused

LABELS = torch.tensor([0, 0, 1, 1, 0, 0, 1, 1])
SUBJECTS = torch.tensor([7, 7, 7, 7, 9, 9, 9, 9])


def test_names():
    assert (
        *("subject-aware", "supcon", "subject-class", "subject", "bce", "cross-entropy"),
    ) == OBJECTIVES


@pytest.mark.parametrize("name", OBJECTIVES)
def test_contract(name):
    objective = make_objective(name, features=4)
    assert isinstance(objective, Objective)
    assert objective.reads == ("projected_raw" if name in ("bce", "cross-entropy") else "projected")
    embedded = unit(8, 4, 0, torch.float32).requires_grad_()
    loss = objective(embedded, LABELS, SUBJECTS)
    loss.backward()
    assert loss.shape == ()
    assert loss.dtype == torch.float32
    assert loss.isfinite()
    assert embedded.grad.abs().sum() > 0
    assert all(parameter.grad.isfinite().all() for parameter in objective.parameters())
    objective.after_step()
    assert all(isinstance(value, float) for value in objective.report().values())


@pytest.mark.parametrize("name", OBJECTIVES)
def test_moves_to_another_device(name):
    objective = make_objective(name, features=4).to("meta")
    assert all(parameter.is_meta for parameter in objective.parameters())


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


def test_unknown():
    with refused(
        ObjectiveError,
        "'simclr'",
        "subject-aware, supcon, subject-class, subject, bce",
    ):
        make_objective("simclr")
