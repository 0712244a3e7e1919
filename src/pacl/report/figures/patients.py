"""For each patient: cohesion of sinus rhythm against AUROC."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float64
from pacl.records import Rhythm
from pacl.report.figures.labels import label_points
from pacl.report.figures.losses import Look, loss_looks
from pacl.report.figures.study_figure import StudyFigure
from pacl.report.style import FigureError, draw_grid, figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pacl.evaluation import Evaluation

NAMED = 3


@dataclass(frozen=True, slots=True)
class PatientPoint:
    """A patient's means over seeds, and the standard deviations (0 for a single seed)."""

    patient: str
    cohesion: float
    cohesion_deviation: float
    auroc: float
    auroc_deviation: float


@dataclass(frozen=True, slots=True)
class PatientPanel:
    """The patients of one loss, worst AUROC first.

    `without` counts patients who lack a rhythm or a direction and so have no point.
    `rank_correlation` is Spearman's, over patients; None where ranks are not defined.
    """

    points: tuple[PatientPoint, ...]
    without: int
    seeds: int
    rank_correlation: float | None


def compute_patients(evaluations: "Mapping[str, Sequence[Evaluation]]") -> dict[str, PatientPanel]:
    """Average each patient over the evaluations of a loss, one evaluation per seed."""
    found = {loss: _panel(loss, each) for loss, each in evaluations.items() if each}
    if not found:
        raise FigureError("no evaluation to draw; give one or more runs of a loss")
    return found


def _panel(loss: str, measured: "Sequence[Evaluation]") -> PatientPanel:
    from pacl.evaluation import rank_correlation  # its package loads torch

    values: list[dict[str, tuple[float | None, float | None]]] = []
    for one in measured:
        cohesion_of = {row.subject: row.cohesion[Rhythm.SR] for row in one.pooled.per_subject}
        rows = one.detection.per_subject
        values.append({row.subject: (cohesion_of.get(row.subject), row.auroc) for row in rows})
    if any(one.keys() != values[0].keys() for one in values):
        raise FigureError(
            f"{loss}: its seeds were evaluated on different patients; evaluate them on the same"
        )
    points = []
    for name in values[0]:
        pairs = [one[name] for one in values]
        cohesion = [x for x, _ in pairs if x is not None]
        auroc = [y for _, y in pairs if y is not None]
        if len(cohesion) == len(auroc) == len(pairs):
            points.append(PatientPoint(name, *_summary(cohesion), *_summary(auroc)))
    if not points:
        raise FigureError(
            f"{loss}: no patient has windows of both rhythms; there is nothing to draw"
        )
    points.sort(key=lambda one: (one.auroc, one.patient))
    return PatientPanel(
        tuple(points),
        without=len(values[0]) - len(points),
        seeds=len(values),
        rank_correlation=rank_correlation(
            np.array([one.cohesion for one in points]), np.array([one.auroc for one in points])
        ),
    )


def _summary(values: Sequence[float]) -> tuple[float, float]:
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def draw_patients(losses: Mapping[str, PatientPanel]) -> "Figure":
    """Draw one panel per loss on common axes, and name the patients with the lowest AUROC."""
    looks = loss_looks(losses)
    with new_figure(max(2.6 * len(looks) + 0.6, 3.8), 3.2) as figure:
        panels = figure.subplots(1, len(looks), sharex=True, sharey=True, squeeze=False)[0]
        for axes, (loss, look) in zip(panels, looks.items(), strict=True):
            _draw_panel(axes, losses[loss], look)
        panels[0].set_ylabel("AUROC of the patient")
        panels[0].margins(x=0.06, y=0.1)
        panels[0].autoscale_view()
        bottom, top = panels[0].get_ylim()
        panels[0].set_ylim(bottom, min(top, 1 + 0.05 * (1.001 - bottom)))  # none is above 1
    with figure_style():  # names are placed by the final position of the axes
        for axes, loss in zip(panels, looks, strict=True):
            points = losses[loss].points
            worst = [
                (one.cohesion, one.auroc, one.patient.removeprefix("patient_"))
                for one in points[:NAMED]
            ]
            label_points(axes, worst, _covered(points), fontsize=7.5)
    return figure


def _covered(points: Sequence[PatientPoint]) -> Float64[Array, "place 2"]:
    """Positions of points and their bars."""
    part = np.linspace(-1, 1, 9)[:, None]
    across = [(one.cohesion, one.auroc) + part * (one.cohesion_deviation, 0.0) for one in points]
    up = [(one.cohesion, one.auroc) + part * (0.0, one.auroc_deviation) for one in points]
    return np.concatenate([*across, *up])


def _draw_panel(axes: "Axes", panel: PatientPanel, look: Look) -> None:
    x, y = [one.cohesion for one in panel.points], [one.auroc for one in panel.points]
    axes.errorbar(
        x,
        y,
        [one.auroc_deviation for one in panel.points],
        [one.cohesion_deviation for one in panel.points],
        fmt="none",
        ecolor=look.colour,
        alpha=0.35,
        elinewidth=0.8,
    )
    axes.scatter(x, y, s=22, c=look.colour, marker=look.marker, ec="white", lw=0.4, zorder=3)
    words = f"{look.name}, {len(x)} patient{'s' * (len(x) != 1)}"
    if panel.rank_correlation is not None:
        words += f"\nrank correlation {panel.rank_correlation:+.2f}"
    axes.set_title(words, fontsize=8.5)
    axes.set_xlabel("SR cohesion of the patient")
    draw_grid(axes)


FIGURE = StudyFigure(
    name="patients",
    section="geometry",
    order=20,
    alt="Cohesion of sinus rhythm against AUROC, one dot per patient, one panel per loss",
    caption="**Patients, {cohort}.** How cohesive a patient's sinus rhythm is, and how well AF is "
    "detected in that patient; mean and SD over seeds. The patients with the lowest AUROC are "
    "named.",
    compute=lambda study: compute_patients(study.evaluations()),
    draw=draw_patients,
    wide=True,
)
