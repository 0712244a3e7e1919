"""All recordings that were named: rows of the index, computed one after the other, and kept."""

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from threading import Event, Lock, Thread

from pacl.detect import Detector, Mode
from pacl.errors import PaclError
from pacl.records import ReadOptions, reading_digest, shown_files
from pacl.report.index import (
    RecordingRow,
    detector_digest,
    keep_row,
    kept_row,
    row_key,
    row_of,
)
from pacl.stored import Kept
from pacl.view.edits_near import EditsNear
from pacl.view.opened import Opened
from pacl.view.place import Place, Signature, by_key

MOST_OPEN = 4
"""Recordings that are held in memory."""


class Shelf:
    """Recordings, their rows, and those that are open.

    Parameters
    ----------
    places
        The recordings that were named; no other is ever read.
    detector, mode, weights
        How they are judged; `weights` is what the detector was made with.
    options
        How they are read.
    edits_folder
        Where marks are kept; beside each recording by default.
    kept
        Where rows are kept from one time to the next; None keeps nothing.
    """

    def __init__(
        self,
        places: Sequence[Place],
        detector: Detector,
        *,
        mode: Mode = "look-ahead",
        weights: str = "af-beats",
        options: ReadOptions | None = None,
        edits_folder: Path | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.places = by_key(places)
        self._detector, self._mode = detector, mode
        self._options, self._edits_folder, self._kept = options, edits_folder, kept
        self._judging = detector_digest(detector, mode, weights)
        self._readings: dict[str, tuple[Signature, str | None]] = {}
        self._near = EditsNear(edits_folder)
        self._rows = {
            key: RecordingRow.waiting(key, one.record_id, page=one.address)
            for key, one in self.places.items()
        }
        self._changed = dict.fromkeys(self.places, 1)
        self._revision = 1
        self._session = token_hex(4)
        self._open: OrderedDict[str, Opened] = OrderedDict()
        self._opening: dict[str, Lock] = {key: Lock() for key in self.places}
        self._lock = Lock()
        self._stop = Event()
        self._worker = Thread(target=self._fill, name="rows of the index", daemon=True)

    def start(self) -> None:
        """Begin to judge all recordings, in the background."""
        self._worker.start()

    def stop(self) -> None:
        """End after the recording that is being judged."""
        self._stop.set()
        if self._worker.is_alive():
            self._worker.join()

    @property
    def ready(self) -> int:
        """How many recordings are judged, or have failed."""
        with self._lock:
            return sum(one.status != "waiting" for one in self._rows.values())

    def rows_since(self, revision: int) -> dict[str, object]:
        """Rows that have changed after a revision, for the page."""
        with self._lock:
            rows = [self._rows[key].to_dict() for key, at in self._changed.items() if at > revision]
            ready = sum(one.status != "waiting" for one in self._rows.values())
            found: dict[str, object] = {"session": self._session, "revision": self._revision}
            found |= {"total": len(self._rows), "ready": ready}
            return {**found, "rows": rows}

    def opened(self, key: str) -> Opened:
        """Open a recording, or give it if it is open; its marks are those on the disk."""
        with self._opening[key]:
            with self._lock:
                found = self._open.get(key)
                if found is not None:
                    self._open.move_to_end(key)
            place = self.places[key]
            if found is not None and found.signature == place.signature():
                if found.refresh():
                    self.update(found)
                return found
            try:
                found = Opened.open(place, self._detector, self._mode, self._edits_folder)
            except PaclError as error:
                self._put(self._failed(place, error))
                raise
            with self._lock:
                self._open[key] = found
                while len(self._open) > MOST_OPEN:
                    self._open.popitem(last=False)
            self.update(found)
            return found

    def update(self, one: Opened) -> None:
        """Bring the row of an open recording up to date, and keep it for the next time."""
        with one.lock:
            row = row_of(
                one.record,
                one.detection,
                one.place.key,
                edits=len(one.log.edits),
                has_ecg=one.ecg is not None,
                page=one.place.address,
            )
            self._put(row)
            with suppress(PaclError, OSError):  # what is not kept is computed again
                self._keep(one, row)

    def _keep(self, one: Opened, row: RecordingRow) -> None:
        """Keep a row, if recording and marks on the disk are those that it was made of."""
        if self._kept is None:
            return
        before = self._under(one.place, EditsNear(self._edits_folder))
        same = one.is_as_on_disk()
        after = self._under(one.place, EditsNear(self._edits_folder))
        if same and before is not None and before == after:
            keep_row(self._kept, before, row)

    def _fill(self) -> None:
        """Judge all recordings, one after the other."""
        for key, place in self.places.items():
            if self._stop.is_set():
                return
            try:
                self._judge(key, place)
            except (PaclError, OSError) as error:
                self._put(self._failed(place, error))
            except Exception as error:  # a fault of ours must not keep the others waiting
                why = f"an error of pacl itself ({type(error).__name__}: {error}); please report it"
                self._put(self._failed(place, why))

    @staticmethod
    def _failed(place: Place, error: Exception | str) -> RecordingRow:
        """Its page says the same, and tries again."""
        return RecordingRow.failed(place.key, place.record_id, error, page=place.address)

    def _judge(self, key: str, place: Place) -> None:
        """Bring in the row of a recording, unless its page was opened before."""
        if len(self.places) == 1:  # its page is what was asked for
            self.opened(key)
            return
        with self._opening[key]:
            with self._lock:
                waiting = self._rows[key].status == "waiting"
            if not waiting:
                return
            if (row := self._kept_row(key, place)) is not None:
                self._put(row)
                return
            self.update(Opened.open(place, self._detector, self._mode, self._edits_folder))

    def _kept_row(self, key: str, place: Place) -> RecordingRow | None:
        """The row of an earlier time; None where there is none."""
        if self._kept is None:
            return None
        place.check_inside()
        under = self._under(place, self._near)
        return None if under is None else kept_row(self._kept, under, key, place.address)

    def _under(self, place: Place, near: EditsNear) -> str | None:
        """What the row of a recording is kept under; None where its files are not known."""
        signature = place.signature()
        known = self._readings.get(place.key)
        if known is None or known[0] != signature:
            digest = reading_digest(place.reader, place.record_id, self._options)
            known = self._readings[place.key] = (signature, digest)
        if known[1] is None:
            return None
        files = shown_files(place.reader, place.record_id)
        names = ",".join(one.name for one in files)  # an ECG may come or go
        return row_key(known[1], self._judging, f"{names} {near.digest(files)}")

    def _put(self, row: RecordingRow) -> None:
        with self._lock:
            self._revision += 1
            self._rows[row.key] = row
            self._changed[row.key] = self._revision
