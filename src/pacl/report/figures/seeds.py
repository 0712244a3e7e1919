"""AUROC of each seed and loss on each cohort, with the interval over patients where known."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacl.report.figures.losses import Look, loss_looks
from pacl.report.figures.study_figure import StudyData, StudyFigure
from pacl.report.style import FigureError, draw_grid, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pacl.studies import Outcome


@dataclass(frozen=True, slots=True)
class SeedScore:
    """The AUROC of one run, and its interval over patients."""

    seed: int
    auroc: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SeedPicture:
    """Cohort -> loss -> scores in the order of their seeds, with the mean of each."""

    scores: Mapping[str, Mapping[str, tuple[SeedScore, ...]]]
    means: Mapping[str, Mapping[str, float]]

    @property
    def losses(self) -> tuple[str, ...]:
        """Every loss, in the order of the cohorts."""
        return tuple(dict.fromkeys(loss for found in self.scores.values() for loss in found))


def compute_seeds(scores: Mapping[str, Mapping[str, Sequence[SeedScore]]]) -> SeedPicture:
    """Sort the scores of each cohort and loss, and check them."""
    kept: dict[str, dict[str, tuple[SeedScore, ...]]] = {}
    for cohort, losses in scores.items():
        for loss, found in losses.items():
            if len({one.seed for one in found}) < len(found):
                raise FigureError(f"{loss} on {cohort}: two runs with one seed; give each run once")
            for one in found:
                if (one.low is None) != (one.high is None):
                    raise FigureError(
                        f"{loss} on {cohort}, seed {one.seed}: one end of an interval; give both"
                    )
            if found:
                ordered = tuple(sorted(found, key=lambda one: one.seed))
                kept.setdefault(cohort, {})[loss] = ordered
    if not kept:
        raise FigureError("no run has an AUROC to draw; evaluate one first")
    means = {
        cohort: {loss: statistics.fmean(one.auroc for one in x) for loss, x in losses.items()}
        for cohort, losses in kept.items()
    }
    return SeedPicture(kept, means)


def draw_seeds(picture: SeedPicture) -> "Figure":
    """Draw one panel per cohort; all share one axis, so that cohorts can be compared."""
    looks = loss_looks(picture.losses)
    most = max(len(found) for losses in picture.scores.values() for found in losses.values())
    width = max(len(looks) * (0.35 + 0.16 * most), 1.6)
    with new_figure(width * len(picture.scores) + 0.9, 3.0) as figure:
        panels = figure.subplots(1, len(picture.scores), sharey=True, squeeze=False)[0]
        for axes, (cohort, losses) in zip(panels, picture.scores.items(), strict=True):
            _draw_cohort(axes, losses, picture.means[cohort], looks)
            axes.set_title(cohort)
        panels[0].set_ylabel("AUROC")
        panels[0].set_ylim(top=min(panels[0].get_ylim()[1], 1.002))
    return figure


def _draw_cohort(
    axes: "Axes",
    losses: Mapping[str, tuple[SeedScore, ...]],
    means: Mapping[str, float],
    looks: Mapping[str, Look],
) -> None:
    for at, (loss, look) in enumerate(looks.items()):
        found = losses.get(loss, ())
        step = 0.7 / max(len(found), 4)
        for number, one in enumerate(found):
            x = at + (number - (len(found) - 1) / 2) * step
            if one.low is not None and one.high is not None:
                axes.vlines(x, one.low, one.high, color=look.colour, lw=1.1, alpha=0.7)
            axes.scatter(
                x, one.auroc, s=26, c=look.colour, marker=look.marker, ec="white", lw=0.5, zorder=3
            )
        if len(found) > 1:
            reach = step * len(found) / 2
            axes.hlines(means[loss], at - reach, at + reach, color=look.colour, lw=1.3, zorder=2)
    axes.set_xlim(-0.6, len(looks) - 0.4)
    axes.set_xticks(range(len(looks)), [look.name for look in looks.values()])
    axes.tick_params(axis="x", length=0)
    draw_grid(axes, "y")


def _scores(study: StudyData) -> dict[str, dict[str, list[SeedScore]]]:
    return {
        cohort.title: {loss: [_score(one) for one in cohort.of(loss)] for loss in cohort.losses}
        for cohort in study.cohorts
    }


def _score(one: "Outcome") -> SeedScore:
    from pacl.evaluation import EvaluationError
    from pacl.studies import AUROC, interval_of

    auroc = one.value(AUROC.key)
    try:
        interval = interval_of([one], AUROC)
    except EvaluationError:
        return SeedScore(one.seed, auroc)
    return SeedScore(one.seed, auroc, interval.low, interval.high)


FIGURE = StudyFigure(
    name="seeds",
    section="summary",
    alt="AUROC of each seed and loss on each cohort, with intervals over patients",
    caption="**All runs.** AUROC over all windows; whiskers are 95 % intervals over patients.",
    compute=lambda study: compute_seeds(_scores(study)),
    draw=draw_seeds,
    wide=True,
)
