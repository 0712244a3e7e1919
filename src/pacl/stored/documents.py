"""JSON and TOML files: not too large, not too deep, and of the kind that is expected.

Size and depth are checked before parsing: parsers fail on text that is nested too deeply, and TOML
with keys of thousands of parts takes hours.
"""

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from pacl.errors import PaclError
from pacl.file_bytes import FileError, read_file
from pacl.stored.kinds import MisfitError, fitted, shown

Refuse = Callable[[Path, str], PaclError]
"""Makes the error from the file and what is wrong with it."""


def unreadable(path: Path, what: str) -> FileError:
    """The default error of readers."""
    return FileError(path, what, "check that it is the right file")


MOST_JSON = 16 * 2**20
MOST_TOML = 64 * 2**10
_AT_ITS_END = 8
"""A line is torn if what is wrong with it lies within so many characters of its end."""
DEPTH = 32
"""Most levels of a document; ours have six."""

_NO_STRUCTURE = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|'
    r"'''.*?(?:'{3,5}|\Z)|"
    r'"(?:[^"\\\n]|\\.)*+"?|'
    r"'[^'\n]*'?|"
    r"#[^\n]*",
    re.DOTALL,
)
"""Texts and comments. JSON has fewer kinds of them; what differs is wrong in JSON anyway."""
_DEEP_KEY = re.compile(rf"(?:\.[^=,\n\[\]{{}}:.]*){{{DEPTH}}}")
"""A TOML key of too many parts."""
_UNWRITABLE = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""Zero, and halves of a character; the rest of them is how Python spells names of old files."""
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def read_json(
    path: Path, kind: Any, refuse: Refuse = unreadable, *, written_as: str | None = None
) -> Any:
    """Read a JSON file of an expected type, see `pacl.stored.kinds`.

    `refuse` makes the error. `written_as` is the `format` that the file must state, if any.
    """
    return parse_json(_content(path, MOST_JSON, refuse), path, kind, refuse, written_as=written_as)


def read_lines(path: Path, kind: Any, refuse: Refuse) -> list[Any]:
    """Read a file with one JSON value in each line."""
    lines = _content(path, MOST_JSON, refuse).splitlines()
    return [parse_json(line, path, kind, refuse) for line in lines]


def read_toml(path: Path, refuse: Refuse) -> dict[str, Any]:
    """Read a TOML file."""
    return dict(_parsed(tomllib.loads, _content(path, MOST_TOML, refuse), path, refuse))


def parse_json(
    content: bytes, path: Path, kind: Any, refuse: Refuse, *, written_as: str | None = None
) -> Any:
    """Read JSON that was found in a file, as a kind of value."""
    found = _parsed(_loads, content, path, refuse)
    if written_as is not None and isinstance(found, dict) and found.get("format") != written_as:
        raise refuse(path, f"format {shown(found.get('format'))}, expected {written_as!r}")
    try:
        return fitted(kind, found)
    except MisfitError as error:
        raise refuse(path, str(error)) from error


def ends_too_early(line: bytes) -> bool:
    """Whether a line is the beginning of a JSON object: writing it did not end."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" or not line.startswith(b"{"):
            return False
        early = error.pos >= len(error.doc) - _AT_ITS_END
        return early or error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False


def _content(path: Path, limit: int, refuse: Refuse) -> bytes:
    try:
        return read_file(path, limit)
    except FileError as error:
        raise refuse(path, error.what) from error


def _parsed(loads: Callable[[str], Any], content: bytes, path: Path, refuse: Refuse) -> Any:
    try:
        text = content.decode("utf-8")
        _check_depth(text)
        return loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse(path, f"cannot be read ({str(error)[:200]})") from error


def _loads(text: str) -> Any:
    found = json.loads(text, object_pairs_hook=_once)
    _check_values(found)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise MisfitError(f"{shown(twice)} appears more than once")
    return found


def _check_depth(text: str) -> None:
    bare = _NO_STRUCTURE.sub("", text)
    deepest = max(accumulate(_STEPS[one] for one in re.findall(r"[\[\]{}]", bare)), default=0)
    if deepest > DEPTH or _DEEP_KEY.search(bare):
        raise MisfitError(f"nested more than {DEPTH} levels deep")


def _check_values(value: Any) -> None:
    """Refuse values that would fail later."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
        for name in value:
            _check_values(name)
    elif isinstance(value, list):
        inner = enumerate(value)
    elif isinstance(value, str) and _UNWRITABLE.search(value):
        raise MisfitError(f"{shown(value)} cannot be written as text")
    elif isinstance(value, float) and not math.isfinite(value):
        raise MisfitError(f"{value} is not a finite number")
    elif isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise MisfitError(f"a number of {value.bit_length()} bits, expected at most 64")
    for key, one in inner:
        try:
            _check_values(one)
        except MisfitError as error:
            raise error.within(key) from None


def as_read(value: Any) -> Any:
    """A value as JSON returns it: tuples as lists, keys as strings."""
    return json.loads(json.dumps(value))


def as_toml(settings: Mapping[str, Any], *, says: Sequence[str] = ()) -> bytes:
    """Settings as a TOML file, after lines of comment; None is left out."""
    import tomli_w

    comment = "".join(f"# {line}\n" for line in says)
    return (comment + tomli_w.dumps(_without_none(settings))).encode()


def _without_none(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _without_none(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if value is not None
    }
