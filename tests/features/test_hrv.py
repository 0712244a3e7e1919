"""All features together: equal to NeuroKit2's, finite, and each window's own."""

import numpy as np
import pytest

from pacl.features import (
    FREQUENCY_NAMES,
    HRV_NAMES,
    IRREGULARITY_NAMES,
    NONLINEAR_NAMES,
    TIME_NAMES,
    FeatureError,
    frequency_features,
    hrv_features,
    irregularity_features,
    nonlinear_features,
    time_features,
)
from support.refusals import refused

IN_MS = {
    *("MeanNN", "SDNN", "RMSSD", "SDSD", "MedianNN", "MadNN", "IQRNN", "Prc20NN", "Prc80NN"),
    *("MinNN", "MaxNN", "SD1", "SD2", "CSI_Modified", "SD1d", "SD1a", "SD2d", "SD2a"),
    *("SDNNd", "SDNNa"),
}
SCALED = IN_MS | {"S", "CVI"}
ABSOLUTE = {
    *("pNN50", "pNN20", "HTI", "TINN", *FREQUENCY_NAMES, "CoSEn", "StepEn", "RdRCells"),
    *("LorenzCells", "LorenzOrigin"),
}


def test_features_are_those_of_neurokit2(frozen):
    windows, known = frozen
    found = hrv_features(windows)
    compared = 0
    for row, features in zip(found, known, strict=True):
        for name, value in features.items():
            ours = row[HRV_NAMES.index(name)]
            assert ours == pytest.approx(0.0 if value is None else value, rel=1e-9), name
            compared += 1
    assert compared == 4 * 65


def test_every_feature_that_neurokit2_has_is_compared(frozen):
    _, known = frozen
    assert set(HRV_NAMES) - set(known[0]) == set(IRREGULARITY_NAMES)


def test_the_groups_make_up_the_whole(windows):
    groups = {
        TIME_NAMES: time_features,
        FREQUENCY_NAMES: frequency_features,
        NONLINEAR_NAMES: nonlinear_features,
        IRREGULARITY_NAMES: irregularity_features,
    }
    assert sum(groups, ()) == HRV_NAMES
    assert len(set(HRV_NAMES)) == len(HRV_NAMES) == 74
    for names, group in groups.items():
        assert group(windows).shape == (4, len(names))
    parts = np.concatenate([group(windows) for group in groups.values()], axis=1)
    np.testing.assert_allclose(hrv_features(windows), parts, rtol=1e-12)


def test_values_are_finite(many):
    assert np.isfinite(hrv_features(many)).all()


@pytest.mark.parametrize("beats", [16, 17, 31, 100, 300])
@pytest.mark.parametrize("rr_ms", [20.0, 333.3, 800.1, 1000 / 128 * 100, 10_000.0])
def test_equal_beats_have_no_spread(beats, rr_ms):
    row = dict(zip(HRV_NAMES, hrv_features(np.full((1, beats), rr_ms))[0], strict=True))
    assert np.isfinite(list(row.values())).all()
    level = {"MeanNN", "MedianNN", "Prc20NN", "Prc80NN", "MinNN", "MaxNN"}
    expected = {"HTI": 1.0, "Symbolic_EqualProb4_0V": 1.0, "RdRCells": 1.0}
    expected |= dict.fromkeys(level, rr_ms) | {"LorenzOrigin": beats - 2.0}
    expected |= {"CoSEn": np.log(60 / rr_ms)}
    assert {name: value for name, value in row.items() if value} == pytest.approx(
        {name: value for name, value in expected.items() if value}
    )


@pytest.mark.parametrize(
    "beat",
    [
        lambda at: 500.0 + at,
        lambda at: np.where(at % 2, 500.0, 900.0),
        lambda at: np.where(at == 20, 2000.0, 600.0),
        lambda at: np.where(at < 20, 600.0, 601.0),
        lambda at: np.array([700.0, 720.0, 980.0])[at % 3],
        lambda at: np.where(at % 2, 20.0, 10_000.0),
        lambda at: 600.0 + 1e-9 * (at % 7),
    ],
)
def test_odd_windows_have_finite_features(beat):
    assert np.isfinite(hrv_features(beat(np.arange(60))[None].astype(float))).all()


def test_chunks_and_order_do_not_matter(many):
    found = hrv_features(many)
    order = np.random.default_rng(0).permutation(len(many))
    for chunk in (1, 7, 299, 1000):
        again = hrv_features(many[order[:40]], chunk=chunk)
        np.testing.assert_allclose(again, found[order[:40]], rtol=1e-7, atol=1e-9)


def test_what_scales_with_the_intervals_and_what_does_not(windows):
    found, twice = (
        dict(zip(HRV_NAMES, hrv_features(scale * windows).T, strict=True)) for scale in (1, 2)
    )
    for name in set(HRV_NAMES) - ABSOLUTE - SCALED:
        np.testing.assert_allclose(twice[name], found[name], rtol=1e-9, err_msg=name)
    for name in IN_MS:
        np.testing.assert_allclose(twice[name], 2 * found[name], rtol=1e-9, err_msg=name)
    np.testing.assert_allclose(twice["S"], 4 * found["S"])
    np.testing.assert_allclose(twice["CVI"], found["CVI"] + np.log10(4))


def test_windows_are_read_as_they_come(windows):
    kept = windows.copy()
    single = hrv_features(windows.astype(np.float32))
    np.testing.assert_array_equal(windows, kept)
    assert single.dtype == np.float64
    np.testing.assert_array_equal(
        single, hrv_features(windows.astype(np.float32).astype(np.float64))
    )
    np.testing.assert_array_equal(hrv_features(np.asfortranarray(windows)), hrv_features(windows))
    assert hrv_features(windows[:0]).shape == (0, 74)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, -800.0, 19.9, 10_001.0])
def test_intervals_that_are_none_are_refused(windows, value):
    windows[2, 17] = windows[3, 0] = value
    with refused(
        FeatureError,
        "window 2",
        "beat 17",
        f"{value} ms",
        20,
        10000,
        "2 of 4 windows",
    ):
        hrv_features(windows)


def test_what_else_is_refused(windows):
    with refused(FeatureError, 15, 16):
        hrv_features(windows[:, :15])
    with refused(FeatureError, "chunk", 0):
        hrv_features(windows, chunk=0)


@pytest.mark.real
def test_real_windows_have_finite_features(data):
    from pacl.records import open_records
    from pacl.rr.plausible import is_kept

    reader = open_records(data / "afdb")
    for record_id in reader.record_ids[:3]:
        rr_ms = reader.read(record_id).rr_ms
        kept = rr_ms[is_kept(rr_ms, "drop")].astype(np.float64)
        assert np.isfinite(hrv_features(kept[: kept.size // 200 * 200].reshape(-1, 200)[:50])).all()


def test_one_window_alone_has_its_features_without_rows(windows):
    found = hrv_features(windows[0])
    assert found.shape == (len(HRV_NAMES),)
    np.testing.assert_array_equal(found, hrv_features(windows[:1])[0])
    with refused(FeatureError, str(windows[None].shape)):
        hrv_features(windows[None])
    with refused(FeatureError, 8, 16):
        hrv_features(windows[0, :8])


def test_one_window_may_be_a_list():
    window = [700.0, 720.0, 980.0, 800.0] * 50
    assert (hrv_features(window) == hrv_features(np.array(window))).all()
