"""A temporary folder that holds some files of an address under their own names."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pacl.printable import on_one_line
from pacl.records.address import Place
from pacl.records.errors import MissingError, RecordError, RemoteError
from pacl.records.iridia_files import RECORD_FOLDER
from pacl.records.remote.access import ROOM, ask, file_system


@dataclass(frozen=True, slots=True)
class Mirror:
    """Files of a place, copied into a folder of this machine."""

    place: Place
    folder: Path

    def fetch(self, files: Iterable[tuple[str, int | None]], *, all_there: bool = True) -> None:
        """Copy files of these names and bytes; without `all_there` one may be missing."""
        for name, size in files:
            try:
                self._copy(name, size)
            except MissingError as error:
                if all_there:
                    what = "it was listed, and is not there any more"
                    raise MissingError(self.place.shown(name), what, error.remedy) from None

    def _copy(self, name: str, size: int | None) -> None:
        target = self.folder / name
        shown = self.place.shown(name)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb"):
                pass
        except (OSError, ValueError) as error:
            raise RemoteError(
                shown,
                f"cannot be written here ({getattr(error, 'strerror', None) or error})",
                ROOM,
            ) from error

        def copied() -> None:
            system, path = file_system(self.place.address(name))
            system.get_file(path, str(target))

        try:
            ask(copied, shown)
        except RemoteError:
            target.unlink(missing_ok=True)  # what was cut short is no file
            raise
        there = target.stat().st_size
        if size is not None and there != size:
            raise RemoteError(
                shown,
                f"{there:,} bytes came, {size:,} were listed",
                "it has changed, or was cut short: try again",
            )

    def renamed(self, text: str) -> str:
        """A text with the address in place of the folder."""
        root, shown = str(self.folder), self.place.shown()
        return text.replace(f"{root}{os.sep}", f"{shown.rstrip('/')}/").replace(root, shown)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors of readers name the address, not the folder.

        Where the error is about a file that is not there, it stays about a path.
        """
        try:
            yield
        except RecordError as error:
            missing = isinstance(error.where, Path) and not error.where.exists()
            where = self.renamed(str(error.where))
            error.what, error.remedy = self.renamed(error.what), self.renamed(error.remedy)
            error.args = (on_one_line(f"{where}: {error.what}; {error.remedy}"),)
            error.where = Path(where) if missing else where
            raise


@contextmanager
def mirror(place: Place) -> Iterator[Mirror]:
    """An empty folder, which is removed at the end; one of IRIDIA-AF's records keeps its name.

    It lies in folders of its own: readers look for files one and two levels above.
    """
    try:
        temporary = tempfile.TemporaryDirectory(prefix="pacl-")
    except OSError as error:
        what = f"cannot be copied here ({error.strerror or error})"
        raise RemoteError(place.shown(), what, ROOM) from error
    with temporary as above:
        name = place.name if RECORD_FOLDER.fullmatch(place.name) else "recordings"
        folder = Path(above, "above", "beside", name).resolve()
        folder.mkdir(parents=True)
        yield Mirror(place, folder)
