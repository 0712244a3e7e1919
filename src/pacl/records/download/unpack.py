"""Archives unpacked into a folder, atomically, and nothing outside of it."""

import bz2
import gzip
import json
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pacl.atomic_write import atomic_write
from pacl.file_bytes import FileError, read_file
from pacl.records.download.fetch import DownloadError, disk_error

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
"""Endings of files that are unpacked."""

_SIP_BYTES = 16 * 1024**2

_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,  # an encrypted zip
    NotImplementedError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may unpack to; by default a multiple of what IRIDIA-AF needs.

    It has 4.8e9 samples of two leads, 20 to 80 GB by the width they are kept in, in about a
    thousand files of at most a day.
    """

    total_bytes: int = 200 * 1000**3
    file_bytes: int = 4 * 1000**3
    entries: int = 20_000


def unpack(
    archive: Path, url: str, checksum: str, limits: Limits | None = None
) -> tuple[Path, ...]:
    """Unpack `archive` beside itself; return its top-level names.

    It is unpacked under another name and moved when complete. `NAME.unpacked` keeps the checksum of
    what was unpacked, so that a second call has nothing to do.

    Parameters
    ----------
    archive
        A zip or tar file that has been verified.
    url
        Where it came from, for messages.
    checksum
        Its checksum.
    limits
        How much it may unpack to, counted while it is unpacked.
    """
    limits = limits or Limits()
    folder = archive.parent
    note = archive.with_name(f"{archive.name}.unpacked")
    before = _read_note(note, checksum)
    if before and all((folder / name).exists() for name in before):
        return tuple(folder / name for name in before)
    staging = archive.with_name(f".{archive.name}.unpacking")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        staging.mkdir()
        left = limits.total_bytes
        for inner, content in _members(archive, url, limits):
            target = staging / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            with content, target.open("wb") as out:
                most = min(left, limits.file_bytes)
                copied = _copy(content.read, out.write, most)
            if copied > most:
                raise _refused(archive, url, str(inner), f"{most:,} bytes and more of it")
            left -= copied
        names = sorted(entry.name for entry in staging.iterdir())
        for name in names:
            if (folder / name).exists() and name not in before:
                raise DownloadError(
                    url, archive, f"{folder / name} is there already", "move it away or remove it"
                )
        atomic_write(note, json.dumps({"checksum": checksum, "names": names}).encode())
        for name in names:
            if not (folder / name).exists():
                (staging / name).rename(folder / name)
        return tuple(folder / name for name in names)
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # else gzip or bzip2 is broken
            raise disk_error(url, archive, error) from error
        raise DownloadError(
            url, archive, f"cannot be unpacked ({error})", "remove it and try again"
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _copy(read: Callable[[int], bytes], write: Callable[[bytes], int], most: int) -> int:
    """Copy a file of an archive, of any stated size; stop once it is above `most` bytes."""
    size = 0
    while size <= most and (chunk := read(1024**2)):
        size += len(chunk)
        write(chunk)
    return size


def _members(archive: Path, url: str, limits: Limits) -> Iterator[tuple[PurePosixPath, IO[bytes]]]:
    """Plain files of an archive with names that stay inside; anything else is refused."""
    too_many = _refused(archive, url, "", f"more than {limits.entries:,} files and folders")
    if archive.name.lower().endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            if len(packed.infolist()) > limits.entries:
                raise too_many
            for entry in packed.infolist():
                name = _inside(archive, url, entry.filename)
                if stat.S_ISLNK(entry.external_attr >> 16):
                    raise _refused(archive, url, entry.filename, "a link")
                if not entry.is_dir():
                    yield name, packed.open(entry)
        return
    with _unpacked(archive) as plain, tarfile.TarFile(fileobj=_Sips(plain)) as tape:
        for number, member in enumerate(tape):
            if number >= limits.entries:
                raise too_many
            if member.size > limits.file_bytes:
                raise _refused(archive, url, member.name, f"a file of {member.size:,} bytes")
            name = _inside(archive, url, member.name)
            if member.isdir():
                continue
            content = tape.extractfile(member) if member.isreg() else None
            if content is None:
                raise _refused(archive, url, member.name, "neither file nor folder")
            yield name, content


def _unpacked(archive: Path) -> BufferedIOBase:
    """The tar file within an archive."""
    match archive.suffix.lower():
        case ".gz" | ".tgz":
            return gzip.open(archive)
        case ".bz2":
            return bz2.open(archive)
        case ".xz":
            return lzma.open(archive)
    return archive.open("rb")


class _Sips:
    """A file that is read in small parts only: a tar header states how long it is itself."""

    def __init__(self, file: BufferedIOBase) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _SIP_BYTES:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _inside(archive: Path, url: str, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or not name:
        raise _refused(archive, url, name, "a file without a name")
    if path.is_absolute() or ".." in parts or "\\" in name or ":" in name or "\0" in name:
        raise _refused(archive, url, name, "outside the folder")
    return path


def _refused(archive: Path, url: str, name: str, why: str) -> DownloadError:
    return DownloadError(
        url, archive, f"the archive holds {name[:80]!r}, {why}", "do not trust it; fetch it again"
    )


def _read_note(note: Path, checksum: str) -> list[str]:
    """Names that were unpacked from an archive with this checksum."""
    try:
        found = json.loads(read_file(note, 1024**2))
        return list(map(str, found["names"])) if found["checksum"] == checksum else []
    except (FileError, ValueError, KeyError, TypeError, RecursionError):
        return []
