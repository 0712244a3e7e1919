"""Training of networks with one label per beat: beat lines, crops, augmentations, training."""

from pacl.training.beats.crops import UNKNOWN, Augmentation, Crops
from pacl.training.beats.ectopy import Ectopy, Runs
from pacl.training.beats.line import BeatLine, LabelledRecord, label_beats
from pacl.training.beats.measurement import MissedBeats, TimingNoise
from pacl.training.beats.rate import Drift, Pacing, Rate, RateStep, Respiration
from pacl.training.beats.sampler import PLAUSIBLE_MS, BeatSampler, draw_crops
from pacl.training.beats.splice import Excerpt, Splice
from pacl.training.beats.trainer import BeatTraining, train_beats

ROBUST: tuple[Augmentation, ...] = (
    Splice(),
    Rate(),
    Pacing(),
    Drift(),
    RateStep(),
    Respiration(),
    Ectopy(),
    Runs(),
    MissedBeats(),
    TimingNoise(),
    Excerpt(),
)
"""Augmentations for a robust detector, in this order: first the heart, then the measurement."""

__all__ = [
    "PLAUSIBLE_MS",
    "ROBUST",
    "UNKNOWN",
    "Augmentation",
    "BeatLine",
    "BeatSampler",
    "BeatTraining",
    "Crops",
    "Drift",
    "Ectopy",
    "Excerpt",
    "LabelledRecord",
    "MissedBeats",
    "Pacing",
    "Rate",
    "RateStep",
    "Respiration",
    "Runs",
    "Splice",
    "TimingNoise",
    "draw_crops",
    "label_beats",
    "train_beats",
]
