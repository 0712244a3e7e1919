"""Made-up signals of a ring of sensors: three classes, each strong on other channels."""

import numpy as np

from pacl.settings import ComparisonSettings
from pacl.windows import WindowSet

CLASSES = ("rest", "fist", "wave")
CHANNELS, LENGTH = 4, 32

SMALL = {
    "folds": 3,
    "seeds": [1, 2],
    "sampler": {"subjects": 3, "windows": 4},
    "encoder": {"name": "residual", "width": 8, "blocks": [1], "groups": 4, "kernel": 3},
    "train": {"lr": 3e-3, "epochs": 2, "keep": "last"},
}
"""A comparison that takes a second or two."""


def settings(**changed) -> ComparisonSettings:
    return ComparisonSettings.from_dict({**SMALL, **changed})


def ring_of_sensors(
    *, subjects: int = 6, windows: int = 12, turned: bool = False, seed: int = 0
) -> WindowSet:
    """Windows of each subject and class; turned, if each wears the ring otherwise."""
    random = np.random.default_rng(seed)
    x, labels, who = [], [], []
    for subject in range(subjects):
        own = random.uniform(0.8, 1.2, size=CHANNELS)
        for number in range(len(CLASSES)):
            strength = np.full(CHANNELS, 0.3)
            strength[number : number + number] = 1.5  # none, one, two channels
            noise = random.normal(size=(windows, CHANNELS, LENGTH))
            found = noise * (strength * own)[None, :, None]
            x.append(np.roll(found, subject % CHANNELS, axis=1) if turned else found)
            labels += [CLASSES[number]] * windows
            who += [f"subject-{subject}"] * windows
    return WindowSet.from_arrays(
        np.concatenate(x), labels, who, class_names=CLASSES, sampling_hz=100.0
    )
