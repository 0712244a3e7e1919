"""Probes of many runs at once are those that are fitted one by one."""

import numpy as np
import pytest
import torch

from pacl.evaluation import EvaluationError, fit_probe, measure_auroc
from pacl.evaluation import stacked_probe as module
from pacl.evaluation.stacked_probe import PIECE, StackedProbe, fit_probes, measure_aurocs
from support.refusals import refused

FEATURES = 5


def on_sphere(runs, windows, seed=0, features=FEATURES):
    drawn = torch.randn(
        (runs, windows, features),
        generator=torch.Generator().manual_seed(seed),
        dtype=torch.float64,
    )
    return torch.nn.functional.normalize(drawn, dim=2)


def chance(windows):
    labels = torch.arange(windows) % 2
    return on_sphere(3, windows), labels


def learnable(windows):
    pooled = on_sphere(3, windows)
    noise = torch.randn(windows, generator=torch.Generator().manual_seed(9), dtype=torch.float64)
    return pooled, (pooled[0, :, 0] + 0.3 * noise > 0).long()


def separable(windows):
    """Two points with little between them; one window is on the wrong side."""
    labels = (torch.arange(windows) % 3 == 0).long()
    pooled = on_sphere(3, windows) * 0.02
    pooled[..., 0] += 2.0 * labels - 1
    pooled[:, 1, 0] *= -1
    return torch.nn.functional.normalize(pooled, dim=2), labels


def imbalanced(windows):
    pooled, _ = learnable(windows)
    labels = torch.zeros(windows, dtype=torch.int64)
    labels[:: windows // 4] = 1
    return pooled, labels


def repeated(windows):
    """A few points many times: scores are tied."""
    pooled = on_sphere(3, 7)[:, torch.arange(windows) % 7]
    return pooled, (torch.arange(windows) % 5 < 2).long()


def collapsed(windows):
    """Nothing can be told apart."""
    pooled, labels = on_sphere(3, 1).expand(-1, windows, -1), torch.arange(windows) % 3 // 2
    return pooled.contiguous(), labels


NEAR = {"abs": 1e-6, "rel": 1e-6}
"""Both end where the mean loss has a slope of 1e-8; with a curvature of some hundredths, weights
may then be off by some 1e-7."""

KINDS = (chance, learnable, separable, imbalanced, repeated, collapsed)


@pytest.mark.parametrize("windows", [40, PIECE, PIECE + 1, 2 * PIECE + 77])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_those_of_each_probe_alone(kind, windows):
    pooled, labels = kind(windows)
    found = fit_probes(pooled, labels)
    for run, own in enumerate(pooled):
        probe = fit_probe(own.numpy(), labels.numpy())
        assert found.weight[run].numpy() == pytest.approx(probe.weight, **NEAR)
        assert found.bias[run].item() == pytest.approx(probe.bias, **NEAR)
        logit = probe.logit(own.numpy())
        assert found.logit(pooled)[run].numpy() == pytest.approx(logit, abs=1e-6)


@pytest.mark.parametrize("c", [1e-3, 0.1, 30.0])
def test_the_penalty_is_the_same(c):
    pooled, labels = learnable(300)
    found = fit_probes(pooled, labels, c=c)
    for run, own in enumerate(pooled):
        probe = fit_probe(own.numpy(), labels.numpy(), c=c)
        assert found.weight[run].numpy() == pytest.approx(probe.weight, **NEAR)
        assert found.bias[run].item() == pytest.approx(probe.bias, **NEAR)


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_finds_the_same_optimum(kind):
    pooled, labels = kind(PIECE + 100)
    pooled = pooled.float()
    found = fit_probes(pooled, labels)
    assert found.weight.dtype == torch.float64
    for run, own in enumerate(pooled):
        probe = fit_probe(own.numpy(), labels.numpy())
        assert found.weight[run].numpy() == pytest.approx(probe.weight, **NEAR)
        assert found.bias[run].item() == pytest.approx(probe.bias, **NEAR)


@pytest.mark.parametrize("kind", [chance, learnable, separable, imbalanced])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_slope_is_zero_at_the_optimum(kind, dtype):
    pooled, labels = kind(900)
    pooled = pooled.to(dtype)
    found = fit_probes(pooled, labels)
    residual = found.logit(pooled).sigmoid() - labels
    slope = torch.einsum("rw,rwf->rf", residual, pooled.double()) + found.weight
    assert float(slope.abs().max()) / len(labels) < 1.1e-8
    assert float(residual.sum(1).abs().max()) / len(labels) < 1.1e-8


def test_a_probe_does_not_depend_on_those_fitted_beside_it():
    easy, labels = learnable(200)
    hard = on_sphere(1, 200, seed=5) * 0.02
    hard[..., 0] += 2.0 * labels - 1
    alone = fit_probes(easy[:1], labels)
    beside = fit_probes(torch.cat([hard, easy[:1], easy[1:2]]), labels)
    assert torch.allclose(beside.weight[1], alone.weight[0], rtol=0, atol=1e-14)
    assert torch.allclose(beside.bias[1], alone.bias[0], rtol=0, atol=1e-14)


def test_a_logit_by_hand():
    probe = StackedProbe(
        torch.tensor([[2.0, 0.0], [0.0, 1.0]]).double(), torch.tensor([-1.0, 3.0]).double()
    )
    pooled = torch.tensor([[[1.0, 0.0], [0.5, 3.0]], [[1.0, 0.0], [0.5, 3.0]]])
    assert probe.logit(pooled).tolist() == [[1.0, 0.0], [3.0, 6.0]]


def test_no_optimum_is_told(monkeypatch):
    pooled, labels = learnable(100)
    monkeypatch.setattr(module, "MAX_STEPS", 2)
    with pytest.raises(EvaluationError) as caught:
        fit_probes(pooled, labels, c=2.0)
    assert str(caught.value) == (
        "a probe found no optimum within 2 steps on 100 windows with c = 2.0; lower c"
    )


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_features_that_are_no_numbers_are_told_with_their_run(value):
    pooled, labels = learnable(100)
    pooled[1, 5, 2] = value
    with refused(EvaluationError, 1, 3):
        fit_probes(pooled, labels)


# ---------------------------------------------------------------------------------- AUROC


@pytest.mark.parametrize("windows", [2, 7, 500])
@pytest.mark.parametrize("levels", [1, 2, 5, 10**9])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_aurocs_are_exactly_those_measured_one_by_one(windows, levels, dtype):
    generator = np.random.default_rng(windows)
    labels = generator.integers(2, size=windows)
    labels[:2] = 0, 1
    score = torch.from_numpy(generator.integers(levels, size=(4, windows))).to(dtype) / 7
    expected = [measure_auroc(labels, one.double().numpy()) for one in score]
    assert measure_aurocs(torch.from_numpy(labels), score) == expected


def test_aurocs_by_hand():
    labels = torch.tensor([0, 1, 0, 1])
    score = torch.tensor(
        [[0.0, 1.0, 0.5, 2.0], [1.0, 0.0, 2.0, 0.5], [3.0, 3.0, 3.0, 3.0], [1.0, 1.0, 0.0, 2.0]]
    )
    assert measure_aurocs(labels, score) == [1.0, 0.0, 0.5, 0.875]


def test_nearly_tied_scores_are_not_tied():
    labels = torch.tensor([0, 1])
    score = torch.tensor([[1.0, 1.0 + 1e-15], [1.0 + 1e-15, 1.0]], dtype=torch.float64)
    assert measure_aurocs(labels, score) == [1.0, 0.0]
