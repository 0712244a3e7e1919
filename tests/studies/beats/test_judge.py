"""Figures of a cohort, by hand."""

import numpy as np
import pytest

from pacl.af.beats import BeatLine, LabelledRecord, label_beats
from pacl.records import Rhythm, Span, open_records
from pacl.studies.beats.calibrate import fit_slope
from pacl.studies.beats.cohorts import BeatCohort, draw_weights
from pacl.studies.beats.judge import MOST, beat_scores, log_losses
from pacl.studies.errors import RunError
from support.beat_cohorts import cohort, record_of
from support.refusals import refused


def line_of(*records):
    return BeatLine.of([LabelledRecord("x", one, label_beats(one)) for one in records], apart=5)


def beats(patient, rhythms, rr_ms=1000.0):
    spans = tuple(Span(at, at + 1, one) for at, one in enumerate(rhythms))
    return record_of(patient, np.full(len(rhythms), rr_ms, np.float32), spans)


def test_log_loss_is_the_mean_of_each_patient():
    line = line_of(beats("p", [Rhythm.SR, Rhythm.AF]), beats("q", [Rhythm.AF]))
    logits = np.zeros(line.rr_ms.numel(), np.float32)
    logits[line.subject == 1] = 50.0
    found = log_losses(line, logits)
    assert found["p"] == pytest.approx(np.log(2))
    assert found["q"] == pytest.approx(-np.log(MOST))


def test_time_and_false_af_by_hand():
    line = line_of(beats("p", [Rhythm.SR] * 4 + [Rhythm.AF] * 2))
    af = np.zeros(line.rr_ms.numel(), np.bool_)
    there = np.flatnonzero(line.present.numpy())
    af[there[[3, 4]]] = True  # one wrong, one right
    found = beat_scores(line, np.zeros(af.size, np.float32), af)
    assert found.sensitivity == pytest.approx(0.5)
    assert found.predictivity == pytest.approx(0.5)
    assert found.false_af_h_per_day == pytest.approx(24 / 4)


def test_sinus_rhythm_and_few_patients_are_not_most_of_a_batch():
    found = draw_weights([cohort("a", 16), cohort("sinus", 9, af=False), cohort("few", 9)])
    total = 4 + 3 + 3
    assert found == pytest.approx({"a": 4.0, "sinus": 0.15 * total, "few": 0.03 * total})


def test_a_slope_makes_logits_worth_what_they_say():
    generator = np.random.default_rng(0)
    log_odds = generator.normal(0, 3, 40_000)
    right = generator.random(log_odds.size) < 1 / (1 + np.exp(-log_odds))
    signed = np.where(right, 1, -1) * log_odds / 2  # logits that say half of it
    assert fit_slope(signed) == pytest.approx(2.0, rel=0.05)


def test_logits_without_an_error_cannot_be_calibrated():
    with refused(RunError, "calibration"):
        fit_slope(np.ones(100))


def test_a_cohort_without_any_known_rhythm_is_refused(tmp_path):
    path = tmp_path / "night.txt"
    path.write_text("\n".join(["812", "790", "805"] * 20))
    with refused(RunError, "unmarked"):
        BeatCohort.read("x", open_records(path))
