"""The ECG in pieces of a minute, as the page reads them."""

import numpy as np
import pytest

from pacl.ecg import Ecg, Segment
from pacl.report.recording import ecg_samples
from pacl.report.recording.ecg_samples import (
    MISSING,
    ecg_values,
    millivolts,
    packed_ecg,
    packed_minute,
)


def ecg_of(*segments, fs_hz=10.0, leads=("I", "II")):
    """Segments of (onset_s, samples); each lead counts up, the second from 0.1 mV on."""
    made = []
    for onset_s, samples in segments:
        first = 0.001 * np.arange(samples, dtype=np.float32)
        made.append(Segment(onset_s, np.stack([first + 0.1 * n for n in range(len(leads))])))
    return Ecg(fs_hz, leads, tuple(made), "digest", "made")


def unpacked(content, leads=2):
    return np.frombuffer(content, "<i2").reshape(leads, -1)


def test_minutes_follow_each_other_without_gap_or_overlap():
    ecg = ecg_of((0.0, 1500))
    pieces = [unpacked(packed_minute(ecg, number)) for number in range(4)]
    assert [one.shape[1] for one in pieces] == [600, 600, 300, 0]
    whole = np.concatenate(pieces, axis=1)
    assert whole[0].tolist() == list(range(1500))
    assert whole[1].tolist() == list(range(100, 1600))
    assert np.array_equal(unpacked(packed_ecg(ecg)), whole)


@pytest.mark.parametrize("fs_hz", [128.0, 130.5, 249.9, 360.0, 499.907, 1000 / 7])
def test_no_sample_is_lost_at_any_rate(fs_hz):
    samples = int(200 * fs_hz)
    ecg = ecg_of((0.0, samples), fs_hz=fs_hz, leads=("I",))
    pieces = [unpacked(packed_minute(ecg, number), 1) for number in range(4)]
    found = np.concatenate(pieces, axis=1)[0]
    assert found.tolist() == np.minimum(np.arange(samples), -MISSING - 1).tolist()
    for number, piece in enumerate(pieces):
        assert piece[0, 0] == min(np.ceil(number * 60 * fs_hz - 1e-6), -MISSING - 1)


def test_what_is_missing_is_marked():
    ecg = ecg_of((1.0, 100), (30.0, 50))
    ecg.segments[0].millivolts[1, 3] = np.nan
    found = unpacked(packed_minute(ecg, 0))
    assert found.shape[1] == 350
    assert (found[:, :10] == MISSING).all()
    assert found[0, 10:110].tolist() == list(range(100))
    assert found[1, 13] == MISSING
    assert (found[:, 110:300] == MISSING).all()
    assert found[0, 300:].tolist() == list(range(50))


def test_values_that_are_too_large_stay_at_the_bound():
    ecg = ecg_of((0.0, 3))
    ecg.segments[0].millivolts[0] = [-50.0, 50.0, 0.0]
    assert unpacked(packed_minute(ecg, 0))[0].tolist() == [-32767, 32767, 0]


def test_any_stretch_can_be_taken():
    ecg = ecg_of((0.0, 100))
    assert millivolts(ecg, 2.0, 2.5).shape == (2, 5)
    assert np.isnan(millivolts(ecg, -1.0, 0.0)).all()
    assert millivolts(ecg, 5.0, 5.0).shape == (2, 0)
    assert millivolts(ecg, 9.0, 5.0).shape == (2, 0)


def test_a_long_ecg_is_left_out_of_a_page(monkeypatch):
    ecg = ecg_of((0.0, 600))
    monkeypatch.setattr(ecg_samples, "MOST_SAMPLES", 1199)
    assert packed_ecg(ecg) is None
    monkeypatch.setattr(ecg_samples, "MOST_SAMPLES", 1200)
    assert len(packed_ecg(ecg)) == 2400


def test_the_page_knows_leads_and_rate():
    assert ecg_values(ecg_of((0.0, 1))) == {"leads": ["I", "II"], "fs_hz": 10.0}
