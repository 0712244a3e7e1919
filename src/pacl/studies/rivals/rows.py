"""Rows of the four tables that a comparison of systems writes, and how they are read back."""

import math
from collections.abc import Iterable
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from pacl.errors import PaclError
from pacl.rivals import current_name
from pacl.stored import read_table

NAN = math.nan
PROPOSED, STATISTICS = "patient-aware", "statistics"
REFERENCES = (PROPOSED, STATISTICS)
"""Systems that all others are compared with."""

ALL_WINDOWS, WITHIN_PATIENTS = "all windows", "within patients"
MEASURES = (ALL_WINDOWS, WITHIN_PATIENTS)
"""What a difference of AUROC is over."""


class RivalsReportError(PaclError):
    """A folder that no report can be made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatientRow:
    """One patient, judged by one fit."""

    dataset: str
    study: str
    condition: str
    method: str
    seed: int
    fold: int = -1
    patient: str
    windows: int = 0
    af: int = 0
    auroc: float
    sensitivity: float = NAN
    specificity: float = NAN
    logit_mean: float = NAN


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledRow:
    """All patients of a dataset, judged by one method with one seed; geometry is over folds."""

    dataset: str
    study: str
    condition: str
    method: str
    seed: int
    auroc: float
    auroc_low: float
    auroc_high: float
    auroc_across_models: float
    auroc_subject_mean: float
    sensitivity: float = NAN
    specificity: float = NAN
    patients: int
    windows: int
    seconds: float
    device: str
    sr_cohesion: float = NAN
    af_cohesion: float = NAN
    centroid_distance: float = NAN
    centroid_similarity: float = NAN
    compactness: float = NAN
    subject_compactness: float = NAN


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRow:
    """The AUROC of a method less that of a reference, with its interval at 95 %."""

    study: str
    condition: str
    dataset: str
    method: str
    reference: str
    measure: str
    seeds: int = 0
    estimate: float
    low: float
    high: float
    p: float
    seeds_better: float = NAN
    subjects_better: float | None = NAN


@dataclass(frozen=True, slots=True, kw_only=True)
class InflationRow:
    """The AUROC of a method split by windows, less the same split by patients."""

    dataset: str
    condition: str
    method: str
    measure: str
    seeds: int = 0
    estimate: float
    low: float
    high: float
    p: float
    seeds_better: float = NAN
    subjects_better: float | None = NAN


Row = TypeVar("Row", PatientRow, PooledRow, DifferenceRow, InflationRow)


def where(rows: Iterable[Row], **values: str) -> tuple[Row, ...]:
    """Rows with these values."""
    wanted = values.items()
    return tuple(row for row in rows if all(getattr(row, key) == value for key, value in wanted))


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([asdict(row) for row in rows]), path)


def read_rows(path: Path, kind: type[Row]) -> tuple[Row, ...]:
    """Read rows back; columns that are not known are left out."""
    found = read_table(path, {}, run_again).to_pylist()
    there = found[0] if found else {}
    if found and (missing := [one.name for one in fields(kind) if _needed(one, there)]):
        raise run_again(path, f"no column {', '.join(missing)}")
    known = {one.name: one.type for one in fields(kind) if one.name in there}
    try:
        return tuple(
            kind(**{name: _value(name, row[name], of) for name, of in known.items()})
            for row in found
        )
    except (TypeError, ValueError, OverflowError) as error:
        texts = [name for name, of in known.items() if of is str]
        raise run_again(path, f"{', '.join(texts)} must be texts, others numbers") from error


def run_again(path: Path, what: str) -> RivalsReportError:
    """The error of a file of a comparison that cannot be used."""
    return RivalsReportError(f"{path}: {what}; run the comparison again, to its end")


def _needed(field: Any, there: Any) -> bool:
    return field.default is MISSING and field.name not in there


def _value(name: str, value: Any, kind: object) -> Any:
    """A number or a text; no number is NaN, and systems have their present names."""
    if kind is str:
        if type(value) is not str:
            raise TypeError(value)
        return current_name(value) if name in ("method", "reference") else value
    if kind is int:
        return int(value)
    return NAN if value is None else float(value)
