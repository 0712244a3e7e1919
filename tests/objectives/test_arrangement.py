"""What a rule makes anchors meet, and where no kernel can run."""

import pytest
import torch

from objectives.test_tiled import batch
from pacl.objectives import IGNORED, POLICIES, ObjectiveError, PairPolicy, negative, positive
from pacl.objectives.contrastive import _check_numbers
from pacl.objectives.kernels import available, triton_losses
from pacl.objectives.kernels.arrangement import Rule
from support.refusals import refused

WITHIN = PairPolicy(positive(), negative(), IGNORED, IGNORED)
CLASSES = PairPolicy(positive(), IGNORED, negative(), IGNORED)


@pytest.mark.parametrize(
    ("policy", "by_subject", "reach"),
    [
        (POLICIES["subject-aware"], False, (False, True)),
        (POLICIES["supcon"], False, (True, True)),
        (WITHIN, True, (True, False)),
        (CLASSES, False, (True, False)),
        (PairPolicy(positive(), IGNORED, IGNORED, negative()), False, (False, True)),
    ],
    ids=["subject-aware", "supcon", "within", "classes", "opposites"],
)
def test_a_rule_sorts_what_it_looks_at_next_to_each_other(policy, by_subject, reach):
    rule = Rule.of(policy)
    assert rule.by_subject == by_subject
    assert rule.reach == reach


def test_a_rule_has_each_kind_in_one_sum():
    rule = Rule.of(PairPolicy(positive(2.0), negative(0.5), IGNORED, negative()))
    assert rule.near == (True, False, False, False)
    assert rule.counted == (True, True, False, True)
    assert rule.log_weights == pytest.approx((0.6931472, -0.6931472, -torch.inf, 0.0))


def test_where_no_kernel_can_run_they_say_so(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    assert not available(torch.device("cpu"))
    assert not available(torch.device("cuda"), features=300)
    embedded, labels, whose = batch(8, dtype=torch.float32)
    with refused(ObjectiveError, "cpu", "tiled_losses"):
        triton_losses(embedded, labels, whose, POLICIES["supcon"], torch.tensor(0.1))


def test_numbers_that_kernels_have_no_room_for_are_named():
    small, large = torch.tensor([-(2**31) + 1, 2**31 - 1]), torch.tensor([0, -(2**31)])
    _check_numbers(labels=small, subjects=small)
    with refused(ObjectiveError, "subjects", 2**31):
        _check_numbers(labels=small, subjects=large)
    with refused(ObjectiveError, "labels"):
        _check_numbers(labels=torch.tensor([-(2**63)]), subjects=small)
