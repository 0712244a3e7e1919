"""What a file is that no reader takes, in words, and what to do about it."""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

HEAD_BYTES = 4_096
"""Bytes at the start of a file that are looked at."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file seems to be, and what its owner can do."""

    what: str
    remedy: str


_INTERVALS = "export the beat-to-beat RR intervals as text or CSV"
_ECG = "export the ECG itself, as EDF, WFDB or CSV"
_PICTURE = Kind(
    "a picture, which shows an ECG but does not hold its samples",
    f"{_ECG}, or {_INTERVALS}",
)
_UNPACK = "unpack it and give the files inside"
_ARRAYS = f"write the RR intervals to a text file, one a line, or {_ECG}"
_AVERAGES = (
    "which holds heart rate averages, not beats",
    f"{_INTERVALS}, or the original FIT file with beat-to-beat logging switched on",
)
_PROGRAM = Kind("a program, not a recording", "leave it out")

_MAGIC: tuple[tuple[int, bytes, Kind], ...] = (
    (
        0,
        b"%PDF",
        Kind("a PDF document, which shows an ECG but does not hold its samples", _PICTURE.remedy),
    ),
    (0, b"\x89PNG\r\n", _PICTURE),
    (0, b"\xff\xd8\xff", _PICTURE),
    (0, b"GIF8", _PICTURE),
    (0, b"II*\0", _PICTURE),
    (0, b"MM\0*", _PICTURE),
    (4, b"ftyphei", _PICTURE),
    (4, b"ftypmif1", _PICTURE),
    (4, b"ftypavif", _PICTURE),
    (
        0,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        Kind("an old Excel or Word file", "save it as CSV and give that"),
    ),
    (
        0,
        b"SQLite format 3\0",
        Kind("an SQLite database, such as an app keeps", f"{_INTERVALS} with the app"),
    ),
    (0, b"\x1f\x8b", Kind("a gzip archive", _UNPACK)),
    (0, b"BZh", Kind("a bzip2 archive", _UNPACK)),
    (0, b"\xfd7zXZ\0", Kind("an xz archive", _UNPACK)),
    (0, b"(\xb5/\xfd", Kind("a zstd archive", _UNPACK)),
    (0, b"7z\xbc\xaf\x27\x1c", Kind("a 7z archive", _UNPACK)),
    (0, b"Rar!\x1a\x07", Kind("a RAR archive", _UNPACK)),
    (257, b"ustar", Kind("a tar archive", _UNPACK)),
    (0, b"MATLAB 5.0 MAT-file", Kind("a MATLAB file", _ARRAYS)),
    (0, b"MATLAB 7.3 MAT-file", Kind("a MATLAB file (v7.3)", _ARRAYS)),
    (0, b"\x89HDF\r\n\x1a\n", Kind("an HDF5 file", _ARRAYS)),
    (0, b"\x93NUMPY", Kind("a NumPy array", _ARRAYS)),
    (0, b"PAR1", Kind("a Parquet table", "save it as CSV and give that")),
    (0, b"Obj\x01", Kind("an Avro file, as the EmbracePlus writes it", _INTERVALS)),
    (
        128,
        b"DICM",
        Kind("a DICOM file, as hospital systems keep ECGs", _ECG),
    ),
    (0, b"ISHNE1.0", Kind("a Holter ECG in ISHNE format", "convert it to WFDB or EDF")),
    (0, b"ANN  1.0", Kind("Holter annotations in ISHNE format", "convert them to WFDB")),
    (16, b"SCPECG", Kind("an SCP-ECG file", "convert it to WFDB, EDF or CSV")),
    (0, b"@  MFER", Kind("an ECG in MFER format", "convert it to WFDB, EDF or CSV")),
    (0, b"GDF 1.", Kind("a biosignal file in GDF format", "convert it to EDF")),
    (0, b"GDF 2.", Kind("a biosignal file in GDF format", "convert it to EDF")),
    (0, b"\xffBIOSEMI", Kind("a BioSemi recording (BDF)", "convert it to EDF")),
    (8, b".FIT", Kind("a FIT file of a watch or bike computer", "give it without --layout text")),
    (0, b"{\\rtf", Kind("a rich text document (RTF)", "save it as plain text")),
    (0, b"MZ\x90\0", _PROGRAM),
    (0, b"\x7fELF", _PROGRAM),
    (0, b"\xcf\xfa\xed\xfe", _PROGRAM),
    (0, b"\xca\xfe\xba\xbe", _PROGRAM),
)
_EDF = re.compile(rb"0 {7}[ -~]{160}[ -~]{16}\d+ *")
_XML: tuple[tuple[str, Kind], ...] = (
    (r"<AnnotatedECG\b|urn:hl7-org", Kind("an ECG in HL7 aECG format (XML)", _ECG)),
    (r"<RestingECG\b|<MUSE\w*", Kind("an ECG of GE MUSE (XML)", _ECG)),
    (r"<ECG\b[^>]*ACQUISITION|mortara", Kind("an ECG of Mortara (XML)", _ECG)),
    (r"<restingecgdata\b|<CardiologyXML\b|<sapphire\b", Kind("a 12-lead ECG in XML", _ECG)),
    (r"<TrainingCenterDatabase\b", Kind(f"a TCX file, {_AVERAGES[0]}", _AVERAGES[1])),
    (r"<gpx\b", Kind(f"a GPX track, {_AVERAGES[0]}", _AVERAGES[1])),
    (r"<HealthData\b", Kind("an Apple Health export", "give it without --layout text")),
    (r"<html\b|<!doctype html", Kind("a web page (HTML)", f"save no page: {_INTERVALS}")),
    (r"<svg\b", _PICTURE),
)
_ANY_XML = Kind("an XML document of an unknown kind", f"{_INTERVALS}, or {_ECG}")
_JSON = Kind("a JSON document without RR intervals that are known here", _INTERVALS)
_MAIL = Kind("an e-mail", "save its attachment and give that")
_UTF16 = Kind(
    "binary content, or text in UTF-16 without a byte order mark", "save it as text in UTF-8"
)
_EMPTY = Kind("an empty file", "leave it out, or export the RR intervals again")
_BINARY = Kind(
    "binary content of an unknown kind, perhaps encrypted",
    f"check that it is the right file; {_INTERVALS}, or {_ECG}",
)
_SAMPLES = Kind(
    "binary content, perhaps the samples of an ECG (.dat) without their header",
    "put the header (.hea) of the same name beside it and give that",
)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_ALLOWED = frozenset(b"\t\n\r\f\v\x1a")
_CONTROLS = 0.05  # share of control characters above which nobody wrote the text
_LEAST = 32


