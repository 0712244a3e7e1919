"""Detecting AF with weights that come along; nothing here needs torch."""

from pacl.detect.bundled import BUNDLED, bundled_file
from pacl.detect.detection import AfEpisode, Detection, Mode, NotJudged, Quality
from pacl.detect.detector import Detector
from pacl.detect.errors import DetectError
from pacl.detect.placed import Placed
from pacl.detect.reference_map import ReferenceMap
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
    "Placed",
    "Quality",
    "ReferenceMap",
    "StreamDetector",
    "bundled_file",
]
