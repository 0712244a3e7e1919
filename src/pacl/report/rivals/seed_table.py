"""AUROC of every system seed by seed, on strangers of the same cohort and on another one."""

from pacl.report.rivals.main_tables import DIGITS
from pacl.report.table import Cell, Head, Table
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import PooledRow, where
from pacl.studies.rivals.scores import scores_of


def seed_table(report: RivalsComparison, dataset: str) -> Table:
    """A row a system, the highest AUROC on strangers first; a column a seed in every place."""
    places = {dataset: where(report.pooled, study="main", dataset=dataset)}
    for condition in dict.fromkeys(
        condition
        for other in report.datasets("elsewhere")
        for condition in report.conditions("elsewhere", other)
    ):
        places[condition] = where(report.pooled, study="elsewhere", condition=condition)
    columns = [(place, seed) for place, rows in places.items() for seed in _seeds(rows)]
    auroc = {
        (place, row.seed, row.method): row.auroc for place, rows in places.items() for row in rows
    }
    return Table(
        f"AUROC by seed on {dataset}",
        "On strangers of the same cohort, over pairs of windows that one fold's model judged; then "
        "with all of one cohort learned from and all of another judged.",
        (Head(""), *(Head(f"seed {seed}", place) for place, seed in columns)),
        tuple(
            (
                Cell(report.title(score.method)),
                *(
                    Cell(mean=auroc.get((place, seed, score.method)), digits=DIGITS)
                    for place, seed in columns
                ),
            )
            for score in scores_of(report, "main", dataset)
        ),
    )


def _seeds(rows: tuple[PooledRow, ...]) -> list[int]:
    return sorted({row.seed for row in rows})
