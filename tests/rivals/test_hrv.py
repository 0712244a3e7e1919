"""HRV features and a classifier: each learns, is the same again, and computes features once."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.features import HRV_NAMES, hrv_features
from pacl.records import Rhythm
from pacl.rivals.classified import RivalError
from pacl.rivals.feature_cache import FeatureCache
from pacl.rivals.hrv import CLASSIFIERS, MOST_NEIGHBOURS, Hrv
from pacl.rivals.system import Learn
from support.refusals import refused
from support.window_sets import make_set


def irregular_af(seed=0, patients=6):
    """Beats of AF vary by 20 %, all others by 3 %."""
    made = make_set(seed, patients, window_beats=200, stride=20)
    generator = np.random.default_rng(seed)
    spread = np.where(made.beat_rhythm == Rhythm.AF, 0.2, 0.03)
    rr_ms = np.clip(800 * (1 + spread * generator.standard_normal(made.rr_ms.size)), 250, 1900)
    return replace(made, rr_ms=rr_ms.astype(np.float32))


def learn(windows, seed=0):
    return Learn(windows, seed, steps=1, device=torch.device("cpu"))


@pytest.fixture(scope="module")
def system():
    return Hrv()


@pytest.fixture(scope="module")
def parts():
    return irregular_af(0, 10), irregular_af(1, 4)


def test_few_trials_each_a_classifier(system):
    assert len(system.trials) <= 6
    assert [trial["classifier"] for trial in system.trials] == list(CLASSIFIERS)
    assert (system.name, system.kind) == ("hrv", "features")


@pytest.mark.parametrize("settings", Hrv().trials, ids=lambda trial: trial["classifier"])
def test_tells_af_of_strangers_and_is_the_same_again(system, parts, settings):
    train, strangers = parts
    fitted = system.fit(learn(train), settings)
    logit = fitted.logit(strangers)
    is_af = strangers.table.rhythm == Rhythm.AF
    assert logit.dtype == np.float64
    assert np.isfinite(logit).all()
    assert logit[is_af].mean() > logit[~is_af].mean() + 0.5
    np.testing.assert_array_equal(logit, system.fit(learn(train), settings).logit(strangers))
    assert fitted.embed(strangers) is None
    assert fitted.probed(strangers) is None


def test_another_seed_draws_another_forest(system):
    hard = make_set(4, 8, window_beats=200, stride=20)
    one, other = (
        system.fit(learn(hard, seed), {"classifier": "forest"}).logit(hard) for seed in (0, 1)
    )
    assert not np.array_equal(one, other)


def test_no_window_has_no_logit(system, parts):
    fitted = system.fit(learn(parts[0]), system.trials[0])
    assert fitted.logit(parts[1].select(np.zeros(len(parts[1]), dtype=bool))).shape == (0,)


def test_neighbours_are_looked_for_among_some(parts, monkeypatch):
    monkeypatch.setattr("pacl.rivals.hrv.MOST_NEIGHBOURS", 30)
    fitted = Hrv().fit(learn(parts[0]), {"classifier": "neighbours"})
    assert fitted.model.model[-1].n_samples_fit_ == 30
    assert MOST_NEIGHBOURS == 20_000


def test_an_unknown_classifier_is_named(system, parts):
    with refused(RivalError, "'oracle'", "boosting, forest"):
        system.fit(learn(parts[0]), {"classifier": "oracle"})


def test_one_class_alone_cannot_be_learned(system, parts):
    train = parts[0].select(parts[0].table.rhythm == Rhythm.AF)
    with refused(RivalError, "training windows are AF"):
        system.fit(learn(train), system.trials[0])


def test_features_are_computed_once_whichever_part_is_asked_for():
    windows = irregular_af(2)
    computed = []

    def counted(rr_ms):
        computed.append(len(rr_ms))
        return hrv_features(rr_ms)

    cache = FeatureCache(counted)
    some = np.random.default_rng(0).permutation(len(windows))[: len(windows) // 2]
    cache.of(windows.select(some))
    found = cache.of(windows)
    again = cache.of(replace(windows, rr_ms=windows.rr_ms.copy()))
    assert sum(computed) == len(windows)
    np.testing.assert_array_equal(found, again)
    expected = hrv_features(windows.windows(scaled=False))
    assert found.shape == (len(windows), len(HRV_NAMES))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)
    np.testing.assert_array_equal(cache.of(windows.select(some)), found[some])


def test_other_beats_have_other_features():
    cache = FeatureCache(hrv_features)
    one, other = cache.of(irregular_af(2)), cache.of(irregular_af(3))
    assert not np.array_equal(one[:5], other[:5])
