"""Windows of any signal, made of plain arrays."""

from pathlib import Path
from typing import Any

import numpy as np

from pacl.windows import WindowSet

CLASSES = ("rest", "walk", "run")


def made_arrays(
    subjects: int = 6, each: int = 6, channels: int = 2, length: int = 10, seed: int = 0
) -> dict[str, Any]:
    """Windows of every class for every subject, in two records each, in parts by subject."""
    generator = np.random.default_rng(seed)
    windows = subjects * each
    subject = np.repeat(np.arange(subjects), each)
    place = np.tile(np.arange(each), subjects)
    return {
        "x": generator.normal(size=(windows, channels, length)).astype(np.float32),
        "labels": np.array(CLASSES)[place % 3],
        "subjects": np.array([f"subject {one}" for one in subject]),
        "records": np.array([f"{one}-{at // 3}" for one, at in zip(subject, place, strict=True)]),
        "split": np.array(["train", "validation", "test"])[subject % 3],
        "start": place % 3 * length,
    }


def made_set(**more: Any) -> WindowSet:
    """A clean set; what is given replaces its arrays."""
    return WindowSet.from_arrays(**(made_arrays() | more))


def write_recording(
    path: Path, samples: int = 300, channels: int = 2, seed: int = 0, **more: Any
) -> dict[str, Any]:
    """A file of a signal whose class changes every 50 samples, with more arrays beside it."""
    generator = np.random.default_rng(seed)
    arrays = {
        "signal": generator.normal(3, 2, size=(samples, channels)),
        "labels": np.arange(samples) // 50 % 3,
    }
    arrays |= more
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **{key: one for key, one in arrays.items() if one is not None})
    return arrays
