"""Objectives of runs side by side: losses, gradients and floors are those of each alone."""

import itertools
import math
from typing import NamedTuple

import pytest
import torch
from torch.nn.functional import normalize

from pacl.objectives import (
    POLICIES,
    BinaryCrossEntropyLoss,
    Objective,
    ObjectiveError,
    PairPolicy,
    SubjectContrastiveLoss,
    make_objective,
    negative,
    positive,
)
from pacl.objectives.stacked import StackedObjective, stack_objectives, stackable, stacked_name
from support.refusals import refused

FEATURES = 6
WEIGHTED = PairPolicy(positive(2.0), negative(3.0), positive(0.2), negative(0.5))
LABELS = (0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1)
SUBJECTS = (5, 5, 5, 5, 9, 9, 9, 9, 2, 2, 2, 2)


class Out(NamedTuple):
    pooled: torch.Tensor
    projected: torch.Tensor
    pooled_raw: torch.Tensor
    projected_raw: torch.Tensor


class Other(Objective):
    """None that a fleet knows."""

    reads = "projected"

    def forward(self, embedded, labels, subjects):
        return embedded.sum()


def bce(reads="projected_raw", seed=0, features=FEATURES):
    generator = torch.Generator().manual_seed(seed)
    return BinaryCrossEntropyLoss(features, reads, generator=generator)


CONTRASTIVE = {
    f"{policy if isinstance(policy, str) else 'weighted'} {form} {tau:g} {learnable}": (
        policy,
        form,
        tau,
        learnable,
    )
    for policy, form, (tau, learnable) in itertools.product(
        [*POLICIES, WEIGHTED], ["log_sum", "mean_log"], [(0.05, True), (0.7, False), (0.01, True)]
    )
}


def contrastive(policy, form, tau, learnable, floor=0.01):
    return SubjectContrastiveLoss(policy, tau, learnable, form, floor=floor)


MIXES = {
    "everything": lambda: [
        *(contrastive(*one) for one in CONTRASTIVE.values()),
        bce(seed=1),
        bce("pooled_raw", seed=2),
        bce(seed=3),
    ],
    "one": lambda: [contrastive("subject-aware", "log_sum", 0.1, True)],
    "the paper's": lambda: [make_objective(n, features=FEATURES) for n in ("subject-aware", "bce")],
    "bce": lambda: [bce(seed=1), bce("pooled_raw", seed=2)],
    "one bce": lambda: [bce("pooled_raw")],
    "one form": lambda: [make_objective("supcon"), contrastive("subject", "mean_log", 0.2, False)],
    "both forms": lambda: [make_objective("supcon"), make_objective("subject-class")],
    "bce first": lambda: [bce(), contrastive(WEIGHTED, "mean_log", 0.3, True)],
}


def embedded(runs, pooled_features=FEATURES):
    drawn = torch.Generator().manual_seed(4)
    shape = (runs, len(LABELS), FEATURES)
    e = torch.randn(shape, generator=drawn, dtype=torch.float64)
    z = torch.randn((*shape[:2], pooled_features), generator=drawn, dtype=torch.float64)
    return z, e


def outputs(z, e):
    return Out(normalize(z, dim=-1), normalize(e, dim=-1), z, e)


def batches(runs):
    orders = [
        torch.randperm(len(LABELS), generator=torch.Generator().manual_seed(run))
        for run in range(runs)
    ]
    labels, subjects = torch.tensor(LABELS), torch.tensor(SUBJECTS)
    return torch.stack([labels[o] for o in orders]), torch.stack([subjects[o] for o in orders])


def check_equal(alone, pooled_features=FEATURES):
    """Losses and the gradients of everything that is learned, in float64."""
    alone = [objective.double() for objective in alone]
    z, e = embedded(len(alone), pooled_features)
    labels, subjects = batches(len(alone))
    weights = {name: value.requires_grad_() for name, value in stack_objectives(alone).items()}
    given = [value.clone().requires_grad_() for value in (z, e)]
    losses = StackedObjective.of(alone).losses(weights, outputs(*given), labels, subjects)
    losses.sum().backward()
    for run, objective in enumerate(alone):
        own = [value[run].clone().requires_grad_() for value in (z, e)]
        out = outputs(*own)
        expected = objective(getattr(out, objective.reads), labels[run], subjects[run])
        assert losses[run].item() == pytest.approx(expected.item(), rel=1e-12)
        expected.backward()
        for found, value in zip(given, own, strict=True):
            grad = torch.zeros_like(value) if value.grad is None else value.grad
            mine = torch.zeros_like(value) if found.grad is None else found.grad[run]
            assert torch.allclose(mine, grad, rtol=1e-11, atol=1e-13)
        named = {stacked_name(name): p for name, p in objective.named_parameters()}
        for name, value in weights.items():
            mine = torch.zeros_like(value[run]) if value.grad is None else value.grad[run]
            parameter = named.get(name)
            if parameter is None or parameter.grad is None:
                assert not mine.any(), name
            else:
                assert torch.allclose(mine, parameter.grad, rtol=1e-11, atol=1e-13), name
                assert mine.any()


