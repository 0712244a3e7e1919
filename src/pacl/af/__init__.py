"""Learning about atrial fibrillation: RR networks, their augmentation, intervals of rhythms."""

from pacl.af.augmentation import RRAugmentation, rr_augmentation
from pacl.af.rhythm_intervals import RatioIntervals, rhythm_intervals

__all__ = ["RRAugmentation", "RatioIntervals", "rhythm_intervals", "rr_augmentation"]
