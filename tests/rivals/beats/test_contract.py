"""What every method that judges beats keeps to: the published ones and those that learn."""

import pickle

import numpy as np
import pytest
import torch

from pacl.af.beats import (
    ROBUST,
    BeatLine,
    BeatSampler,
    BeatTraining,
    LabelledRecord,
    label_beats,
    train_beats,
)
from pacl.af.networks.beat_lstm import BeatLSTM
from pacl.records import Record, Rhythm, Span
from pacl.rivals.beats import PUBLISHED, BeatRival, BeatRivalError, Boosted, Lian, OfNetwork
from support.refusals import refused

PLAIN = (*PUBLISHED, Lian(32), Lian(64))
NAMES = ("boosted", "lstm", *range(len(PLAIN)))
LEARNING = BeatTraining(steps=40, subjects=4, crops=2, beats=32, learning_rate=3e-2, averaged=0.8)


def sinus(beats, seed=0):
    """Breathing and a little noise."""
    rng = np.random.default_rng(seed)
    breath = 0.03 * np.sin(2 * np.pi * np.arange(beats) / 4.7)
    return (800 * np.exp(breath + 0.01 * rng.standard_normal(beats))).astype(np.float32)


def fibrillation(beats, seed=0):
    """No interval follows from the one before."""
    rng = np.random.default_rng(seed)
    return (700 * np.exp(0.22 * rng.standard_normal(beats))).astype(np.float32)


def patient(seed):
    rr_ms = np.concatenate([sinus(400, seed), fibrillation(400, seed)])
    spans = (Span(0, 400, Rhythm.SR), Span(400, 800, Rhythm.AF))
    name = f"p{seed}"
    record = Record(name, name, rr_ms, np.zeros(1, np.int64), np.zeros(1), spans, "", name)
    return LabelledRecord("made", record, label_beats(record))


@pytest.fixture(scope="module")
def line():
    return BeatLine.of([patient(seed) for seed in range(4)], apart=200)


@pytest.fixture(scope="module")
def rivals(line):
    torch.set_num_threads(1)
    sampler = BeatSampler(line, {"made": 1.0})
    boosted = Boosted().fit(line, sampler, (), torch.Generator().manual_seed(0), windows=300)
    network = BeatLSTM(8, 8, 16, 9, torch.Generator().manual_seed(0))
    train_beats(network, line, sampler, (), LEARNING, torch.Generator().manual_seed(0))
    return {"boosted": boosted, "lstm": OfNetwork(network, "LSTM"), **dict(enumerate(PLAIN))}


every_rival = pytest.mark.parametrize("name", NAMES)


@every_rival
def test_one_finite_number_for_each_beat(rivals, name):
    rival = rivals[name]
    assert isinstance(rival, BeatRival)
    for beats in (rival.least_beats, rival.least_beats + 1, 701):
        rr_ms = fibrillation(beats)
        given = rr_ms.copy()
        logits = rival.logits(rr_ms)
        assert logits.shape == (beats,)
        assert logits.dtype == np.float64
        assert np.isfinite(logits).all()
        assert (rr_ms == given).all()


@every_rival
def test_sinus_rhythm_is_not_af_and_fibrillation_is(rivals, name):
    assert (rivals[name].logits(sinus(900, seed=50)) > 0).mean() < 0.05
    assert (rivals[name].logits(fibrillation(900, seed=50)) > 0).mean() > 0.9


@every_rival
def test_an_episode_is_found_where_it_is(rivals, name):
    rr_ms = np.concatenate([sinus(600, 60), fibrillation(600, 60), sinus(600, 61)])
    af = rivals[name].logits(rr_ms) > 0
    assert af[700:1100].mean() > 0.9
    assert af[:500].mean() < 0.05
    assert af[1300:].mean() < 0.05


@every_rival
def test_far_from_where_a_recording_is_cut_nothing_changes(rivals, name):
    rr_ms = np.concatenate([sinus(1000, 70), fibrillation(1000, 70), sinus(1000, 71)])
    whole, part = rivals[name].logits(rr_ms), rivals[name].logits(rr_ms[500:2500])
    np.testing.assert_allclose(part[600:-600], whole[1100:-1100], atol=1e-3)


@every_rival
def test_a_copy_through_a_file_says_the_same(rivals, name):
    copy = pickle.loads(pickle.dumps(rivals[name]))
    rr_ms = fibrillation(300)
    assert (copy.logits(rr_ms) == rivals[name].logits(rr_ms)).all()


@every_rival
def test_too_few_beats_are_refused(rivals, name):
    least = rivals[name].least_beats
    with refused(BeatRivalError, f"{least - 1} beats", least):
        rivals[name].logits(fibrillation(least - 1))


@every_rival
@pytest.mark.parametrize("wrong", [0.0, -5.0, np.nan, np.inf])
def test_what_is_no_interval_is_refused(rivals, name, wrong):
    rr_ms = fibrillation(300)
    rr_ms[17] = wrong
    with refused(BeatRivalError, "beat 17"):
        rivals[name].logits(rr_ms)


def test_augmented_crops_can_be_learned_from(line):
    """Both that learn take what the network takes."""
    sampler, generator = BeatSampler(line, {"made": 1.0}), torch.Generator().manual_seed(1)
    boosted = Boosted().fit(line, sampler, ROBUST, generator, windows=50)
    assert boosted.window_logits(np.stack([fibrillation(200), sinus(200)])).shape == (2,)
    few = BeatTraining(steps=3, subjects=2, crops=2, beats=16)
    network = BeatLSTM(4, 4, 8, 9)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    train_beats(network, line, sampler, ROBUST, few, generator)
    assert any((value != before[name]).any() for name, value in network.state_dict().items())
