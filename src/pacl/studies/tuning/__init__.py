"""Tuning: settings tried on validation patients, never on test patients (App. B)."""

from pacl.studies.tuning.outcome import Outcome, Tried, best_so_far
from pacl.studies.tuning.recordings import Recordings
from pacl.studies.tuning.space import SPACES, Choice, Dimension, Range, space_for
from pacl.studies.tuning.study import Pruner
from pacl.studies.tuning.tune import tune
from pacl.studies.tuning.windows import WindowsAsCut, WindowSource

__all__ = [
    "SPACES",
    "Choice",
    "Dimension",
    "Outcome",
    "Pruner",
    "Range",
    "Recordings",
    "Tried",
    "WindowSource",
    "WindowsAsCut",
    "best_so_far",
    "space_for",
    "tune",
]
