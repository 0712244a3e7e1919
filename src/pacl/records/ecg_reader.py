"""Reader for ECGs by themselves: EDF files, and text of an ECG's samples."""

from collections.abc import Collection, Mapping
from pathlib import Path

from pacl.ecg import Ecg
from pacl.records.content import listing, read_first_bytes
from pacl.records.errors import LayoutError
from pacl.records.from_ecg import EcgOptions, record_from_beats
from pacl.records.reader import check_known, patient_of
from pacl.records.record import Record
from pacl.records.signals import looks_like_edf, read_edf_ecg, read_text_ecg
from pacl.records.text import by_record, text_files, why_unread
from pacl.records.tree import check_usable, is_usable, left_out_lines, list_files

EDF_ENDINGS = (".bdf", ".edf", ".rec")
"""Files that a folder is searched for; the first bytes tell whether they are EDF."""

_HEAD_BYTES = 65_536


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
            self._files, self.unread = _find(self.root, only)
        self.left_out = left_out_lines(self.unread)
        self.record_ids = tuple(sorted(self._files))

    def ecg(self, record_id: str) -> Ecg:
        """Read the signal of one recording."""
        check_known(record_id, self)
        path = self._files[record_id]
        check_usable(path)
        how = self._how
        if looks_like_edf(read_first_bytes(path, _HEAD_BYTES)):
            return read_edf_ecg(path, how.lead)
        return read_text_ecg(path, column=how.column, fs_hz=how.sampling_rate, lead=how.lead)

    def read(self, record_id: str) -> Record:
        """Read one recording, and find its beats."""
        ecg = self.ecg(record_id)
        patient = patient_of(record_id, self._patients, ecg.source)
        return record_from_beats(ecg, self._how.beats(ecg, self._finder), record_id, patient)


def _find(root: Path, only: Collection[str] | None) -> tuple[dict[str, Path], dict[str, str]]:
    """File of each record, and other files of the folder with the reason not to read them."""
    if not root.is_dir():
        if not root.exists():
            raise LayoutError(root, "no such file or folder", "check the path")
        if not is_usable(root.stem):
            raise LayoutError(root, f"{root.stem!r} is no name of a record", "rename the file")
        return {root.stem: root}, {}
    tree = list_files(root)
    taken = sorted(only) if only is not None else [*edf_files(tree.files), *text_files(tree.files)]
    unread = {name: why_unread(name) for name in set(tree.files).difference(taken)}
    return by_record(root, taken), {**unread, **tree.left_out}


def edf_files(names: Collection[str]) -> list[str]:
    """Names with an ending of EDF."""
    return [name for name in names if name.lower().endswith(EDF_ENDINGS)]
