"""Training: sampling of batches, optimisation, fleets, early stopping and checkpoints."""

from pacl.training.epoch_log import EarlyStopping, EpochLog
from pacl.training.errors import SamplerError, TrainingError
from pacl.training.loop import cosine, load_checkpoint, make_adamw, save_checkpoint
from pacl.training.sampler import PatientSampler
from pacl.training.trainer import Score, Trainer
from pacl.training.windows import Batch, LabelledWindows

__all__ = [
    "Batch",
    "EarlyStopping",
    "EpochLog",
    "LabelledWindows",
    "PatientSampler",
    "SamplerError",
    "Score",
    "Trainer",
    "TrainingError",
    "cosine",
    "load_checkpoint",
    "make_adamw",
    "save_checkpoint",
]
