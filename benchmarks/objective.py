"""The contrastive loss, forward and backward: tiles against the matrix of all pairs, on one core.

    python benchmarks/objective.py [BATCH ...]

Each is measured in a process of its own, so that its peak of memory is its own: the best of three,
embeddings of 128 numbers, two classes, 8 patients in the batch and 256.
"""

import argparse
import resource
import subprocess
import sys
import time

import torch

from pacl.objectives import SubjectContrastiveLoss

BATCHES = (256, 1024, 4096, 8192, 16_384)
PATIENTS = (8, 256)
FEATURES = 128
TIMES = 3
MOST_DENSE = 16_384
"""A matrix of more pairs would not fit beside its gradients."""


def measure(batch: int, patients: int, *, tiled: bool) -> tuple[float, float]:
    """Milliseconds, and MiB beyond what was there before."""
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(batch, FEATURES, generator=generator)
    embedded = torch.nn.functional.normalize(rows, dim=1).requires_grad_()
    at = torch.arange(batch)
    loss = SubjectContrastiveLoss(tiled=tiled, without_positives="skip")
    loss(embedded[:64], at[:64] % 2, at[:64] % 4)
    before = peak_mib()
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        loss(embedded, (at // patients) % 2, at % patients).backward()
        times.append(time.perf_counter() - began)
    return 1000 * min(times), peak_mib() - before


def peak_mib() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured_apart(batch: int, patients: int, *, tiled: bool) -> tuple[float, float]:
    """The same in another process."""
    code = f"import objective; print(*objective.measure({batch}, {patients}, tiled={tiled}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=__file__.rpartition("/")[0] or ".",
    )
    ms, mib = map(float, done.stdout.split())
    return ms, mib


def main() -> None:
    """Print a row for each batch and number of patients."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("batches", nargs="*", type=int, default=BATCHES)
    print(
        "| windows | patients | all pairs, ms | tiles, ms | ratio | all pairs, MiB | tiles, MiB |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for batch in parser.parse_args().batches:
        for patients in PATIENTS:
            tiles = measured_apart(batch, patients, tiled=True)
            said = f"| {batch:,} | {patients} |"
            if batch > MOST_DENSE:
                print(f"{said} | {tiles[0]:,.0f} | | | {tiles[1]:,.0f} |", flush=True)
                continue
            pairs = measured_apart(batch, patients, tiled=False)
            print(
                f"{said} {pairs[0]:,.0f} | {tiles[0]:,.0f} | {pairs[0] / tiles[0]:.1f}x "
                f"| {pairs[1]:,.0f} | {tiles[1]:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