def describe_content(head: bytes, name: str) -> Kind | None:
    r"""What the beginning of a file seems to be; nothing where it may be plain text.

    Call it where no reader takes the file. `name` is that of the file.

    Examples
    --------
    >>> describe_content(b"%PDF-1.7 ...", "ecg.pdf").what
    'a PDF document, which shows an ECG but does not hold its samples'
    >>> describe_content(b"812\n790\n", "rr.txt") is None
    True
    """
    head = head[:HEAD_BYTES]
    if not head:
        return _EMPTY
    found = next((kind for at, magic, kind in _MAGIC if head[at : at + len(magic)] == magic), None)
    if found is not None:
        return found
    looks: tuple[Callable[[bytes, str], Kind | None], ...] = (_zip, _edf, _written, _scp, _binary)
    return next((kind for look in looks if (kind := look(head, name))), None)


def _zip(head: bytes, name: str) -> Kind | None:
    if not head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return None
    if b"[Content_Types].xml" in head or b"xl/" in head or b"word/" in head:
        return Kind("an Excel or Word file", "save it as CSV and give that")
    if b".npy" in head:
        return Kind("NumPy arrays (.npz)", _ARRAYS)
    if b"mimetypeapplication/vnd.oasis" in head:
        return Kind("an OpenDocument file", "save it as CSV and give that")
    return Kind("a zip archive", _UNPACK)


def _edf(head: bytes, name: str) -> Kind | None:
    if not _EDF.match(head):
        return None
    return Kind("an EDF recording", "give it without --layout text")


def _written(head: bytes, name: str) -> Kind | None:
    """Text with a grammar of its own: XML, HTML, JSON, e-mail."""
    encoding = "utf-16" if head.startswith(_BOMS[1:]) else "utf-8"
    text = head.decode(encoding, errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith("<"):
        if not re.match(r"<[?!/A-Za-z]", text):
            return None
        return next((kind for sign, kind in _XML if re.search(sign, text, re.IGNORECASE)), _ANY_XML)
    if re.match(r'\{\s*["}]|\[\s*[\[{"]', text):
        return _JSON
    is_mail = re.match(r"(From|Received|Return-Path|Delivered-To|MIME-Version): ", text)
    return _MAIL if is_mail and re.search(r"^Subject: ", text, re.MULTILINE) else None


def _scp(head: bytes, name: str) -> Kind | None:
    """SCP-ECG that does not spell its name: checksum, size of the file, and section 0."""
    if len(head) < 30 or PurePath(name).suffix.lower() not in (".scp", ".ecg"):
        return None
    (section,) = struct.unpack_from("<H", head, 8)
    return Kind("an SCP-ECG file", "convert it to WFDB, EDF or CSV") if section == 0 else None


def _binary(head: bytes, name: str) -> Kind | None:
    if head.startswith(_BOMS):
        return None
    if b"\0" in head:
        even, odd = head[::2], head[1::2]
        text = odd if not any(even) else even
        if (not any(even) or not any(odd)) and all(byte >= 32 or byte in _ALLOWED for byte in text):
            return _UTF16
    elif _is_utf8(head) or _control_share(head) <= _CONTROLS:
        return None
    return _SAMPLES if PurePath(name).suffix.lower() == ".dat" else _BINARY


def _is_utf8(head: bytes) -> bool:
    try:
        head[: len(head) - 3].decode()  # the last character may be cut
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 6
    return True


def _control_share(head: bytes) -> float:
    if len(head) < _LEAST:
        return 0.0
    return sum(byte < 32 and byte not in _ALLOWED for byte in head) / len(head)
