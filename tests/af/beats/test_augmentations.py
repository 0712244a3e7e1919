"""What is done to crops: one contract that all augmentations pass, and what each is for."""

import math
from dataclasses import fields, replace

import pytest
import torch

from pacl.af.beats import (
    ROBUST,
    UNKNOWN,
    Crops,
    Drift,
    Ectopy,
    Excerpt,
    MissedBeats,
    Pacing,
    Rate,
    RateStep,
    Respiration,
    Runs,
    Splice,
    TimingNoise,
)

BEATS = 400


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def made(crops=64, label=None, spread=0.03, seed=1):
    """Crops of which the first half is AF, all with absent and unknown beats at their ends."""
    drawn = torch.randn(crops, BEATS, generator=seeded(seed))
    labels = torch.zeros(crops, BEATS, dtype=torch.uint8)
    labels[: crops // 2] = 1
    if label is not None:
        labels[:] = label
    labels[:, -20:] = UNKNOWN
    present = torch.ones(crops, BEATS, dtype=torch.bool)
    present[:, :10] = False
    return Crops(800 * torch.exp(spread * drawn), present, labels)


def heard(crops):
    return crops.rr_ms * crops.present


def off(augmentation):
    shares = {one.name: 0.0 for one in fields(augmentation) if one.name in ("share", "on_grid")}
    return replace(augmentation, **shares)


def always(kind, **given):
    return kind(share=1.0, **given)


@pytest.mark.parametrize("augmentation", ROBUST, ids=lambda one: type(one).__name__)
class TestContract:
    def test_keeps_shapes_kinds_and_sense(self, augmentation):
        crops = made()
        found = augmentation(crops, seeded())
        assert found.shape == crops.shape
        assert found.present.dtype == torch.bool
        assert found.label.dtype == torch.uint8
        assert torch.isfinite(found.rr_ms).all()
        assert (found.rr_ms >= 0).all()
        assert set(found.label.unique().tolist()) <= {0, 1, UNKNOWN}

    def test_does_something(self, augmentation):
        crops = made()
        changed = (heard(augmentation(crops, seeded())) != heard(crops)).any(dim=1)
        assert changed.any()

    def test_without_a_share_nothing_is_done(self, augmentation):
        crops = made()
        found = off(augmentation)(crops, seeded())
        for name in ("rr_ms", "present", "label"):
            assert torch.equal(getattr(found, name), getattr(crops, name)), name

    def test_the_share_is_kept(self, augmentation):
        crops = made(crops=2000)
        half = replace(off(augmentation), share=0.5)
        changed = (heard(half(crops, seeded())) != heard(crops)).any(dim=1).float().mean()
        assert 0.1 < changed < 0.55  # of some crops nothing can be changed

    def test_the_same_chance_gives_the_same_crops(self, augmentation):
        one, other = (augmentation(made(), seeded(3)) for _ in range(2))
        assert torch.equal(heard(one), heard(other))
        assert not torch.equal(heard(one), heard(augmentation(made(), seeded(4))))

    def test_what_is_absent_is_never_made_present(self, augmentation):
        crops = made()
        found = augmentation(crops, seeded())
        assert found.present.sum() <= crops.present.sum() * 1.15  # beats may be made up
        assert not found.present[:, :8].any()

    def test_crops_are_not_changed_in_place(self, augmentation):
        crops, before = made(), made()
        augmentation(crops, seeded())
        assert torch.equal(crops.rr_ms, before.rr_ms)
        assert torch.equal(crops.label, before.label)


def test_a_rate_scales_all_alike():
    crops = made()
    ratio = always(Rate)(crops, seeded()).rr_ms / crops.rr_ms
    torch.testing.assert_close(ratio, ratio[:, :1].expand_as(ratio))
    assert ratio.max() <= math.exp(0.3) + 1e-4


def test_a_drift_is_slow():
    crops = made(spread=0.0)
    rr_ms = always(Drift)(crops, seeded()).rr_ms
    assert (torch.diff(rr_ms, dim=1).abs() / rr_ms[:, 1:]).max() < 0.02
    assert (rr_ms.std(dim=1) / rr_ms.mean(dim=1)).max() > 0.05


def test_a_step_is_one_step():
    rr_ms = always(RateStep)(made(spread=0.0), seeded()).rr_ms
    assert ((torch.diff(rr_ms, dim=1) != 0).sum(dim=1) <= 1).all()


def test_respiration_is_weaker_in_af():
    crops = made(spread=0.0)
    rr_ms = always(Respiration)(crops, seeded()).rr_ms
    spread = (rr_ms.std(dim=1) / rr_ms.mean(dim=1)).reshape(2, -1).mean(dim=1)
    assert spread[0] < 0.6 * spread[1]
    assert spread[1] > 0.05


def test_premature_beats_are_single_and_in_both_rhythms():
    crops = made(crops=400, spread=0.0)
    rr_ms = always(Ectopy)(crops, seeded()).rr_ms
    early = rr_ms < 795
    assert not (early[:, 1:] & early[:, :-1]).any()
    by_rhythm = early.float().mean(dim=1).reshape(2, -1).mean(dim=1)
    assert 0.6 < by_rhythm[0] / by_rhythm[1] < 1.6
    assert by_rhythm.min() > 0.02


def test_most_premature_beats_are_made_up_for():
    crops = made(crops=400, spread=0.0)
    rr_ms = always(Ectopy)(crops, seeded()).rr_ms
    ectopic = (rr_ms != crops.rr_ms).any(dim=1)
    kept_time = (rr_ms.sum(dim=1) - crops.rr_ms.sum(dim=1)).abs() < 1
    assert 0.5 < (kept_time & ectopic).float().sum() / ectopic.sum() < 0.75


def test_runs_are_regular_fast_and_never_in_af():
    crops = made(spread=0.0)
    rr_ms = always(Runs)(crops, seeded()).rr_ms
    fast = rr_ms < 700
    assert not fast[crops.label == 1].any()
    assert 3 <= fast.sum(dim=1).max() <= 28
    within = rr_ms[fast].reshape(-1)
    assert within.min() > 240


def test_pacing_takes_variation_from_all_but_af():
    crops = made(spread=0.1)
    found = always(Pacing)(crops, seeded())
    assert torch.equal(found.rr_ms[crops.label == 1], crops.rr_ms[crops.label == 1])
    before, after = (one.rr_ms[32:, 20:360].std(dim=1) for one in (crops, found))
    assert (after < 0.6 * before).all()


def test_a_spliced_piece_brings_its_label():
    crops = made(crops=200)
    found = always(Splice)(crops, seeded())
    changed = found.label != crops.label
    assert changed.any(dim=1).float().mean() > 0.2
    assert (found.rr_ms[changed] != crops.rr_ms[changed]).float().mean() > 0.95
    assert not changed[crops.label == UNKNOWN].any()
    longest = changed.sum(dim=1).max()
    assert longest <= 150


def test_missed_beats_join_intervals_and_keep_time():
    crops = made(crops=200, spread=0.0)
    found = always(MissedBeats)(crops, seeded())
    touched = (found.rr_ms != crops.rr_ms).any(dim=1)
    assert touched.float().mean() > 0.5
    inner = found.rr_ms[found.present & (found.rr_ms > 0)]
    assert (inner > 1550).any()  # two intervals became one
    assert (inner < 650).any()  # and one became two
    ends = torch.where(found.present, found.rr_ms, 0.0).sum(dim=1)
    assert (ends <= crops.rr_ms.sum(dim=1) + 1).all()


def test_labels_stay_with_their_beats_when_beats_are_missed():
    crops = made(crops=50, spread=0.0)
    crops.label[:, 100:200] = 1
    crops.label[:, 200:] = 0
    crops.label[:, :100] = 0
    found = always(MissedBeats)(crops, seeded())
    at_ms = found.rr_ms.cumsum(dim=1)
    is_af = (found.label == 1) & found.present
    assert at_ms[is_af].min() >= 100 * 800 - 1
    assert at_ms[is_af].max() <= 200 * 800 + 1


def test_timing_noise_is_of_beats_not_of_intervals():
    """Neighbouring intervals share a beat: what one gains the other loses."""
    crops = made(crops=100, spread=0.0)
    noise = always(TimingNoise, on_grid=0.0)(crops, seeded()).rr_ms - 800
    noise = noise[:, 20:]
    lag = (noise[:, 1:] * noise[:, :-1]).mean() / noise.square().mean()
    assert lag == pytest.approx(-0.5, abs=0.05)
    assert noise.std(dim=1).max() < 2 * 35


def test_beats_on_a_grid_lie_on_it():
    crops = made(crops=300)
    rr_ms = TimingNoise(share=0.0, on_grid=1.0)(crops, seeded()).rr_ms
    coarse = (rr_ms / 62.5 - torch.round(rr_ms / 62.5)).abs() < 0.01
    assert coarse.all(dim=1).any()


def test_an_excerpt_is_one_stretch_and_nothing_else_changes():
    crops = made()
    found = always(Excerpt, longest=100)(crops, seeded())
    edges = (found.present[:, 1:] != found.present[:, :-1]).sum(dim=1)
    assert (edges <= 2).all()
    lengths = found.present.sum(dim=1)
    assert lengths.min() >= 20
    assert lengths.max() <= 101
    assert torch.equal(found.rr_ms, crops.rr_ms)
    assert torch.equal(found.label, crops.label)
