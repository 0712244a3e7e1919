"""Intervals that their source marks as invalid: the time passes, but no beat is used."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.records.errors import ValueRangeError
from pacl.records.record import PLAUSIBLE_MS
from pacl.records.rhythm import Span
from pacl.records.text.columns import find_column
from pacl.records.text.table import Table
from pacl.records.text.values import name_and_unit, numbers
from pacl.spans import runs

TRUE_IS_VALID = {"valid", "isvalid", "rrvalid", "validrr", "accepted", "isaccepted"} | {
    "validity",
    "validflag",
    "rrisvalid",
    "rrvalidflag",
    "validinterval",
    "ppintervalvalid",
    "usable",
}
TRUE_IS_INVALID = (
    {f"{start}{word}" for start in ("", "is") for word in ("invalid", "artifact", "artefact")}
    | {"artifacts", "artefacts", "artifactflag", "artefactflag", "rejected", "isrejected"}
    | {
        "blocker",
        "blockerbit",
        "offline",
        "notvalid",
        "excluded",
        "isexcluded",
        "outlier",
        "isoutlier",
    }
)
CONTACT = {"contact", "skincontact", "skincontactstatus"}
CONTACT_SUPPORTED = {"contactsupported", "skincontactsupported"}
ERROR_ESTIMATE = {"errorestimate", "pperrorestimate"}
FLAGS = TRUE_IS_VALID | TRUE_IS_INVALID | CONTACT | CONTACT_SUPPORTED | ERROR_ESTIMATE
MOST_ERROR_MS = 30.0
"""Above this error estimate of a pulse interval Polar suspects movement or a loose sensor."""

_WORDS = {
    **dict.fromkeys(("1", "1.0", "true", "t", "yes", "y"), True),
    **dict.fromkeys(("0", "0.0", "false", "f", "no", "n"), False),
}
_IGNORE = "to use all intervals, give valid_column='' (--valid-column '')"
_HOUR_MS = 3_600_000.0


def flag_columns(table: Table, source: str, valid_column: str | int | None) -> list[int]:
    """Columns that flag intervals and are not intervals themselves."""
    if valid_column == "":
        return []
    asked = find_column(table, source, valid_column, "valid_column")
    known = [name_and_unit(name)[0] for name in table.names]
    return [at for at, name in enumerate(known) if name in FLAGS or at == asked]


def invalid_rows(table: Table, source: str, valid_column: str | int | None) -> Bool[Array, "row"]:
    """Which rows any flag marks as invalid; a row is one interval."""
    found = np.zeros(len(table), dtype=np.bool_)
    if valid_column == "":
        return found
    asked = find_column(table, source, valid_column, "valid_column")
    if asked is not None:
        return _refuse_all(~_truths(table, asked, source, blank=None), table, [asked], source)
    known = [name_and_unit(name)[0] for name in table.names]
    used = [at for at, name in enumerate(known) if name in FLAGS - CONTACT_SUPPORTED]
    has_contact = np.ones(len(table), dtype=np.bool_)
    for at, name in enumerate(known):
        if name in CONTACT_SUPPORTED:
            has_contact &= _truths(table, at, source, blank=None)
    for at in used:
        if known[at] in TRUE_IS_VALID:
            found |= ~_truths(table, at, source, blank=None)
        elif known[at] in TRUE_IS_INVALID:
            found |= _truths(table, at, source, blank=False)
        elif known[at] in CONTACT:
            found |= ~_truths(table, at, source, blank=None) & has_contact
        else:
            found |= numbers(table, at, source) > MOST_ERROR_MS
    return _refuse_all(found, table, used, source)


def _refuse_all(
    found: Bool[Array, "row"], table: Table, used: list[int], source: str
) -> Bool[Array, "row"]:
    if found.all():
        raise ValueRangeError(
            source,
            f"no interval is valid by {', '.join(table.title(at) for at in used)}",
            f"leave the file out; {_IGNORE}",
        )
    return found


def _truths(table: Table, column: int, source: str, blank: bool | None) -> Bool[Array, "row"]:
    words = _WORDS if blank is None else {**_WORDS, "": blank}
    meaning = {cell: words.get(cell.strip().lower()) for cell in set(table.columns[column])}
    if None in meaning.values():
        at = next(i for i, cell in enumerate(table.columns[column]) if meaning[cell] is None)
        raise ValueRangeError(
            f"{source} line {table.line_numbers[at]}",
            f"expected 0 or 1, true or false in column {table.title(column)}, found "
            f"{table.columns[column][at].strip()[:40]!r}",
            _IGNORE,
        )
    return np.array([meaning[cell] for cell in table.columns[column]], dtype=np.bool_)


@dataclass(frozen=True, eq=False, slots=True)
class Masked:
    """Intervals in which marked ones are no beat, and where each row now begins."""

    rr_ms: Float64[Array, "beat"]
    begins: Int64[Array, "edge"]

    def moved(self, rows: Int64[Array, "some"]) -> Int64[Array, "some"]:
        """Beats at which rows begin."""
        return self.begins[rows]

    def spans(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        """The same spans over the beats."""
        return tuple(
            Span(int(self.begins[one.start]), int(self.begins[one.stop]), one.rhythm, one.mark)
            for one in spans
        )


def mask(
    rr_ms: Float64[Array, "row"], invalid: Bool[Array, "row"], file_starts: Int64[Array, "file"]
) -> Masked:
    """Turn runs of invalid intervals into time without a beat, which all filters leave out.

    ```
    marked      800   810x   790   805x 1200x 990x   800
    becomes     800   162*5  790   2995    0    0    800     ms; the sum is the same
    ```

    A run above 2 s becomes one interval, too long for a beat, and zeros; above 10 s it is a gap. A
    shorter run is divided into pieces too short for a beat. Runs end where a file ends.
    """
    found = rr_ms.astype(np.float64)
    pieces = np.ones(found.size, dtype=np.int64)
    for start, stop in _runs(found, invalid, file_starts):
        total = float(found[start:stop].sum())
        if total <= PLAUSIBLE_MS[1]:
            pieces[start] = total // (PLAUSIBLE_MS[0] - 1) + 1
        found[start:stop] = 0
        found[start] = total / pieces[start]
    return Masked(np.repeat(found, pieces), np.append(0, np.cumsum(pieces)))


def _runs(
    rr_ms: Float64[Array, "row"], invalid: Bool[Array, "row"], file_starts: Int64[Array, "file"]
) -> Iterator[tuple[int, int]]:
    """Half-open ranges of invalid rows of one file, cut about every hour: no gap lasts days."""
    for start, stop in runs(invalid):
        hours = np.cumsum(rr_ms[start:stop]) // _HOUR_MS
        new_hour = start + 1 + np.flatnonzero(np.diff(hours))
        new_file = file_starts[(file_starts > start) & (file_starts < stop)]
        inside = np.union1d(new_hour, new_file).tolist()
        yield from zip([start, *inside], [*inside, stop], strict=True)
