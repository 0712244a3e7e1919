"""Which runs can share a program, and would not be refused one by one."""

from collections.abc import Sequence

import torch

from pacl.models.stacked import stack_weights
from pacl.objectives.stacked import StackedObjective, stack_objectives
from pacl.training.errors import TrainingError
from pacl.training.trainer import Trainer


def check_fleet(trainers: Sequence[Trainer], names: Sequence[str]) -> None:
    """Refuse runs that cannot share a program, or whose batches their objective would refuse."""
    _check_alike(trainers, names)
    stack_weights([trainer.encoder for trainer in trainers])
    stack_objectives([trainer.objective for trainer in trainers])
    StackedObjective.of([trainer.objective for trainer in trainers])
    for trainer in trainers:
        if not trainer.done:
            _check_batch(trainer)


def _check_batch(trainer: Trainer) -> None:
    """Let the objective refuse batches as it would alone: all that a sampler draws are alike."""
    trainer.sampler.set_epoch(trainer.epoch)
    rows = torch.from_numpy(trainer.sampler.epoch_rows()[0]).to(trainer.windows.device)
    config, objective = trainer.encoder.config, trainer.objective
    length = config[f"{objective.reads.removesuffix('_raw')}_features"]
    like = next(objective.parameters())
    embedded = torch.full((len(rows), length), length**-0.5).to(like)
    with torch.no_grad():
        objective(embedded, trainer.windows.labels[rows], trainer.windows.patients[rows])


def _check_alike(trainers: Sequence[Trainer], names: Sequence[str]) -> None:
    """Refuse runs that cannot share a program, and say in what they differ."""
    if not trainers:
        raise TrainingError("a fleet of no runs; give at least one")
    kinds = [
        {
            "encoder": trainer.encoder.config,
            "windows in a batch": trainer.sampler.batch_size,
            "faults": trainer.augmentation.faults,
            "respiratory arrhythmia": trainer.augmentation.respiratory_arrhythmia,
            "a score": trainer.score is not None,
            "beats in a window": trainer.windows.tensors.window_beats,
            "device": str(trainer.windows.device),
            "precision": str(next(trainer.encoder.parameters()).dtype),
        }
        for trainer in trainers
    ]
    for at, kind in enumerate(kinds):
        if differ := [name for name, value in kind.items() if value != kinds[0][name]]:
            raise TrainingError(
                f"{names[0]} and {names[at]} differ in {', '.join(differ)}; "
                "train them in fleets of their own"
            )
