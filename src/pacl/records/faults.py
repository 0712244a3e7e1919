"""Faults of a beat detector, added to a record to measure their effect.

Missed and extra beats are drawn independently, both over the true beats. From one seed the faults
of a low rate are a subset of those of a higher one, so that rates can be compared.
"""

from dataclasses import astuple, dataclass, replace

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.records.content import digest
from pacl.records.errors import ValueRangeError
from pacl.records.record import GAP_MS, Record
from pacl.records.rhythm import Span

EXTRA_WITHIN = (0.2, 0.8)
"""An extra beat falls between these shares of its interval."""


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults of a beat detector.

    ```
    true      |----|----|----|----|
    missed    |----|---------|----|     a beat is missed: two intervals become one
    extra     |----|--|-|----|----|     a false beat: an interval becomes two
    ```

    Parameters
    ----------
    missed
        Share of beats that are not detected, at least 0 and below 1.
    extra
        Share of intervals with a false beat, at least 0 and below 1.
    resolution_ms
        Beat times are rounded to multiples of this, counted from the onset of each file;
        0 leaves them. 1000 / 128 is a recording at 128 Hz.
    """

    missed: float = 0.0
    extra: float = 0.0
    resolution_ms: float = 0.0

    def __post_init__(self) -> None:
        for name, share in (("missed", self.missed), ("extra", self.extra)):
            if not 0 <= share < 1:
                raise ValueRangeError(
                    "faults",
                    f"{name} is {share}, expected a share of at least 0 and below 1",
                    f"give {name}=0.01 for one in a hundred",
                )
        if not 0 <= self.resolution_ms < np.inf:
            raise ValueRangeError(
                "faults",
                f"resolution_ms is {self.resolution_ms}, expected a time of at least 0",
                "give the milliseconds between two samples, or 0 to leave beat times as they are",
            )


def with_faults(record: Record, faults: Faults, generator: np.random.Generator) -> Record:
    """Return the record as a detector with these faults would have recorded it.

    Nothing merges across files; their first and last beats are always detected. A gap (RR above
    `GAP_MS`) keeps its ends and its length. Time is kept, except for rounding. Many missed beats in
    a row may leave a new gap. Each interval has the rhythm of the true interval in which it begins.
    The digest is new, even without any fault.

    Examples
    --------
    >>> from pacl.records.simulate import simulate_cohort
    >>> record = next(simulate_cohort(patients=1)).record
    >>> noisy = with_faults(record, Faults(missed=0.01), np.random.default_rng(0))
    >>> len(noisy) < len(record)
    True
    """
    rr_ms = record.rr_ms.astype(np.float64)
    gap = rr_ms > GAP_MS
    missed = (generator.random(rr_ms.size) < faults.missed) & ~gap
    missed[1:] &= ~gap[:-1]
    missed[record.file_starts] = False
    extra = (generator.random(rr_ms.size) < faults.extra) & ~gap
    share = generator.uniform(*EXTRA_WITHIN, rr_ms.size)

    seen_ms, within = detect(rr_ms, missed, extra, share)
    file_starts = np.searchsorted(within, record.file_starts)
    if faults.resolution_ms:
        seen_ms = on_grid(seen_ms, gap[within], file_starts, faults.resolution_ms)
    result = seen_ms.astype(np.float32)
    return replace(
        record,
        rr_ms=result,
        file_starts=file_starts,
        spans=_spans(record.spans, within),
        digest=digest(
            [
                ("record", record.digest.encode()),
                ("faults", np.array(astuple(faults), dtype=np.float64).tobytes()),
                ("within", within.tobytes()),
                ("rr_ms", result.tobytes()),
            ]
        ),
    )


def detect(
    rr_ms: Float64[Array, "beat"],
    missed: Bool[Array, "beat"],
    extra: Bool[Array, "beat"],
    share: Float64[Array, "beat"],
) -> tuple[Float64[Array, "seen"], Int64[Array, "seen"]]:
    """Intervals between the beats that are seen, and in which true interval each begins.

    The beat that begins an interval may be missed, and another put into it after `share` of its
    time. The first beat of all is not missed.
    """
    origin = np.repeat(np.arange(rr_ms.size), 1 + extra)  # an interval with an extra beat: twice
    second = np.flatnonzero(extra)
    second += np.arange(1, second.size + 1)
    parts_ms = rr_ms[origin]
    parts_ms[second - 1] *= share[extra]
    parts_ms[second] -= parts_ms[second - 1]
    begins = ~missed[origin]
    begins[second] = True
    starts = np.flatnonzero(begins)
    return np.add.reduceat(parts_ms, starts), origin[starts]


def on_grid(
    rr_ms: Float64[Array, "beat"],
    gap: Bool[Array, "beat"],
    file_starts: Int64[Array, "file"],
    resolution_ms: float,
) -> Float64[Array, "beat"]:
    """Round beat times, counted from each file's onset without its gaps; gaps stay as they are."""
    files = np.split(np.where(gap, 0.0, rr_ms), file_starts[1:])
    steps = [np.diff(np.rint(np.cumsum(file) / resolution_ms), prepend=0.0) for file in files]
    return np.where(gap, rr_ms, np.concatenate(steps) * resolution_ms)


def _spans(spans: tuple[Span, ...], within: Int64[Array, "seen"]) -> tuple[Span, ...]:
    """The same spans over the intervals that are seen; one in which none begins vanishes."""
    edges = np.searchsorted(within, [0, *(span.stop for span in spans)]).tolist()
    return tuple(
        replace(span, start=start, stop=stop)
        for span, start, stop in zip(spans, edges[:-1], edges[1:], strict=True)
        if start < stop
    )
