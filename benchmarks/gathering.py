"""Taking batches of windows, scaled, from CPU and from GPU memory, beside a loop over windows."""

import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np
from measure import Row, cost

BATCH, BATCHES, PATIENTS = 256, 400, 8


@cache
def _made() -> tuple[object, np.ndarray]:
    """Pooled windows of a small simulated cohort in memory, and the rows of every batch."""
    from pacl.cohort import PooledProtocol
    from pacl.records import open_records
    from pacl.records.simulate import write_cohort
    from pacl.rr import RRWindowSet, prepare
    from pacl.windows import split_units

    folder = Path(tempfile.mkdtemp())
    write_cohort(folder / "cohort", PATIENTS, seed=7)
    prepare(
        open_records(folder / "cohort"),
        folder / "windows",
        protocol=PooledProtocol(),
        divide=lambda strata, _: split_units(strata, seed=1),
    )
    windows = RRWindowSet.open(folder / "windows")
    rows = np.random.default_rng(0).integers(len(windows), size=(BATCHES, BATCH))
    return windows, rows


def ours() -> None:
    """Batches as arrays."""
    windows, rows = _made()
    for batch in rows:
        windows.windows(batch)


def loop() -> None:
    """The peer: a window at a time, stacked."""
    windows, rows = _made()
    table, beats = windows.table, windows.rr_ms
    for batch in rows:
        np.stack(
            [
                (beats[start : start + 200] - centre) / scale
                for start, centre, scale in zip(
                    table.start[batch], table.centre_ms[batch], table.scale_ms[batch], strict=True
                )
            ]
        )


def copy() -> None:
    """The floor: writing the batches, from memory that is at hand."""
    batch = np.ones((BATCH, 200), dtype=np.float32)
    for _ in range(BATCHES):
        batch.copy()


def rows() -> list[Row]:
    """Batches of the paper's size from CPU memory; a GPU's own times are printed beside."""
    on_gpu()
    return [
        Row(
            "take batches",
            f"{BATCHES} of {BATCH} windows",
            cost(ours),
            "a window at a time",
            cost(loop),
            "copying them",
            cost(copy),
        )
    ]


def on_gpu() -> None:
    """Check that a GPU gives the same windows as the CPU, and time it."""
    import torch

    from pacl.rr import RRWindowTensors

    if not torch.cuda.is_available():
        return
    windows, batches = _made()
    tensors = RRWindowTensors.of(windows, "cuda")
    on_device = torch.tensor(batches, device="cuda")
    for batch, there in zip(batches[:20], on_device, strict=False):
        taken = tensors.take(there).cpu().numpy()
        np.testing.assert_allclose(taken, windows.windows(batch), rtol=1e-6, atol=1e-6)
    for _ in range(2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for there in on_device:
            tensors.take(there)
        torch.cuda.synchronize()
        took = time.perf_counter() - start
    print(f"{torch.cuda.get_device_name()}, windows equal to the CPU's to 1e-6:")
    print(f"{BATCHES} batches of {BATCH} windows in {1000 * took:.1f} ms\n")
