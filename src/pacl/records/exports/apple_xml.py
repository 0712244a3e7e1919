"""Beat series in the XML of Apple Health, which has gigabytes.

The bytes are searched for the tag of a series, and a parser sees only the record around it. That is
right as XML allows no bare `<` within an attribute or a text: only comments, CDATA and the DTD may
hold what merely looks like a tag. Where any of these comes after the first tag, and where a record
is not well-formed by itself, all of the document is parsed.
"""

import re
from collections.abc import Iterator, Sequence
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate

from pacl.records.errors import FormatError
from pacl.records.exports.apple_series import BeatSeries
from pacl.records.exports.source import Source, Stream

EXPORT_AGAIN = "export on the iPhone: Health > your picture > Export All Health Data"

_CHUNK = 4 * 1024**2
_MOST_RECORD = 4 * 1024**2
_MOST_PROLOG = 1024**2
_MOST_SERIES, _MOST_BEATS = 2_000_000, 100_000
_ROOT = re.compile(rb"<HealthData(?=[\s>/])")
_RECORD = re.compile(rb"<Record(?=\s)")
_LIST, _LIST_END = b"<HeartRateVariabilityMetadataList", b"</HeartRateVariabilityMetadataList>"
_ENCODING = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.-]+)["']""")


def is_health_data(head: bytes) -> bool:
    """Whether the first bytes are of such a document."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return text.startswith(b"<") and bool(_ROOT.search(text) or b"<!DOCTYPE HealthData" in text)


def find_series(source: Source) -> Iterator[BeatSeries]:
    """All beat series in the order of the document."""
    count = 0
    with source.open() as file:
        root, buffer = _find_root(file, source.where)
        try:
            for record in _records(file, buffer, root, source):
                for one in _parse_record(record, source.where):
                    count += 1
                    _check_count(count, source.where)
                    yield one
            return
        except _Misleading:
            pass
    with source.open() as file:
        before = file.read(root)
        for number, one in enumerate(_parse_all(file, before, source)):
            _check_count(number + 1, source.where)
            if number >= count:
                yield one


def _check_count(count: int, where: str) -> None:
    if count > _MOST_SERIES:
        raise FormatError(where, f"more than {_MOST_SERIES:,} beat series", EXPORT_AGAIN)


def count_words(source: Source, words: Sequence[bytes]) -> list[int]:
    """How often each of some words occurs in the document."""
    counts, rest = [0] * len(words), b""
    with source.open() as file:
        while chunk := file.read(_CHUNK):
            buffer = rest + chunk
            for at, word in enumerate(words):
                counts[at] += buffer.count(word) - rest.count(word)
            rest = buffer[-max(map(len, words)) :]
    return counts


class _Misleading(Exception):  # noqa: N818
    """Bytes in which a search for tags may go wrong."""


def _find_root(file: Stream, where: str) -> tuple[int, bytes]:
    """Where the first element begins, and the bytes from there on.

    The DTD before it is never parsed: it declares nothing that is needed, and that of some versions
    of iOS is wrong. A document that declares entities is refused.
    """
    prolog = file.read(_MOST_PROLOG)
    declared = _ENCODING.search(prolog[:300])
    if declared and declared[1].lower() not in (b"utf-8", b"utf8", b"us-ascii", b"ascii"):
        raise FormatError(
            where, f"encoding {declared[1].decode('ascii')}, expected UTF-8", "convert it to UTF-8"
        )
    root = _ROOT.search(prolog)
    if b"<!ENTITY" in (prolog[: root.start()] if root else prolog):
        raise FormatError(
            where,
            "it declares XML entities, which an export of Apple Health never does",
            f"do not trust it; {EXPORT_AGAIN}",
        )
    if root is None:
        raise FormatError(where, "no element HealthData in it", EXPORT_AGAIN)
    return root.start(), prolog[root.start() :]


def _records(file: Stream, buffer: bytes, root: int, source: Source) -> Iterator[bytes]:
    """Each record that has a series, up to the end of the series."""
    done, fresh = root + len(buffer), 0
    while True:
        if buffer.find(b"<!", max(fresh - 1, 0)) >= 0:
            raise _Misleading
        at = 0
        while (hit := buffer.find(_LIST, at)) >= 0:
            if buffer.startswith(b"/>", hit + len(_LIST)):  # a list without beats
                at = hit + len(_LIST)
                continue
            stop = buffer.find(_LIST_END, hit)
            if stop < 0:
                break
            yield buffer[_record_before(buffer, at, hit) : stop + len(_LIST_END)]
            at = stop + len(_LIST_END)
        source.tell(done)
        chunk = file.read(_CHUNK)
        if not chunk:
            break
        if hit >= 0:
            keep = _record_before(buffer, at, hit)
        else:  # a series may follow in the last record
            keep = max(buffer.rfind(b"<Record", at), at, len(buffer) - _MOST_RECORD)
        if len(buffer) - keep > _MOST_RECORD:
            raise _Misleading
        buffer, fresh = buffer[keep:] + chunk, len(buffer) - keep
        done += len(chunk)
    if hit >= 0:
        raise _Misleading
    if not buffer.rstrip().endswith((b"</HealthData>", b"/>")):
        raise _not_well_formed(source.where, "it ends within an element")


def _record_before(buffer: bytes, at: int, hit: int) -> int:
    """Where the record begins that has a series."""
    start = buffer.rfind(b"<Record", at, hit)
    if start < 0 or not _RECORD.match(buffer, start):
        raise _Misleading
    return start


class _Collector:
    """What a parser hands over: series, one after the other."""

    def __init__(self, where: str) -> None:
        self.found: list[BeatSeries] = []
        self.elements = 0
        self._where = where
        self._record: dict[str, str] | None = None
        self._beats: list[tuple[str, str]] | None = None
        self.parser = ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if name == "InstantaneousBeatsPerMinute" and self._beats is not None:
            self._beats.append((attributes.get("bpm", ""), attributes.get("time", "")))
            if len(self._beats) > _MOST_BEATS:
                raise FormatError(
                    self._where, f"a series of more than {_MOST_BEATS:,} beats", EXPORT_AGAIN
                )
        elif name == "Record":
            self._record = attributes
        elif name == "HeartRateVariabilityMetadataList" and self._record is not None:
            self._beats = []

    def _end(self, name: str) -> None:
        if name == "HeartRateVariabilityMetadataList" and self._record is not None:
            if self._beats:
                start = self._record.get("startDate", "")
                source = self._record.get("sourceName", "")
                self.found.append(BeatSeries(source, start, self._beats))
            self._beats = None
        elif name == "Record":
            self._record = None


def _parse_record(record: bytes, where: str) -> list[BeatSeries]:
    collector = _Collector(where)
    try:
        collector.parser.Parse(record + b"</Record>", True)
    except ExpatError:
        raise _Misleading from None
    return collector.found


def _parse_all(file: Stream, before: bytes, source: Source) -> Iterator[BeatSeries]:
    """Parse what follows the bytes `before` the root."""
    collector = _Collector(source.where)
    done = elements_at = len(before)
    while True:
        chunk = file.read(_CHUNK)
        elements = collector.elements
        try:
            collector.parser.Parse(chunk, not chunk)
        except ExpatError as error:
            line = error.lineno + before.count(b"\n")
            what = f"{ErrorString(error.code)}: line {line}"
            raise _not_well_formed(source.where, what) from error
        done += len(chunk)
        if collector.elements > elements:
            elements_at = done
        if done - elements_at > 4 * _MOST_RECORD:
            raise _not_well_formed(source.where, "an element is far too long")
        yield from collector.found
        collector.found.clear()
        source.tell(done)
        if not chunk:
            return


def _not_well_formed(where: str, what: str) -> FormatError:
    return FormatError(
        where, f"it is no complete XML document ({what})", f"it was damaged or cut: {EXPORT_AGAIN}"
    )
