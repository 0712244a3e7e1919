"""The ECG around a moment: what is shown, and that it can be drawn."""

import numpy as np
import pytest

from pacl.ecg import Ecg, Segment, find_beats
from pacl.errors import PaclError
from pacl.records import record_from_beats
from pacl.report import compute_ecg_picture, draw_ecg_picture
from pacl.testing import made_ecg
from support.refusals import refused

FS = 200.0
AT_S = np.arange(1.0, 119.0, 0.9)
SIGNAL = made_ecg(AT_S, FS, 120.0)


@pytest.fixture(scope="module")
def found():
    """Two minutes of two leads with a gap of five seconds, and noise in one place."""
    noisy = np.concatenate([SIGNAL, 0.5 * SIGNAL])
    low, high = int(90 * FS), int(105 * FS)
    noisy[:, low:high] += np.random.default_rng(0).standard_normal((2, high - low))
    noisy = noisy.astype(np.float32)
    cut = int(60 * FS)
    segments = (Segment(0.0, noisy[:, :cut]), Segment(65.0, noisy[:, cut:]))
    ecg = Ecg(FS, ("I", "II"), segments, "d", "here")
    return record_from_beats(ecg, find_beats(ecg), "r", "p"), ecg


def test_it_shows_the_time_around_the_moment(found):
    picture = compute_ecg_picture(*found, at_s=30.0, length_s=20.0)
    assert (picture.start_s, picture.end_s) == (20.0, 40.0)
    assert picture.millivolts.shape == (2, 20 * FS)
    assert set(picture.leads) == {"I", "II"}
    first = picture.leads.index("I")
    assert picture.millivolts[first] == pytest.approx(SIGNAL[0, int(20 * FS) : int(40 * FS)])
    wanted = AT_S[(AT_S >= 20) & (AT_S < 40)]
    assert picture.beats_s == pytest.approx(wanted, abs=0.01)
    assert picture.rr_ms == pytest.approx(np.full(wanted.size, 900.0), abs=6)
    assert picture.not_judged == ()


def test_what_was_not_recorded_is_empty_and_no_interval_spans_it(found):
    picture = compute_ecg_picture(*found, at_s=62.0, length_s=20.0)
    gap = np.isnan(picture.millivolts[0])
    assert gap.sum() == 5 * FS
    last = np.flatnonzero(picture.beats_s < 60)[-1]
    assert np.isnan(picture.rr_ms[last])
    assert (picture.rr_ms[~np.isnan(picture.rr_ms)] < 1000).all()


def test_noise_is_part_of_it(found):
    picture = compute_ecg_picture(*found, at_s=100.0)
    assert picture.not_judged
    assert all(one.start_s < picture.end_s for one in picture.not_judged)


@pytest.mark.parametrize(("at_s", "start_s"), [(0.0, 0.0), (125.0, 95.0)])
def test_at_the_ends_it_stays_within_the_ecg(found, at_s, start_s):
    assert compute_ecg_picture(*found, at_s=at_s).start_s == start_s


def test_a_moment_outside_is_refused(found):
    with refused(PaclError, "--at", "126", "125"):
        compute_ecg_picture(*found, at_s=126.0)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_it_can_be_drawn(found, tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    draw_ecg_picture(compute_ecg_picture(*found, at_s=98.0, length_s=12.0), path)
    assert path.stat().st_size > 5000
    if ending == "svg":
        assert "noise in the ECG" in path.read_text()
