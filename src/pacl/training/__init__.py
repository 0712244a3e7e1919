"""Training: sampling of batches, optimisation, fleets, early stopping and checkpoints."""

from pacl.settings import Keep
from pacl.training.augmentation import Augmentation
from pacl.training.epoch_log import COLLAPSED, EarlyStopping, EpochLog, spread
from pacl.training.epoch_plan import Pools, has_one_class, pool, turns_of
from pacl.training.errors import SamplerError, TrainingError
from pacl.training.fleet import Fleet, check_fleet
from pacl.training.loop import (
    Seeds,
    cosine,
    keep_freed_memory,
    load_checkpoint,
    make_adamw,
    save_checkpoint,
    take_steps,
    usable_device,
)
from pacl.training.planned import assembled_trainer, planned_model, planned_trainer
from pacl.training.sampler import SubjectSampler
from pacl.training.signal_augmentation import SignalAugmentation, signal_augmentation
from pacl.training.trainer import Score, Trainer
from pacl.training.windows import Batch, LabelledWindows

__all__ = [
    "COLLAPSED",
    "Augmentation",
    "Batch",
    "EarlyStopping",
    "EpochLog",
    "Fleet",
    "Keep",
    "LabelledWindows",
    "Pools",
    "SamplerError",
    "Score",
    "Seeds",
    "SignalAugmentation",
    "SubjectSampler",
    "Trainer",
    "TrainingError",
    "assembled_trainer",
    "check_fleet",
    "cosine",
    "has_one_class",
    "keep_freed_memory",
    "load_checkpoint",
    "make_adamw",
    "planned_model",
    "planned_trainer",
    "pool",
    "save_checkpoint",
    "signal_augmentation",
    "spread",
    "take_steps",
    "turns_of",
    "usable_device",
]
