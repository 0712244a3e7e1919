"""The contrastive loss, forward and backward, on a GPU: kernels, tiles, all pairs, and a peer.

    python benchmarks/objective_gpu.py [BATCH ...] [--kinds KIND ...] [-o objective-gpu.json]

Needs a GPU and Triton. The same batches as in `objective.py`: embeddings of 128 numbers, two
classes, 8 patients and 256. Times are the median of ten between two events on the device, after
three that do not count, or of three where a step takes longer than 0.15 s; memory is the peak of
what tensors take, less what they took before. The peer, SupConLoss of
pytorch-metric-learning, is measured if it is installed beside this package.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import torch
from objective import (
    FEW,
    MOST_DENSE,
    PATIENTS,
    TAU,
    Drawn,
    Step,
    default_ratio,
    drawn,
    our_step,
    peer_step,
)
from objective_table import Cost, table, write

from pacl.objectives import POLICIES
from pacl.objectives.kernels import available
from pacl.objectives.tiled import tiled_losses

BATCHES = (128, 256, 1024, 4096, 8192, 16_384, 65_536, 262_144)
KINDS = {
    "dense": "all pairs",
    "compiled": "compiled",
    "peer": "peer",
    "tiles": "tiles without kernels",
    "kernels": "kernels",
    "fast": "kernels, fast",
}
DEVICE = "cuda"
REPEATS, WARM = 10, 3
SLOW_S, VERY_SLOW_S = 0.15, 3.0
"""What takes longer is repeated three times only; and what takes as long at first, warmed once."""


def step_of(kind: str, given: Drawn) -> Step:
    """What is measured: value, and gradients of embeddings and temperature."""
    if kind == "peer":
        return peer_step(given)
    if kind in ("dense", "compiled"):
        return our_step(given, tiled=False, check=False, compiled=kind == "compiled")
    if kind != "tiles":
        return our_step(given, tiled=True, check=False, fast=kind == "fast")
    rows = given[0].clone().requires_grad_()
    tau = torch.tensor(TAU, device=DEVICE, requires_grad=True)

    def step() -> None:
        values, valid = tiled_losses(rows, *given[1:], POLICIES["patient-aware"], tau)
        torch.autograd.grad(torch.where(valid, values, 0).sum() / valid.sum(), (rows, tau))

    return step


def timed(step: Step) -> tuple[float, float]:
    """Milliseconds, and MiB beyond what was there before."""
    repeats, warm = REPEATS, WARM
    if _seconds(step) > VERY_SLOW_S:
        repeats, warm = 3, 1
    for _ in range(warm - 1):
        step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    if _seconds(step) > SLOW_S:
        repeats = 3
    peak = torch.cuda.max_memory_allocated() - before
    taken = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        step()
        end.record()
        end.synchronize()
        taken.append(start.elapsed_time(end))
    return statistics.median(taken), peak / 2**20


def _seconds(step: Step) -> float:
    began = time.perf_counter()
    step()
    torch.cuda.synchronize()
    return time.perf_counter() - began


def measured(windows: int, patients: int, kinds: Sequence[str]) -> Iterator[Cost]:
    """Each kind that can be had; all pairs, and tiles without kernels, up to a number of them."""
    for kind in kinds:
        if windows > MOST_DENSE and kind not in ("kernels", "fast"):
            continue
        if kind == "peer" and find_spec("pytorch_metric_learning") is None:
            continue
        if kind == "compiled":
            torch.compiler.reset()
        torch.cuda.empty_cache()
        yield Cost(kind, windows, patients, *timed(step_of(kind, drawn(windows, patients, DEVICE))))


def main() -> int:
    """Measure, then print a table of times and one of memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("batches", nargs="*", type=int, default=BATCHES)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("-o", "--output", type=Path, help="JSON for objective_plot.py")
    chosen = parser.parse_args()
    if not torch.cuda.is_available() or not available(torch.device(DEVICE)):
        print("there is no GPU, or no Triton; nothing was measured")
        return 1
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}\n")
    found: list[Cost] = []
    for windows in chosen.batches:
        for patients in PATIENTS:
            for cost in measured(windows, patients, chosen.kinds):
                found.append(cost)
                print(cost, file=sys.stderr, flush=True)
            if chosen.output:
                write(chosen.output, torch.cuda.get_device_name(), found)
    for unit in ("ms", "mib"):
        print(table(found, unit, KINDS, "kernels", digits=1), end="\n\n")
    print("| windows | patients | default / all pairs, time |\n|--:|--:|--:|")
    for windows in sorted(set(FEW) & set(chosen.batches)):
        for patients in PATIENTS:
            ratio = default_ratio(windows, patients, device=DEVICE, seconds=_seconds)
            print(f"| {windows} | {patients} | {ratio:.3f}x |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
