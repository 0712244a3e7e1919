"""One table that holds several recordings: columns of patients, sessions and records."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Int64
from pacl.records.errors import FormatError
from pacl.records.text.columns import find_column
from pacl.records.text.table import Table
from pacl.records.text.values import name_and_unit

MAX_PARTS = 10_000
"""With more recordings in one table, the column counts something else."""

_LONGEST_NAME = 80
_PLAIN = " .-_+@()"
_WHOLE = re.compile(r"\d+([.,]0+)?")
_NAMING = ("", "id", "ids", "no", "nr", "number", "num", "code", "name", "key")


def _names(*words: str) -> frozenset[str]:
    return frozenset(f"{word}{ending}" for word in words for ending in _NAMING)


PATIENT = _names("patient", "subject", "participant", "person", "proband", "volunteer", "client")
PATIENT |= _names("user", "case", "pt", "subj") | {"pid", "patid", "sid", "mrn"}
PATIENT |= {f"id{name}" for name in ("patient", "subject", "participant", "user")}
PATIENT |= {f"{name}s" for name in ("patient", "subject", "participant", "user")}
SESSION = _names("session", "visit", "night", "measurement")
RECORD = _names("record", "recording", "file") | {"id"}
"""Columns of records and sessions divide only where values repeat: else they count the lines."""


@dataclass(frozen=True, slots=True)
class Part:
    """One recording of a table: its rows, in the order of the file.

    `name` is empty where it is the only one. `patient` is set where a column names one. `record` is
    the part of `name` that sessions of one patient share.
    """

    name: str
    patient: str | None
    record: str
    rows: Int64[Array, "row"]

    def owner(self, stem: str) -> str:
        """The patient: from a column, else the file, with the record where it has several."""
        return self.patient or "/".join(filter(None, (stem, self.record)))


def may_divide(names: tuple[str, ...], patient_column: str | int | None) -> bool:
    """Whether a table of these columns may hold several recordings, or names a patient."""
    if patient_column is not None:
        return patient_column != ""
    return any(name_and_unit(name)[0] in PATIENT | SESSION | RECORD for name in names)


@dataclass(frozen=True, slots=True)
class Dividing:
    """Columns of the patient, of the record and of the session, by position."""

    patient: tuple[int, ...] = ()
    record: tuple[int, ...] = ()
    session: tuple[int, ...] = ()

    def all(self) -> tuple[int, ...]:
        """All of them, in the order of a record's name."""
        return (*self.patient, *self.record, *self.session)


def dividing_columns(
    table: Table, source: str, patient_column: str | int | None, asked: Collection[int | None] = ()
) -> Dividing:
    """Find the columns that divide a table; those `asked` for as something else do not."""
    if patient_column == "":
        return Dividing()
    given = find_column(table, source, patient_column, "patient_column")
    free = {
        at: name_and_unit(name)[0]
        for at, name in enumerate(table.names)
        if at != given and at not in asked
    }
    return Dividing(
        tuple(at for at in free if free[at] in PATIENT) if given is None else (given,),
        tuple(at for at in free if free[at] in RECORD and _repeats(table, at)),
        tuple(at for at in free if free[at] in SESSION and _repeats(table, at)),
    )


def _repeats(table: Table, column: int) -> bool:
    return 2 * len(set(table.columns[column])) <= len(table)


def divide(table: Table, source: str, dividing: Dividing) -> Mapping[str, Part]:
    """Recordings of a table by name, in the order in which they begin.

    Rows of one recording need not follow each other. A column that is the same throughout divides
    nothing, but may name the patient.
    """
    patient, record, columns = dividing.patient, dividing.record, dividing.all()
    cells = {at: _names_in(table.columns[at]) for at in columns}
    for at in columns:
        if "" in cells[at]:
            line = table.line_numbers[cells[at].index("")]
            raise FormatError(
                f"{source} line {line}",
                f"column {table.title(at)}, which divides the file into recordings, is empty",
                "fill it or remove the line, or read the file as one recording with "
                "patient_column='' (--patient-column '')",
            )
    varying = [at for at in columns if len(set(cells[at])) > 1]
    rows: dict[tuple[str, ...], list[int]] = {}
    if varying:
        for row, key in enumerate(zip(*(cells[at] for at in varying), strict=True)):
            rows.setdefault(key, []).append(row)
    if len(rows) > MAX_PARTS:
        raise FormatError(
            source,
            f"{', '.join(table.title(at) for at in varying)} would divide it into {len(rows):,} "
            f"recordings, expected at most {MAX_PARTS:,}",
            "name the column of the patient with patient_column, or '' for none (--patient-column)",
        )
    parts: dict[str, Part] = {}
    for key, its in (rows or {(): list(range(len(table)))}).items():
        named = {at: _plain_name(cell, source) for at, cell in zip(varying, key, strict=True)}
        name = "/".join(named.values())
        owner = " ".join(cells[at][its[0]] for at in patient) if patient else None
        shared = "/".join(named[at] for at in (*patient, *record) if at in named)
        parts[name] = Part(name, owner, shared, np.array(its, dtype=np.int64))
    return parts


def _names_in(cells: Sequence[str]) -> list[str]:
    """Cells of a column as names; in a column of whole numbers, 1.0 is the same name as 1."""
    names = [cell.strip() for cell in cells]
    if all(map(_WHOLE.fullmatch, set(names))):
        return [re.split("[.,]", name)[0] for name in names]
    return names


def choose_part(parts: Mapping[str, Part], part: str | None, source: str) -> Part:
    """The only recording of a table, or the one that was asked for."""
    first = ", ".join(repr(name) for name in list(parts)[:5]) + (", ..." if len(parts) > 5 else "")
    if part is None and len(parts) > 1:
        raise FormatError(
            source,
            f"it holds {len(parts)} recordings: {first}",
            "choose one with part=NAME, list them all with TextReader, or read the file as "
            "one with patient_column='' (--patient-column '')",
        )
    if part is not None and part not in parts:
        raise FormatError(
            source, f"it holds no recording {part[:_LONGEST_NAME]!r}", f"choose one of {first}"
        )
    return parts[part] if part is not None else next(iter(parts.values()))


def _plain_name(cell: str, source: str) -> str:
    """A cell as part of a record's name; what no file name should hold becomes `%` and its code."""
    if len(cell) > _LONGEST_NAME:
        raise FormatError(
            source,
            f"a recording named {cell[:40]!r}... of {len(cell)} characters, expected at most "
            f"{_LONGEST_NAME}",
            "shorten the name, or read the file as one with patient_column='' "
            "(--patient-column '')",
        )
    name = "".join(
        char if char.isalnum() or char in _PLAIN else "".join(f"%{b:02X}" for b in char.encode())
        for char in cell
    )
    return f"%2E{name[1:]}" if name.startswith(".") else name
