"""When the data records of an EDF+ file begin."""

import re
from collections.abc import Sequence

from pacl.records.errors import FormatError

MAX_TIMED_RECORDS = 5_000_000
"""Above this, the times of data records are not read one by one."""

_ONSET = re.compile(rb"\0*([-+][0-9]{1,10}(?:\.[0-9]{0,12})?)\x14")


def record_onset(annotations: bytes, number: int, source: str) -> float:
    r"""Seconds at which a data record begins: the first entry of its annotations.

    ```
    +1805.5 \x14 \x14 \x00 ...
    ```
    """
    found = _ONSET.match(annotations)
    if found is None:
        raise FormatError(
            source,
            f"data record {number + 1:,} does not say when it begins",
            "fetch the file again, or export it without gaps as EDF+C",
        )
    return float(found[1])


def contiguous(
    onsets_s: Sequence[float], record_s: float, tolerance_s: float, source: str
) -> list[tuple[int, int]]:
    """Runs of records that follow each other, as `(first, stop)`.

    Each record is compared with where the run would be if no time had passed between its records,
    so that small delays add up to a gap instead of being lost.
    """
    runs: list[tuple[int, int]] = []
    first = 0
    for at in range(1, len(onsets_s)):
        late_s = onsets_s[at] - (onsets_s[first] + (at - first) * record_s)
        if late_s < -tolerance_s:
            raise FormatError(
                source,
                f"data record {at + 1:,} begins at {onsets_s[at]:g} s, before the one before ends",
                "export the recording again, in order of time",
            )
        if late_s > tolerance_s:
            runs.append((first, at))
            first = at
    return [*runs, (first, len(onsets_s))]
