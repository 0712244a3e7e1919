"""Spans of sorted candidates hold every pair that counts, no tile twice, and few others."""

import pytest
import torch

from objectives.test_tiled import RULES, batch, every_rule
from pacl.objectives import IGNORED, POLICIES, ObjectiveError, PairPolicy, negative, positive
from pacl.objectives.kernels import available, triton_losses
from pacl.objectives.kernels.arrangement import Arrangement, Rule
from pacl.objectives.pairs import pair_kinds

WITHIN = PairPolicy(positive(), negative(), IGNORED, IGNORED)
CLASSES = PairPolicy(positive(), IGNORED, negative(), IGNORED)


def arranged(policy, windows=90, past=0, classes=3, patients=6, seed=0):
    _, labels, whose = batch(windows + past, classes, patients, seed)
    rule = Rule.of(policy)
    return labels, whose, rule, Arrangement.of(labels, whose, windows, rule)


def met(spans, height, width, shape):
    """How often each pair of an anchor and a sorted candidate is met."""
    found = torch.zeros(shape, dtype=torch.long)
    for block, row in enumerate(spans.tolist()):
        for first, last in row:
            for tile in range(first, last):
                rows = slice(block * height, (block + 1) * height)
                found[rows, tile * width : (tile + 1) * width] += 1
    return found


@pytest.mark.parametrize(
    "policy", [*RULES.values(), WITHIN, CLASSES], ids=[*RULES, "within", "classes"]
)
@pytest.mark.parametrize("past", [0, 47])
@pytest.mark.parametrize(("height", "width"), [(16, 16), (4, 8), (1, 1), (64, 32), (8, 128)])
@pytest.mark.parametrize(("classes", "patients"), [(3, 6), (1, 1), (2, 40), (7, 2)])
def test_every_pair_that_counts_is_met_once(policy, past, height, width, classes, patients):
    labels, whose, rule, found = arranged(policy, 90, past, classes, patients)
    kinds = pair_kinds(labels[found.order], whose[found.order])[found.rows]
    counts = torch.tensor([*rule.counted, False])[kinds]
    times = met(found.spans(rule, height, width), height, width, counts.shape)
    assert times.max() <= 1
    assert (times[counts] == 1).all()


@every_rule
def test_candidates_are_sorted_and_anchors_are_found_among_them(policy):
    labels, whose, _, found = arranged(policy, 40, 33)
    assert sorted(found.order[found.rows].tolist()) == list(range(40))
    for numbers, values in ((found.classes, labels), (found.patients, whose)):
        _, expected = torch.unique(values, return_inverse=True)
        assert torch.equal(numbers.long(), expected[found.order])


@pytest.mark.parametrize(
    ("policy", "most"),
    [(POLICIES["patient-aware"], 0.6), (WITHIN, 0.1), (CLASSES, 0.6), (POLICIES["supcon"], 1.0)],
    ids=["patient-aware", "within", "classes", "supcon"],
)
def test_what_a_policy_ignores_is_not_met(policy, most):
    _, _, rule, found = arranged(policy, 1000, 0, 2, 50)
    spans = found.spans(rule, 16, 16)
    area = float((spans[..., 1] - spans[..., 0]).clamp(min=0).sum()) / 63**2
    assert area <= most
    assert (area == 1.0) == (most == 1.0)


def test_where_no_kernel_can_run_they_say_so(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    assert not available(torch.device("cpu"))
    assert not available(torch.device("cuda"), features=300)
    embedded, labels, whose = batch(8, dtype=torch.float32)
    with pytest.raises(ObjectiveError, match=r"on cpu; the kernels need a GPU .* tiled_losses"):
        triton_losses(embedded, labels, whose, POLICIES["supcon"], torch.tensor(0.1))
