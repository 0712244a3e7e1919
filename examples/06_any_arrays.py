"""Any arrays: three channels, three classes, people never seen; here of made-up movements."""

import tempfile
from pathlib import Path

import numpy as np

from pacl import WindowSet
from pacl.settings import Plan, ResidualSettings, SamplerSettings, TrainSettings
from pacl.studies import train_run
from pacl.windows import split_windows

rng = np.random.default_rng(0)
people, movements = np.divmod(np.arange(1200), 120)[0], np.arange(1200) % 3
x = rng.normal(size=(1200, 3, 64)) + 0.2 * people[:, None, None]  # each has a level of its own
x[np.arange(1200), movements] += 1.5 * np.sin(np.arange(64) / 3)  # and moves along one axis

windows = WindowSet.from_arrays(
    x, labels=movements, subjects=people, class_names=["reach", "lift", "turn"], sampling_hz=50
)
folder = Path(tempfile.mkdtemp())
split_windows(windows, seed=1, counts=(6, 2, 2)).write(folder / "windows")  # audited for leaks
plan = Plan(
    encoder=ResidualSettings(width=16, blocks=(1, 1)),
    sampler=SamplerSettings(subjects=4, windows=8),
    train=TrainSettings(lr=3e-3, epochs=4),
)
run = train_run(folder / "windows", folder / "run", plan)
found = run.evaluated("test").measure().detection
print(f"two people never seen: AUROC {found.auroc:.3f}, accuracy {found.accuracy:.2f}")
