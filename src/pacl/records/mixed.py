"""Reader for a folder that holds WFDB records and text files of RR intervals."""

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from typing import Any

from pacl.printable import on_one_line
from pacl.records.errors import FormatError, LayoutError
from pacl.records.reader import Reader, check_known, narrowed_each
from pacl.records.record import Record
from pacl.records.text import TextOptions, TextReader, check_head
from pacl.records.tree import left_out_lines, without_ending
from pacl.records.wfdb import WfdbReader


class MixedReader:
    """WFDB records and text files below one folder, each recording once.

    Of `texts`, paths below the folder, those without RR intervals are left out and listed:
    PhysioNet's folders have all sorts of lists and tables. For `patients` and `options` see
    `TextReader`.
    """

    def __init__(
        self,
        wfdb: WfdbReader,
        texts: Iterable[str],
        patients: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        self.root = wfdb.root
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
        unread = {name: why for name, why in wfdb.unread.items() if name not in set(only)}
        self.unread = unread | left_out
        self.left_out = left_out_lines(self.unread)
        self._by_record: dict[str, Reader] = dict.fromkeys(wfdb.record_ids, wfdb)
        if only:
            text = TextReader(wfdb.root, patients=patients, only=only, **options)
            self._by_record |= dict.fromkeys(text.record_ids, text)
        self.record_ids = tuple(sorted(self._by_record))

    def narrowed(self, record_ids: Collection[str]) -> "MixedReader":
        """The same reader of these recordings alone."""
        found = copy(self)
        found._by_record = narrowed_each({one: self._by_record[one] for one in record_ids})
        found.record_ids = tuple(sorted(record_ids))
        found.unread, found.left_out = {}, ()
        return found

    def of(self, record_id: str) -> Reader:
        """The reader of one recording."""
        check_known(record_id, self._by_record, self)
        return self._by_record[record_id]

    def read(self, record_id: str) -> Record:
        """Read one recording."""
        return self.of(record_id).read(record_id)
