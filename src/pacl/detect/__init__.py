"""Detecting AF with bundled weights; nothing here needs torch.

The package can be called: `pacl.detect(rr_ms)` is `pacl.detect.detect(rr_ms)`.
"""

import sys

from pacl.detect.bundled import BUNDLED, bundled_file
from pacl.detect.call import CallableModule, detect
from pacl.detect.detection import AfEpisode, Detection, Mode, Quality
from pacl.detect.detector import Detector
from pacl.detect.errors import DetectError
from pacl.detect.not_judged import NotJudged
from pacl.detect.offered import Offered
from pacl.detect.placed import Placed
from pacl.detect.reference_map import ReferenceMap
from pacl.detect.scorer import WindowScorer
from pacl.detect.stream import Decision, StreamDetector

__all__ = [
    "BUNDLED",
    "AfEpisode",
    "Decision",
    "DetectError",
    "Detection",
    "Detector",
    "Mode",
    "NotJudged",
    "Offered",
    "Placed",
    "Quality",
    "ReferenceMap",
    "StreamDetector",
    "WindowScorer",
    "bundled_file",
    "detect",
]

sys.modules[__name__].__class__ = CallableModule
