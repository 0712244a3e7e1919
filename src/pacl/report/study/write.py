"""From the results of a study to its report: one page, tables, figures, claims (3).

```
study/
    report.html, report.md     the page; the first needs nothing else
    figures/                   all figures as SVG and PNG
    tables/                    all tables as Markdown, LaTeX and CSV
    claims.json                all claims with their verdicts
    patients.csv               one row per cohort, loss, seed and patient
```
"""

import csv
import io
import json
from collections.abc import Callable, Container, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pacl.atomic_write import atomic_write
from pacl.evaluation import EvaluationError
from pacl.printable import plain_cell
from pacl.report.figures import StudyData, StudyFigure, study_figures
from pacl.report.page import FigureBlock, save_published
from pacl.report.paper_tables import table_1, table_2, table_3, table_4
from pacl.report.prior_work_table import table_5
from pacl.report.run_table import run_table
from pacl.report.statistics_tables import statistics_tables
from pacl.report.study.pages import Drawn, cohort_key, study_page
from pacl.report.style import FigureError
from pacl.report.table import Table, save_table
from pacl.rr import RRWindowSet
from pacl.studies import Outcomes, RunError
from pacl.studies.claims import Claim, check_claims

PATIENT_COLUMNS = {
    "auroc": ("detection", "auroc"),
    "accuracy": ("detection", "accuracy"),
    "sensitivity": ("detection", "recalls.1"),
    "specificity": ("detection", "recalls.0"),
    "sr_cohesion": ("pooled", "cohesion.0"),
    "af_cohesion": ("pooled", "cohesion.1"),
    "compactness": ("pooled", "compactness"),
}
"""Numbers of a patient: section of the evaluation and key of its rows."""


@dataclass(frozen=True, slots=True)
class StudyReport:
    """Where the report is, and the verdicts on the claims."""

    path: Path
    claims: tuple[Claim, ...]
    not_drawn: tuple[str, ...]
    """Figures that could not be drawn, each with the reason."""


def write_report(
    cohorts: Sequence[Outcomes],
    target: Path,
    *,
    windows: Path,
    command: str = "",
    track: Callable[[int, int], None] = lambda done, total: None,
) -> StudyReport:
    """Write the report of a study, over an older one.

    Parameters
    ----------
    cohorts
        The results of the study on each cohort, the own test patients first.
    target
        Folder of the study.
    windows
        The window set that was learned from.
    command
        What was run, to be shown.
    track
        Called with the steps done and their total.
    """
    _check_apart(cohorts)
    learned = RRWindowSet.open(windows)
    figures = [
        (figure, StudyData(one, tuple(cohorts), learned))
        for figure in study_figures()
        for one in (cohorts if figure.for_each_cohort else cohorts[:1])
    ]
    total, done = len(figures) + 2 * len(cohorts), 0

    def step() -> None:
        nonlocal done
        done += 1
        track(done, total)

    claims: list[Claim] = []
    tables: dict[str, Table] = {}
    for one in cohorts:
        claims += check_claims(one)
        step()
        tables |= _tables(one)
        step()
    tables["table-5"] = table_5(cohorts)
    tables["runs"] = run_table(cohorts[0])
    for name, table in tables.items():
        save_table(table, target / "tables", name)
    drawn: Drawn = {}
    made: set[str] = set()
    not_drawn = []
    for figure, study in figures:
        key = cohort_key(study.outcomes) if figure.for_each_cohort else ""
        name = f"{figure.name}-{key}" if key else figure.name
        try:
            block = draw_figure(figure, study, target / "figures", name)
            drawn.setdefault((figure.section, key), []).append(block)
            made.add(name)
        except (FigureError, EvaluationError) as error:
            not_drawn.append(f"{name}: {error}")
        step()
    _remove_others(target / "tables", tables)
    _remove_others(target / "figures", made)
    path = study_page(cohorts, learned, claims, tables, drawn, command).write(target)
    atomic_write(
        target / "claims.json",
        (json.dumps([asdict(claim) for claim in claims], indent=1) + "\n").encode(),
    )
    atomic_write(target / "patients.csv", _patients(cohorts).encode())
    return StudyReport(path, tuple(claims), tuple(not_drawn))


def draw_figure(figure: StudyFigure[Any], study: StudyData, folder: Path, name: str) -> FigureBlock:
    """Compute, draw and write one figure."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = figure.draw(figure.compute(study))
    return save_published(
        drawn, folder, name, figure.alt, figure.caption_of(study), wide=figure.wide
    )


def _remove_others(folder: Path, names: Container[str]) -> None:
    """Remove files of an earlier report, such as those of a cohort that is no longer evaluated."""
    for path in folder.glob("*"):
        if path.stem not in names:
            path.unlink()


def _check_apart(cohorts: Sequence[Outcomes]) -> None:
    """Refuse cohorts with the same title or the same file names."""
    for names in ([one.title for one in cohorts], [cohort_key(one) for one in cohorts]):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise RunError(
                "report", f"two cohorts are called {', '.join(twice)}", "give them other names"
            )


def _tables(outcomes: Outcomes) -> dict[str, Table]:
    key = cohort_key(outcomes)
    paper = (table_1(outcomes), table_2(outcomes), table_4(outcomes))
    numbers = (1, 2, 4)
    found = {f"table-{at}-{key}": table for at, table in zip(numbers, paper, strict=True)}
    if "patient-aware" in outcomes.losses:
        found[f"table-3-{key}"] = table_3(outcomes)
    for at, table in enumerate(statistics_tables(outcomes), start=1):
        found[f"statistics-{at}-{key}"] = table
    return found


def _patients(cohorts: Sequence[Outcomes]) -> str:
    """One row per cohort, loss, seed and patient; empty where there is no number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["cohort", "loss", "seed", "patient", *PATIENT_COLUMNS])
    for one in cohorts:
        for outcome in one.each:
            columns = [outcome.of_patients(*column) for column in PATIENT_COLUMNS.values()]
            for patient in one.patients:
                values = [column.get(patient, float("nan")) for column in columns]
                shown = ["" if value != value else repr(value) for value in values]
                names = (plain_cell(one.title), outcome.loss, outcome.seed, plain_cell(patient))
                writer.writerow([*names, *shown])
    return text.getvalue()
