"""Signals of several people as arrays: gestures by person, and stress of all in one file."""

from pathlib import Path

import numpy as np

PEOPLE = 13


def write_gestures(folder: Path) -> None:
    """A file of each person: muscles of a ring of sensors, eight gestures in two takes."""
    folder.mkdir()
    for person in range(PEOPLE):
        random = np.random.default_rng(person)
        gesture = np.tile(np.repeat(np.arange(8), 400), 2)
        strength = 0.3 + (np.arange(8)[None] == gesture[:, None]) * (gesture > 0)[:, None]
        np.savez(
            folder / f"person-{person:02d}.npz",
            emg=random.normal(size=(gesture.size, 8)) * strength,
            gesture=gesture,
            take=np.repeat(np.arange(2), gesture.size // 2),
        )


def write_stress(path: Path) -> None:
    """Heart rate and breathing once a second, calm and stressed in turn."""
    stress = np.tile(np.repeat([0, 1], 300), 2)
    random = np.random.default_rng(0)
    people = 8
    np.savez(
        path,
        heart_rate=np.tile(70 + 15 * stress, people) + random.normal(size=people * stress.size),
        respiration_rate=np.tile(14 + stress, people) + random.normal(size=people * stress.size),
        stress=np.tile(stress, people),
        subject=np.repeat([f"s{number}" for number in range(people)], stress.size),
        time_s=np.tile(np.arange(stress.size, dtype=float), people),
    )
