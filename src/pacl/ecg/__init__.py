"""From an ECG to heart beats, and to the stretches in which they cannot be trusted."""

from pacl.ecg.averages import AveragesFinder
from pacl.ecg.beats import Beats, find_beats
from pacl.ecg.energy import clearest_leads
from pacl.ecg.finder import BEAT_FINDERS, BeatFinder
from pacl.ecg.signal import Ecg, Segment
from pacl.ecg.sleepecg_finder import SleepecgFinder

__all__ = [
    "BEAT_FINDERS",
    "AveragesFinder",
    "BeatFinder",
    "Beats",
    "Ecg",
    "Segment",
    "SleepecgFinder",
    "clearest_leads",
    "find_beats",
]
