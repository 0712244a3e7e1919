"""The spectrum from knots against the spectrum of samples."""

import numpy as np
import pytest
from scipy.interpolate import interp1d
from scipy.signal import welch

from pacl.features.curve import draw_curve
from pacl.features.frequency import FREQUENCY_NAMES, frequency_features
from pacl.features.spectrum import measure_spectra
from pacl.features.spline import draw_spline
from pacl.features.turning import turned_sums


def _samples(rr_ms):
    at_s = np.cumsum(rr_ms / 1000)
    ends = ([rr_ms[0]], [rr_ms[-1]])
    curve = interp1d(at_s, rr_ms, kind="quadratic", bounds_error=False, fill_value=ends)
    return curve(np.arange(at_s[0], at_s[-1] + 0.01, 0.01))


def test_turned_sums_are_those_of_a_loop():
    generator = np.random.default_rng(3)
    weight, angle = generator.normal(size=(2, 9, 3, 5)), generator.uniform(0, 7, (9, 3, 5))
    for number in (1, 2, 7, 8, 9, 50, 200):
        found = turned_sums(weight, angle, number)
        assert found.shape == (2, 9, 3, number)
        for k in range(number):
            expected = (weight * np.exp(1j * k * angle)).sum(axis=3)
            np.testing.assert_allclose(found[..., k], expected, atol=1e-12)


def test_the_spline_is_scipys(windows):
    at = np.cumsum(windows, axis=1) / 1000
    spline = draw_spline(at, windows)
    for row in range(4):
        curve = interp1d(at[row], windows[row], kind="quadratic")
        knots = np.concatenate([at[row, :1], spline.knot[row], at[row, -1:]])
        for piece in range(198):
            t = np.linspace(knots[piece], knots[piece + 1], 5)
            past = t - spline.at[row, piece]
            own = spline.value[row, piece] + past * spline.slope[row, piece]
            own += past**2 * spline.bend[row, piece]
            np.testing.assert_allclose(own, curve(t), rtol=1e-9)


def test_sums_are_those_of_samples(windows, many):
    for rr_ms in (windows, many[::10]):
        curve = draw_curve(rr_ms)
        places = np.array([0, 1, 2, 79, 80, 81, 1000])
        ends = np.concatenate([np.tile(places, (len(rr_ms), 1)), curve.samples[:, None]], axis=1)
        found = curve.sum_to(ends)
        for row, beats in enumerate(rr_ms):
            samples = _samples(beats) - beats[0]
            assert samples.size == curve.samples[row]
            expected = [samples[:end].sum() for end in ends[row]]
            np.testing.assert_allclose(found[row], expected, rtol=1e-9, atol=1e-6)


def test_powers_are_those_of_samples(many):
    """Lengths come out even and odd, with two stretches and three, with a last sample and not."""
    varied = many[np.ptp(many, axis=1) > 0]
    spectra = measure_spectra(varied)
    for row, rr_ms in enumerate(varied):
        samples = _samples(rr_ms)
        length = int((2 / (200 / (samples.size / 2))) * 100)
        hz, power = welch(
            samples - samples.mean(), 100, nperseg=length, nfft=2 * length, detrend=False
        )
        bins = min(spectra.hz.shape[1], int(0.75 * rr_ms.size))
        np.testing.assert_allclose(spectra.hz[row, :bins], hz[:bins], rtol=1e-12)
        np.testing.assert_allclose(
            spectra.power[row, :bins], power[:bins] / power.max(), rtol=1e-6, atol=1e-12
        )


@pytest.mark.parametrize(("hz", "band"), [(0.03, "VLF"), (0.1, "LF"), (0.25, "HF"), (0.45, "VHF")])
def test_a_wave_is_found_in_its_band(hz, band):
    rr_ms = [800.0]
    for _ in range(199):
        rr_ms.append(800 + 20 * np.sin(2 * np.pi * hz * sum(rr_ms) / 1000))
    found = dict(zip(FREQUENCY_NAMES, frequency_features(np.array([rr_ms]))[0], strict=True))
    assert found[band] > 0.8 * found["TP"]
    bands = sum(found[name] for name in ("VLF", "LF", "HF", "VHF"))
    assert found["TP"] == pytest.approx(bands)
    assert found["LFn"] == pytest.approx(found["LF"] / bands)


def test_features_are_close_to_those_of_samples(windows):
    """The lowest bins, which are often the largest, are where rounding weighs most."""
    spectra = measure_spectra(windows)
    for row, rr_ms in enumerate(windows):
        samples = _samples(rr_ms)
        length = int((2 / (200 / (samples.size / 2))) * 100)
        _, power = welch(
            samples - samples.mean(), 100, nperseg=length, nfft=2 * length, detrend=False
        )
        np.testing.assert_allclose(spectra.power[row, 1:20], (power / power.max())[1:20], rtol=1e-9)


def test_a_spectrum_is_the_windows_own(windows):
    once = frequency_features(windows)
    again = frequency_features(np.concatenate([windows, windows[::-1]]))
    np.testing.assert_allclose(again, np.concatenate([once, once[::-1]]), rtol=1e-9)
