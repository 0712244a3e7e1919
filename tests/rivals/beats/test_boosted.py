"""Windows that are drawn to learn from, and logits between windows."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from pacl.af.beats import BeatLine, BeatSampler, LabelledRecord, label_beats
from pacl.features import HRV_NAMES
from pacl.records import Record, Rhythm, Span
from pacl.rivals.beats import BeatRivalError, Boosted
from pacl.rivals.beats.boosted import LabelledWindows, draw_windows, window_features
from support.refusals import refused

MEAN = HRV_NAMES.index("MeanNN")


@dataclass
class MeanInterval:
    """Stands for trees: a logit that is the mean interval, in tens of ms."""

    def decision_function(self, features):
        return features[:, MEAN] / 10


def line_of(*spans, beats=900):
    rr_ms = np.linspace(600, 900, beats).astype(np.float32)
    record = Record("p", "p", rr_ms, np.zeros(1, np.int64), np.zeros(1), spans, "", "p")
    return BeatLine.of([LabelledRecord("made", record, label_beats(record))], apart=200)


def drawn(line, windows=64):
    sampler = BeatSampler(line, {"made": 1.0})
    return draw_windows(line, sampler, (), torch.Generator().manual_seed(0), windows)


def test_as_many_windows_as_asked_for():
    found = drawn(line_of(Span(0, 450, Rhythm.SR), Span(450, 900, Rhythm.AF)))
    assert found.rr_ms.shape == (64, 200)
    assert 0 < found.af.sum() < 64


def test_a_window_is_af_where_half_of_its_beats_are():
    line = line_of(Span(0, 450, Rhythm.SR), Span(450, 900, Rhythm.AF))
    found = drawn(line)
    af_ms = line.rr_ms[line.label == 1].min().item()  # intervals grow: AF is where they are long
    assert (found.af == ((found.rr_ms >= af_ms).mean(axis=1) >= 0.5)).all()


def test_no_window_has_an_unknown_or_absent_beat():
    edges = (0, 210, 500, 710, 900)
    rhythms = (Rhythm.SR, Rhythm.UNKNOWN, Rhythm.AF, Rhythm.UNKNOWN)
    line = line_of(*map(Span, edges[:-1], edges[1:], rhythms))
    known = line.rr_ms[line.present & (line.label < 2)].numpy()
    assert 0 < known.size < 900
    assert np.isin(drawn(line).rr_ms, known).all()


def test_without_long_stretches_there_is_nothing_to_learn_from():
    with refused(BeatRivalError, "200 beats"):
        drawn(line_of(Span(0, 150, Rhythm.SR), Span(150, 900, Rhythm.UNKNOWN)))


def test_windows_of_one_kind_are_refused():
    windows = LabelledWindows(np.full((9, 200), 800, np.float32), np.ones(9, np.bool_))
    with refused(BeatRivalError, "9 windows, 9 of them AF"):
        Boosted().fit_windows(windows)


def test_logits_between_windows_lie_on_straight_lines():
    """Intervals that grow evenly: so does the mean, between the middles of the outer windows."""
    rr_ms = np.linspace(600, 900, 433).astype(np.float32)
    logits = Boosted(model=MeanInterval()).logits(rr_ms)
    assert logits[100:-100] == pytest.approx(rr_ms[100:-100] / 10, abs=1e-3)
    assert logits[:100] == pytest.approx(np.full(100, rr_ms[:200].mean() / 10), abs=1e-3)
    assert logits[-100:] == pytest.approx(np.full(100, rr_ms[-200:].mean() / 10), abs=1e-3)


def test_windows_can_be_judged_alone():
    windows = np.stack([np.full(200, 700.0), np.full(200, 900.0)])
    assert Boosted(model=MeanInterval()).window_logits(windows) == pytest.approx([70, 90])
    with refused(BeatRivalError, "199 beats", 200):
        Boosted(model=MeanInterval()).window_logits(windows[:, 1:])


def test_before_it_has_learned_it_says_so():
    with refused(BeatRivalError, "fit"):
        Boosted().window_logits(np.full((1, 200), 800.0))


def test_intervals_are_brought_within_plausible_lengths():
    """A made-up beat may leave an interval of no length; features have none for it."""
    odd, clipped = (np.tile([800.0, short, 810.0, 790.0], (1, 50)) for short in (1.0, 150.0))
    assert (window_features(odd) == window_features(clipped)).all()
