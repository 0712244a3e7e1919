"""Reader for recordings at an address: each is copied here while it is read."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path

from pacl.ecg import Ecg
from pacl.records.ecg_source import read_ecg
from pacl.records.errors import LayoutError, RemoteError
from pacl.records.manifest import CohortManifest
from pacl.records.option_layouts import without_foreign
from pacl.records.options import ReadOptions
from pacl.records.reader import Reader, check_known, narrowed_map, patient_of, read_patients
from pacl.records.recognise import recognise
from pacl.records.record import Record
from pacl.records.remote.find import find_recordings
from pacl.records.remote.listing import list_address
from pacl.records.remote.manifest import remote_manifest
from pacl.records.remote.mirror import Mirror, mirror
from pacl.records.remote.signals import fetch_signals
from pacl.records.tree import MANIFEST, left_out_lines
from pacl.records.wfdb import WfdbReader, record_endings

Opener = Callable[[Path, ReadOptions], Reader]
"""Opens a folder or a file of this machine."""


class RemoteReader:
    """Recordings at an address of fsspec, such as `s3://hospital/holter`.

    Opening lists all files, and groups them by the rules of a folder here. Reading copies the files
    of one recording into a temporary folder, and reads that; nothing is kept. A file with several
    recordings is refused: copy it here.

    The reader holds no connection, so that it can be sent to other processes.

    Parameters
    ----------
    address
        A folder, one file, or a WFDB record without ending.
    options
        As for a folder here.
    open_local
        Opens what was copied: `open_records`.
    """

    def __init__(self, address: str, options: ReadOptions, open_local: Opener) -> None:
        self._open_local = open_local
        self._options = replace(options, patients=None)
        self._patients = read_patients(options.patients) if options.patients else None
        listing = list_address(address, record_endings(options.beats, options.rhythm))
        self._place, self._has_manifest = listing.place, listing.has_manifest
        self._only = listing.only or listing.stem
        found, self._iridia = find_recordings(listing, options)
        self._recordings = dict(sorted(found.found.items()))
        self.layouts = frozenset(one.layout for one in self._recordings.values())
        """Layouts of all recordings, as far as endings tell: text may be an ECG."""
        self.record_ids = tuple(self._recordings)
        self.left_out = left_out_lines(found.unread)
        if self._iridia is not None:
            self.left_out = self._iridia.left_out

    @property
    def root(self) -> Path:
        """The address of the folder as a path, without a password."""
        return Path(self._place.shown())

    @property
    def is_folder(self) -> bool:
        """Whether the address is that of a folder, not of one recording."""
        return self._only is None

    def manifest(self) -> CohortManifest | None:
        """The manifest of the folder, if there is one.

        Of one recording it may be that the folder must not be looked into; `left_out` says so.
        """
        if self.is_folder:
            return remote_manifest(self._place) if self._has_manifest else None
        if self._place.query:  # a key for this one file
            return None
        try:
            return remote_manifest(self._place)
        except RemoteError as error:
            self.left_out = (*self.left_out, f"{MANIFEST} ({error.what})")
            return None

    def narrowed(self, record_ids: Collection[str]) -> "RemoteReader":
        """The same reader of these recordings alone."""
        found = copy(self)
        found._patients = narrowed_map(self._patients, record_ids)
        found._recordings = {one: self._recordings[one] for one in sorted(record_ids)}
        found._iridia = self._iridia and self._iridia.narrowed(record_ids)
        found.record_ids, found.left_out = tuple(found._recordings), ()
        return found

    def read(self, record_id: str) -> Record:
        """Copy one recording, and read it."""
        with self._copied(record_id) as (here, reader):
            record = reader.read(record_id)
        source, patient_id = here.renamed(record.source), record.patient_id
        if self._patients is not None:
            patient_id = patient_of(record_id, self._patients, source)
        return replace(record, source=source, patient_id=patient_id)

    def ecg(self, record_id: str) -> Ecg:
        """Copy one recording with its signal, and read that."""
        check_known(record_id, self._recordings, self)
        if self._recordings[record_id].layout in ("export", "iridia"):
            raise LayoutError(
                self._place.shown(),
                f"{record_id} has beats, but no ECG signal",
                "give a WFDB record with its .dat file, an EDF file, or text of an ECG",
            )
        with self._copied(record_id, with_signal=True) as (here, reader):
            ecg = read_ecg(reader, record_id)
        return replace(ecg, source=here.renamed(ecg.source))

    @contextmanager
    def _copied(
        self, record_id: str, *, with_signal: bool = False
    ) -> Iterator[tuple[Mirror, Reader]]:
        """The files of one recording here, and their reader; errors name the address."""
        check_known(record_id, self._recordings, self)
        recording = self._recordings[record_id]
        with mirror(self._place) as here, here.named():
            here.fetch(recording.files)
            here.fetch(((name, None) for name in recording.perhaps), all_there=False)
            reader = self._opened(here, record_id)
            if isinstance(reader, WfdbReader) and (with_signal or reader.wants_signal(record_id)):
                fetch_signals(here, recording.header, dict(recording.signals))
                reader = self._opened(here, record_id)
            if reader.record_ids != (record_id,):
                raise LayoutError(
                    self._place.shown(record_id),
                    f"it holds {len(reader.record_ids)} recordings, such as "
                    f"{reader.record_ids[0]!r}; at an address, a file may hold one",
                    "copy the file here, and give that",
                )
            yield here, reader

    def _opened(self, here: Mirror, record_id: str) -> Reader:
        """The reader of a copy, with the options that are for its layout."""
        if self._iridia is not None:
            alone = self._iridia.narrowed([record_id])
            return alone.moved(here.folder.parent / alone.root)
        if self._only is not None:
            return self._open_local(here.folder / self._only, self._options)
        options, others = self._options, self.layouts - {self._recordings[record_id].layout}
        if others and options.layout is None:
            options = without_foreign(options, tuple(recognise(here.folder, options)), others)
        return self._open_local(here.folder, options)
