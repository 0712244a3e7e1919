"""Table of `pacl features`: the features of heart rate variability of each window."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Float32, Int64
from pacl.cohort import Excerpt, Selection, Share
from pacl.cohort_tables.kind import Rows, common, common_of
from pacl.errors import PaclError
from pacl.records import Reader, Record, Rhythm
from pacl.rr import Cut, cut_windows

if TYPE_CHECKING:
    import pyarrow as pa

RECORDINGS, FEATURES = "recordings", "features"
CHUNK = 1024
"""Windows whose beats are in memory at the same time."""


@dataclass(frozen=True, slots=True)
class HrvTables:
    """What `pacl features` writes: windows of consecutive beats, and the features of each.

    No window crosses a gap, a pause between files or a stretch that cannot be judged.
    """

    cut: Cut

    command = "features"

    def schemas(self) -> "Mapping[str, pa.Schema]":
        """Columns of the tables; `af_share` is the share of beats annotated as AF."""
        import pyarrow as pa

        from pacl.features import HRV_NAMES  # with scipy, which other tables do not need

        windows = [
            ("record", pa.string()),
            ("patient", pa.string()),
            ("file", pa.string()),
            ("window", pa.int64()),
            ("start_s", pa.float64()),
            ("end_s", pa.float64()),
            ("af_share", pa.float64()),
            *((name, pa.float64()) for name in HRV_NAMES),
        ]
        counts = [("beats", pa.int64()), ("windows", pa.int64())]
        return {RECORDINGS: pa.schema([*common(), *counts]), FEATURES: pa.schema(windows)}

    def settings(self) -> Mapping[str, Any]:
        """All that the rows depend on."""
        return asdict(self)

    def open(self) -> "HrvTables":
        """Nothing needs to be loaded."""
        return self

    def rows(self, reader: Reader, record: Record) -> Rows:
        """Cut a recording, and compute the features of its windows."""
        import pyarrow as pa

        schemas = self.schemas()
        columns = window_features(record, self.cut)
        size = len(columns["window"])
        if not size:
            raise PaclError(
                f"{record.source}: no {self.cut.window_beats} plausible beats in a row; give "
                "shorter windows (--window-beats)"
            )
        of = {"record": record.record_id, "patient": record.patient_id, "file": record.source}
        columns |= {name: [value] * size for name, value in of.items()}
        counts = {"beats": len(record), "windows": size}
        return {
            RECORDINGS: pa.Table.from_pylist(
                [common_of(record) | counts], schema=schemas[RECORDINGS]
            ),
            FEATURES: pa.Table.from_pydict(columns, schema=schemas[FEATURES]),
        }


def window_features(record: Record, cut: Cut) -> dict[str, Any]:
    """Number, times, share of AF and features of each window of a recording."""
    from pacl.features import HRV_NAMES

    everything = Excerpt(0, len(record), Rhythm.UNKNOWN)
    found = cut_windows(
        record, Selection((Share((), (everything,), in_ms=True),), {}), **asdict(cut)
    )
    last = found.start + cut.window_beats - 1
    after = found.raw_index[last].astype(np.int64)
    values = _features(found.rr_ms, found.start, cut.window_beats)
    return {
        "window": np.arange(1, found.start.size + 1),
        "start_s": found.onset_s,
        "end_s": record.begins_s(after) + record.rr_ms[after] / 1000.0,
        "af_share": _af_share(found.beat_rhythm, found.start, cut.window_beats),
        **dict(zip(HRV_NAMES, values.T, strict=True)),
    }


def _features(
    rr_ms: Float32[Array, "beat"], start: Int64[Array, "window"], window_beats: int
) -> Array:
    from pacl.features import HRV_NAMES, hrv_features

    parts = [np.empty((0, len(HRV_NAMES)))]
    for at in range(0, start.size, CHUNK):
        beats = start[at : at + CHUNK, None] + np.arange(window_beats)
        parts.append(hrv_features(rr_ms[beats]))
    return np.concatenate(parts)


def _af_share(
    rhythm: Array, start: Int64[Array, "window"], window_beats: int
) -> list[float | None]:
    """Share of beats in AF; None where a beat has no annotation."""
    af, unknown = (np.append(0, np.cumsum(rhythm == kind)) for kind in (Rhythm.AF, Rhythm.UNKNOWN))
    stop = start + window_beats
    shares = (af[stop] - af[start]) / window_beats
    known = unknown[stop] == unknown[start]
    return [float(one) if sure else None for one, sure in zip(shares, known, strict=True)]
