"""JSON of recordings: one document, or one in each line.

A file of 200 MB may hold millions of small objects. Those that are known to be samples become
compact while the text is parsed. All others take many times their text, so they are counted first.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pacl.records.errors import FormatError

MAX_BYTES = 256 * 1024**2

_MOST = {b"{": 3_000_000, b"[": 1_000_000, b",": 10_000_000}
"""A value takes up to fifty times the memory of its text: at these limits 1 to 2 GB in all."""
_DEEPEST = 16
_BEGINS = re.compile(rb"""(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]\d-]|$))""")


class PulseSample(NamedTuple):
    """One interval of Polar's daily log and when it came."""

    at: str
    ms: Any
    more: dict[str, Any] | None = None


class Voltage(NamedTuple):
    """In place of a sample of an ECG."""


def begins_json(head: bytes) -> bool:
    """Whether the first bytes can begin a JSON object or list; `[Params]` of a .hrm cannot."""
    return _BEGINS.match(head) is not None


def parse(content: bytes, where: str) -> list[Any]:
    """All documents of a file."""
    for mark, most in _MOST.items():
        if (count := content.count(mark)) > most:
            raise FormatError(
                where, f"{count:,} times {mark.decode()}, expected at most {most:,}", "split it"
            )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(where, f"no UTF-8 text ({error})", "export it again as UTF-8") from error
    try:
        return [_loads(text)]
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise _wrong(where, error) from error
    except (ValueError, RecursionError) as error:
        raise _wrong(where, error) from error
    return list(_lines(text, where))


def _lines(text: str, where: str) -> Iterator[Any]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield _loads(line)
            except (ValueError, RecursionError) as error:
                raise _wrong(f"{where} line {number}", error) from error


def _loads(text: str) -> Any:
    return json.loads(text, object_hook=_compact, parse_constant=_no_number)


def _compact(found: dict[str, Any]) -> Any:
    if "pulseLength" in found and "sampleDateTime" in found:
        at, ms = str(found.pop("sampleDateTime")), found.pop("pulseLength")
        return PulseSample(at, ms, found or None)
    if "voltage" in found and len(found) <= 4:
        return Voltage()
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _wrong(where: str, error: Exception) -> FormatError:
    return FormatError(
        where, f"no complete JSON ({str(error)[:150]})", "export it again: it was damaged or cut"
    )


class Node(NamedTuple):
    """An object of a document, with those that it stands in, the nearest last."""

    found: dict[str, Any]
    above: tuple[dict[str, Any], ...]


def nodes(documents: list[Any]) -> Iterator[Node]:
    """All objects in the order of the text; those nested too deeply are not looked at."""
    open_ones: list[tuple[Iterator[Any], tuple[dict[str, Any], ...]]] = [(iter(documents), ())]
    while open_ones:
        inner, above = open_ones[-1]
        for one in inner:
            if type(one) is dict and len(above) < _DEEPEST:
                yield Node(one, above)
                open_ones.append((iter(one.values()), (*above, one)))
                break
            if type(one) is list:
                open_ones.append((iter(one), above))
                break
        else:
            open_ones.pop()


def plain(key: str) -> str:
    """Letters of a key: `R-R`, `rr_ms` and `rrMs` differ only in how they are written."""
    return re.sub("[^a-z]", "", key.lower())
