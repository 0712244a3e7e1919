"""Embeddings of some windows, of subjects learned from and of subjects never seen."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float32, Int64
from pacl.stored import read_table
from pacl.studies.errors import RunError
from pacl.studies.systems.result import FitResult, SystemFit
from pacl.studies.systems.study import SystemsStudy
from pacl.studies.systems.tables import PREDICTIONS


@dataclass(frozen=True, eq=False, slots=True)
class Pictured:
    """Windows of the first fold with the first seed, under one network."""

    system: str
    embedded: Float32[Array, "window feature"]
    labels: Int64[Array, "window"]
    unseen: Bool[Array, "window"]
    """Whether the subject was not learned from."""


def pictured(study: SystemsStudy) -> tuple[Pictured, ...]:
    """Of each system that has embeddings, in the order of the tables."""
    found = []
    for system in study.systems:
        fit = SystemFit(system.name, study.settings.seeds[0], 0)
        path = study.folder / fit.path
        if system.reads != "signal" or not path.exists():
            continue
        result = FitResult.read(path)
        if not len(result.shown):
            continue
        table = study.folder / PREDICTIONS / f"{system.name}.parquet"
        columns = {"label": np.int64, "fold": np.int64, "seed": np.int64}
        stored = read_table(table, columns, _run_again)
        label, fold, seed = (stored[name].to_numpy() for name in columns)
        first = seed == fit.seed
        if result.shown.max() >= first.sum() or len(result.shown) != len(result.embedded):
            raise _run_again(path, "its windows are not those of the predictions")
        found.append(
            Pictured(
                system.name,
                result.embedded,
                label[first][result.shown],
                fold[first][result.shown] == 0,
            )
        )
    return tuple(found)


def _run_again(path: object, what: str) -> RunError:
    return RunError(str(path), what, "run `pacl systems` again")
