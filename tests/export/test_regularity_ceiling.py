"""Windows that hardly vary, and what is said of them."""

import numpy as np
import pytest
import torch

from pacl.evaluation import Probe
from pacl.export import ExportError, RegularityCeiling, Scorer
from pacl.export.regularity_ceiling import NEVER, VARIATION, variation_of
from pacl.models import Encoder
from support.refusals import refused

SMALL = {"channels": (8, 8), "pooled_features": 8, "projected_features": 8}


def test_variation_by_hand():
    windows = np.array([[900.0, 1100.0], [800.0, 800.0]], dtype=np.float32)
    np.testing.assert_allclose(variation_of(windows), [0.1, 0.0])


def test_the_ceiling_is_how_rare_af_is_among_steady_windows():
    varies = np.array([0.01] * 10 + [0.2] * 10)
    labels = np.array([1] + [0] * 9 + [1] * 9 + [0])
    found = RegularityCeiling.learned(varies, labels)
    assert found.variation == VARIATION
    assert found.ceiling == pytest.approx(np.log((1.5 / 11) / (9.5 / 11)))


def test_a_ceiling_never_argues_for_af():
    varies, labels = np.full(10, 0.01), np.array([1] * 9 + [0])
    assert RegularityCeiling.learned(np.append(varies, 0.5), np.append(labels, 0)).ceiling == 0.0


def test_only_steady_windows_are_brought_down():
    steady = RegularityCeiling(0.03, -4.0)
    logit, varies = np.array([5.0, -9.0, 5.0, 5.0]), np.array([0.01, 0.01, 0.03, 0.2])
    assert steady.bound(logit, varies).tolist() == [-4.0, -9.0, 5.0, 5.0]
    assert NEVER.bound(logit, varies).tolist() == logit.tolist()


def test_the_scorer_does_the_same():
    encoder = Encoder(**SMALL, view="relative", generator=torch.Generator().manual_seed(0))
    probe = Probe(np.full(8, 9.0), 2.0)
    generator = np.random.default_rng(0)
    sd_ms = np.repeat([[2.0], [20.0], [28.0], [200.0]], 8, axis=0)
    rr_ms = np.clip(800 + generator.normal(0, sd_ms, (32, 200)), 250, 1900).astype(np.float32)
    steady = RegularityCeiling(0.03, -1.0)
    with torch.no_grad():
        plain = Scorer(encoder, probe)(torch.from_numpy(rr_ms)).logit.numpy()
        bound = Scorer(encoder, probe, steady=steady)(torch.from_numpy(rr_ms)).logit.numpy()
    expected = steady.bound(plain.astype(np.float64), variation_of(rr_ms))
    np.testing.assert_allclose(bound, expected, atol=1e-6)
    assert (bound != plain).any()


def test_scaled_windows_have_no_variation():
    with refused(ExportError, "scaled", "steady"):
        Scorer(Encoder(**SMALL), Probe(np.zeros(8), 0.0), steady=RegularityCeiling(0.03, -4.0))
