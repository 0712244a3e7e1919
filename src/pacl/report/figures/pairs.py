"""Which windows attract and repel an anchor (Fig. 1), for any policy."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.records import Rhythm
from pacl.report.figures.study_figure import StudyFigure
from pacl.report.paper_values import loss_title
from pacl.report.style import FAINT, INK, RHYTHM_COLOURS, RHYTHM_NAMES, FigureError, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pacl.objectives import PairPolicy

TIMES = "\N{MULTIPLICATION SIGN}"
SHOWN = ("supcon", "patient-aware")
SCENE = (
    *[("A", Rhythm.SR)] * 4,
    *[("A", Rhythm.AF)] * 3,
    *[(patient, Rhythm.SR) for patient in "BBCC"],
    *[(patient, Rhythm.AF) for patient in "BBCC"],
)
"""A small batch: patient and rhythm of each window; the first is the anchor."""

ROLE_COLOURS: Mapping[str, str] = {"positive": "#009E73", "negative": "#CC79A7", "ignored": FAINT}
ROLE_WORDS: Mapping[str, str] = {
    "positive": "attracts",
    "negative": "repels",
    "ignored": "ignored",
}


@dataclass(frozen=True, slots=True)
class Partner:
    """A window beside the anchor: whose, of what rhythm, and the role of the pair."""

    patient: str
    rhythm: Rhythm
    role: str
    weight: float


@dataclass(frozen=True, slots=True)
class PairPanel:
    """One policy: what each window of the scene is to the anchor."""

    title: str
    anchor: tuple[str, Rhythm]
    partners: tuple[Partner, ...]

    def of_kind(self, same_patient: bool, same_class: bool) -> tuple[Partner, ...]:
        """The windows of one of the four kinds of pair."""
        patient, rhythm = self.anchor
        return tuple(
            one
            for one in self.partners
            if (one.patient == patient) == same_patient and (one.rhythm is rhythm) == same_class
        )


def compute_pairs(policies: "Mapping[str, PairPolicy] | None" = None) -> tuple[PairPanel, ...]:
    """Ask each policy what the windows of the scene are to the anchor.

    By default SupCon's policy and the proposed one. Roles are read from the weights of the loss.
    """
    from torch import tensor

    from pacl.objectives import PairPolicy

    shown = {name: PairPolicy.named(name) for name in SHOWN} if policies is None else policies
    if not shown:
        raise FigureError("no pair policy to draw; give one or more by name")
    labels = tensor([int(rhythm) for _, rhythm in SCENE])
    patients = tensor([ord(patient) for patient, _ in SCENE])
    panels = []
    for name, policy in shown.items():
        logs = policy.weights(labels, patients)
        both = zip(SCENE[1:], logs.positive[0, 1:], logs.negative[0, 1:], strict=True)
        partners = [
            Partner(*window, *_role(math.exp(float(pull)), math.exp(float(push))))
            for window, pull, push in both
        ]
        panels.append(PairPanel(loss_title(name), SCENE[0], tuple(partners)))
    return tuple(panels)


def _role(pull: float, push: float) -> tuple[str, float]:
    if pull:
        return "positive", pull
    return ("negative", push) if push else ("ignored", 1.0)


def draw_pairs(panels: Sequence[PairPanel]) -> "Figure":
    """Draw one panel per policy: the anchor in the middle, the four kinds of pair around it."""
    from matplotlib.lines import Line2D

    columns = min(len(panels), 2)
    rows = math.ceil(len(panels) / columns)
    with new_figure(3.7 * columns + 0.2, 3.55 * rows + 0.5) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.axis("off")
        for axes, panel in zip(grid.flat, panels, strict=False):
            _draw_panel(axes, panel)
        handles = [
            Line2D([], [], marker=marker, ls="", ms=9, color=RHYTHM_COLOURS[rhythm])
            for rhythm, marker in ((Rhythm.SR, "o"), (Rhythm.AF, "s"))
        ]
        names = [f"window of {RHYTHM_NAMES[rhythm]}" for rhythm in (Rhythm.SR, Rhythm.AF)]
        figure.legend(
            handles,
            names,
            loc="outside lower center",
            ncols=columns,
            fontsize=8.5,
            title="letters are patients; the ringed window is the anchor",
            title_fontsize=8.5,
        )
    return figure


def _draw_panel(axes: "Axes", panel: PairPanel) -> None:
    axes.set(xlim=(-1.12, 1.12), ylim=(-1.12, 1.12), aspect="equal")
    axes.set_title(panel.title, fontweight="bold")
    axes.axis("off")
    for same_patient in (True, False):
        for same_class in (True, False):
            _draw_kind(axes, panel, same_patient, same_class)
    axes.scatter([0], [0], s=430, fc="white", ec=INK, lw=1.6, zorder=2)
    _draw_window(axes, 0.0, 0.0, *panel.anchor, alpha=1.0)


def _draw_kind(axes: "Axes", panel: PairPanel, same_patient: bool, same_class: bool) -> None:
    """A corner of the panel: same patient left, same class on top."""
    from matplotlib.patches import FancyBboxPatch

    across, up = (-1 if same_patient else 1), (1 if same_class else -1)
    partners = panel.of_kind(same_patient, same_class)
    role, weight = partners[0].role, partners[0].weight
    corner = (min(0.03 * across, 1.1 * across), min(0.03 * up, 1.1 * up))
    look: dict[str, Any] = {"fc": ROLE_COLOURS[role], "ec": "none", "alpha": 0.13}
    shape = "round,pad=0,rounding_size=0.06"
    axes.add_patch(FancyBboxPatch(corner, 1.07, 1.07, boxstyle=shape, **look))
    words = f"{'same' if same_patient else 'other'} patient{'s' * (not same_patient)}, "
    words += f"{'same' if same_class else 'other'} class"
    times = f" {TIMES} {weight:g}" if weight != 1 else ""
    style: dict[str, Any] = {"va": "center", "fontsize": 7.5}
    style["ha"] = "left" if same_patient else "right"
    axes.text(1.04 * across, 0.985 * up, words, **style)
    axes.text(1.04 * across, 0.87 * up, ROLE_WORDS[role] + times, fontweight="bold", **style)
    middle = math.radians(45)
    for at, one in enumerate(partners):
        # A fan about the diagonal, the ends of which keep clear of the axes and of the words.
        angle = middle + math.radians(62) * ((at + 0.5) / len(partners) - 0.5)
        x, y = 0.74 * math.cos(angle) * across, 0.74 * math.sin(angle) * up
        _draw_window(axes, x, y, one.patient, one.rhythm, alpha=0.4 if role == "ignored" else 1.0)
        if role != "ignored":
            _draw_pull(axes, x, y, one)


def _draw_pull(axes: "Axes", x: float, y: float, one: Partner) -> None:
    """An arrow towards the anchor, or a dashed one away from it."""
    inner, outer = (0.24 * x, 0.24 * y), (0.84 * x, 0.84 * y)
    attracts = one.role == "positive"
    axes.annotate(
        "",
        xy=inner if attracts else outer,
        xytext=outer if attracts else inner,
        arrowprops={
            "arrowstyle": "-|>",
            "color": ROLE_COLOURS[one.role],
            "lw": min(max(1.5 * one.weight, 0.5), 4.0),
            "ls": "-" if attracts else (0, (3, 2)),
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 9,
        },
    )


def _draw_window(
    axes: "Axes", x: float, y: float, patient: str, rhythm: Rhythm, *, alpha: float
) -> None:
    marker = "o" if rhythm is Rhythm.SR else "s"
    look: dict[str, Any] = {"s": 150, "marker": marker, "lw": 0, "zorder": 3}
    axes.scatter([x], [y], c="white", **look)
    axes.scatter([x], [y], c=RHYTHM_COLOURS[rhythm], alpha=alpha, **look)
    axes.text(x, y, patient, color="white", ha="center", va="center", fontsize=7.5, zorder=5)


FIGURE = StudyFigure(
    name="pairs",
    section="method",
    order=10,
    alt="Two panels: which windows attract and repel an anchor under SupCon and as proposed",
    caption="**Which pairs attract.** SupCon attracts all windows of the anchor's class. The "
    "proposed objective attracts only those of the same patient and ignores the others of the "
    "class. The roles are read from the weights of the loss.",
    compute=lambda study: compute_pairs(),
    draw=draw_pairs,
)
