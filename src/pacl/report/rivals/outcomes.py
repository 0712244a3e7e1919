"""What came of holding systems against each other, as it lies in a folder."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pacl.errors import PaclError
from pacl.rivals.registry import current_name
from pacl.stored import read_json, read_table

Row = Mapping[str, Any]

KEY = ("dataset", "study", "condition", "method")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "results": (*KEY, "seed", "patient", "auroc"),
    "pooled": (
        *(
            *KEY,
            "seed",
            "auroc",
            "auroc_low",
            "auroc_high",
            "auroc_patient_mean",
            "auroc_across_models",
        ),
        *("patients", "windows", "seconds", "device"),
    ),
    "differences": (*KEY, "reference", "measure", "estimate", "low", "high", "p"),
    "inflation": ("dataset", "condition", "method", "measure", "estimate", "low", "high", "p"),
}
"""What each frame must have; others are shown where they are known to be."""

PROPOSED, STATISTICS = "patient-aware", "statistics"
REFERENCES = (PROPOSED, STATISTICS)
"""Systems that the others are held against."""

KINDS = ("self-supervised", "supervised", "end-to-end", "features")


class RivalsReportError(PaclError):
    """A folder that no report can be made from."""


@dataclass(frozen=True, slots=True)
class Method:
    """A system, for people: what it is called, what it does with labels, how it was tuned."""

    name: str
    title: str
    kind: str
    trials: tuple[str, ...]
    chosen: Mapping[str, tuple[int, ...]]
    """By dataset: the place of the setting that was taken, fold by fold or once for all."""


@dataclass(frozen=True, eq=False, slots=True)
class RivalsReport:
    """All that is reported on.

    Parameters
    ----------
    results
        A row a dataset, study, condition, method, seed, fold and patient.
    pooled
        A row a dataset, study, condition, method and seed.
    differences
        A method less a reference, over all windows and within patients.
    inflation
        A method judged on patients it knows, less the same on strangers.
    methods
        By name, in the order they are listed in.
    """

    results: tuple[Row, ...]
    pooled: tuple[Row, ...]
    differences: tuple[Row, ...]
    inflation: tuple[Row, ...]
    methods: Mapping[str, Method]

    @classmethod
    def read(cls, folder: Path) -> "RivalsReport":
        """Read the frames and the methods of a folder."""
        frames = {name: _read(folder / f"{name}.parquet", COLUMNS[name]) for name in COLUMNS}
        path = folder / "methods.json"
        stated = read_json(path, dict[str, _Stated], _run_again)
        methods = {
            current_name(name): _method(current_name(name), about) for name, about in stated.items()
        }
        unknown = {row["method"] for rows in frames.values() for row in rows} - set(methods)
        if unknown:
            raise RivalsReportError(
                f"{path}: says nothing of {', '.join(sorted(unknown))}; run the comparison again"
            )
        if not any(row["study"] == "main" for row in frames["pooled"]):
            raise RivalsReportError(
                f"{folder}: nothing was judged by folds of patients; run the comparison to its end"
            )
        return cls(**frames, methods=methods)

    def title(self, name: str) -> str:
        """What a system is called."""
        return self.methods[name].title

    def datasets(self, study: str) -> tuple[str, ...]:
        """Where a study was done."""
        return tuple(dict.fromkeys(row["dataset"] for row in self.pooled if row["study"] == study))

    def conditions(self, study: str, dataset: str) -> tuple[str, ...]:
        """Under what it was done there, in the order of the rows."""
        rows = where(self.pooled, study=study, dataset=dataset)
        return tuple(dict.fromkeys(row["condition"] for row in rows))

    def named(self, rows: Iterable[Row]) -> tuple[str, ...]:
        """The methods in some rows, in the order that they are listed in."""
        found = {row["method"] for row in rows}
        return tuple(name for name in self.methods if name in found)


def where(rows: Iterable[Row], **values: Any) -> tuple[Row, ...]:
    """Rows with these values."""
    return tuple(row for row in rows if all(row[key] == value for key, value in values.items()))


def _read(path: Path, columns: tuple[str, ...]) -> tuple[Row, ...]:
    table = read_table(path, {}, _run_again)
    rows: list[dict[str, Any]] = table.to_pylist()
    missing = [name for name in columns if rows and name not in rows[0]]
    if missing:
        raise _run_again(path, f"no column {', '.join(missing)}")
    if any(
        type(row[name]) is not str for row in rows for name in (*KEY, "reference") if name in row
    ):
        raise _run_again(path, f"{', '.join(KEY)} must be texts")
    return tuple(
        row | {key: current_name(row[key]) for key in ("method", "reference") if key in row}
        for row in rows
    )


class _Stated(TypedDict):
    """What methods.json says of a system."""

    title: str
    kind: str
    trials: NotRequired[list[dict[str, float | str]] | None]
    chosen: NotRequired[dict[str, int | list[int]] | None]


def _method(name: str, about: _Stated) -> Method:
    chosen = about.get("chosen") or {}
    return Method(
        name=name,
        title=about["title"],
        kind=about["kind"],
        trials=tuple(map(_setting, about.get("trials") or ())),
        chosen={
            dataset: tuple(places) if isinstance(places, list) else (places,)
            for dataset, places in chosen.items()
        },
    )


def _run_again(path: Path, what: str) -> RivalsReportError:
    return RivalsReportError(f"{path}: {what}; run the comparison again, to its end")


def _setting(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in values.items()
    )
