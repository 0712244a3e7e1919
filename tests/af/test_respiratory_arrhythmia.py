"""Breathing: what chance decides, by hand, by a loop, and on average."""

import math

import numpy as np
import pytest
import torch

from pacl.af.augmentation import RRAugmentation
from pacl.af.faults import draw_faults, put_faults
from pacl.af.respiratory_arrhythmia import (
    DEEPEST,
    LONGEST_S,
    SHORTEST_S,
    WANDERING,
    apply_respiration,
    draw_respiration,
    respiratory_draws,
)
from pacl.records import PLAUSIBLE_MS

LOW_MS, HIGH_MS = PLAUSIBLE_MS


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def decide(
    beats, *, breathes=0.0, at_first=1.0, at_last=1.0, how_long=0.0, began=0.0, wanders=0.0, moved=1
):
    """What chance would have said of one window for just this breathing."""
    numbers = torch.tensor([breathes, at_first, at_last, how_long, began, wanders])
    return torch.cat([numbers, torch.full((beats,), float(moved))]).double()[None]


def put(rr_ms, share=0.5, **decided):
    window = torch.tensor([rr_ms], dtype=torch.float64)
    return apply_respiration(window, decide(len(rr_ms), **decided), share)[0].tolist()


def test_by_hand():
    # A breath of 2.5 s and beats of 625 ms: four beats a breath, at a quarter, a half, ...
    up, down = 625 * math.exp(DEEPEST), 625 * math.exp(-DEEPEST)
    assert put([625.0] * 8) == pytest.approx([up, 625, down, 625] * 2)
    assert put([625.0] * 8, began=0.5) == pytest.approx([down, 625, up, 625] * 2)
    longest = [1000 * LONGEST_S / 4] * 4
    assert put(longest, how_long=1.0, at_first=0.0, at_last=0.0) == pytest.approx(
        [HIGH_MS] * 4  # 3 s is no plausible interval
    )


def test_depth_goes_from_one_value_to_another():
    found = put([625.0] * 9, at_first=0.0, at_last=1.0)
    assert found[0] == pytest.approx(625)
    assert found[8] == pytest.approx(625 * math.exp(DEEPEST))
    assert found[4] == pytest.approx(625 * math.exp(DEEPEST / 2))


@pytest.mark.parametrize("breathes", [0.5, 0.9])
def test_others_are_left_to_the_bit(breathes):
    rr_ms = (100 + 3000 * np.random.default_rng(0).random(50)).tolist()
    assert put(rr_ms, breathes=breathes) == rr_ms


def test_by_a_loop():
    random = np.random.default_rng(3)
    rr_ms = random.uniform(400, 1500, (20, 60))
    draws = draw_respiration(20, 60, seeded(), "cpu").double()
    found = apply_respiration(torch.from_numpy(rr_ms), draws, 0.6)
    for window, drawn, ours in zip(rr_ms, draws.tolist(), found.tolist(), strict=True):
        breathes, first, last, how_long, began, wanders, *moved = drawn
        if breathes >= 0.6:
            assert ours == window.tolist()
            continue
        breath_s = SHORTEST_S * (LONGEST_S / SHORTEST_S) ** how_long
        passed_s = astray = 0.0
        for at, (beat_ms, by) in enumerate(zip(window, moved, strict=True)):
            passed_s += beat_ms / 1000
            astray += WANDERING * wanders * (2 * by - 1)
            depth = DEEPEST * (first + (last - first) * at / 59)
            phase = 2 * math.pi * (began + passed_s / breath_s) + astray
            expected = min(max(beat_ms * math.exp(depth * math.sin(phase)), LOW_MS), HIGH_MS)
            assert ours[at] == pytest.approx(expected, rel=1e-9)


def test_so_many_breathe():
    rr_ms = torch.full((4000, 50), 800.0)
    found = apply_respiration(rr_ms, draw_respiration(4000, 50, seeded(), "cpu"), 0.3)
    assert (found != rr_ms).any(dim=1).float().mean().item() == pytest.approx(0.3, abs=0.03)
    assert apply_respiration(rr_ms, draw_respiration(4000, 50, seeded(), "cpu"), 0.0).equal(rr_ms)


def test_runs_side_by_side_breathe_as_they_do_alone():
    augmentation = RRAugmentation(respiratory_arrhythmia=0.7, faults=0.6)
    rr_ms = 300 + 1200 * torch.rand((3, 5, 100), generator=seeded())
    draws = torch.stack([augmentation.draw(5, 100, seeded(seed), "cpu") for seed in range(3)])
    together = augmentation.put(rr_ms, draws)
    for run in range(3):
        assert torch.equal(together[run], augmentation.put(rr_ms[run], draws[run]))


def test_augmentation_does_what_was_asked_and_draws_for_no_more():
    rr_ms = 300 + 1200 * torch.rand((6, 100), generator=seeded())
    breath, faults = RRAugmentation(respiratory_arrhythmia=0.7), RRAugmentation(faults=0.6)
    drawn = draw_respiration(6, 100, seeded(1), "cpu")
    assert torch.equal(breath.draw(6, 100, seeded(1), "cpu"), drawn)
    assert drawn.shape == (6, respiratory_draws(100))
    assert torch.equal(breath.put(rr_ms, drawn), apply_respiration(rr_ms, drawn, 0.7))
    drawn = draw_faults(6, 100, seeded(1), "cpu")
    assert torch.equal(faults.draw(6, 100, seeded(1), "cpu"), drawn)
    assert torch.equal(faults.put(rr_ms, drawn), put_faults(rr_ms, drawn, 0.6))
    assert RRAugmentation.of(0.0, 0.0) is None
    assert RRAugmentation().draw(6, 100, seeded(1), "cpu").shape == (6, 0)
    assert RRAugmentation().put(rr_ms, torch.empty(6, 0)) is rr_ms


def test_breathing_comes_before_faults():
    rr_ms = 300 + 1200 * torch.rand((6, 100), generator=seeded())
    both = RRAugmentation(respiratory_arrhythmia=1.0, faults=1.0)
    draws = both.draw(6, 100, seeded(2), "cpu")
    used = respiratory_draws(100)
    breathing = apply_respiration(rr_ms, draws[:, :used], 1.0)
    assert torch.equal(both.put(rr_ms, draws), put_faults(breathing, draws[:, used:], 1.0))
