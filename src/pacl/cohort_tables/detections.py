"""Tables of `pacl detect`: one row per recording, per episode of AF, and per judged step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.cohort_tables.kind import Rows, common, common_of
from pacl.detect import Detection, Detector, DetectorSettings, Mode
from pacl.records import Reader, Record

if TYPE_CHECKING:
    import pyarrow as pa

RECORDINGS, EPISODES, STEPS = "recordings", "episodes", "steps"


@dataclass(frozen=True, slots=True)
class DetectionTables:
    """What `pacl detect` writes of a cohort.

    Parameters
    ----------
    detector
        How the detector is made.
    mode
        See `Detector.detect`.
    steps
        Whether there is a table of all judged steps, too: about 100,000 rows for a day.
    """

    detector: DetectorSettings = DetectorSettings()
    mode: Mode = "look-ahead"
    steps: bool = False

    command = "detect"

    def schemas(self) -> "Mapping[str, pa.Schema]":
        """Columns of each table."""
        import pyarrow as pa

        text, number, count, flag = pa.string(), pa.float64(), pa.int64(), pa.bool_()
        of = [("record", text), ("patient", text), ("file", text)]
        found = {
            RECORDINGS: pa.schema(
                [
                    *common(),
                    ("verdict", text),
                    ("reason", text),
                    ("af_burden", number),
                    ("af_s", number),
                    ("judged_s", number),
                    ("recorded_s", number),
                    ("duration_s", number),
                    ("judged_share", number),
                    ("seen_share", number),
                    ("why_not_judged", text),
                    ("episodes", count),
                    ("longest_episode_s", number),
                    ("beats", count),
                    ("implausible", number),
                    ("gaps", count),
                    ("started", text),
                    ("learned_from", flag),
                    *self._of_person(),
                ]
            ),
            EPISODES: pa.schema(
                [
                    *of,
                    ("episode", count),
                    ("start_s", number),
                    ("end_s", number),
                    ("confidence", number),
                    ("may_be_flutter", flag),
                    ("not_judged_s", number),
                ]
            ),
        }
        if self.steps:
            found[STEPS] = pa.schema(
                [
                    *of,
                    ("start_s", number),
                    ("end_s", number),
                    ("probability", pa.float32()),
                    ("af", flag),
                ]
            )
        return found

    def _of_person(self) -> "list[tuple[str, pa.DataType]]":
        import pyarrow as pa

        if self.detector.person is None:
            return []
        return [
            ("profile", pa.string()),
            ("verdict_without", pa.string()),
            ("af_burden_without", pa.float64()),
        ]

    def settings(self) -> Mapping[str, Any]:
        """All that the rows depend on; files by their content."""
        return {"detector": self.detector.stated(), "mode": self.mode, "steps": self.steps}

    def open(self) -> "OpenDetections":
        """Load the detector."""
        return OpenDetections(self, self.detector.open())


@dataclass(frozen=True, eq=False, slots=True)
class OpenDetections:
    """A detector that is loaded, and the tables it is for."""

    kind: DetectionTables
    detector: Detector

    def rows(self, reader: Reader, record: Record) -> Rows:
        """Judge a recording."""
        import pyarrow as pa

        schemas = self.kind.schemas()
        found = self.detector.detect(record, self.kind.mode)
        of = {"record": record.record_id, "patient": record.patient_id, "file": record.source}
        episodes = [
            {
                **of,
                "episode": number,
                "start_s": one.start_s,
                "end_s": one.end_s,
                "confidence": one.confidence,
                "may_be_flutter": one.may_be_flutter,
                "not_judged_s": one.not_judged_s,
            }
            for number, one in enumerate(found.episodes, start=1)
        ]
        rows = {
            RECORDINGS: pa.Table.from_pylist(
                [common_of(record) | _summary(found)], schema=schemas[RECORDINGS]
            ),
            EPISODES: pa.Table.from_pylist(episodes, schema=schemas[EPISODES]),
        }
        if self.kind.steps:
            size = found.start_s.size
            columns: dict[str, Any] = {name: [value] * size for name, value in of.items()}
            columns |= {"start_s": found.start_s, "end_s": found.end_s, "af": found.af}
            columns["probability"] = found.probability.astype("float32")
            rows[STEPS] = pa.Table.from_pydict(columns, schema=schemas[STEPS])
        return rows


def _summary(found: Detection) -> dict[str, Any]:
    """The row of a recording."""
    row = {
        "verdict": found.verdict,
        "reason": found.reason,
        "af_burden": found.af_burden,
        "af_s": found.af_s,
        "judged_s": found.judged_s,
        "recorded_s": found.recorded_s,
        "duration_s": found.duration_s,
        "judged_share": found.judged_share,
        "seen_share": found.seen_share,
        "why_not_judged": found.why_not_judged,
        "episodes": len(found.episodes),
        "longest_episode_s": max((one.duration_s for one in found.episodes), default=None),
        "beats": found.quality.beats,
        "implausible": found.quality.implausible,
        "gaps": found.quality.gaps,
        "started": None if found.started is None else found.started.isoformat(),
        "learned_from": found.learned_from,
    }
    if found.person is not None:
        without = found.person.without
        row |= {
            "profile": found.person.why_not or "used",
            "verdict_without": without.verdict,
            "af_burden_without": without.af_burden,
        }
    return row
