"""Annotation files in MIT format, decoded as arrays.

A file is a sequence of 16-bit little-endian words, each a 6-bit code and a 10-bit value:

```
 code 0-58   an annotation of that type, `value` samples after the one before
 code 59     SKIP   two more words hold a longer step in time, high half first
 code 60-62  NUM, SUB, CHN   fields of the annotation before
 code 63     AUX    `value` bytes of text for the annotation before, padded to whole words
 word 0      the end
```

The words of a SKIP or AUX may look like anything, so which words are codes is known only from
the front. SKIP and AUX are rare, though: only their candidates are walked, the rest is arithmetic.
See https://wfdb.io/spec/annotations.html.
"""

import re
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Int8, Int64, UInt8, UInt16
from pacl.records.errors import FormatError

MAX_ANNOTATION_BYTES = 32 * 1024**2
"""Ten million beats, a hundred days, have 20 MB; marks and notes are few beside them."""

SKIP, NUM, SUB, CHN, AUX = 59, 60, 61, 62, 63
NOTE, RHYTHM_CHANGE = 22, 28

SYMBOLS = ' NLRaVFJASEj/Q~ | sT*D"=pB^t+u?![]en@xf()r'
"""Symbol of each annotation code, as PhysioNet prints it; a blank where none is defined."""

BEAT_SYMBOLS = frozenset("NLRBAaJSVrFejnE/fQ?")
"""Annotations at a QRS complex; all others are marks, not beats."""

_IS_BEAT = np.array([symbol in BEAT_SYMBOLS for symbol in SYMBOLS.ljust(64)])
_TIME_RESOLUTION = re.compile(r"## time resolution: (\d+\.?\d*)")


@dataclass(frozen=True, eq=False, slots=True)
class Annotations:
    """The annotations of one file, in the order they stand in it.

    `notes` holds the text of those that have one, by position. `fs_hz` is the time resolution
    where the file itself states it.
    """

    sample: Int64[Array, "annotation"]
    code: UInt8[Array, "annotation"]
    subtype: Int8[Array, "annotation"]
    chan: UInt8[Array, "annotation"]
    num: Int8[Array, "annotation"]
    notes: dict[int, str]
    fs_hz: float | None

    def is_beat(self) -> Bool[Array, "annotation"]:
        """Which annotations are heart beats."""
        return _IS_BEAT[self.code]

    def rhythm_marks(self) -> list[tuple[int, str]]:
        """Sample and text of each change of rhythm, such as `(AFIB`."""
        return [
            (int(self.sample[at]), note.rstrip("\0 "))
            for at, note in self.notes.items()
            if self.code[at] == RHYTHM_CHANGE and note.startswith("(")
        ]


def parse_annotations(content: bytes, source: str) -> Annotations:
    """Decode the bytes of an annotation file; `source` names it in errors."""
    if len(content) < 2 or len(content) % 2:
        raise FormatError(
            source,
            f"{len(content)} bytes are no sequence of 16-bit annotation words",
            "fetch the file again, it is empty or cut",
        )
    words = np.frombuffer(content, dtype="<u2")
    code = (words >> 10).astype(np.uint8)
    is_code, stop = _code_words(words, code, source)

    at = np.flatnonzero(is_code[:stop])
    words_at, code_at = words[at], code[at]
    is_annotation = code_at < SKIP
    step = np.where(is_annotation, words_at & 1023, 0).astype(np.int64)
    skips = at[code_at == SKIP]
    high, low = words[skips + 1].astype(np.uint32), words[skips + 2]
    step[code_at == SKIP] = ((high << 16) | low).view(np.int32)
    sample = np.cumsum(step)[is_annotation]

    owner = np.cumsum(is_annotation) - 1  # the annotation that a field belongs to
    if at.size and np.any(owner[code_at > SKIP] < 0):
        raise FormatError(
            source,
            "a field comes before the first annotation",
            "fetch the file again, or check that it is an annotation file at all",
        )
    low_byte = (words_at & 255).astype(np.uint8)
    count = int(is_annotation.sum())
    subtype = np.zeros(count, dtype=np.int8)
    subtype[owner[code_at == SUB]] = low_byte[code_at == SUB].view(np.int8)
    chan = _carried(owner[code_at == CHN], low_byte[code_at == CHN], count)
    num = _carried(owner[code_at == NUM], low_byte[code_at == NUM], count).view(np.int8)
    notes = {
        int(who): content[2 * p + 2 : 2 * p + 2 + int(length)].decode("latin-1")
        for p, length, who in zip(
            at[code_at == AUX].tolist(),
            low_byte[code_at == AUX],
            owner[code_at == AUX],
            strict=True,
        )
    }
    return _without_definitions(
        Annotations(sample, code_at[is_annotation], subtype, chan, num, notes, fs_hz=None)
    )


def _code_words(
    words: UInt16[Array, "word"], code: UInt8[Array, "word"], source: str
) -> tuple[Bool[Array, "word"], int]:
    """Which words are codes rather than the contents of a SKIP or AUX, and where the end is."""
    starts = np.flatnonzero((code == SKIP) | (code == AUX))
    extra = np.where(code[starts] == SKIP, 2, ((words[starts] & 255).astype(np.int64) + 1) // 2)
    change = np.zeros(words.size + 2, dtype=np.int8)
    free = 0
    for start, length in zip(starts.tolist(), extra.tolist(), strict=True):
        if start < free:
            continue
        free = min(start + 1 + length, words.size + 1)  # past the end: all the rest is contents
        change[start + 1] += 1
        change[free] -= 1
    is_code = np.cumsum(change[: words.size], dtype=np.int8) == 0
    ends = np.flatnonzero((words == 0) & is_code)
    if not ends.size:
        raise FormatError(source, "it stops without an end mark", "fetch the file again, it is cut")
    stop = int(ends[0])
    if words[stop:].any():
        raise FormatError(
            source,
            f"the end mark is at byte {2 * stop} of {2 * words.size}, with data after it",
            "fetch the file again, it is corrupted",
        )
    return is_code, stop


def _carried(
    owner: Int64[Array, "field"], value: UInt8[Array, "field"], count: int
) -> UInt8[Array, "annotation"]:
    """A field that is valid until the next of its kind."""
    last = np.zeros(count, dtype=np.int64)
    last[owner] = np.arange(1, owner.size + 1)
    return np.append(np.uint8(0), value)[np.maximum.accumulate(last)]


def _without_definitions(found: Annotations) -> Annotations:
    """Take out what describes the file instead of the heart: notes at sample 0, code 0."""
    definition = (found.code == NOTE) & (found.sample == 0)
    fs_hz = None
    for at in np.flatnonzero(definition).tolist():
        match = _TIME_RESOLUTION.match(found.notes.get(at, ""))
        fs_hz = float(match.group(1)) if match else fs_hz
    keep = ~definition & (found.code != 0)
    position = np.cumsum(keep) - 1
    return Annotations(
        sample=found.sample[keep],
        code=found.code[keep],
        subtype=found.subtype[keep],
        chan=found.chan[keep],
        num=found.num[keep],
        notes={int(position[at]): note for at, note in found.notes.items() if keep[at]},
        fs_hz=fs_hz,
    )
