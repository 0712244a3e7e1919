"""A training's state on disk, replaced whole after each epoch and read without running code."""

import io
from pathlib import Path
from typing import Any

import torch

from pacl.atomic_write import atomic_write
from pacl.file_bytes import read_file
from pacl.training.errors import TrainingError

MOST = 8 * 2**30
"""Bytes of a checkpoint."""


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write a state; what was there before stays until all of the new one is on disk."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    atomic_write(path, buffer.getvalue())


def load_checkpoint(path: Path, device: torch.device | str = "cpu") -> dict[str, Any]:
    """Read a state back."""
    try:
        content = io.BytesIO(read_file(path, MOST))
        state = torch.load(content, map_location=device, weights_only=True)
        if not isinstance(state, dict):
            raise TypeError(f"{type(state).__name__}, expected values by name")
    except Exception as error:  # a damaged pickle can raise anything, even IndexError
        raise TrainingError(
            f"{path}: the checkpoint cannot be read ({type(error).__name__}: {error}); "
            "remove the run's folder and train again"
        ) from error
    found: dict[str, Any] = state
    return found
