"""Model cards in Markdown: what a model is for, its data, its accuracy and its limits."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pacl.detect import LearnedFrom, OperatingPoint
from pacl.records import CohortManifest
from pacl.report.page import render
from pacl.report.table import Cell, Head, Table, table_markdown

if TYPE_CHECKING:
    from pacl.studies.weights import CohortFigures, Estimate, MadeWeights

POINTS: tuple[OperatingPoint, ...] = ("sensitive", "balanced", "specific")


def cohort_source(name: str, manifest: CohortManifest | None) -> str:
    """The source and licence that the manifest of a cohort states, or the name of the cohort."""
    stated = (manifest.source, manifest.licence) if manifest else ()
    return ", ".join(filter(None, stated)) or name


def write_card(made: "MadeWeights", learned_from: str, sources: Mapping[str, str]) -> str:
    """The card of window weights; `sources` are those of other cohorts by name."""
    return render(
        "window_card.md",
        weights=made.weights,
        parameters=sum(one.numel() for one in made.weights.encoder.parameters()),
        int8=made.int8.figures,
        regular=f"{made.weights.steady.variation:.0%}",
        learned_from=learned_from,
        evaluated_on=[sources.get(name, name) for name in made.elsewhere],
        figures_table=_readable(figures_table(made)),
        worst_table=_readable(worst_table(made)),
    )


def write_beat_card(
    name: str,
    learned: Sequence[LearnedFrom],
    measured: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]],
    recipe: str,
    parameters: Mapping[str, int],
) -> str:
    """The card of a detector of beats."""
    modes = {
        mode: [(point, cohort, one) for point in POINTS for cohort, one in points[point].items()]
        for mode, points in measured.items()
    }
    return render(
        "beat_card.md",
        name=name,
        learned=learned,
        modes=modes,
        recipe=recipe,
        parameters=parameters,
        number=lambda value: "-" if value is None else f"{value:.3f}",
        found=lambda one: f"{one['found']} of {one['of']}" if one["of"] else "-",
    )


def _readable(table: Table) -> str:
    """Without the escapes of brackets, which cells do not need: the file is also read as text."""
    return table_markdown(table).replace("\\[", "[").replace("\\]", "]")


def figures_table(made: "MadeWeights") -> Table:
    """All numbers of all cohorts."""
    cohorts = {"out of fold": made.out_of_fold, **made.elsewhere}
    rows: dict[str, Callable[[CohortFigures], str]] = {
        "patients": lambda one: f"{one.patients}",
        "windows": lambda one: f"{one.windows:,}",
        "hours without AF, with AF": lambda one: f"{one.not_af_h:,.0f}, {one.af_h:,.0f}",
        "AUROC, all windows": lambda one: one.auroc.text(),
        "AUROC without other rhythms": lambda one: _or(one.auroc_pure, "one class only"),
        "AUROC within patients, mean": lambda one: _or(one.auroc_patient, "no patient has both"),
        "sensitivity (AF time)": lambda one: one.sensitivity.text(3),
        "specificity (other time)": lambda one: one.specificity.text(3),
        "false AF, h in 24 h": lambda one: one.false_af_h.text(2),
        "false AF in other rhythms, h in 24 h": lambda one: _or(
            one.false_af_h_others, "no other rhythms", 2
        ),
        "calibration error": lambda one: f"{one.expected_error:.3f}",
    }
    return Table(
        "",
        "",
        heads=(Head(""), *map(Head, cohorts)),
        rows=tuple(
            (Cell(what), *(Cell(shown(one)) for one in cohorts.values()))
            for what, shown in rows.items()
        ),
    )


def worst_table(made: "MadeWeights") -> Table:
    """The patients with the lowest AUROC."""
    cohorts = {"out of fold": made.out_of_fold, **made.elsewhere}
    heads = ("cohort", "patient", "AUROC", "windows without AF", "with AF")
    rows = (
        (name, who.patient, f"{who.auroc:.3f}", f"{who.not_af:,}", f"{who.af:,}")
        for name, one in cohorts.items()
        for who in one.worst
    )
    return Table("", "", tuple(map(Head, heads)), tuple(tuple(map(Cell, row)) for row in rows))


def _or(found: "Estimate | None", otherwise: str, digits: int = 4) -> str:
    return otherwise if found is None else found.text(digits)
