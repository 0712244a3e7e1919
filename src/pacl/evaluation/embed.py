"""Embeddings of a window set, without dropout and gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from pacl.axes import Array, Float32, Int64
from pacl.evaluation.errors import evaluate_again
from pacl.models import Network, full_precision
from pacl.stored import read_array
from pacl.windows import Rows, Windows, WindowTensors

BATCH = 1024
FILES = ("pooled", "projected")


@dataclass(frozen=True, eq=False, slots=True)
class EmbeddingSet:
    """z-hat and e-hat of windows, the row of each window, and the name of each class if known."""

    pooled: Float32[Array, "window pooled"]
    projected: Float32[Array, "window projected"]
    table: Rows
    class_names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.table)

    @property
    def labels(self) -> Int64[Array, "window"]:
        """The class of each window."""
        return self.table.labels

    def write(self, folder: Path) -> None:
        """Write both embeddings as arrays, without the rows."""
        for name in FILES:
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def read(
        cls, folder: Path, table: Rows, class_names: tuple[str, ...] | None = None
    ) -> "EmbeddingSet":
        """Read both embeddings back, for the rows they belong to."""
        rows = len(table)
        found = {
            name: read_array(folder / f"{name}.npy", np.float32, (rows, None), evaluate_again)
            for name in FILES
        }
        return cls(**found, table=table, class_names=class_names)


def embed(
    encoder: Network,
    windows: Windows,
    *,
    device: torch.device | str = "cpu",
    batch: int = BATCH,
    track: Callable[[int, int], None] | None = None,
) -> EmbeddingSet:
    """Embed all windows, in the order of their rows.

    The encoder is moved to `device` and put in evaluation mode. `batch` changes speed and memory
    only. `track` is called with the windows done and their total.
    """
    encoder.to(device).eval()
    pooled, projected = embed_tensors(encoder, windows.tensors(device), batch, track)
    return EmbeddingSet(
        pooled.cpu().numpy(), projected.cpu().numpy(), windows.table, windows.class_names
    )


@torch.inference_mode()
@full_precision()
def embed_tensors(
    encoder: Network,
    tensors: WindowTensors,
    batch: int = BATCH,
    track: Callable[[int, int], None] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Pooled and projected embeddings of windows that lie on the encoder's device."""
    every = torch.arange(len(tensors), device=tensors.device)
    out = []
    for rows in torch.split(every, batch):
        found = encoder(tensors.take(rows))
        out.append((found.pooled.float(), found.projected.float()))
        if track is not None:
            track(int(rows[-1]) + 1, len(tensors))
    pooled, projected = (torch.cat(parts) for parts in zip(*out, strict=True))
    return pooled, projected
