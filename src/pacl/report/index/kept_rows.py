"""What a row depends on, as one digest: rows are kept under it."""

from pathlib import Path

import pacl
from pacl.detect import (
    BUNDLED,
    DETECTOR_FILE,
    FINGERPRINTS_FILE,
    Detector,
    Mode,
    bundled_file,
    find_artifact,
)
from pacl.records import content_digest, digest
from pacl.report.index.row import ROW_FORMAT, RecordingRow, RowError
from pacl.stored import Kept


def detector_digest(
    detector: Detector, mode: Mode = "look-ahead", weights: str | Path = BUNDLED[0]
) -> str:
    """Digest of how recordings are judged: weights, mode, operating point, profile of a person.

    `weights` is what the detector was made with. No network is loaded.
    """
    artifact = find_artifact(weights)
    if artifact is None:
        path = Path(weights)
        if isinstance(weights, str) and weights in BUNDLED:
            path = bundled_file(weights, "onnx")
        of_weights = content_digest([path])
    else:
        files = [artifact.folder / name for name in (DETECTOR_FILE, FINGERPRINTS_FILE)]
        of_weights = artifact.networks_digest + content_digest(files)
    person = "" if detector.person is None else detector.person.to_json()
    parts = {
        "weights": of_weights,
        "mode": mode,
        "operating_point": detector.operating_point,
        "min_duration_s": repr(detector.min_duration_s),
        "person": person,
        "use_person": repr(detector.use_person),
    }
    return digest((name, value.encode()) for name, value in parts.items())


def row_key(reading: str, judging: str, edits: str = "") -> str:
    """The digest that a row is kept under.

    Parameters
    ----------
    reading
        `reading_digest` of the recording, or `Record.digest` where its reader cannot tell.
    judging
        `detector_digest`.
    edits
        Digest of the active marks by hand; empty without any.
    """
    parts = {
        "format": ROW_FORMAT,
        "pacl": pacl.__version__,
        "reading": reading,
        "judging": judging,
        "edits": edits,
    }
    return digest((name, value.encode()) for name, value in parts.items())


def kept_row(kept: Kept, under: str, key: str, page: str = "") -> RecordingRow | None:
    """A row that was kept, for this index; None where there is none that is ready."""
    value = kept.get(under)
    try:
        found = None if value is None else RecordingRow.from_dict(value)
    except RowError:
        return None
    return found.at(key, page) if found is not None and found.status == "ready" else None


def keep_row(kept: Kept, under: str, row: RecordingRow) -> None:
    """Keep a row that is ready; others are computed again."""
    if row.status == "ready":
        kept.put(under, row.at("").to_dict())
