"""An encoder of your own: register it, let pacl's contract check it, train it beside pacl's."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from pacl import WindowSet
from pacl.registry import Entry
from pacl.settings import ENCODERS, Plan, ResidualSettings, SamplerSettings, TrainSettings
from pacl.studies import train_run
from pacl.testing import check_encoder
from pacl.windows import split_windows


@dataclass(frozen=True)
class SpectrumSettings:
    """Each is an option of `pacl train` too: --encoder.pooled-features 32."""

    pooled_features: int = 16


class SpectrumNetwork(nn.Module):
    """From windows (window, channel, time) to vectors; pacl adds the projection head."""

    def __init__(self, channels: int, features: int) -> None:
        super().__init__()
        self.linear = nn.Linear(33 * channels, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(torch.fft.rfft(x, n=64).abs().log1p().flatten(1))


def make(
    settings: SpectrumSettings, *, in_channels: int, generator: torch.Generator
) -> SpectrumNetwork:
    """What the registry calls."""
    return SpectrumNetwork(in_channels, settings.pooled_features)


ENCODERS.add(Entry("spectrum", make, SpectrumSettings, "log amplitudes"))  # or an entry point
check_encoder("spectrum", channels=2, length=40)  # shapes, gradients, the same numbers again, ...
print("spectrum keeps the contract of encoders")

rng = np.random.default_rng(0)
people, labels = np.repeat(np.arange(9), 60), np.tile(np.arange(3), 180)
x = rng.normal(size=(540, 2, 40)) + 0.5 * rng.normal(size=(9, 2, 1))[people]
x[:, 0] += labels[:, None] * np.sin(np.arange(40) / 4)
folder = Path(tempfile.mkdtemp())
windows = WindowSet.from_arrays(x, labels=labels, subjects=people)
split_windows(windows, seed=1, counts=(5, 2, 2)).write(folder / "windows")

plt.style.use("pacl.style")
figure, axes = plt.subplots(layout="constrained")
residual = ResidualSettings(width=16, blocks=(1, 1))
encoders = {"my spectrum": SpectrumSettings(), "pacl's residual": residual}
for name, encoder in encoders.items():
    sampler, train = SamplerSettings(subjects=4, windows=8), TrainSettings(lr=1e-2, epochs=6)
    plan = Plan(encoder=encoder, sampler=sampler, train=train)
    scores = []
    run = train_run(
        *(folder / "windows", folder / name, plan),
        on_epoch=lambda log, trainer, scores=scores: scores.append(log.score),
    )
    found = run.evaluated("test").measure().detection
    print(f"{name}: test AUROC {found.auroc:.3f}")
    axes.plot(range(1, 1 + len(scores)), scores, "o-", label=f"{name}, test {found.auroc:.2f}")
axes.set(xlabel="epoch", ylabel="AUROC, validation", title="Trained in the same way")
axes.legend()
figure.savefig("16_own_encoder.png")
