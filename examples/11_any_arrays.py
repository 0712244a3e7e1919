"""Any arrays: a network learns from windows of your own signal, and meets people never seen."""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from pacl import WindowSet
from pacl.settings import Plan, ResidualSettings, SamplerSettings, TrainSettings
from pacl.studies import train_run
from pacl.windows import split_windows

# Made-up movements: 12 people, three axes; each person has a level and a strength of their own.
rng = np.random.default_rng(0)
names = ["reach", "lift", "turn"]
people, movement = np.repeat(np.arange(12), 60), np.tile(np.arange(3), 240)
level, strength = rng.normal(0, 0.5, (12, 3)), rng.uniform(0.8, 2.0, 12)
x = rng.normal(size=(720, 3, 64)) + level[people][:, :, None]
wave = np.sin(np.arange(64) / 3 + rng.uniform(0, 6, (720, 1)))
x[np.arange(720), movement] += strength[people][:, None] * wave

windows = WindowSet.from_arrays(
    x, labels=movement, subjects=people, class_names=names, sampling_hz=50
)
folder = Path(tempfile.mkdtemp())
split_windows(windows, seed=1, counts=(6, 2, 4)).write(folder / "windows")  # audited for leaks
plan = Plan(
    encoder=ResidualSettings(width=8, blocks=(1, 1)),
    sampler=SamplerSettings(subjects=4, windows=8),
    train=TrainSettings(lr=3e-3, epochs=5),
)
run = train_run(folder / "windows", folder / "run", plan)
found = run.evaluated("test").measure().detection
print(f"four people never seen: AUROC {found.auroc:.3f}, accuracy {found.accuracy:.2f}")

plt.style.use("pacl.style")
figure, (left, right) = plt.subplots(1, 2, width_ratios=[3, 2], layout="constrained")
for at in range(3):
    left.plot(np.arange(64) / 50, x[1, at] - 8 * at, f"C{at}")
left.set(yticks=[0, -8, -16], yticklabels=["x", "y", "z"], xlabel="seconds")
left.set_title(f"One window: {names[movement[1]]}")
shares = np.array(found.confusion) / np.sum(found.confusion, axis=1, keepdims=True)
right.imshow(shares, cmap="Blues", vmin=0, vmax=1)
for (row, column), share in np.ndenumerate(shares):
    right.text(column, row, f"{share:.0%}", ha="center", color="w" if share > 0.5 else "k")
right.set(xticks=range(3), xticklabels=names, yticks=range(3), yticklabels=names)
right.set(xlabel="called", ylabel="true", title="People never seen")
figure.savefig("11_any_arrays.png")
