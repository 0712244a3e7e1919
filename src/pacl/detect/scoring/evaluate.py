"""A detector on annotated recordings, patient by patient."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.detect.detector import Detector
from pacl.detect.judge import Mode, OperatingPoint
from pacl.detect.not_judged import DetectError
from pacl.detect.scoring.agreement import MEASURES, Agreement, Measure, recording_agreement
from pacl.detect.scoring.compared import Flutter, Unmarked
from pacl.detect.scoring.scores import RhythmScores, rhythm_scores
from pacl.errors import PaclError
from pacl.records import Reader, Record, RecordError

if TYPE_CHECKING:
    from pacl.af import RatioIntervals


@dataclass(frozen=True, eq=False, slots=True)
class RhythmEvaluation:
    """The result of a detector on annotated recordings.

    Parameters
    ----------
    mode, flutter, unmarked, weights, operating_point
        How the recordings were judged, and how their annotations were read.
    learned_from
        Recordings that the weights were trained on; None where it is not known.
    patients
        Counts of each patient.
    faults
        Errors of the recordings that could not be read or judged.
    """

    mode: Mode
    flutter: Flutter
    unmarked: Unmarked
    weights: str
    operating_point: OperatingPoint
    learned_from: list[str] | None
    patients: Mapping[str, Agreement]
    faults: tuple[PaclError, ...]

    def scores(self) -> RhythmScores:
        """Performance over all patients."""
        return rhythm_scores(list(self.patients.values()))

    @property
    def nothing_counted(self) -> list[str]:
        """Patients without time that is both annotated and judged."""
        return [name for name, one in self.patients.items() if one.counted_s <= 0]

    @property
    def worst_first(self) -> list[tuple[str, Agreement]]:
        """Patients in descending order of their error of AF burden."""
        return sorted(self.patients.items(), key=lambda each: -(each[1].burden_error or 0.0))

    def to_dict(
        self, intervals: "Mapping[Measure, RatioIntervals] | None", level: float
    ) -> dict[str, Any]:
        """Plain values for JSON, with intervals of this level where there are any."""
        found = self.scores().to_dict()
        for measure in MEASURES:
            for kind in ("gross", "average"):
                ends = getattr(intervals[measure], kind) if intervals else None
                limits = [ends.low, ends.high] if ends else None
                found["measures"][measure][f"{kind}_interval"] = limits
        return {
            "mode": self.mode,
            "flutter": self.flutter,
            "unmarked": self.unmarked,
            "weights": self.weights,
            "operating_point": self.operating_point,
            "learned_from": self.learned_from,
            **found,
            "interval_level": level if intervals else None,
            "nothing_counted": self.nothing_counted,
            "per_patient": [
                {
                    "patient": name,
                    "counted_h": one.counted_s / 3600,
                    "true_burden": one.true_burden,
                    "called_burden": one.called_burden,
                    "burden_error_points": one.burden_error,
                    "true_episodes": len(one.true_episodes),
                    "called_episodes": one.called_episodes,
                    "false_episodes": one.false_episodes,
                    **{measure: one.value(measure) for measure in MEASURES},
                }
                for name, one in self.worst_first
            ],
        }


@dataclass(frozen=True, slots=True)
class RecordingScore:
    """Counts of one recording, and whether the weights were trained on it."""

    record_id: str
    patient_id: str
    agreement: Agreement
    learned_from: bool | None


@dataclass(frozen=True, slots=True)
class RhythmComparison:
    """How recordings are judged, and how their annotations are read."""

    mode: Mode = "look-ahead"
    flutter: Flutter = "left-out"
    unmarked: Unmarked = "left-out"

    def score(self, record: Record, detector: Detector) -> RecordingScore:
        """Judge a recording and compare with its annotations."""
        detection = detector.detect(record, self.mode)
        found = recording_agreement(record, detection, self.flutter, self.unmarked)
        return RecordingScore(record.record_id, record.patient_id, found, detection.learned_from)

    def joined(
        self, scores: Iterable[RecordingScore | PaclError], detector: Detector
    ) -> RhythmEvaluation:
        """The result of all recordings, or errors of those that could not be read or judged."""
        patients: dict[str, Agreement] = {}
        learned: list[str] | None = []
        faults: list[PaclError] = []
        for one in scores:
            if isinstance(one, PaclError):
                faults.append(one)
                continue
            before = patients.get(one.patient_id, Agreement())
            patients[one.patient_id] = before + one.agreement
            if one.learned_from is None:
                learned = None
            elif one.learned_from and learned is not None:
                learned.append(one.record_id)
        return RhythmEvaluation(
            mode=self.mode,
            flutter=self.flutter,
            unmarked=self.unmarked,
            weights=detector.judge.name,
            operating_point=detector.operating_point,
            learned_from=learned,
            patients=patients,
            faults=tuple(faults),
        )


def evaluate_recordings(
    reader: Reader,
    detector: Detector,
    mode: Mode = "look-ahead",
    *,
    flutter: Flutter = "left-out",
    unmarked: Unmarked = "left-out",
    advance: Callable[[int, int], object] = lambda done, of: None,
) -> RhythmEvaluation:
    """Compare a detector with the rhythm annotations of recordings.

    Recordings that cannot be read or judged are left out, and listed in `faults`. `advance` is
    called after each recording with the number done and the number of all.
    """
    how = RhythmComparison(mode, flutter, unmarked)

    def scores() -> Iterator[RecordingScore | PaclError]:
        for done, record_id in enumerate(reader.record_ids, start=1):
            try:
                yield how.score(reader.read(record_id), detector)
            except (RecordError, DetectError) as error:
                yield error
            advance(done, len(reader.record_ids))

    return how.joined(scores(), detector)