@pytest.mark.parametrize("mix", MIXES.values(), ids=MIXES)
def test_losses_and_gradients_are_those_of_each_alone(mix):
    check_equal(mix())
    check_equal(mix()[::-1])


@pytest.mark.parametrize("one", CONTRASTIVE.values(), ids=CONTRASTIVE)
def test_beside_any_other_it_is_the_same(one):
    check_equal([bce(), contrastive(*one), make_objective("supcon")])


@pytest.mark.parametrize("reads", ["projected_raw", "pooled_raw"])
@pytest.mark.parametrize("beside", [True, False])
def test_a_head_on_an_embedding_of_another_length(reads, beside):
    features = 9 if reads == "pooled_raw" else FEATURES
    heads = [bce(reads, seed, features) for seed in range(2)]
    check_equal([*heads, make_objective("subject-aware")] if beside else heads, pooled_features=9)


def test_heads_of_different_lengths_are_refused():
    with refused(ObjectiveError, "different lengths"):
        stack_objectives([bce(features=6), bce("pooled_raw", features=9)])


def test_what_cannot_be_stacked_is_named():
    with refused(ObjectiveError, "Other"):
        StackedObjective.of([make_objective("supcon"), Other()])
    remembering = make_objective("supcon", memory=8)
    with refused(ObjectiveError, "memory"):
        StackedObjective.of([make_objective("supcon"), remembering])
    assert not stackable(remembering)
    assert all(stackable(each) for each in (make_objective("supcon"), bce()))


def test_weights_are_stacked_by_name_and_copied():
    alone = [
        make_objective("subject-aware", temperature=0.3),
        bce(seed=1),
        make_objective("supcon"),
    ]
    weights = stack_objectives(alone)
    assert {name: tuple(value.shape) for name, value in weights.items()} == {
        "log_tau": (3,),
        "head.weight": (3, 1, FEATURES),
        "head.bias": (3, 1),
    }
    assert weights["log_tau"].tolist() == pytest.approx([math.log(0.3), 0.0, math.log(0.05)])
    assert torch.equal(weights["head.weight"][1], alone[1].head.weight)
    assert not weights["head.weight"][[0, 2]].any()
    assert set(stack_objectives([alone[0]])) == {"log_tau"}
    weights["log_tau"].zero_()
    assert alone[0].temperature.log_tau.item() == pytest.approx(math.log(0.3))


@pytest.mark.parametrize("form", ["log_sum", "mean_log"])
def test_below_its_floor_tau_counts_as_the_floor_and_can_still_rise(form):
    alone = [
        contrastive("subject-aware", form, 0.2, True, floor=0.1),
        contrastive("subject-aware", form, 0.2, True, floor=0.01),
        bce(),
    ]
    with torch.no_grad():
        for one in alone[:2]:
            one.temperature.log_tau.fill_(math.log(0.05))
    check_equal(alone)


def test_projecting_brings_each_tau_to_its_own_floor():
    alone = [
        contrastive("subject-aware", "log_sum", 0.2, True, floor=0.1).double(),
        contrastive("supcon", "mean_log", 0.2, False, floor=0.01).double(),
        bce().double(),
        contrastive("subject", "log_sum", 0.2, True, floor=0.02).double(),
    ]
    weights = stack_objectives(alone)
    lower = torch.tensor([0.05, 0.05, 1.0, 0.001], dtype=torch.float64).log()
    weights["log_tau"].copy_(lower)
    for one, value in zip(alone, lower, strict=True):
        if isinstance(one, SubjectContrastiveLoss):
            with torch.no_grad():
                one.temperature.log_tau.copy_(value)
            one.after_step()
    head = weights["head.weight"].clone()
    StackedObjective.of(alone).project(weights)
    expected = [
        one.temperature.log_tau.item() if isinstance(one, SubjectContrastiveLoss) else 0.0
        for one in alone
    ]
    assert weights["log_tau"].tolist() == pytest.approx(expected, abs=1e-15)
    assert [round(math.exp(x), 9) for x in expected] == [0.1, 0.05, 1.0, 0.02]
    assert torch.equal(weights["head.weight"], head)


def test_projecting_works_on_what_learns():
    alone = [contrastive("subject-aware", "log_sum", 0.2, True, floor=0.1)]
    weights = {name: value.requires_grad_() for name, value in stack_objectives(alone).items()}
    with torch.no_grad():
        weights["log_tau"].fill_(-9.0)
    StackedObjective.of(alone).project(weights)
    assert weights["log_tau"].tolist() == pytest.approx([math.log(0.1)])
    assert weights["log_tau"].requires_grad
