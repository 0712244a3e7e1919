"""Reader for RR intervals in text: one a line, CSV, and what apps and monitors export."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np

from pacl.records.content import digest, listing, read_bytes
from pacl.records.errors import FormatError, LayoutError, RecordError, ValueRangeError
from pacl.records.patients import patient_of
from pacl.records.reader import check_known
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm
from pacl.records.text.columns import choose
from pacl.records.text.files import by_record, text_files, why_unread
from pacl.records.text.formats import read_export
from pacl.records.text.rhythm import read_spans
from pacl.records.text.table import decode, read_table
from pacl.records.text.time import read_timing
from pacl.records.text.values import Unit, in_ms
from pacl.records.tree import is_usable, list_files, tell

MAX_BYTES = 256 * 1024**2
"""Above this a file is no text of RR intervals."""

HEAD_BYTES = 65_536
"""As much of a file as is read to see whether it holds RR intervals."""


def parse_rr(
    content: bytes,
    source: str,
    *,
    record_id: str | None = None,
    patient_id: str | None = None,
    column: str | int | None = None,
    time_column: str | int | None = None,
    rhythm_column: str | int | None = None,
    unit: Unit = "auto",
    rhythms: Mapping[str, Rhythm] | None = None,
    allow_zero: bool = False,
) -> Record:
    r"""Read RR intervals out of the bytes of a text file.

    Parameters
    ----------
    content
        The bytes.
    source
        Where they came from, for messages; its stem is the default of `record_id`.
    record_id, patient_id
        Names the record is to have; the patient is the record where none is given.
    column, time_column, rhythm_column
        Columns by name or by number counting from 1, where they are not found by their names.
        `""` for the last two reads without times or rhythms.
    unit
        Unit of the intervals; `"auto"` goes by the column's name and the median.
    rhythms
        Labels to be read beside, or differently from, the labels that WFDB and people use.
    allow_zero
        Keep intervals of 0 instead of refusing them.

    Raises
    ------
    RecordError
        Whatever is wrong with the bytes.

    Examples
    --------
    >>> from pacl.records.text import parse_rr
    >>> parse_rr(b"Phone timestamp;RR-interval [ms]\n2026-04-01T09:00:00.000;832\n", "a.txt")
    Record('a', patient 'a': 1 intervals, 0.0 h, 1 file(s))
    """
    if len(content) > MAX_BYTES:
        raise FormatError(
            source,
            f"{len(content):,} bytes, expected at most {MAX_BYTES:,}",
            "split the file or check that it is the right one",
        )
    if unit not in get_args(Unit):
        raise ValueRangeError(source, f"unit {unit!r} asked for", 'use "auto", "ms" or "s"')
    text = decode(content, source)
    table = read_export(text, source) or read_table(text, source)
    chosen = choose(table, source, column, time_column, rhythm_column)
    rr_ms = in_ms(table, chosen.rr, source, unit, allow_zero)
    timing = read_timing(table, chosen.times, rr_ms, source)
    record_id = record_id or Path(source).stem
    return Record(
        patient_id=patient_id or record_id,
        record_id=record_id,
        rr_ms=rr_ms.astype(np.float32),
        file_starts=timing.file_starts,
        file_onset_s=timing.file_onset_s,
        spans=read_spans(table, chosen.rhythm, rhythms, source),
        digest=digest([("text", content)]),
        source=source,
        started=timing.started,
    )


class TextReader:
    """Text files of RR intervals, each a record.

    Parameters
    ----------
    path
        One file, or a folder whose files ending in any of `TEXT_ENDINGS` are taken, those of the
        folders in it too.
    column, time_column, rhythm_column, unit, rhythms, allow_zero
        As for `parse_rr`, the same for all files.
    patients
        Patient of each record, where one patient has several. By default each record is a patient.
    only
        Paths below the folder of the files to take. By default all but README.txt and the like.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        column: str | int | None = None,
        time_column: str | int | None = None,
        rhythm_column: str | int | None = None,
        unit: Unit = "auto",
        rhythms: Mapping[str, Rhythm] | None = None,
        allow_zero: bool = False,
        patients: Mapping[str, str] | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        self._root = Path(path)
        with listing(self._root):
            self._paths, self._unread = _find(self._root, only)
        self._column = column
        self._time_column = time_column
        self._rhythm_column = rhythm_column
        self._unit: Unit = unit
        self._rhythms = rhythms
        self._allow_zero = allow_zero
        self._patients = patients

    @property
    def root(self) -> Path:
        """The file or folder."""
        return self._root

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Every file: its path below the folder, without ending."""
        return tuple(self._paths)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Files below the folder that are not taken, with the reason."""
        return tell(self._unread)

    def read(self, record_id: str) -> Record:
        """Read one file."""
        check_known(record_id, self)
        path = self._paths[record_id]
        return parse_rr(
            read_bytes(path, MAX_BYTES),
            str(path),
            record_id=record_id,
            patient_id=patient_of(record_id, self._patients, str(path)),
            column=self._column,
            time_column=self._time_column,
            rhythm_column=self._rhythm_column,
            unit=self._unit,
            rhythms=self._rhythms,
            allow_zero=self._allow_zero,
        )


def check_head(path: Path, **options: Any) -> None:
    """Raise a `FormatError` where a file has no RR intervals; a fault further down goes unseen.

    `options` are those of `parse_rr`. Intervals that are found and wrong are no `FormatError`: the
    file is a recording, and reading it tells what is wrong.
    """
    content = read_bytes(path, MAX_BYTES)
    head = content[: content.rfind(b"\n", 0, HEAD_BYTES) + 1] if len(content) > HEAD_BYTES else b""
    for part in (head, content):
        try:
            if part:
                parse_rr(part, str(path), **options)
                return
        except FormatError:
            if part is content:
                raise
        except RecordError:
            return
    raise FormatError(path, "the file is empty", "leave the file out")


def _find(root: Path, only: Collection[str] | None) -> tuple[dict[str, Path], dict[str, str]]:
    """File of each record, and what else lies in the folder with the reason not to read it."""
    if not root.is_dir():
        if not root.exists():
            raise LayoutError(root, "no such file or folder", "check the path")
        if not is_usable(root.stem):
            raise LayoutError(root, f"{root.stem!r} is no name of a record", "rename the file")
        return {root.stem: root}, {}
    tree = list_files(root)
    taken = text_files(tree.files) if only is None else sorted(only)
    unread = {name: why_unread(name) for name in set(tree.files).difference(taken)}
    return by_record(root, taken), {**unread, **tree.left_out}
