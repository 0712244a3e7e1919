"""Candidates are sorted; spans of them hold every pair that counts, no tile twice, few others."""

import pytest
import torch

from objectives.test_arrangement import CLASSES, WITHIN
from objectives.test_tiled import RULES, batch, every_rule
from pacl.objectives import POLICIES
from pacl.objectives.kernels import available
from pacl.objectives.kernels.arrangement import LENGTH, Arrangement, Rule
from pacl.objectives.pairs import pair_kinds

triton = pytest.importorskip("triton", reason="needs triton")
tile = pytest.importorskip("pacl.objectives.kernels.tile")
Row = tile.Row
tl, spans_at, tile_at = triton.language, tile.spans_at, tile.tile_at

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pytestmark = [
    pytest.mark.skipif(
        not available(DEVICE), reason="needs triton and a GPU, or triton and TRITON_INTERPRET=1"
    ),
    pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning"),
]
several_policies = pytest.mark.parametrize(
    "policy", [*RULES.values(), WITHIN, CLASSES], ids=[*RULES, "within", "classes"]
)


@triton.jit(do_not_specialize=["windows", "candidates", "height", "width"])
def count_tiles(
    table,
    found,
    windows,
    candidates,
    places,
    height,
    width,
    beside: tl.constexpr,
    across: tl.constexpr,
):
    """How often a program meets each tile."""
    begin = tl.program_id(0) * height
    before, own, after, own_from, after_from = spans_at(
        table, places, windows, candidates, begin, height, width, beside, across
    )
    for step in range(before + own + after):
        at = tile_at(step, before, own, own_from, after_from)
        place = found + tl.program_id(0) * tl.cdiv(candidates, width) + at
        tl.store(place, tl.load(place) + 1)


def met(found, rule, height, width):
    """How often each row of tiles meets each tile."""
    blocks, tiles = -(-found.windows // height), -(-found.candidates // width)
    times = torch.zeros(blocks, tiles, dtype=torch.int32, device=DEVICE)
    sizes = (found.windows, found.candidates, found.table.shape[1], height, width)
    beside, across = rule.reach
    count_tiles[(blocks,)](found.table, times, *sizes, beside=beside, across=across)
    return times


def arranged(policy, windows=90, past=0, classes=3, subjects=6, seed=0):
    """All candidates, the rule, and how they are arranged."""
    given = batch(windows + past, classes, subjects, seed, torch.float32)
    given = tuple(one.to(DEVICE) for one in given)
    memory = tuple(one[windows:] for one in given) if past else None
    rule = Rule.of(policy)
    return given, rule, Arrangement.of(*(one[:windows] for one in given), memory, rule, True)


@several_policies
@pytest.mark.parametrize("past", [0, 47])
@pytest.mark.parametrize(("classes", "subjects"), [(3, 6), (1, 1), (2, 40)])
def test_every_pair_that_counts_is_met_once(policy, past, classes, subjects):
    (_, labels, whose), rule, found = arranged(policy, 90, past, classes, subjects)
    order = found.table[Row.ORIGIN, : 90 + past].long()
    anchors = found.table[Row.ANCHOR, :90].long()
    kinds = pair_kinds(labels[order], whose[order])[anchors]
    counts = torch.tensor([*rule.counted, False], device=DEVICE)[kinds]
    for height, width in ((16, 16), (64, 32), (8, 128)):
        times = met(found, rule, height, width)
        assert times.max() <= 1
        pairs = times.repeat_interleave(height, 0)[:90].repeat_interleave(width, 1)[:, : 90 + past]
        assert (pairs[counts] == 1).all()


@every_rule
@pytest.mark.parametrize("past", [0, 33])
def test_candidates_are_sorted_and_anchors_are_found_among_them(policy, past):
    (rows, labels, whose), rule, found = arranged(policy, 40, past)
    table = found.table[:, : 40 + past]
    order = table[Row.ORIGIN].long()
    assert sorted(order.tolist()) == list(range(40 + past))
    assert torch.equal(order[table[Row.ANCHOR, :40].long()].sort().values.cpu(), torch.arange(40))
    assert torch.equal(table[Row.CLASS].long(), labels[order])
    assert torch.equal(table[Row.SUBJECT].long(), whose[order])
    stretched = LENGTH * rows[order]
    assert torch.equal(found.parts[0, : 40 + past, :5], stretched.half())
    left = found.parts.float().sum(dim=0)[: 40 + past, :5] - stretched
    assert left.abs().max() <= LENGTH * 2**-21
    assert not found.parts[..., 5:].any()
    assert not found.parts[:, 40 + past :].any()
    is_outer = Row.SUBJECT if rule.by_subject else Row.CLASS
    outer = table[is_outer].tolist()
    both = list(zip(outer, table[Row.CLASS].tolist(), table[Row.SUBJECT].tolist(), strict=True))
    for groups, first, last in (
        (both, Row.FIRST, Row.LAST),
        (outer, Row.OUTER_FIRST, Row.OUTER_LAST),
    ):
        for place, group in enumerate(groups):
            same = [other for other, one in enumerate(groups) if one == group]
            assert (same[0], same[-1] + 1) == tuple(table[[first, last], place].tolist())
            assert len(same) == same[-1] + 1 - same[0]


def test_what_is_remembered_has_no_slope():
    _, _, found = arranged(POLICIES["subject-aware"], 40, 33)
    beyond = torch.ones(found.table.shape[1], dtype=torch.bool, device=DEVICE)
    beyond[found.table[Row.ANCHOR, :40].long()] = False
    assert torch.isinf(found.shifts[:2, beyond]).all()
    assert not found.shifts[2, beyond].any()


@pytest.mark.parametrize(
    ("policy", "most"),
    [(POLICIES["subject-aware"], 0.7), (WITHIN, 0.2), (CLASSES, 0.6), (POLICIES["supcon"], 1.0)],
    ids=["subject-aware", "within", "classes", "supcon"],
)
def test_what_a_policy_ignores_is_not_met(policy, most):
    _, rule, found = arranged(policy, 500, 0, 2, 20)
    area = float(met(found, rule, 16, 16).float().mean())
    assert area <= most
    assert (area == 1.0) == (most == 1.0)
