"""Zip archives of exports: members are read as streams, nothing is unpacked to disk."""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import IO, cast

from pacl.records.errors import FormatError, LayoutError, RecordError
from pacl.records.exports.recording import Contents, Recording, check_size
from pacl.records.exports.source import Advance, ExportFormat, Source, Stream
from pacl.records.tree import ending

MAX_MEMBERS = 100_000
MAX_MEMBER_BYTES = 16 * 1000**3
"""An export.xml of many years has some gigabytes."""

_MOST_TOTAL = 32 * 1000**3
_MOST_RATIO = 400
"""XML of Apple shrinks to a twentieth; zeros to a thousandth."""
_RATIO_FROM = 64 * 1024**2
_TAIL_BYTES = 70_000  # the end of an archive, with the longest comment
_MOST_DIRECTORY = 32 * 1024**2
_DOCUMENTS = (".npz", ".npy", ".xlsx", ".xlsm", ".docx", ".pptx", ".odt", ".ods", ".jar", ".apk")
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError),
    *(RuntimeError, NotImplementedError),  # encrypted, or a method that Python does not know
    *(LookupError, ArithmeticError, struct.error),  # absurd numbers in its list of members
)
_ECG_FOLDER = "electrocardiograms/"


class ZipExport:
    """A zip with exports of the other formats in it."""

    name = "zip"
    summary = "zip of exports: Apple Health, Garmin's original files, Polar's account data"
    endings = (".zip",)

    def __init__(self, formats: Sequence[ExportFormat]) -> None:
        self._formats = formats

    def recognises(self, head: bytes, name: str) -> bool:
        """By its first bytes; spreadsheets and arrays are zip files, too."""
        return head.startswith((b"PK\x03\x04", b"PK\x05\x06")) and ending(name) not in _DOCUMENTS

    def is_single(self, source: Source) -> bool:
        """Its list of members is at its end."""
        return False

    def read(self, source: Source) -> Contents:
        """Recordings of all members; the reasons why others are not read."""
        found: list[Recording] = []
        left_out: dict[str, str] = {}
        refused: dict[str, RecordError] = {}
        with source.open() as file, _opened(cast("IO[bytes]", file), source.where) as packed:
            members = _members(packed, source.where)
            for member, advance in zip(members, _advances(members, source), strict=True):
                name = member.filename
                try:
                    inner = _source(packed, member, f"{source.where} ({name[:200]})", advance)
                    head = inner.head()
                    reader = next(
                        (one for one in self._formats if one.recognises(head, name)), None
                    )
                    if reader is None:
                        left_out[name] = _why_not(name, head)
                        continue
                    contents = reader.read(inner)
                    found += contents.recordings
                    check_size(found, source.where)
                    left_out |= contents.left_out
                except RecordError as error:
                    refused[name] = error
        if not found:
            raise _nothing(source.where, refused, left_out)
        left_out |= {name: error.what for name, error in refused.items()}
        return Contents(tuple(found), left_out)


@contextmanager
def _opened(file: IO[bytes], where: str) -> Iterator[zipfile.ZipFile]:
    _check_directory(file, where)
    try:
        with zipfile.ZipFile(file) as packed:
            yield packed
    except RecordError:
        raise
    except _BROKEN as error:
        raise _damaged(where, error) from error


def _check_directory(file: IO[bytes], where: str) -> None:
    """Refuse an archive whose list of members alone would fill the memory."""
    file.seek(0, os.SEEK_END)
    file.seek(max(file.tell() - _TAIL_BYTES, 0))
    tail = file.read(_TAIL_BYTES)
    end, wide_end = tail.rfind(b"PK\x05\x06"), tail.rfind(b"PK\x06\x06")
    size = 0
    if 0 <= end <= len(tail) - 22:
        (size,) = struct.unpack_from("<I", tail, end + 12)
    if 0 <= wide_end <= len(tail) - 56:
        (wide,) = struct.unpack_from("<Q", tail, wide_end + 40)
        size = wide if size == 2**32 - 1 else max(size, wide)
    if size > _MOST_DIRECTORY:
        raise FormatError(
            where, f"a list of members of {size:,} bytes", "do not trust it; export it again"
        )


