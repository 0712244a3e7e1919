"""Detecting AF with bundled weights; nothing here needs torch.

The package can be called: `pacl.detect(rr_ms)` is `pacl.detect.detect(rr_ms)`.
"""

import sys

from pacl.detect.artifact import Artifact, LearnedFrom
from pacl.detect.bundled import BUNDLED, bundled_file, bundled_folder, open_judge
from pacl.detect.call import CallableModule, detect
from pacl.detect.decoder import Decoder
from pacl.detect.detection import Detection, Quality
from pacl.detect.detector import Detector
from pacl.detect.episode import AfEpisode
from pacl.detect.errors import DetectError
from pacl.detect.judge import Mode, OperatingPoint
from pacl.detect.not_judged import NotJudged
from pacl.detect.record_embeddings import RecordEmbeddings
from pacl.detect.reference_map import ReferenceMap
from pacl.detect.scorer import WindowScorer
from pacl.detect.stream import Decision, StreamDetector
from pacl.detect.usable_beats import Offered

__all__ = [
    "BUNDLED",
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
    "open_judge",
]

sys.modules[__name__].__class__ = CallableModule
