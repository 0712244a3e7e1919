"""A recording's windows on the map that comes along."""

import numpy as np
import pytest

from pacl.detect import Detector
from pacl.detect.bundled import KINDS
from pacl.records import Record, Rhythm, Span


def record_of(rr_ms):
    rr_ms = np.asarray(rr_ms, dtype=np.float32)
    spans = (Span(0, rr_ms.size, Rhythm.UNKNOWN),)
    return Record("p", "r", rr_ms, np.array([0]), np.array([0.0]), spans, "0", "made up")


def sinus(beats, seed=0):
    generator = np.random.default_rng(seed)
    return 850 * (1 + 0.02 * np.sin(np.arange(beats) * 0.3) + generator.normal(0, 0.012, beats))


def fibrillation(beats, seed=1):
    generator = np.random.default_rng(seed)
    return np.clip(620 * generator.lognormal(0, 0.22, beats), 250, 1900)


@pytest.fixture(scope="module", params=[name for name in KINDS if "map.json" in KINDS[name]])
def detector(request):
    return Detector(request.param)


@pytest.mark.parametrize(("make", "af"), [(sinus, False), (fibrillation, True)])
def test_a_rhythm_lies_among_patients_of_its_kind(detector, make, af):
    placed = detector.place(record_of(make(3000)))
    middle = placed.pooled.mean(axis=0)
    near = placed.reference.nearest(middle, 10)
    assert placed.reference.af[near].tolist() == [af] * 10
    assert not placed.reference.is_far(middle, af=af)
    assert (placed.reference.place(middle[None])[0, 0] > 0) == af


def test_a_device_that_repeats_a_pattern_is_far_from_all(detector):
    beats = np.where(np.arange(3000) % 4 < 2, 400, 1600)
    placed = detector.place(record_of(beats + np.random.default_rng(0).normal(0, 3, 3000)))
    for af in (False, True):
        assert placed.reference.is_far(placed.pooled.mean(axis=0), af=af)


@pytest.mark.parametrize("share", [0.04, 0.045, 0.05])
def test_white_noise_is_called_af_and_far_from_all_af(detector, share):
    noise = np.random.default_rng(0).standard_normal(1500)
    record = record_of(800 * (1 + share * noise))
    assert "AF" in detector.detect(record).verdict.removeprefix("no AF")
    placed = detector.place(record)
    assert placed.reference.is_far(placed.pooled.mean(axis=0), af=True)


def test_the_windows_are_those_that_are_judged(detector):
    """A gap after 500 beats, an implausible beat, and too few beats at the end."""
    rr_ms = np.concatenate([sinus(500), [20_000.0], sinus(230), [50.0], sinus(69), [20_000.0]])
    rr_ms = np.concatenate([rr_ms, sinus(150)])
    placed = detector.place(record_of(rr_ms))
    assert placed.first.tolist() == [0, 50, 100, 150, 200, 250, 300, 501, 551]
    assert placed.last.tolist() == [199, 249, 299, 349, 399, 449, 499, 700, 751]
    assert placed.pooled.shape == (9, placed.reference.origin.size)
    np.testing.assert_allclose(np.linalg.norm(placed.pooled, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("rr_ms", [[800.0], np.full(500, 800.0)])
def test_where_nothing_is_fit_nothing_is_placed(detector, rr_ms):
    placed = detector.place(record_of(rr_ms))
    assert len(placed.first) == len(placed.last) == len(placed.pooled) == 0
    assert placed.reference.place(placed.pooled).shape == (0, 2)
