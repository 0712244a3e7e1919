"""Fleets against themselves without a captured step, and against trainers alone."""

from collections.abc import Iterator

import numpy as np
import torch

from pacl.models import Encoder
from pacl.objectives import make_objective
from pacl.rr import RRWindowTensors
from pacl.training import Fleet, LabelledWindows, SubjectSampler, Trainer

LOSSES = ("patient-aware", "supcon", "bce", "patient-aware")
PATIENTS, PER_CLASS, BEATS = 8, 4, 200


def checks(device: torch.device) -> Iterator[tuple[str, float, float]]:
    """Name, difference, and the largest allowed."""
    for steps in (1, 2, 7):
        found = captured(steps, device)
        yield f"captured fleet, epochs of {steps} steps, three of them", found, 1e-6
    yield "fleet and trainers alone, double precision, 50 steps", alone(device), 1e-8


def captured(steps: int, device: torch.device) -> float:
    """A fleet with and without capture, with dropout: difference as a share of the weights."""
    capture = device.type == "cuda"
    fleets = [_fleet(_trainers(steps, device, torch.float32, 0.12), c) for c in (capture, False)]
    start = fleets[0].packed.optimiser.matrix.clone()
    for _ in range(3):
        for fleet in fleets:
            fleet.run_epoch()
    ours, plain = (fleet.packed.optimiser.matrix for fleet in fleets)
    if fleets[0].packed.optimiser.steps.tolist() != [3.0 * steps] * len(LOSSES):
        return float("inf")
    if not bool((ours != start).any(dim=1).all()):  # a run that has not moved is no proof
        return float("inf")
    return float(((ours - plain).norm(dim=1) / plain.norm(dim=1)).max())


def alone(device: torch.device) -> float:
    """A fleet of runs beside the same runs alone, without dropout: the largest difference."""
    together, apart = (_trainers(50, device, torch.float64, 0.0) for _ in range(2))
    fleet = _fleet(together, None)
    fleet.run_epoch()
    fleet.sync()
    differ = []
    for mine, other in zip(together, apart, strict=True):
        other.run_epoch()
        pairs = zip(
            mine.named_parameters().values(), other.named_parameters().values(), strict=True
        )
        differ += [float((one - two).detach().abs().max()) for one, two in pairs]
    return max(differ)


def _fleet(trainers: list[Trainer], capture: bool | None) -> Fleet:
    return Fleet(trainers, lambda config, weights, runs: [0.5] * len(runs), capture=capture)


def _trainers(
    steps: int, device: torch.device, dtype: torch.dtype, dropout: float
) -> list[Trainer]:
    """The same runs at each call; every patient meets in every step of an epoch."""
    labels = np.tile(np.repeat(np.arange(2), steps * PER_CLASS), PATIENTS)
    patients = np.repeat(np.arange(PATIENTS), 2 * steps * PER_CLASS)
    draw = torch.Generator().manual_seed(0)
    count = labels.size
    # Intervals vary more in the second class, as they do in AF.
    spread = torch.tensor(20.0 + 100.0 * labels, dtype=dtype).repeat_interleave(BEATS)
    rr_ms = 800 + spread * torch.randn(count * BEATS, generator=draw, dtype=dtype)
    windows = LabelledWindows(
        RRWindowTensors(
            rr_ms=rr_ms.to(device),
            start=torch.arange(count, device=device) * BEATS,
            centre_ms=torch.full((count,), 800.0, dtype=dtype, device=device),
            scale_ms=torch.full((count,), 60.0, dtype=dtype, device=device),
            window_beats=BEATS,
        ),
        torch.tensor(labels, device=device),
        torch.tensor(patients, device=device),
    )
    made = []
    for seed, loss in enumerate(LOSSES):
        generator = torch.Generator().manual_seed(seed)
        encoder = Encoder(dropout=dropout, generator=generator).to(dtype)
        made.append(
            Trainer(
                encoder,
                make_objective(loss, features=128, generator=generator).to(dtype),
                windows,
                SubjectSampler(
                    labels,
                    patients,
                    generator=np.random.default_rng(seed),
                    subjects_per_batch=PATIENTS,
                    windows_per_class=PER_CLASS,
                ),
                lambda encoder: 0.5,
                generator=torch.Generator(device).manual_seed(seed),
                lr=3e-3,
            )
        )
    return made