def _members(packed: zipfile.ZipFile, where: str) -> list[zipfile.ZipInfo]:
    """The files of an archive, after a look at what it claims to hold."""
    members = [one for one in packed.infolist() if not one.filename.endswith("/")]
    if len(members) > MAX_MEMBERS:
        raise FormatError(
            where, f"{len(members):,} files in it, expected at most {MAX_MEMBERS:,}", "unpack it"
        )
    total = sum(one.file_size for one in members)
    if total > _MOST_TOTAL:
        raise FormatError(
            where, f"it claims to hold {total:,} bytes", "do not trust it; export it again"
        )
    return members


def _advances(members: Sequence[zipfile.ZipInfo], source: Source) -> Iterator[Advance | None]:
    """For each member, what reports its progress as a part of the whole archive."""
    total = sum(one.file_size for one in members)
    before = 0
    for one in members:
        if source.advance is None:
            yield None
        else:
            yield partial(_report, source.advance, before, total)
        before += one.file_size


def _report(advance: Advance, before: int, total: int, done: int, _: int) -> None:
    advance(before + done, total)


def _source(
    packed: zipfile.ZipFile, member: zipfile.ZipInfo, where: str, advance: Advance | None
) -> Source:
    """A member as an export of its own; its name is only shown, never opened."""

    @contextmanager
    def opened() -> Iterator[Stream]:
        if member.flag_bits & 1:
            raise FormatError(where, "it is encrypted", "unpack the archive with its password")
        try:
            with packed.open(member) as stream:
                yield _Bounded(stream, member, where)
        except RecordError:
            raise
        except _BROKEN as error:
            raise _damaged(where, error) from error

    name = member.filename.rpartition("/")[2]
    return Source(where, name, member.file_size, opened, advance)


class _Bounded:
    """A stream that ends with an error where it grows beyond what can be an export."""

    def __init__(self, stream: Stream, member: zipfile.ZipInfo, where: str) -> None:
        self._stream, self._where = stream, where
        self._packed, self._read = max(member.compress_size, 1), 0

    def read(self, size: int, /) -> bytes:
        found = self._stream.read(size)
        self._read += len(found)
        too_dense = self._read > _RATIO_FROM and self._read > _MOST_RATIO * self._packed
        if self._read > MAX_MEMBER_BYTES or too_dense:
            raise FormatError(
                self._where,
                f"{self._read:,} bytes and more from {self._packed:,}, as no export has",
                "do not trust it; export it again",
            )
        return found


def _why_not(name: str, head: bytes) -> str:
    if f"/{name}".lower().rfind(f"/{_ECG_FOLDER}") >= 0 and ending(name) == ".csv":
        return "unpack the archive to read its ECGs"
    if head.startswith(b"PK\x03\x04"):
        return "an archive within an archive: unpack the outer one"
    return "no export that is read from an archive"


def _damaged(where: str, error: Exception) -> FormatError:
    return FormatError(
        where, f"cannot be unpacked ({str(error)[:150] or type(error).__name__})", "export it again"
    )


def _nothing(where: str, refused: dict[str, RecordError], left_out: dict[str, str]) -> RecordError:
    """Why no member was read: the reason of the first that is an export, or what there is."""
    if refused:
        name, first = next(iter(refused.items()))
        more = f" ({len(refused) - 1:,} more are refused)" if len(refused) > 1 else ""
        return type(first)(f"{where} ({name})", f"{first.what}{more}", first.remedy)
    names = ", ".join(list(left_out)[:5]) or "nothing"
    return LayoutError(
        where, f"no export in the archive; it holds {names}", "unpack it and give the files in it"
    )
