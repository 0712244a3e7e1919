"""A comparison of systems, read from its folder."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pacl.rivals import current_name
from pacl.stored import read_json
from pacl.studies.rivals.rows import (
    DifferenceRow,
    InflationRow,
    PatientRow,
    PooledRow,
    RivalsReportError,
    Row,
    read_rows,
    run_again,
    where,
)

KINDS = ("self-supervised", "supervised", "end-to-end", "features")


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
class RivalsComparison:
    """All that a comparison found; methods by name, in the order they are listed in."""

    results: tuple[PatientRow, ...]
    pooled: tuple[PooledRow, ...]
    differences: tuple[DifferenceRow, ...]
    inflation: tuple[InflationRow, ...]
    methods: Mapping[str, Method]

    @classmethod
    def read(cls, folder: Path) -> "RivalsComparison":
        """Read the four tables and the methods of a folder."""
        path = folder / "methods.json"
        stated = read_json(path, dict[str, _Stated], run_again)
        found = cls(
            results=read_rows(folder / "results.parquet", PatientRow),
            pooled=read_rows(folder / "pooled.parquet", PooledRow),
            differences=read_rows(folder / "differences.parquet", DifferenceRow),
            inflation=read_rows(folder / "inflation.parquet", InflationRow),
            methods={
                current_name(name): _method(current_name(name), about)
                for name, about in stated.items()
            },
        )
        tables = (found.results, found.pooled, found.differences, found.inflation)
        unknown = {row.method for rows in tables for row in rows} - set(found.methods)
        if unknown:
            raise RivalsReportError(
                f"{path}: has no entry for {', '.join(sorted(unknown))}; run the comparison again"
            )
        if not any(row.study == "main" for row in found.pooled):
            raise RivalsReportError(
                f"{folder}: no results of the main study (folds of patients); run the comparison "
                "to its end"
            )
        return found

    def title(self, name: str) -> str:
        """What a system is called."""
        return self.methods[name].title

    def datasets(self, study: str) -> tuple[str, ...]:
        """Where a study was done."""
        return tuple(dict.fromkeys(row.dataset for row in self.pooled if row.study == study))

    def conditions(self, study: str, dataset: str) -> tuple[str, ...]:
        """Under what it was done there, in the order of the rows."""
        rows = where(self.pooled, study=study, dataset=dataset)
        return tuple(dict.fromkeys(row.condition for row in rows))

    def named(self, rows: Iterable[Row]) -> tuple[str, ...]:
        """The methods in some rows, in the order that they are listed in."""
        found = {row.method for row in rows}
        return tuple(name for name in self.methods if name in found)


class _Stated(TypedDict):
    """The entry of a system in methods.json."""

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


def _setting(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in values.items()
    )
