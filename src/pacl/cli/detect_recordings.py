"""Results of `pacl detect` for recordings: in one file, on standard output, or as pages."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pacl.atomic_write import atomic_write, check_not_input
from pacl.cli.detect_edits import GivenEdits
from pacl.cli.detect_formats import as_csv, as_json, as_text
from pacl.cli.detect_output import Format, Pages, check_several
from pacl.cli.detect_workers import detect_by_workers
from pacl.cli.messages import print_error, print_left_out
from pacl.cli.progress import late_progress
from pacl.cli.tables import WorkerOptions
from pacl.errors import PaclError
from pacl.records import (
    Reader,
    ReadOptions,
    RecordError,
    is_one,
    may_be_several,
    open_records,
    shown_path,
    source_files,
)

if TYPE_CHECKING:
    from pacl.detect import Detection, DetectorSettings, Mode
    from pacl.records import Record


OF_ONE_PERSON = "the profile is used for all of these recordings: they must be of one person"


def detect_recordings(
    paths: Sequence[Path],
    form: Format,
    output: Path | None,
    how: "DetectorSettings",
    mode: "Mode",
    *,
    edits: Path | None,
    who: WorkerOptions,
    read: ReadOptions | None,
    quiet: bool,
) -> list[PaclError]:
    """Judge recordings and put the results out; errors of those that failed, which are printed."""
    by_hand = None if edits is None else GivenEdits(edits)
    inputs = (
        *source_files(paths, read),
        *([] if how.person is None else [how.person]),
        *([] if by_hand is None else by_hand.files(output)),
    )
    if output is not None:
        check_not_input(output, inputs)
    faults: list[PaclError] = []
    readers = _readers(paths, read, faults)
    several = may_be_several(paths) or not all(map(is_one, readers))
    recordings = sum(len(one.record_ids) for one in readers)
    if by_hand is not None:
        by_hand.check(recordings)
    if how.person is not None and recordings > 1:
        print_error(OF_ONE_PERSON)
    check_several(output, form, several)
    pages = Pages(output, several, inputs) if form == "html" and output is not None else None
    found: list[Detection] = []
    if who.given:
        for one in detect_by_workers(how, mode, readers, who, quiet=quiet):
            (faults if isinstance(one, PaclError) else found).append(one)  # type: ignore[arg-type]
    else:
        found += _in_this_process(readers, how, mode, by_hand, pages, faults)
    if pages is not None:
        pages.finish()
    if by_hand is not None and not faults:
        by_hand.check_found()
    if pages is None and (found or several):
        _put(found, form, several, output, with_edits=by_hand is not None)
    for fault in faults:
        print_error(fault)
    return faults


def _in_this_process(
    readers: Sequence[Reader],
    how: "DetectorSettings",
    mode: "Mode",
    by_hand: GivenEdits | None,
    pages: Pages | None,
    faults: list[PaclError],
) -> "Iterator[Detection]":
    """Judge one recording after the other; those that have a page are not given."""
    detector = how.open()
    for reader, record in _records(readers, faults, pages):
        try:
            marks = () if by_hand is None else by_hand.marks(record, len(reader.record_ids) > 1)
            detection = detector.detect(record, mode, marks=marks)
            if pages is None:
                yield detection
            else:
                pages.write(reader, record, detection, detector)
        except PaclError as error:
            faults.append(error)
            if pages is not None:
                pages.failed(record.record_id, error)


def _readers(
    paths: Sequence[Path], read: ReadOptions | None, faults: list[PaclError]
) -> list[Reader]:
    """A reader for each path that can be opened; errors of the others are collected."""
    found = []
    for path in paths:
        try:
            with late_progress(f"reading {Path(shown_path(path)).name}") as advance:
                found.append(open_records(path, read, advance))
        except RecordError as error:
            faults.append(error)
            continue
        print_left_out(found[-1])
    return found


def _records(
    readers: Sequence[Reader], faults: list[PaclError], pages: Pages | None
) -> Iterator[tuple[Reader, "Record"]]:
    """Recordings that can be read, with their readers; errors of the others are collected."""
    for reader in readers:
        for record_id in reader.record_ids:
            try:
                yield reader, reader.read(record_id)
            except RecordError as error:
                faults.append(error)
                if pages is not None:
                    pages.failed(record_id, error)


def _put(
    found: Sequence["Detection"],
    form: Format,
    several: bool,
    output: Path | None,
    *,
    with_edits: bool,
) -> None:
    """Print or write all results."""
    if form == "json":
        text = as_json(found, several, with_edits=with_edits)
    else:
        text = (as_csv if form == "csv" else as_text)(found, with_edits=with_edits)
    if output is None:
        print(text, end="")
    else:
        atomic_write(output, text.encode())
