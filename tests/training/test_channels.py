"""Signals of several channels: the same trainer, encoders and fleet."""

import numpy as np
import pytest
import torch

from pacl.evaluation import ProbeScore, StackedProbeScore
from pacl.models import ModelError, make_encoder
from pacl.objectives import make_objective
from pacl.settings import BranchesSettings, ResidualSettings
from pacl.training import Fleet, LabelledWindows, SubjectSampler, Trainer
from pacl.windows import WindowSet
from support.refusals import refused

torch.set_num_threads(1)  # batches are so small that more threads only wait for each other

CHANNELS, LENGTH = 3, 40
SMALL = {"pooled_features": 8, "projected_features": 8}
BRANCHES = BranchesSettings(channels=(8, 8), **SMALL)
RESIDUAL = ResidualSettings(width=8, blocks=(1,), **SMALL)


def signals(seed=0, subjects=4, each=8):
    """One class has a wave in its second channel."""
    rng = np.random.default_rng(seed)
    labels = np.tile([0, 1], subjects * each)
    x = rng.normal(size=(labels.size, CHANNELS, LENGTH)).astype(np.float32)
    x[labels == 1, 1] += 3 * np.sin(np.arange(LENGTH, dtype=np.float32))
    who = np.repeat([f"s{at}" for at in range(subjects)], 2 * each)
    return WindowSet.from_arrays(x, labels, who, class_names=["rest", "wave"])


def trainer(settings, seed=1, **more):
    windows = signals()
    held = LabelledWindows.of(windows)
    generator = torch.Generator().manual_seed(seed)
    encoder = make_encoder(settings, in_channels=held.tensors.channels, generator=generator)
    return Trainer(
        encoder,
        make_objective("subject-aware", features=8),
        held,
        SubjectSampler.of(
            windows,
            generator=np.random.default_rng(seed),
            subjects_per_batch=2,
            windows_per_class=2,
        ),
        ProbeScore(held, LabelledWindows.of(signals(9))),
        generator=torch.Generator().manual_seed(seed),
        **{"lr": 3e-3, "epochs": 2, **more},
    )


@pytest.mark.parametrize("settings", [BRANCHES, RESIDUAL])
def test_three_channels_are_learned_from(settings):
    logs = list(trainer(settings, epochs=5, lr=1e-2))
    assert logs[-1].loss < logs[0].loss
    assert max(log.score for log in logs) > 0.9


@pytest.mark.parametrize("settings", [BRANCHES, RESIDUAL])
def test_the_same_seed_gives_the_same_weights(settings):
    one, two = (trainer(settings) for _ in range(2))
    for each in (one, two):
        list(each)
    assert all(
        torch.equal(value, two.encoder.state_dict()[name])
        for name, value in one.encoder.state_dict().items()
    )


def test_a_fleet_trains_three_channels_as_each_run_alone():
    alone = [list(trainer(BRANCHES, seed)) for seed in (1, 2)]
    together = [trainer(BRANCHES, seed) for seed in (1, 2)]
    logs = list(Fleet(together, StackedProbeScore([one.score for one in together])))
    for run, expected in enumerate(alone):
        for found, log in zip((each[run] for each in logs), expected, strict=True):
            assert found.loss == pytest.approx(log.loss, rel=1e-4)
            assert found.score == pytest.approx(log.score, abs=1e-3)


def test_a_fleet_says_that_others_are_trained_apart():
    with refused(ModelError, "ResidualEncoder", "apart"):
        Fleet([trainer(RESIDUAL)], None)
