"""Detecting AF with bundled weights; needs neither torch nor scipy.

The package can be called: `pacl.detect(rr_ms)` is `pacl.detect.detect(rr_ms)`. How well AF is
detected in annotated recordings is computed by `pacl.detect.scoring`.
"""

import sys

from pacl.detect.artifact import (
    DETECTOR_FILE,
    DETECTOR_FORMAT,
    FINGERPRINTS_FILE,
    LOOK_AHEAD_NETWORK,
    OTHER_NETWORKS,
    STREAM_NETWORK,
    Artifact,
    LearnedFrom,
)
from pacl.detect.bundled import BUNDLED, bundled_file, bundled_folder, find_artifact, open_judge
from pacl.detect.call import CallableModule, detect
from pacl.detect.decoder import Decoder
from pacl.detect.detection import LONGEST_MS, AfEpisode, Detection, Quality
from pacl.detect.detector import Detector
from pacl.detect.judge import Mode, OperatingPoint
from pacl.detect.learned_map import learn_map
from pacl.detect.not_judged import MOST_DROPPED, DetectError, NotJudged, Offered
from pacl.detect.quality import EQUAL_BETWEEN, EQUAL_WITHIN, GROUP, REPEAT_COUNTS
from pacl.detect.reference_map import RecordEmbeddings, ReferenceMap
from pacl.detect.stream import Decision, StreamDetector
from pacl.detect.window_judge import AF_PROBABILITY
from pacl.detect.window_scorer import WindowScorer
from pacl.detect.window_smoother import CAUSAL_SMOOTHER, MOST_LOG_ODDS
from pacl.detect.window_steps import STRIDE_BEATS

__all__ = [
    "AF_PROBABILITY",
    "BUNDLED",
    "CAUSAL_SMOOTHER",
    "DETECTOR_FILE",
    "DETECTOR_FORMAT",
    "EQUAL_BETWEEN",
    "EQUAL_WITHIN",
    "FINGERPRINTS_FILE",
    "GROUP",
    "LONGEST_MS",
    "LOOK_AHEAD_NETWORK",
    "MOST_DROPPED",
    "MOST_LOG_ODDS",
    "OTHER_NETWORKS",
    "REPEAT_COUNTS",
    "STREAM_NETWORK",
    "STRIDE_BEATS",
    "AfEpisode",
    "Artifact",
    "Decision",
    "Decoder",
    "DetectError",
    "Detection",
    "Detector",
    "LearnedFrom",
    "Mode",
    "NotJudged",
    "Offered",
    "OperatingPoint",
    "Quality",
    "RecordEmbeddings",
    "ReferenceMap",
    "StreamDetector",
    "WindowScorer",
    "bundled_file",
    "bundled_folder",
    "detect",
    "find_artifact",
    "learn_map",
    "open_judge",
]

sys.modules[__name__].__class__ = CallableModule
