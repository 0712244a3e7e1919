"""Recordings in one line, and places drawn from it."""

import numpy as np
import pytest
import torch

from pacl.af.beats import UNKNOWN, BeatLine, BeatSampler, LabelledRecord, label_beats
from pacl.records import Record, Rhythm, Span
from pacl.training import SamplerError, TrainingError
from support.refusals import refused

APART = 7


def made(name, patient, spans, rr_ms=None):
    beats = spans[-1].stop
    rr = np.full(beats, 800, np.float32) if rr_ms is None else np.asarray(rr_ms, np.float32)
    return Record(patient, name, rr, np.zeros(1, np.int64), np.zeros(1), tuple(spans), "", name)


def labelled(database, record):
    return LabelledRecord(database, record, label_beats(record))


SR_AF = [Span(0, 50, Rhythm.SR), Span(50, 80, Rhythm.AF), Span(80, 120, Rhythm.SR)]


def test_labels_leave_flutter_and_the_unknown_out():
    spans = [
        Span(0, 3, Rhythm.UNKNOWN),
        Span(3, 6, Rhythm.SR, "(N"),
        Span(6, 9, Rhythm.AF, "(AFIB"),
        Span(9, 12, Rhythm.OTHER, "(AFL"),
        Span(12, 15, Rhythm.OTHER, "(B"),
    ]
    expected = [UNKNOWN] * 3 + [0] * 3 + [1] * 3 + [UNKNOWN] * 3 + [0] * 3
    assert label_beats(made("a", "a", spans)).tolist() == expected


def test_stretches_are_parted_by_absent_beats():
    rr_ms = [800.0] * 4 + [20_000.0] + [700.0] * 3
    gap = made("a", "a", [Span(0, 8, Rhythm.SR)], rr_ms)
    line = BeatLine.of([labelled("x", gap)], APART)
    parts = [False] * APART + [True] * 4 + [False] * APART + [True] * 3 + [False] * APART
    assert line.present.tolist() == parts
    assert line.rr_ms[line.present].tolist() == [800.0] * 4 + [700.0] * 3
    assert (line.label[~line.present] == UNKNOWN).all()
    assert (line.record[~line.present.numpy()] == -1).all()


def test_crops_beyond_the_line_are_absent():
    line = BeatLine.of([labelled("x", made("a", "a", SR_AF))], APART)
    crops = line.crops(torch.tensor([-50, line.rr_ms.numel() + 3]), 20)
    assert not crops.present.any()


def test_records_of_a_patient_are_one_subject():
    records = [("201", "201"), ("202", "201"), ("203", "203")]
    line = BeatLine.of([labelled("m", made(name, who, SR_AF)) for name, who in records], APART)
    assert line.subjects == (("m", "201"), ("m", "203"))
    assert [who for who in np.unique(line.subject) if who >= 0] == [0, 1]


def test_patients_of_two_databases_are_two_subjects():
    line = BeatLine.of([labelled(name, made("1", "1", SR_AF)) for name in "xy"], APART)
    assert line.subjects == (("x", "1"), ("y", "1"))


def test_nothing_to_learn_from_is_said():
    with pytest.raises(TrainingError):
        BeatLine.of([], APART)


@pytest.fixture
def line():
    only_sr = [Span(0, 60, Rhythm.SR)]
    members = [("x", f"x{at}", SR_AF) for at in range(3)] + [("y", "y0", only_sr)]
    return BeatLine.of([labelled(db, made(who, who, spans)) for db, who, spans in members], APART)


def drawn(line, weights, seed=0, **given):
    sampler = BeatSampler(line, weights, **given)
    return sampler.draw(2000, 2, torch.Generator().manual_seed(seed))


def test_databases_are_drawn_by_weight_and_their_subjects_alike(line):
    who, _ = drawn(line, {"x": 3.0, "y": 1.0})
    shares = torch.bincount(who, minlength=4) / who.numel()
    assert shares.tolist() == pytest.approx([0.25] * 4, abs=0.03)


def test_a_database_without_a_weight_is_never_drawn(line):
    who, places = drawn(line, {"x": 1.0})
    assert who.max() == 2
    assert (line.subject[places.numpy()] == who.numpy()).all()


def test_places_are_changes_af_and_the_rest(line):
    _, places = drawn(line, {"x": 1.0})
    label = line.label.numpy()
    at = places.numpy()
    change = label[at] != label[at - 1]
    assert change.mean() == pytest.approx(0.5, abs=0.06)
    assert (label[at][~change] == 1).mean() == pytest.approx(0.5, abs=0.06)


def test_subjects_without_af_are_drawn_where_they_are(line):
    _, places = drawn(line, {"y": 1.0})
    assert (line.label[places] == 0).all()


def test_every_place_can_be_drawn(line):
    _, places = drawn(line, {"y": 1.0})
    assert set(places.tolist()) == set(np.flatnonzero(line.subject == 3).tolist())


def test_an_unknown_database_is_named(line):
    with refused(SamplerError, "z;"):
        BeatSampler(line, {"z": 1.0})


def test_nothing_labelled_is_said():
    unknown = made("a", "a", [Span(0, 40, Rhythm.UNKNOWN)])
    with refused(SamplerError, "label"):
        BeatSampler(BeatLine.of([labelled("x", unknown)], APART), {"x": 1.0})
