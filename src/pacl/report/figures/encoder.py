"""The encoder as boxes and arrows, with its sizes and parameters, for any settings (App. B)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.report.figures.study_figure import StudyData, StudyFigure
from pacl.report.style import INK, FigureError, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from torch import nn

TIMES = "\N{MULTIPLICATION SIGN}"
FILLS: Mapping[str, str] = {
    "data": "#F0F0F0",
    "branch": "#D6EAF8",
    "join": "#FBE6C5",
    "sphere": "#D5EFE3",
}
"""Pale versions of Okabe and Ito's colours: ink stays readable on them."""
WIDTH, HEIGHT = 1.42, 0.5
ACROSS, DOWN = 1.6, 0.72
"""Boxes and the steps between them, in inches."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A box: what it does, the shape that leaves it, its parameters, and dropout behind it."""

    title: str
    shape: str
    parameters: int
    kind: str
    dropout: float = 0.0


@dataclass(frozen=True, slots=True)
class Architecture:
    """Branches side by side, a trunk that ends in z, its place on the sphere, a head to e."""

    beats: Layer
    branches: tuple[tuple[Layer, ...], ...]
    trunk: tuple[Layer, ...]
    pooled: Layer
    head: tuple[Layer, ...]
    parameters: int


def compute_architecture(config: Mapping[str, Any], beats: int = 200) -> Architecture:
    """Build an encoder of these settings and count what is in it."""
    from torch import Generator

    from pacl.models import Encoder

    try:
        encoder = Encoder(**config, generator=Generator())
    except TypeError as error:
        raise FigureError(f"no settings of an encoder ({error}); give those of one") from error
    found = encoder.config
    linear = found["pooled_by"] == "linear"

    def dropped(*places: str) -> float:
        return float(found["dropout"]) if {*places} & {*found["dropout_places"]} else 0.0

    norms = {"group": f"group norm ({found['groups']}), ", "batch": "batch norm, ", "none": ""}
    after = f"{norms[found['norm']]}ReLU"
    lengths = [beats]
    for _ in found["channels"]:
        lengths.append((lengths[-1] + 1) // 2)
    mixed = f"{encoder.attention.score.in_channels} {TIMES} {lengths[-1]}"
    pooled, projected = f"{found['pooled_features']}", f"{found['projected_features']}"
    attention = Layer(
        "attention over time",
        f"{encoder.attention.score.in_channels}",
        _count(encoder.attention),
        "join",
        dropped("scores", "weights", *(() if linear else ("pooled",))),
    )
    to_pooled = Layer("linear", pooled, _count(encoder.to_pooled), "join", dropped("pooled"))
    project = _count(encoder.project, encoder.project_out)
    return Architecture(
        beats=Layer("scaled RR intervals", f"{found['in_channels']} {TIMES} {beats}", 0, "data"),
        branches=tuple(
            tuple(
                Layer(
                    f"conv {kernel}, stride 2\n{after}",
                    f"{channels} {TIMES} {length}",
                    _count(*list(branch.children())[3 * at : 3 * at + 3]),
                    "branch",
                )
                for at, (channels, length) in enumerate(
                    zip(found["channels"], lengths[1:], strict=True)
                )
            )
            for kernel, branch in zip(found["kernels"], encoder.branches, strict=True)
        ),
        trunk=(
            Layer(
                f"concatenate, conv 1\n{after}", mixed, _count(encoder.mix), "join", dropped("mix")
            ),
            attention,
            *((to_pooled,) if linear else ()),
        ),
        pooled=Layer("$\\hat{z} = z\\,/\\,|z|$\nfor the probe", pooled, 0, "sphere"),
        head=(
            Layer("linear, ReLU, linear", projected, project, "join", dropped("projection")),
            Layer("$\\hat{e} = e\\,/\\,|e|$\nfor contrastive losses", projected, 0, "sphere"),
        ),
        parameters=_count(encoder),
    )


def _count(*modules: "nn.Module") -> int:
    return sum(weights.numel() for module in modules for weights in module.parameters())


def draw_architecture(found: Architecture) -> "Figure":
    """Draw from top to bottom: branches side by side, the trunk, and z and e on their spheres."""
    columns, deep = len(found.branches), len(found.branches[0])
    width = max(columns, 3) * ACROSS + 0.1
    rows = 1 + deep + len(found.trunk) + 2
    half = ACROSS / 2
    with new_figure(width, rows * DOWN + 0.3, None) as figure:
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(-width / 2, width / 2), ylim=(0.55 - rows * DOWN, 0.85))
        axes.axis("off")
        axes.text(0, 0.58, f"{found.parameters:,} parameters", ha="center", fontweight="bold")
        _draw_box(axes, 0.0, 0.2, found.beats)
        y = 0.2
        for column, branch in enumerate(found.branches):
            x = (column - (columns - 1) / 2) * ACROSS
            _draw_arrow(axes, (0.0, y), (x, y - DOWN))
            for at, layer in enumerate(branch, start=1):
                _draw_box(axes, x, y - at * DOWN, layer)
                joins = at == deep
                _draw_arrow(axes, (x, y - at * DOWN), (0.0 if joins else x, y - (at + 1) * DOWN))
        y -= (deep + 1) * DOWN
        for at, layer in enumerate(found.trunk):
            _draw_box(axes, 0.0, y - at * DOWN, layer)
            if at:
                _draw_arrow(axes, (0.0, y - (at - 1) * DOWN), (0.0, y - at * DOWN))
        y -= (len(found.trunk) - 1) * DOWN
        for x, layers in ((-half, (found.pooled,)), (half, found.head)):
            _draw_arrow(axes, (0.0, y), (x, y - DOWN))
            for at, layer in enumerate(layers, start=1):
                _draw_box(axes, x, y - at * DOWN, layer)
                if at > 1:
                    _draw_arrow(axes, (x, y - (at - 1) * DOWN), (x, y - at * DOWN))
    return figure


def _draw_box(axes: "Axes", x: float, y: float, layer: Layer) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner, shape = (x - WIDTH / 2, y - HEIGHT / 2), "round,pad=0,rounding_size=0.06"
    look: dict[str, Any] = {"fc": FILLS[layer.kind], "ec": "#777777", "lw": 0.7, "zorder": 2}
    axes.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle=shape, **look))
    axes.text(x, y + 0.075, layer.title, ha="center", va="center", fontsize=7, zorder=3)
    facts = [layer.shape, f"{layer.parameters:,} parameters" if layer.parameters else ""]
    words = "   ".join(filter(None, facts))
    axes.text(x, y - 0.165, words, ha="center", va="center", fontsize=6, color="#444444", zorder=3)
    if layer.dropout:
        words = f"dropout {layer.dropout:g}"
        axes.text(x + WIDTH / 2 + 0.06, y, words, va="center", fontsize=6.5, color="#444444")


def _draw_arrow(axes: "Axes", above: tuple[float, float], below: tuple[float, float]) -> None:
    axes.annotate(
        "",
        xy=(below[0], below[1] + HEIGHT / 2),
        xytext=(above[0], above[1] - HEIGHT / 2),
        arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 0.7, "shrinkA": 0, "shrinkB": 0},
    )


def _architecture(study: StudyData) -> Architecture:
    config = study.outcomes.each[0].runs[0].encoder().config
    return compute_architecture(config, study.windows.window_beats)


FIGURE = StudyFigure(
    name="encoder",
    section="method",
    order=20,
    alt="The layers of the encoder from a window of beats to both embeddings",
    caption="**The encoder.** Layers and parameters, counted on the model itself.",
    compute=_architecture,
    draw=draw_architecture,
)
