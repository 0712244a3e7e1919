import numpy as np
import pytest

from pacl.systems import FEATURES, time_domain_features


def feature(x, name):
    return time_domain_features(np.asarray(x, np.float32)[None, None])[0, 0, FEATURES.index(name)]


def test_a_hand_computed_window():
    x = [1.0, -1.0, 3.0, -3.0]
    assert feature(x, "log mean absolute value") == pytest.approx(np.log(2 + 1e-3))
    assert feature(x, "log root mean square") == pytest.approx(np.log(np.sqrt(5) + 1e-3))
    assert feature(x, "log variance") == pytest.approx(np.log(5 + 1e-3))
    assert feature(x, "log waveform length") == pytest.approx(np.log(4 + 1e-3))
    assert feature(x, "zero crossings") == 1
    assert feature(x, "slope sign changes") == 1
    assert feature(x, "mean") == 0


def test_crossings_are_of_the_mean_of_the_window():
    assert feature([101, 99, 101, 99], "zero crossings") == 1
    assert feature([101, 99, 101, 99], "mean") == 100


def test_windows_are_independent_of_how_many_there_are(monkeypatch):
    x = np.random.default_rng(0).normal(size=(7, 3, 20)).astype(np.float32)
    whole = time_domain_features(x)
    monkeypatch.setattr("pacl.systems.features.AT_ONCE", 100)
    assert np.array_equal(time_domain_features(x), whole)
    assert whole.shape == (7, 3, len(FEATURES))
