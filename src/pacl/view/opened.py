"""A recording that is open: its beats, its marks, and the result, which follows the marks."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

from pacl.detect import (
    Detection,
    Detector,
    Looked,
    Mode,
    RecordEmbeddings,
    marked_person,
    new_person,
)
from pacl.ecg import Ecg
from pacl.edits import EditError, EditLog, Entry, append, edits_path
from pacl.records import Record, find_ecg
from pacl.report.recording import RecordingView, ecg_values, recording_view
from pacl.view.place import Place, Signature


@dataclass(eq=False, slots=True)
class Opened:
    """One recording, judged; the networks look at it once.

    `no_ecg` says why an ECG that is there cannot be shown. `signature` tells whether its files have
    changed since. `log` and `detection` change together, under `lock`; `revision` counts them.
    """

    place: Place
    detector: Detector
    record: Record
    looked: Looked
    ecg: Ecg | None
    no_ecg: str | None
    path: Path
    log: EditLog
    detection: Detection
    signature: Signature = ()
    revision: int = 0
    lock: RLock = field(default_factory=RLock)
    _view: RecordingView | None = None

    @classmethod
    def open(
        cls, place: Place, detector: Detector, mode: Mode, edits_folder: Path | None
    ) -> "Opened":
        """Read a recording, its ECG and its marks, and judge it."""
        signature = place.signature()
        record = place.read()
        path = edits_file(place, record, edits_folder)
        log = read_edits(path, record)
        looked = detector.look(record, mode)
        detection = detector.decide(looked, log.marks)
        ecg, no_ecg = find_ecg(place.reader, place.record_id)
        return cls(place, detector, record, looked, ecg, no_ecg, path, log, detection, signature)

    def refresh(self) -> bool:
        """Take up what another program, or another page, has marked; whether there was anything."""
        with self.lock:
            log = read_edits(self.path, self.record)
            if log == self.log:
                return False
            self._take(log)
            return True

    def is_as_on_disk(self) -> bool:
        """Whether recording and marks are still those that were read."""
        with self.lock:
            same = self.signature == self.place.signature()
            return same and read_edits(self.path, self.record) == self.log

    def add(self, entry: Entry) -> None:
        """Keep a mark, which is on the disk when this returns, and judge again."""
        with self.lock:
            check_no_link(self.path)
            if self.signature != self.place.signature():
                raise EditError(
                    f"{self.record.source}: the recording has changed since this page was opened; "
                    "reload the page"
                )
            self._take(append(self.path, self.record, [entry]))

    def _take(self, log: EditLog) -> None:
        self.detection = self.detector.decide(self.looked, log.marks)
        self.log, self._view = log, None
        self.revision += 1

    def view(self) -> RecordingView:
        """What the page shows; computed once for each state of the marks."""
        with self.lock:
            if self._view is None:
                notices = [f"{self.path.name}: {one}" for one in self.log.problems]
                notices += [] if self.no_ecg is None else [self.no_ecg]
                view = recording_view(self.record, self.detection, notices)
                self._view = RecordingView(view.values | self._own(), view.beats)
            return self._view

    def _own(self) -> dict[str, Any]:
        log = self.log
        return {
            "ecg": None if self.ecg is None else ecg_values(self.ecg),
            "revision": self.revision,
            "edits": [one.to_dict() for one in log.edits],
            "undone": [one.to_dict() for one in log.undone],
        }

    def embedded(self) -> RecordEmbeddings | None:
        """The recording among the patients that the weights learned from, if they have a map."""
        return self.detector.place(self.record)

    def profile(self) -> str:
        """The person's profile, continued with the marks, as a file for `pacl detect --person`."""
        with self.lock:
            found = marked_person(self.looked, self.log.marks, self.detector.person).person
        return (found or new_person(self.detector.judge.name)).to_json()

    def exported(self) -> bytes:
        """The file of marks as it is; empty without any."""
        with self.lock:
            return self.path.read_bytes() if self.path.is_file() else b""


def edits_file(place: Place, record: Record, folder: Path | None) -> Path:
    """The file of a recording's marks."""
    return edits_path(record, place.several, folder)


def read_edits(path: Path, record: Record) -> EditLog:
    """The marks of a recording; none where there is no file.

    Marks that cannot be used do not hide the recording: `problems` says why. None can be added
    until the file is mended or moved away.
    """
    try:
        check_no_link(path)
        return EditLog.read(path, record) if path.exists() else EditLog()
    except EditError as error:
        return EditLog(problems=(f"no marks are used: {error}",))


def check_no_link(path: Path) -> None:
    """Refuse a file of marks that is a link: what is written would go elsewhere."""
    if path.is_symlink():
        raise EditError(f"{path}: is a link, so no marks are kept in it; remove it")
