"""The scorer: probe and calibration on what the encoder says, always in evaluation mode."""

import copy
import math

import numpy as np
import pytest
import torch

from pacl.evaluation import Probe
from pacl.export import ExportError, Scorer
from pacl.models import Encoder
from support.refusals import refused


def encoder(**kwargs) -> Encoder:
    return Encoder(**kwargs, generator=torch.Generator().manual_seed(0))


def probe(features: int = 128, scale: float = 3.0) -> Probe:
    return Probe(scale * np.random.default_rng(1).normal(size=features), 0.3)


def windows(count: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(count, 200, generator=torch.Generator().manual_seed(seed))


def test_by_hand():
    # a probe that reads the first feature only, its logit doubled and one added
    reads_first = Probe(np.eye(128)[0], 0.5)
    scores = Scorer(encoder(), reads_first, slope=2.0, intercept=1.0)(windows(3))
    for logit, probability, pooled in zip(
        scores.logit.tolist(), scores.probability.tolist(), scores.pooled.tolist(), strict=True
    ):
        assert logit == pytest.approx(2 * (pooled[0] + 0.5) + 1, abs=1e-6)
        assert probability == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-6)


@pytest.mark.parametrize(("slope", "intercept"), [(1.0, 0.0), (0.6, -0.4), (-1.5, 2.0)])
@pytest.mark.parametrize("config", [{}, {"norm": "batch", "pooled_by": "mix"}])
def test_the_probe_in_double_precision_is_the_oracle(config, slope, intercept):
    scores = Scorer(encoder(**config), probe(), slope=slope, intercept=intercept)(windows(64))
    pooled = scores.pooled.numpy().astype(np.float64)
    logit = slope * probe().logit(pooled) + intercept
    calibrated = Probe(slope * probe().weight, slope * probe().bias + intercept)
    np.testing.assert_allclose(scores.logit.numpy(), logit, rtol=1e-6, atol=5e-6)
    np.testing.assert_allclose(
        scores.probability.numpy(), calibrated.probability(pooled), rtol=0, atol=1e-6
    )


def test_pooled_is_the_encoders():
    net, x = encoder(), windows(5)
    assert torch.equal(Scorer(net, probe())(x).pooled, net.eval()(x).pooled)


def test_it_never_trains():
    net = encoder(norm="batch").train()
    scorer = Scorer(net, probe())
    assert net.training
    assert scorer.train() is scorer
    assert not any(module.training for module in scorer.modules())
    assert not any(parameter.requires_grad for parameter in scorer.parameters())
    before = copy.deepcopy(scorer.state_dict())
    assert torch.equal(scorer(windows(6)).logit, scorer(windows(6)).logit)
    torch.testing.assert_close(scorer(windows(6)).logit[:1], scorer(windows(6)[:1]).logit)
    assert all(torch.equal(value, before[name]) for name, value in scorer.state_dict().items())


def test_it_keeps_its_own_copy():
    net, own = encoder(), probe()
    scorer, x = Scorer(net, own), windows(3)
    before = scorer(x).logit
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.zero_()
    own.weight[:] = 0
    assert torch.equal(scorer(x).logit, before)
    assert all(parameter.requires_grad for parameter in net.parameters())


def test_single_precision_whatever_comes():
    for net in (encoder().double(), encoder().bfloat16()):
        scores = Scorer(net, probe())(windows(2))
        assert {each.dtype for each in scores} == {torch.float32}


def test_more_channels_are_refused():
    with refused(ExportError, "2 channels", "in_channels"):
        Scorer(encoder(in_channels=2), probe())


def test_a_probe_of_another_encoder_is_refused():
    with refused(ExportError, 128, 64):
        Scorer(encoder(), probe(64))


@pytest.mark.parametrize(("slope", "intercept"), [(math.nan, 0.0), (1.0, math.inf)])
def test_a_calibration_that_is_none(slope, intercept):
    with refused(ExportError, f"slope {slope}", f"intercept {intercept}"):
        Scorer(encoder(), probe(), slope=slope, intercept=intercept)
