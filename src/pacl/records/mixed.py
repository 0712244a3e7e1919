"""Reader for a folder that holds WFDB records and text files of RR intervals."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pacl.printable import on_one_line
from pacl.records.errors import FormatError, LayoutError
from pacl.records.reader import check_known
from pacl.records.record import Record
from pacl.records.text import TextOptions, TextReader, check_head
from pacl.records.tree import left_out_lines, without_ending
from pacl.records.wfdb import WfdbReader


class MixedReader:
    """WFDB records and text files below one folder, each recording once.

    Beside WFDB records, a text file is a recording where RR intervals are found in it. Any other
    is left out and named: PhysioNet's folders have lists and tables of all sorts.

    Parameters
    ----------
    wfdb
        The WFDB records.
    texts
        Text files that may be recordings, by their paths below the folder.
    patients
        Patient of each record of the text files, see `TextReader`.
    options
        How text is read, see `TextOptions`.
    """

    def __init__(
        self,
        wfdb: WfdbReader,
        texts: Iterable[str],
        patients: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        self._wfdb = wfdb
        how = TextOptions(**options)
        if how.start is not None:
            raise LayoutError(
                wfdb.root,
                f"start={how.start!r} was given, but there are several recordings",
                "give the start of one recording at a time (--start)",
            )
        taken = set(wfdb.record_ids)
        left_out: dict[str, str] = {}
        texts = [name for name in texts if name in wfdb.unread]  # else a record's own signal
        for name in texts:
            if on_one_line(without_ending(name)) in taken:
                left_out[name] = "the record is read from its WFDB files; --layout text reads these"
                continue
            try:
                check_head(wfdb.root / name, how)
            except FormatError as error:
                left_out[name] = f"no RR intervals found: {error.what}"
        only = [name for name in texts if name not in left_out]
        self._text = (
            TextReader(wfdb.root, patients=patients, only=only, **options) if only else None
        )
        read = set(only)
        self._left_out = {n: why for n, why in wfdb.unread.items() if n not in read} | left_out
        of_text = self._text.record_ids if self._text else ()
        self._record_ids = tuple(sorted((*wfdb.record_ids, *of_text)))

    @property
    def root(self) -> Path:
        """The folder that record ids are relative to."""
        return self._wfdb.root

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Every recording: its path below `root`, without ending."""
        return self._record_ids

    @property
    def left_out(self) -> tuple[str, ...]:
        """Files below `root` that are no part of a recording, with the reason."""
        return left_out_lines(self._left_out)

    def read(self, record_id: str) -> Record:
        """Read one recording."""
        check_known(record_id, self)
        if self._text and record_id in self._text.record_ids:
            return self._text.read(record_id)
        return self._wfdb.read(record_id)
