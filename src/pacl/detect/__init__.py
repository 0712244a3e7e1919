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
from pacl.detect.beat_judge import BeatJudge
from pacl.detect.bundled import BUNDLED, bundled_file, bundled_folder, find_artifact, open_judge
from pacl.detect.call import CallableModule, detect
from pacl.detect.decoder import Decoder
from pacl.detect.detection import LONGEST_MS, AfEpisode, Detection, Quality
from pacl.detect.detector import Detector
from pacl.detect.detector_settings import DetectorSettings
from pacl.detect.edits_result import EditsResult
from pacl.detect.judge import Mode, OperatingPoint, probability
from pacl.detect.learn_evidence import groups_of
from pacl.detect.learn_person import adapt, new_person
from pacl.detect.learned_map import learn_map
from pacl.detect.looked import Looked
from pacl.detect.mark import Mark, MarkKind, painted
from pacl.detect.not_judged import MOST_DROPPED, DetectError, Offered
from pacl.detect.person import LearnedRecording, Person, PersonEvidence, PersonPrior
from pacl.detect.person_check import (
    LEAST_SINUS_MIN,
    MOST_UNLIKE,
    UNLIKE,
    PersonCheck,
    PersonNotice,
    beats_digest,
    of_profile,
)
from pacl.detect.person_from_marks import MarkedPerson, marked_person
from pacl.detect.person_result import PersonResult
from pacl.detect.quality import EQUAL_BETWEEN, EQUAL_WITHIN, REPEAT_COUNTS
from pacl.detect.reference_map import RecordEmbeddings, ReferenceMap
from pacl.detect.sinus_rhythm import DayToDay, Groups, SinusRhythm
from pacl.detect.stream import Decision, StreamDetector
from pacl.detect.window_judge import AF_PROBABILITY
from pacl.detect.window_scorer import WindowScorer
from pacl.detect.window_smoother import CAUSAL_SMOOTHER, MOST_LOG_ODDS
from pacl.detect.window_steps import STRIDE_BEATS
from pacl.spans import NotJudged

__all__ = [
    "AF_PROBABILITY",
    "BUNDLED",
    "CAUSAL_SMOOTHER",
    "DETECTOR_FILE",
    "DETECTOR_FORMAT",
    "EQUAL_BETWEEN",
    "EQUAL_WITHIN",
    "FINGERPRINTS_FILE",
    "LEAST_SINUS_MIN",
    "LONGEST_MS",
    "LOOK_AHEAD_NETWORK",
    "MOST_DROPPED",
    "MOST_LOG_ODDS",
    "MOST_UNLIKE",
    "OTHER_NETWORKS",
    "REPEAT_COUNTS",
    "STREAM_NETWORK",
    "STRIDE_BEATS",
    "UNLIKE",
    "AfEpisode",
    "Artifact",
    "BeatJudge",
    "DayToDay",
    "Decision",
    "Decoder",
    "DetectError",
    "Detection",
    "Detector",
    "DetectorSettings",
    "EditsResult",
    "Groups",
    "LearnedFrom",
    "LearnedRecording",
    "Looked",
    "Mark",
    "MarkKind",
    "MarkedPerson",
    "Mode",
    "NotJudged",
    "Offered",
    "OperatingPoint",
    "Person",
    "PersonCheck",
    "PersonEvidence",
    "PersonNotice",
    "PersonPrior",
    "PersonResult",
    "Quality",
    "RecordEmbeddings",
    "ReferenceMap",
    "SinusRhythm",
    "StreamDetector",
    "WindowScorer",
    "adapt",
    "beats_digest",
    "bundled_file",
    "bundled_folder",
    "detect",
    "find_artifact",
    "groups_of",
    "learn_map",
    "marked_person",
    "new_person",
    "of_profile",
    "open_judge",
    "painted",
    "probability",
]

sys.modules[__name__].__class__ = CallableModule
