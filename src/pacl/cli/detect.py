"""`pacl detect`: AF episodes and burden of recordings, or of a stream, without any training."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from pacl.cli.detect_stream import detect_stream
from pacl.cli.options import STANDARD_INPUT
from pacl.errors import PaclError
from pacl.records import ReadOptions, RecordError, open_records
from pacl.whole import write_whole

if TYPE_CHECKING:
    from pacl.detect import Detection, Detector
    from pacl.records import Record

Format = Literal["text", "json", "csv", "html"]
SHOWN = 20
COLUMNS = "file,record,verdict,af_burden,start_s,end_s,confidence,start,end"


def detect(
    *paths: Path,
    format: Format = "text",  # noqa: A002 - what the person types
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    mode: Literal["look-ahead", "causal"] = "look-ahead",
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
) -> None:
    """Find AF in recordings: episodes, burden, and what could not be judged.

    Uses the weights that come along; nothing is trained. "cannot tell" is said instead of a guess.
    Not a medical device: for research, not for diagnosis.

    With `-` for a path, intervals in ms are read from standard input, one a line, and a line is
    printed for each decision: seconds, probability of AF, and AF or -. Where there was none, the
    reason is told on standard error at the end.

    Parameters
    ----------
    paths
        Recordings or folders of them: IRIDIA-AF, WFDB annotations, or plain RR text files. A WFDB
        record is named by its path without ending.
    format
        text to read, json (an object, or a list for several), csv (a row an episode), or html (a
        page; several go into a folder).
    output
        Where to write it. [default: standard output]
    mode
        look-ahead judges each moment by what came before and after it; causal by what came before,
        as a stream would.
    """
    if not paths:
        raise PaclError("say which recordings to look at, or - for a stream")
    if format == "html" and output is None:
        raise PaclError("say where to write the page with --output")
    if STANDARD_INPUT in map(str, paths):
        if len(paths) > 1 or format != "text" or output is not None or mode != "look-ahead":
            raise PaclError(
                "a stream is judged causally, a line a decision: give - and nothing else"
            )
        detect_stream(sys.stdin)
        return
    from pacl.detect import DetectError, Detector

    detector = Detector()
    unreadable: list[PaclError] = []
    found: list[tuple[Record, Detection]] = []
    for record in _records(paths, read, unreadable):
        try:
            found.append((record, detector.detect(record, mode)))
        except DetectError as error:
            unreadable.append(error)
    if format == "html":
        _write_pages(detector, found, output)
    elif found or not unreadable:
        detections = [detection for _, detection in found]
        told = {"text": _as_text, "json": _as_json, "csv": _as_csv}[format](detections)
        _put(told, output)
    for fault in unreadable:
        print(f"pacl: {fault}", file=sys.stderr)
    if unreadable:
        sys.exit(2)


def _records(
    paths: tuple[Path, ...], read: ReadOptions | None, unreadable: list[PaclError]
) -> Iterator["Record"]:
    """Recordings that can be read; what is wrong with the others is kept for the end."""
    for path in paths:
        try:
            reader = open_records(path, read)
        except RecordError as error:
            unreadable.append(error)
            continue
        for record_id in reader.record_ids:
            try:
                yield reader.read(record_id)
            except RecordError as error:
                unreadable.append(error)


def _put(told: str, output: Path | None) -> None:
    if output is None:
        print(told, end="")
    else:
        write_whole(output, told.encode())


def _as_json(found: list["Detection"]) -> str:
    objects = [one.to_dict() for one in found]
    return json.dumps(objects[0] if len(objects) == 1 else objects, indent=1) + "\n"


def _as_csv(found: list["Detection"]) -> str:
    """A row an episode; one without times for a recording that has none."""
    import csv
    import io

    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS.split(","))
    for one in found:
        stated = one.to_dict()
        burden = "" if one.af_burden is None else f"{one.af_burden:.6f}"
        head = (stated["file"], stated["record"], one.verdict, burden)
        for episode in stated["episodes"] or [{}]:
            keys = ("start_s", "end_s", "confidence", "start", "end")
            rows.writerow([*head, *(episode.get(key, "") for key in keys)])
    return text.getvalue()


def _as_text(found: list["Detection"]) -> str:
    return "\n".join(_told(one) for one in found)


def _told(one: "Detection") -> str:
    lines = [f"{one.source}: {one.verdict}"]
    if one.af_burden is not None:
        count = len(one.episodes)
        lines[0] += (
            f", AF burden {100 * one.af_burden:.1f} % of {_clock(one.judged_s)} judged, "
            f"{count} episode{'' if count == 1 else 's'}"
        )
    for episode, stated in list(zip(one.episodes, one.to_dict()["episodes"], strict=True))[:SHOWN]:
        at = f"  {stated['start']} to {stated['end']}" if "start" in stated else ""
        lines.append(
            f"  {_clock(episode.start_s)} to {_clock(episode.end_s)}, "
            f"{_clock(episode.duration_s)} long, confidence {episode.confidence:.2f}{at}"
        )
    if len(one.episodes) > SHOWN:
        lines.append(f"  and {len(one.episodes) - SHOWN} more; --format json tells all")
    quality = one.quality
    lines.append(
        f"  {quality.beats:,} beats in {_clock(one.duration_s)}: {100 * quality.implausible:.2f} % "
        f"implausible, {100 * quality.not_judged:.2f} % not judged, {quality.gaps} gaps; "
        f"{one.mode}, {one.weights}"
    )
    return "\n".join(lines) + "\n"


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _write_pages(
    detector: "Detector", found: list[tuple["Record", "Detection"]], output: Path | None
) -> None:
    from pacl.report.night import write_night

    if output is None or not found:
        return
    places = [output]
    if len(found) > 1:
        places = [output / f"{detection.record_id}.html" for _, detection in found]
        if len(set(places)) < len(places):
            raise PaclError("two recordings have the same name; look at them one by one")
    for place, (record, detection) in zip(places, found, strict=True):
        page = write_night(record, detection, detector.place(record))
        write_whole(place, page.encode())
        print(place)
