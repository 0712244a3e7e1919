"""The contracts see what they are for: planted faults are named."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from pacl.af import RRAugmentation
from pacl.objectives import Objective
from pacl.registry import Entry
from pacl.rr import RRAugmentationSettings
from pacl.settings import ENCODERS, LOSSES, BranchesSettings, ResidualSettings
from pacl.testing import (
    AugmentationContract,
    ContractError,
    check_augmentation,
    check_encoder,
    check_loss,
)
from support.refusals import refused

torch.set_num_threads(1)  # batches are so small that more threads only wait for each other

BRANCHES = BranchesSettings(channels=(8, 8), pooled_features=8, projected_features=8)


@pytest.mark.parametrize("channels", [1, 3])
def test_our_encoders_keep_theirs(channels):
    unlearned = ("attention.score.bias",)  # Eq. 5's softmax does not see it
    check_encoder("branches", settings=BRANCHES, channels=channels, unlearned=unlearned)
    small = ResidualSettings(width=8, blocks=(1, 1), pooled_features=8, projected_features=8)
    check_encoder("residual", settings=small, channels=channels, length=9)


class TestRR(AugmentationContract):
    def make(self):
        return RRAugmentation(0.5, 0.5)

    def windows(self, count, seed=0):
        return 800 + 50 * super().windows(count, seed)


class Loss(Objective):
    """Keeps all promises but one."""

    reads = "projected"

    def __init__(self, fault):
        super().__init__()
        self.fault = fault
        if fault == "seed":
            self.weight = nn.Parameter(torch.randn(3))
        if fault == "reads":
            self.reads = "logits"

    def forward(self, embedded, labels, subjects):
        loss = (embedded[labels == 0].mean(0) * embedded[labels == 1].mean(0)).sum()
        if self.fault == "order":
            loss = loss + embedded[0, 0]
        if self.fault == "subjects":
            loss = loss + embedded[:, 0].mean() * subjects.float().mean()
        if self.fault == "gradient":
            return loss.detach() + 0 * embedded.sum()
        if self.fault == "shape":
            return loss[None]
        return -1 / (loss - loss) if self.fault == "finite" else loss

    def report(self):
        return {"value": "one" if self.fault == "report" else 1.0}


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("seed", "generator"),
        ("reads", "reads 'logits'"),
        ("order", "order"),
        ("subjects", "numbers_of_subjects"),
        ("gradient", "not all 0"),
        ("shape", "scalar"),
        ("finite", "finite"),
        ("report", "floats"),
    ],
)
def test_a_loss_with_a_fault_is_told_which(fault, promise):
    entry = Entry("faulty", lambda settings, **_: Loss(fault), summary="with a fault")
    with refused(ContractError, "loss faulty", promise):
        check_loss(entry)


def test_a_loss_without_a_fault_passes():
    check_loss(Entry("fine", lambda settings, **_: Loss(""), summary="without"))


@dataclass(frozen=True)
class NetSettings:
    fault: str = ""
    pooled_features: int = 4


class Net(nn.Module):
    """Keeps all promises but one."""

    def __init__(self, channels, features, fault):
        super().__init__()
        self.layer = nn.Conv1d(channels, features, 3, padding=1)
        self.norm = nn.BatchNorm1d(features, track_running_stats=False)
        self.spare = nn.Parameter(torch.zeros(3)) if fault == "spare" else None
        self.fault = fault

    def forward(self, x):
        h = self.layer(x)
        if self.fault == "neighbours":
            h = self.norm(h)
        if self.fault == "random":
            h = h + torch.rand(())
        if self.fault == "part":
            h = h[..., : h.shape[-1] // 2]
        h = h.tanh().mean(-1)
        return h[:, :2] if self.fault == "shape" else h


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("neighbours", "by itself"),
        ("random", "same each time"),
        ("part", "sample 63"),
        ("spare", "spare has a gradient"),
        ("shape", "shape (3, 2)"),
    ],
)
def test_an_encoder_with_a_fault_is_told_which(fault, promise):
    def make(settings, *, in_channels, generator):
        return Net(in_channels, settings.pooled_features, settings.fault)

    ENCODERS.add(Entry("faulty", make, NetSettings, "with a fault"))
    unlearned = ("module.norm.weight", "module.norm.bias")
    try:
        with refused(ContractError, "encoder faulty", promise):
            check_encoder("faulty", settings=NetSettings(fault), unlearned=unlearned)
    finally:
        ENCODERS._added.clear()


def test_an_entry_without_defaults_or_text_is_refused():
    @dataclass(frozen=True)
    class Needs:
        margin: float

    with refused(ContractError, "default", "margin"):
        check_loss(Entry("needs", lambda settings, **_: Loss(""), Needs, "a line"))
    with refused(ContractError, "summary"):
        check_loss(Entry("mute", lambda settings, **_: Loss("")))
    assert "needs" not in LOSSES


def test_an_augmentation_that_changes_nothing_is_told():
    with refused(ContractError, "augmentation rr", "some windows are changed"):
        check_augmentation(
            Entry("rr", lambda settings: RRAugmentation(), RRAugmentationSettings, "nothing"),
            RRAugmentationSettings(),
        )
