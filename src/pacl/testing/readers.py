"""What every reader of recordings promises."""

from pathlib import Path
from typing import Any

import numpy as np

from pacl.records import (
    READERS,
    Reader,
    Record,
    RecordError,
    address_of,
    open_records,
    own_reader,
)
from pacl.registry import Entry
from pacl.testing.contract import check, check_entry, entry_of, require


class ReaderContract:
    """Subclass it, and say how to `open` recordings that you have written."""

    def open(self) -> Reader:
        """A reader of at least one recording."""
        raise NotImplementedError

    def test_it_lists_each_recording_once_and_sorted(self) -> None:
        """Without reading any."""
        reader = self.open()
        require(isinstance(reader, Reader), "root, record_ids, left_out and read")
        ids = reader.record_ids
        require(ids and list(ids) == sorted(set(ids)), f"sorted names, each once, not {ids}")
        is_place = reader.root.is_dir() or address_of(reader.root) is not None
        require(is_place, f"root is a folder or an address, not {reader.root}")

    def test_a_recording_has_beats_rhythms_and_a_patient(self) -> None:
        """Under the name that it is listed by."""
        reader = self.open()
        for name in reader.record_ids:
            record = reader.read(name)
            require(isinstance(record, Record), f"{name}: a Record, not {type(record).__name__}")
            require(record.record_id == name, f"{name}: its name, not {record.record_id}")
            require(record.patient_id, f"{name}: a patient")
            require(len(record.rr_ms), f"{name}: intervals")
            require(np.isfinite(record.rr_ms).all(), f"{name}: finite intervals, in ms")
            require(len(record.rhythm()) == len(record.rr_ms), f"{name}: a rhythm for each beat")

    def test_time_runs_from_the_onset_without_a_hole(self) -> None:
        """Within each file."""
        reader = self.open()
        record = reader.read(reader.record_ids[0])
        stop = record.file_bounds()[0][1]
        steps_s = np.diff(record.onset_s()[:stop])
        require(np.allclose(steps_s, record.rr_ms[: stop - 1] / 1000), "beats follow each other")

    def test_the_same_bytes_give_the_same_record(self) -> None:
        """And the same digest."""
        reader = self.open()
        name = reader.record_ids[0]
        once, again = reader.read(name), reader.read(name)
        require(once.digest and once.digest == again.digest, "the same digest")
        require(np.array_equal(once.rr_ms, again.rr_ms), "the same beats")

    def test_a_recording_that_is_not_there_is_a_typed_error(self) -> None:
        """So that a caller can go on with the next."""
        try:
            self.open().read("nobody")
        except RecordError as error:
            require("nobody" in str(error), f"an error that names the recording, not {error}")
            return
        require(False, "RecordError for a recording that is not there")


def check_reader(which: str | Entry[Any], path: Path | str, settings: Any = None) -> None:
    """Check a reader, by its name or its entry, on recordings at a path."""
    entry = entry_of(READERS, which)
    check_entry(entry)

    class Checked(ReaderContract):
        def open(self) -> Reader:
            made: Reader = entry.make(settings, path=Path(path))
            return made

        def test_it_is_found_by_its_name_or_by_its_files(self) -> None:
            if entry.recognises is None:
                return
            require(entry.recognises(Path(path)), f"{path} is recognised")
            found = type(own_reader(open_records(path)))
            require(found is type(self.open()), f"{path} is opened by {found.__name__}")

    Checked.__name__ = f"reader {entry.name}"
    check(Checked())
