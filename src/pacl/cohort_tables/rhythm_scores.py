"""Table of `pacl evaluate-rhythm`: how each recording agrees with its annotations."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pacl.cohort_tables.folder import TablesFolder, no_tables
from pacl.cohort_tables.kind import Rows, common, common_of
from pacl.detect import Detector, DetectorSettings
from pacl.detect.scoring import Agreement, RecordingScore, RhythmComparison
from pacl.errors import PaclError
from pacl.records import Reader, Record
from pacl.stored import parse_json

if TYPE_CHECKING:
    import pyarrow as pa

RECORDINGS = "recordings"
COUNTS = ("counted_s", "af_s", "called_s", "both_s")


@dataclass(frozen=True, slots=True)
class RhythmTables:
    """What `pacl evaluate-rhythm` writes of a cohort.

    Parameters
    ----------
    detector
        How the detector is made.
    compare
        How recordings are judged, and how their annotations are read.
    """

    detector: DetectorSettings = DetectorSettings()
    compare: RhythmComparison = RhythmComparison()

    command = "evaluate-rhythm"

    def schemas(self) -> "Mapping[str, pa.Schema]":
        """Columns; `agreement` has all counts of a recording, as JSON."""
        import pyarrow as pa

        more = [(name, pa.float64()) for name in COUNTS]
        more += [
            ("true_episodes", pa.int64()),
            ("called_episodes", pa.int64()),
            ("right_episodes", pa.int64()),
            ("learned_from", pa.bool_()),
            ("agreement", pa.string()),
        ]
        return {RECORDINGS: pa.schema([*common(), *more])}

    def settings(self) -> Mapping[str, Any]:
        """All that the rows depend on."""
        return {"detector": self.detector.stated(), "compare": asdict(self.compare)}

    def open(self) -> "OpenRhythmTables":
        """Load the detector."""
        return OpenRhythmTables(self, self.detector.open())


@dataclass(frozen=True, eq=False, slots=True)
class OpenRhythmTables:
    """A detector that is loaded, and the table it is for."""

    kind: RhythmTables
    detector: Detector

    def rows(self, reader: Reader, record: Record) -> Rows:
        """Judge a recording and compare with its annotations."""
        import pyarrow as pa

        score = self.kind.compare.score(record, self.detector)
        found = score.agreement
        row = common_of(record) | {name: getattr(found, name) for name in COUNTS}
        row |= {
            "true_episodes": len(found.true_episodes),
            "called_episodes": found.called_episodes,
            "right_episodes": found.right_episodes,
            "learned_from": score.learned_from,
            "agreement": json.dumps(asdict(found)),
        }
        return {RECORDINGS: pa.Table.from_pylist([row], schema=self.kind.schemas()[RECORDINGS])}


def recording_scores(folder: TablesFolder) -> Iterator[RecordingScore | PaclError]:
    """The scores that were written, in the order of the recordings; errors of those that failed."""
    for part in folder.batches(RECORDINGS):
        for row in part.to_pylist():
            if row["error"] is not None:
                yield PaclError(row["error"])
                continue
            found: Agreement = parse_json(
                row["agreement"].encode(), folder.path, Agreement, no_tables
            )
            yield RecordingScore(row["record"], row["patient"], found, row["learned_from"])
