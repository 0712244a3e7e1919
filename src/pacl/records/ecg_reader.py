"""Reader for ECGs by themselves: EDF files, and text of an ECG's samples."""

from collections.abc import Collection, Mapping
from copy import copy
from pathlib import Path

from pacl.ecg import Ecg
from pacl.records.content import HEAD_BYTES, listing, read_first_bytes
from pacl.records.errors import LayoutError
from pacl.records.from_ecg import EcgOptions, record_from_beats
from pacl.records.reader import check_known, narrowed_map, patient_of
from pacl.records.record import Record
from pacl.records.signals import looks_like_edf, read_edf_ecg, read_text_ecg
from pacl.records.text import TEXT_ENDINGS, find_files, text_files
from pacl.records.tree import check_usable, left_out_lines

EDF_ENDINGS = (".bdf", ".edf", ".rec")
"""Files that a folder is searched for; the first bytes tell whether they are EDF."""


class EcgReader:
    """ECGs, each file a record; the beats are found in the signal.

    Parameters
    ----------
    path
        One file, or a folder.
    patients
        Patient of each record, where one patient has several. By default each record is a patient.
    only
        Paths below the folder of the files to take. By default its EDF and text files.
    how
        See `EcgOptions`; the same for all files.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        patients: Mapping[str, str] | None = None,
        only: Collection[str] | None = None,
        how: EcgOptions = EcgOptions(),
    ) -> None:
        self.root = Path(path)
        self._patients, self._how, self._finder = patients, how, how.finder()
        with listing(self.root):
            self._files, self.unread = find_files(
                self.root, only, _usual, (*EDF_ENDINGS, *TEXT_ENDINGS)
            )
        self.left_out = left_out_lines(self.unread)
        self.record_ids = tuple(sorted(self._files))

    def narrowed(self, record_ids: Collection[str]) -> "EcgReader":
        """The same reader of these recordings alone."""
        found = copy(self)
        found._patients = narrowed_map(self._patients, record_ids)
        found._files = {one: self._files[one] for one in record_ids}
        found.record_ids = tuple(sorted(record_ids))
        found.unread, found.left_out = {}, ()
        return found

    def ecg(self, record_id: str) -> Ecg:
        """Read the signal of one recording."""
        check_known(record_id, self._files, self)
        path = self._files[record_id]
        check_usable(path)
        how = self._how
        if looks_like_edf(read_first_bytes(path, HEAD_BYTES)):
            self._check_edf(path)
            return read_edf_ecg(path, how.lead)
        return read_text_ecg(path, column=how.column, fs_hz=how.sampling_rate, lead=how.lead)

    def files_of(self, record_id: str) -> tuple[Path, ...]:
        """The file of one recording."""
        check_known(record_id, self._files, self)
        return (self._files[record_id],)

    def _check_edf(self, path: Path) -> None:
        """Refuse options of text for an EDF file; in a folder they are meant for others."""
        given = {"--column": self._how.column, "--sampling-rate": self._how.sampling_rate}
        for flag, value in given.items():
            if value is not None and path == self.root:
                raise LayoutError(
                    path, f"{flag} is for text, an EDF file states it itself", f"drop {flag}"
                )

    def read(self, record_id: str) -> Record:
        """Read one recording, and find its beats."""
        ecg = self.ecg(record_id)
        patient = patient_of(record_id, self._patients, ecg.source)
        return record_from_beats(ecg, self._how.beats(ecg, self._finder), record_id, patient)


def edf_files(names: Collection[str]) -> list[str]:
    """Names with an ending of EDF."""
    return [name for name in names if name.lower().endswith(EDF_ENDINGS)]


def _usual(names: list[str]) -> list[str]:
    return [*edf_files(names), *text_files(names)]
