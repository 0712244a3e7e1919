"""Learning about atrial fibrillation: RR networks, their augmentation, intervals of rhythms."""

from pacl.af.augmentation import RRAugmentation
from pacl.af.rhythm_intervals import RatioIntervals, rhythm_intervals

__all__ = ["RRAugmentation", "RatioIntervals", "rhythm_intervals"]
