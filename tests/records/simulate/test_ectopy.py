from dataclasses import replace

import numpy as np
import pytest

from pacl.records.simulate import Ectopy, Kind
from pacl.records.simulate.ectopy import (
    atrial_beats,
    disturb_fibrillation,
    disturb_sinus,
    ventricular_beats,
)

NONE = Ectopy(
    atrial=0.0,
    atrial_coupling=0.7,
    atrial_reset=1.1,
    ventricular=0.0,
    ventricular_coupling=0.6,
    scatter=0.0,
    clustering=0.5,
    patterns=0.0,
    pattern_stride=2,
    pattern_beats=50.0,
    pattern_ventricular=True,
    runs=0.0,
    run_beats=10.0,
    run_share=0.6,
    run_scatter=0.2,
    pauses=0.0,
    pause_ms=3000.0,
)


def sinus(beats: int = 20_000) -> np.ndarray:
    return (900 + 50 * np.sin(np.arange(beats) / 7)).astype(np.float32)


def test_an_atrial_beat_resets_the_sinus_node():
    rr = np.array([1000, 1000, 1000, 1000], dtype=np.float32)
    atrial_beats(rr, np.array([1]), np.array([0.7], dtype=np.float32), 1.1)
    assert rr.tolist() == pytest.approx([1000, 700, 1100, 1000])
    assert rr.sum() < 4000  # less than compensatory: what was lost stays lost


def test_a_ventricular_beat_is_fully_compensated():
    rr = np.array([1000, 1000, 900, 1000], dtype=np.float32)
    ventricular_beats(rr, np.array([1]), np.array([0.6], dtype=np.float32))
    assert rr.tolist() == pytest.approx([1000, 600, 1300, 1000])


def test_without_ectopy_nothing_changes():
    rr = sinus()
    kind = disturb_sinus(rr, NONE, np.random.default_rng(0))
    assert np.array_equal(rr, sinus())
    assert set(kind) == {Kind.SINUS}


def test_every_early_beat_has_its_pause_and_kinds_tell_where():
    both = replace(NONE, atrial=0.02, ventricular=0.02)
    before, rr = sinus(), sinus()
    kind = disturb_sinus(rr, both, np.random.default_rng(1))
    ventricular = np.flatnonzero(kind == Kind.VENTRICULAR)
    atrial = np.flatnonzero(kind == Kind.ATRIAL)
    assert ventricular.size == pytest.approx(400, rel=0.25)
    assert atrial.size == pytest.approx(400, rel=0.25)
    np.testing.assert_allclose(rr[ventricular], 0.6 * before[ventricular], rtol=1e-5)
    due = before[ventricular] + before[ventricular + 1]
    np.testing.assert_allclose(rr[ventricular] + rr[ventricular + 1], due, rtol=1e-5)
    np.testing.assert_allclose(rr[atrial], 0.7 * before[atrial], rtol=1e-5)
    np.testing.assert_allclose(rr[atrial + 1], 1.1 * before[atrial + 1], rtol=1e-5)
    after = np.sort(np.concatenate([ventricular, atrial])) + 1
    assert np.array_equal(after, np.flatnonzero(kind == Kind.COMPENSATION))
    untouched = kind == Kind.SINUS
    assert np.array_equal(rr[untouched], before[untouched])


@pytest.mark.parametrize("stride", [2, 3])
def test_bigeminy_and_trigeminy_alternate(stride):
    patterned = replace(NONE, patterns=1e-3, pattern_stride=stride)
    kind = disturb_sinus(sinus(), patterned, np.random.default_rng(2))
    apart = np.diff(np.flatnonzero(kind == Kind.VENTRICULAR))
    assert np.mean(apart == stride) > 0.9


def test_atrial_runs_are_fast_irregular_and_short():
    runs = replace(NONE, runs=1e-3)
    rr = sinus()
    kind = disturb_sinus(rr, runs, np.random.default_rng(3))
    within = kind == Kind.ATRIAL_RUN
    assert 0.005 < within.mean() < 0.03
    assert np.median(rr[within]) == pytest.approx(0.6 * 900, rel=0.1)
    assert rr[within].std() / rr[within].mean() == pytest.approx(0.2, rel=0.25)


def test_pauses_are_pauses():
    kind = disturb_sinus(rr := sinus(), replace(NONE, pauses=1e-3), np.random.default_rng(4))
    assert np.median(rr[kind == Kind.PAUSE]) == pytest.approx(3000, rel=0.2)


def test_af_knows_ventricular_beats_only():
    rr = sinus()
    loud = replace(NONE, atrial=0.1, ventricular=0.02, runs=1e-3, pauses=1e-3)
    kind = disturb_fibrillation(rr, loud, np.random.default_rng(5))
    assert set(kind) == {Kind.FIBRILLATION, Kind.VENTRICULAR, Kind.COMPENSATION}
