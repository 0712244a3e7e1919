"""The formats of exports, tried in this order; a new one is a module and a line here."""

from dataclasses import replace

from pacl.records.errors import FormatError
from pacl.records.exports.apple import AppleExport
from pacl.records.exports.archive import ZipExport
from pacl.records.exports.fit import FitExport
from pacl.records.exports.json_export import JsonExport
from pacl.records.exports.recording import Contents, check_size, named_apart
from pacl.records.exports.source import ExportFormat, Source

_PLAIN: tuple[ExportFormat, ...] = (FitExport(), AppleExport(), JsonExport())

FORMATS: tuple[ExportFormat, ...] = (*_PLAIN, ZipExport(_PLAIN))
"""Formats by which a file may be recognised."""

EXPORT_ENDINGS = tuple(ending for one in FORMATS for ending in one.endings)
"""Files that a folder is searched for."""


def recognise_export(head: bytes, name: str) -> str | None:
    """The name of the format of a file by its first 4096 bytes; nothing where it is no export.

    Examples
    --------
    >>> from pacl.records.exports import recognise_export
    >>> recognise_export(b'{"rr": [812, 798]}', "log.json")
    'json'
    """
    found = _by_content(head, name)
    return found.name if found else None


def format_of(source: Source, head: bytes) -> ExportFormat:
    """The format of a file; refuses what is none of them."""
    found = _by_content(head, source.name)
    if found is None:
        known = "; ".join(one.summary for one in FORMATS)
        what = "the file is empty" if not head else f"it begins with {bytes(head[:12])!r}"
        raise FormatError(source.where, f"no known export: {what}", f"known are: {known}")
    return found


def read_export(source: Source) -> Contents:
    """All recordings of a file, each with a name of its own in it."""
    contents = format_of(source, source.head()).read(source)
    if not contents.recordings:
        raise FormatError(source.where, "no recording in it", "export it again")
    check_size(contents.recordings, source.where)
    return replace(contents, recordings=named_apart(contents.recordings))


def _by_content(head: bytes, name: str) -> ExportFormat | None:
    return next((one for one in FORMATS if one.recognises(head, name)), None)
