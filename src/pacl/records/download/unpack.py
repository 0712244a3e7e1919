"""Archives laid out in a folder: whole or not at all, and nothing outside of it."""

import json
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from pacl.records.download.fetch import DownloadError, disk_error

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
"""Endings of files that are unpacked."""

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


def unpack(archive: Path, url: str, checksum: str) -> tuple[Path, ...]:
    """Lay out `archive` beside itself; return what lies at its top.

    It is unpacked under another name and moved when whole. `NAME.unpacked` keeps the checksum of
    what was unpacked, so that a second call has nothing to do.

    Parameters
    ----------
    archive
        A zip or tar file that has been verified.
    url
        Where it came from, for messages.
    checksum
        Its checksum.
    """
    folder = archive.parent
    note = archive.with_name(f"{archive.name}.unpacked")
    before = _read_note(note, checksum)
    if before and all((folder / name).exists() for name in before):
        return tuple(folder / name for name in before)
    staging = archive.with_name(f".{archive.name}.unpacking")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        staging.mkdir()
        for inner, content in _members(archive, url):
            target = staging / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            with content, target.open("wb") as out:
                shutil.copyfileobj(content, out, 1024**2)
        names = sorted(entry.name for entry in staging.iterdir())
        for name in names:
            if (folder / name).exists() and name not in before:
                raise DownloadError(
                    url, archive, f"{folder / name} is there already", "move it away or remove it"
                )
        note.write_text(json.dumps({"checksum": checksum, "names": names}))
        for name in names:
            if not (folder / name).exists():
                (staging / name).rename(folder / name)
        return tuple(folder / name for name in names)
    except _BROKEN as error:
        raise DownloadError(
            url, archive, f"cannot be unpacked ({error})", "remove it and try again"
        ) from error
    except OSError as error:
        raise disk_error(url, archive, error) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _members(archive: Path, url: str) -> Iterator[tuple[PurePosixPath, IO[bytes]]]:
    """Plain files of an archive with names that stay inside; anything else is refused."""
    if archive.name.lower().endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            for entry in packed.infolist():
                if stat.S_ISLNK(entry.external_attr >> 16):
                    raise _refused(archive, url, entry.filename, "a link")
                name = _inside(archive, url, entry.filename)
                if not entry.is_dir():
                    yield name, packed.open(entry)
        return
    with tarfile.open(archive) as tape:
        for member in tape:
            name = _inside(archive, url, member.name)
            if member.isdir():
                continue
            content = tape.extractfile(member) if member.isreg() else None
            if content is None:
                raise _refused(archive, url, member.name, "neither file nor folder")
            yield name, content


def _inside(archive: Path, url: str, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    parts = path.parts
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
        found = json.loads(note.read_text())
        return list(map(str, found["names"])) if found["checksum"] == checksum else []
    except (OSError, ValueError, KeyError, TypeError):
        return []
