"""The page of one recording: charts to look into, episodes, how it was judged, a print sheet.

It is one file that needs nothing else, or linked parts that `pacl view` serves.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pacl.detect import Detection, RecordEmbeddings
from pacl.ecg import Ecg
from pacl.records import Record
from pacl.report.page import PageError, as_data, asset, content_policy, render
from pacl.report.recording.about import about_blocks
from pacl.report.recording.ecg_samples import ecg_values, packed_ecg
from pacl.report.recording.recording_view import recording_view
from pacl.report.recording.sheet import compute_sheet
from pacl.report.wording import counted, duration

ASSETS = Path(__file__).parent / "assets"
SHARED = ("page.css", "page.js", "tables.js")
STYLES = ("page.css", "viewer.css", "sheet.css")
SCRIPTS = (
    "page.js",
    "tables.js",
    "time.js",
    "beats.js",
    "canvas.js",
    "dots.js",
    "tachogram.js",
    "overview.js",
    "scatter.js",
    "ecg.js",
    "gestures.js",
    "episodes.js",
    "marks.js",
    "source.js",
    "keys.js",
    "recording.js",
)
"""Each builds on those before it."""

NO_ECG = "The ECG is too long for this page; pacl view shows it."


@cache
def recording_assets() -> Mapping[str, str]:
    """The style sheets and scripts of the page by their names."""
    return {
        name: asset(name) if name in SHARED else (ASSETS / name).read_text("utf-8")
        for name in (*STYLES, *SCRIPTS)
    }


def write_recording_page(
    record: Record,
    detection: Detection,
    embedded: RecordEmbeddings | None = None,
    ecg: Ecg | None = None,
    *,
    up: str = "",
    notices: Sequence[str] = (),
) -> str:
    """Write the results for a recording as one HTML page that needs no other files.

    Parameters
    ----------
    record, detection
        The recording, and what was found in it.
    embedded
        From `Detector.place`: the page also shows the recording among the reference patients.
    ecg
        Its ECG, which is shown where it is short enough to be written into the page.
    up
        Address of the index that the page belongs to.
    notices
        Sentences to show above the charts.
    """
    files = recording_assets()
    styles, scripts = [files[name] for name in STYLES], [files[name] for name in SCRIPTS]
    samples = None if ecg is None else packed_ecg(ecg)
    too_long = [NO_ECG] if ecg is not None and samples is None else []
    view = recording_view(record, detection, [*notices, *too_long])
    values = view.values | {"ecg": ecg_values(ecg) if ecg is not None and samples else None}
    return _rendered(
        record,
        detection,
        values,
        embedded,
        up=up,
        styles=styles,
        scripts=scripts,
        policy=content_policy(scripts, styles),
        beats=_as_text(view.beats.content),
        ecg_samples="" if samples is None else _as_text(samples),
        sheet=compute_sheet(record, detection, ecg),
    )


def live_recording_page(
    record: Record,
    detection: Detection,
    values: Mapping[str, Any],
    embedded: RecordEmbeddings | None = None,
    *,
    assets: str,
    edits_path: str,
    up: str = "",
) -> str:
    """The same page for a server: it links `recording_assets`, and asks for the beats."""
    return _rendered(
        record,
        detection,
        values,
        embedded,
        up=up,
        live=True,
        edits_path=edits_path,
        style_links=[assets + name for name in STYLES],
        script_links=[assets + name for name in SCRIPTS],
    )


def about_page(
    record: Record, detection: Detection, embedded: RecordEmbeddings | None = None
) -> str:
    """What the page says below its charts, by itself."""
    return render("about.html", blocks=about_blocks(record, detection, embedded))


def sheet_page(
    record: Record, detection: Detection, ecg: Ecg | None = None, *, styles: Sequence[str]
) -> str:
    """The print sheet by itself; `styles` are addresses of `page.css` and `sheet.css`."""
    sheet = compute_sheet(record, detection, ecg)
    return render("sheet_page.html", sheet=sheet, style_links=styles)


def _rendered(
    record: Record,
    detection: Detection,
    values: Mapping[str, Any],
    embedded: RecordEmbeddings | None,
    **parts: Any,
) -> str:
    if record.record_id != detection.record_id:
        raise PageError(
            f"record {record.record_id}: the detection is of record {detection.record_id}; "
            "give the record that was judged"
        )
    empty = {"styles": (), "scripts": (), "style_links": (), "script_links": (), "policy": ""}
    more = {"live": False, "edits_path": "", "beats": "", "ecg_samples": "", "sheet": None}
    return render(
        "recording.html",
        title=f"Recording {record.record_id.removeprefix('record_')}",
        about=_about(record, detection),
        annotated=bool(values["annotated"]),
        ecg=values["ecg"] is not None,
        blocks=about_blocks(record, detection, embedded),
        values=as_data(values),
        **(empty | more | parts),
    )


def _about(record: Record, detection: Detection) -> str:
    started = "" if record.started is None else f", {record.started:%Y-%m-%d %H:%M}"
    who = f"patient {record.patient_id}, " if record.patient_id != record.record_id else ""
    lasts = f"{duration(detection.recorded_s)}, {counted(len(record), 'beat')}"
    return f"{who}{lasts}{started}"


def _as_text(content: bytes) -> str:
    """Bytes inside a page: compressed, without a date, and written as text."""
    return base64.b64encode(gzip.compress(content, 6, mtime=0)).decode()
