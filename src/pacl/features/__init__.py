"""Features of heart-rate variability (HRV) of many windows at once."""

from pacl.features.frequency import FREQUENCY_NAMES, frequency_features
from pacl.features.hrv import (
    HRV_NAMES,
    LEAST_BEATS,
    NONLINEAR_NAMES,
    FeatureError,
    hrv_features,
    nonlinear_features,
)
from pacl.features.irregularity import IRREGULARITY_NAMES, irregularity_features
from pacl.features.statistics import STATISTICS, statistics_of
from pacl.features.time import TIME_NAMES, time_features

__all__ = [
    "FREQUENCY_NAMES",
    "HRV_NAMES",
    "IRREGULARITY_NAMES",
    "LEAST_BEATS",
    "NONLINEAR_NAMES",
    "STATISTICS",
    "TIME_NAMES",
    "FeatureError",
    "frequency_features",
    "hrv_features",
    "irregularity_features",
    "nonlinear_features",
    "statistics_of",
    "time_features",
]
