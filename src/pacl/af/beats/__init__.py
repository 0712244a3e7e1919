"""Training of networks with one label per beat: beat lines, crops, augmentations, training."""

from pacl.af.beats.crops import UNKNOWN, Augmentation, Crops
from pacl.af.beats.ectopy import Ectopy, Runs
from pacl.af.beats.line import BeatLine, LabelledRecord, beat_logits, label_beats
from pacl.af.beats.measurement import MissedBeats, TimingNoise
from pacl.af.beats.rate import Drift, Pacing, Rate, RateStep, Respiration
from pacl.af.beats.sampler import PLAUSIBLE_MS, BeatSampler, draw_crops
from pacl.af.beats.splice import Excerpt, Splice
from pacl.af.beats.trainer import BeatTraining, train_beats

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
    "beat_logits",
    "draw_crops",
    "label_beats",
    "train_beats",
]
