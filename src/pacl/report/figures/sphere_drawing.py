"""Draws globes side by side: windows coloured by rhythm above, by patient below."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool
from pacl.records import Rhythm
from pacl.report.figures.losses import loss_looks
from pacl.report.figures.sphere import SpherePicture, compute_spheres
from pacl.report.figures.study_figure import StudyData, StudyFigure
from pacl.report.globe import Globe, draw_graticule, lean
from pacl.report.style import DISTINCT, RHYTHM_COLOURS, RHYTHM_NAMES, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#C4C4C4"
MARKERS = {Rhythm.SR: "o", Rhythm.AF: "^"}


def draw_spheres(picture: SpherePicture) -> "Figure":
    """Draw one column per loss. Windows on the far side are small and pale."""
    looks = loss_looks(picture.globes)
    places = [
        picture.coloured.index(name) if name in picture.coloured else -1 for name in picture.patient
    ]
    rhythm_colours = np.array([RHYTHM_COLOURS[Rhythm(kind)] for kind in picture.rhythm])
    patient_colours = np.array([*DISTINCT, GREY])[places]
    with new_figure(max(2.45 * len(looks), 3.2) + 0.1, 5.9) as figure:
        grid = figure.subplots(2, len(looks), squeeze=False)
        for (loss, look), (above, below) in zip(looks.items(), grid.T, strict=True):
            globe = picture.globes[loss]
            for axes, colours in ((above, rhythm_colours), (below, patient_colours)):
                draw_graticule(axes)
                # Grey windows first: they are the background of the coloured ones.
                for some in (colours == GREY, colours != GREY):
                    _draw_points(axes, globe, picture, colours, some)
            above.set_title(f"{look.name}: {globe.share:.1%} of squared length", fontsize=8.5)
        _draw_legends(figure, picture)
    return figure


def _draw_points(
    axes: "Axes", globe: Globe, picture: SpherePicture, colours: Array, some: Bool[Array, "window"]
) -> None:
    points = lean(globe.points)
    front = points[:, 2] >= 0
    for side, size, alpha, order in ((~front, 4.0, 0.25, 1), (front, 9.0, 0.75, 3)):
        for kind, marker in MARKERS.items():
            of = side & some & (picture.rhythm == kind)
            x, y, _ = points[of].T
            style: dict[str, Any] = {"lw": 0, "alpha": alpha, "zorder": order, "marker": marker}
            axes.scatter(x, y, s=size, c=colours[of], **style)


def _draw_legends(figure: "Figure", picture: SpherePicture) -> None:
    from matplotlib.lines import Line2D

    def dot(colour: str, marker: str = "o", size: float = 5) -> Line2D:
        return Line2D([], [], ls="", marker=marker, color=colour, ms=size, mew=0)

    handles = [dot(RHYTHM_COLOURS[kind], marker) for kind, marker in MARKERS.items()]
    names = [RHYTHM_NAMES[kind] for kind in MARKERS]
    if any(np.any(lean(globe.points)[:, 2] < 0) for globe in picture.globes.values()):
        handles.append(dot("#AAAAAA", size=2.5))
        names.append("on the far side")
    narrow = len(picture.globes) < 2
    place: dict[str, Any] = {"handletextpad": 0.1, "columnspacing": 1.0, "fontsize": 8}
    columns = 1 if narrow else 3
    figure.legend(handles, names, loc="outside upper left", ncols=columns, **place)
    colours = DISTINCT[: len(picture.coloured)]
    handles = [dot(colour) for colour in colours]
    names = [name.removeprefix("patient_") for name in picture.coloured]
    others = len({*picture.patient} - {*picture.coloured})
    if others:
        handles.append(dot(GREY))
        names.append(f"{others} other{'s' * (others != 1)}")
    longest = max(map(len, names))
    columns = max(int(figure.get_figwidth() / (0.35 + 0.075 * longest)), 1)
    figure.legend(
        handles,
        names,
        loc="outside lower left",
        ncols=min(columns, len(names)),
        title="patients (circles SR, triangles AF)",
        title_fontsize=8,
        alignment="left",
        **place,
    )


def _spheres(study: StudyData) -> SpherePicture:
    each, seed = study.outcomes, _shown_seed(study)
    embeddings = {
        loss: each.of(loss)[each.seeds.index(seed)].evaluated[0].embeddings for loss in each.losses
    }
    return compute_spheres(embeddings, np.random.default_rng(0))


def _shown_seed(study: StudyData) -> int:
    """The first seed with which no loss collapsed, or the first."""
    seeds = study.outcomes.seeds
    collapsed = {one.seed for one in study.outcomes.each if one.collapsed}
    return next((seed for seed in seeds if seed not in collapsed), seeds[0])


def _caption(study: StudyData) -> str:
    fold = ", first fold" if study.outcomes.folds > 1 else ""
    return (
        f"**On the sphere, {study.outcomes.title}** (seed {_shown_seed(study)}{fold}). Windows of "
        "each patient, projected to the three directions that keep most of their length: by rhythm "
        "above, by patient below."
    )


FIGURE = StudyFigure(
    name="sphere",
    section="geometry",
    order=10,
    alt="Embeddings on a globe for each loss, coloured by rhythm above and by patient below",
    caption=_caption,
    compute=_spheres,
    draw=draw_spheres,
    wide=True,
)
