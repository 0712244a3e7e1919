"""Files of marks that may belong to a recording, found by name alone: it need not be read."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pacl.records import EDITS_ENDING, content_digest


class EditsNear:
    """Lists folders once; make a new one to see what has changed since."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._listed: dict[Path, list[str]] = {}

    def digest(self, files: Iterable[Path]) -> str:
        """Digest of all marks that may belong to a recording with these files; empty if none."""
        found = sorted(set(self._candidates(files)))
        return content_digest(found) if found else ""

    def _candidates(self, files: Iterable[Path]) -> Iterator[Path]:
        for file in files:
            for named in (file, file.parent):  # a recording may be a folder of files
                folder = self._folder or named.parent
                for name in self._names(folder):
                    if name.startswith(named.stem):
                        yield folder / name

    def _names(self, folder: Path) -> list[str]:
        if folder not in self._listed:
            try:
                names = [one.name for one in folder.iterdir()]
            except OSError:  # nothing can be kept there either
                names = []
            self._listed[folder] = [one for one in names if one.endswith(EDITS_ENDING)]
        return self._listed[folder]
