"""Beats that cannot be trusted: kept as context, but without a decision."""

import numpy as np
import pytest

from pacl.cohort import PooledProtocol
from pacl.detect import Detector, NotJudged, adapt
from pacl.records import Record, Rhythm, Span
from pacl.rr import cut_windows


@pytest.fixture(scope="module")
def detector():
    return Detector()


def made(rr_ms, *not_judged):
    rr_ms = np.asarray(rr_ms, np.float32)
    return Record(
        patient_id="p",
        record_id="r",
        rr_ms=rr_ms,
        file_starts=np.zeros(1, np.int64),
        file_onset_s=np.zeros(1),
        spans=(Span(0, rr_ms.size, Rhythm.SR),),
        digest="d",
        source="here",
        not_judged=tuple(NotJudged(low, high, "noise") for low, high in not_judged),
    )


def af(beats):
    return np.random.default_rng(0).uniform(400, 1000, beats)


def edges_s(rr_ms, *pairs):
    """Stretches that begin and end with beats near these times."""
    ends_s = np.append(0.0, np.cumsum(np.asarray(rr_ms, np.float32), dtype=np.float64) / 1000)
    return [tuple(float(ends_s[np.searchsorted(ends_s, at)]) for at in pair) for pair in pairs]


def test_masked_time_is_not_judged_and_says_why(detector):
    rr_ms = af(600)
    whole = detector.detect(made(rr_ms))
    stretch = edges_s(rr_ms, (100.0, 112.0))
    found = detector.detect(made(rr_ms, *stretch))
    lost_s = stretch[0][1] - stretch[0][0]
    assert found.judged_s == pytest.approx(whole.judged_s - lost_s, abs=0.01)
    assert found.af_s == pytest.approx(whole.af_s - lost_s, abs=0.01)
    assert found.why_not_judged == "noise"
    assert [(one.start_s, one.end_s) for one in found.not_judged] == stretch
    middle_s = (found.start_s + found.end_s) / 2
    assert not ((middle_s > stretch[0][0]) & (middle_s < stretch[0][1])).any()


def test_the_beats_around_are_judged_as_if_nothing_was_masked(detector):
    rr_ms = af(600)
    whole, found = (
        detector.detect(made(rr_ms, *some)) for some in ((), edges_s(rr_ms, (100.0, 112.0)))
    )
    kept = np.isin(whole.start_s, found.start_s)
    assert found.probability.tolist() == whole.probability[kept].tolist()


@pytest.mark.parametrize(("noise_s", "episodes"), [(12.0, 1), (29.0, 1), (45.0, 2)])
def test_short_noise_does_not_end_an_episode(detector, noise_s, episodes):
    rr_ms = af(900)
    found = detector.detect(made(rr_ms, *edges_s(rr_ms, (200.0, 200.0 + noise_s))))
    assert len(found.episodes) == episodes
    total_s = sum(one.duration_s for one in found.episodes)
    assert found.af_s - 0.01 <= total_s <= found.af_s + 31


def test_noise_between_af_and_sinus_rhythm_belongs_to_neither(detector):
    sinus = 900 + 20 * np.sin(np.arange(400) / 3)
    rr_ms = np.concatenate([af(400), sinus])
    change_s = float(af(400).sum()) / 1000
    found = detector.detect(made(rr_ms, *edges_s(rr_ms, (change_s - 5, change_s + 15))))
    assert all(one.end_s <= change_s for one in found.episodes)


def test_masked_all_is_cannot_tell(detector):
    rr_ms = af(300)
    found = detector.detect(made(rr_ms, (0.0, float(rr_ms.sum()) / 1000 + 1)))
    assert found.verdict == "cannot tell"
    assert found.judged_share == 0
    assert found.reason == "nothing can be judged: noise"


def test_windows_for_training_reach_across_no_noise():
    rr_ms = np.full(6000, 1000.0) + 30 * np.sin(np.arange(6000))
    record = made(rr_ms, *edges_s(rr_ms, (4800.0, 4810.0)))
    windows = cut_windows(record, PooledProtocol().select(record), window_beats=50, stride=50)
    aside = record.cannot_be_judged()
    assert windows.start.size
    for start in windows.start:
        raw = windows.raw_index[start : start + 50]
        assert not aside[raw].any()
        assert raw[-1] - raw[0] == 49


def test_noise_does_not_count_for_the_least_duration_of_an_episode(detector):
    """Eight seconds of AF on both sides of half a minute of noise are no AF of 30 s."""
    sinus = 900 + 20 * np.sin(np.arange(300) / 3)
    some_af = af(64)
    rr_ms = np.concatenate([sinus, some_af, sinus])
    begins_s = float(sinus.sum()) / 1000
    ends_s = begins_s + float(some_af.sum()) / 1000
    plain = detector.detect(made(rr_ms))
    assert plain.verdict == "AF"
    found = detector.detect(made(rr_ms, *edges_s(rr_ms, (begins_s + 9, ends_s - 9))))
    assert found.verdict == "possible AF"
    assert "without noise" in found.reason
    (one,) = found.episodes
    assert one.not_judged_s == pytest.approx(ends_s - begins_s - 18, abs=2)
    assert found.to_dict()["episodes"][0]["not_judged_s"] > 20


def test_time_without_beats_counts_as_recorded(detector):
    rr_ms = 900 + 20 * np.sin(np.arange(300) / 3)
    lasts_s = float(rr_ms.sum()) / 1000
    found = detector.detect(made(rr_ms, (lasts_s, lasts_s + 3600.0)))
    assert found.recorded_s == pytest.approx(lasts_s + 3600, abs=0.1)
    assert found.duration_s == pytest.approx(lasts_s + 3600, abs=0.1)
    assert found.verdict == "cannot tell"


def test_noise_is_no_evidence_about_a_person():
    rr_ms = 900 + 20 * np.sin(np.arange(1200) / 3)
    lasts_s = float(rr_ms.sum()) / 1000
    plain = adapt(made(rr_ms), sinus=[(0.0, lasts_s)])
    half = adapt(made(rr_ms, *edges_s(rr_ms, (0.0, lasts_s / 2))), sinus=[(0.0, lasts_s)])
    evidence = [one.of("look-ahead").sinus.amount for one in (plain, half)]
    assert evidence[1] == pytest.approx(evidence[0] / 2, rel=0.1)


def test_windows_are_scaled_without_noise():
    rr_ms = np.full(6000, 1000.0) + 30 * np.sin(np.arange(6000))
    rr_ms[500:3000] = np.random.default_rng(1).uniform(300, 1500, 2500)
    noise_s = edges_s(rr_ms, (499.0, 501.0 + float(rr_ms[500:3000].sum()) / 1000))
    with_noise, masked = (
        cut_windows(one, PooledProtocol().select(one), window_beats=50, stride=50).scale_ms[0]
        for one in (made(rr_ms), made(rr_ms, *noise_s))
    )
    assert masked < 0.6 * with_noise
