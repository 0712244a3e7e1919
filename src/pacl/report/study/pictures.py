"""Every figure of a study, drawn and kept, with what to say below it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacl.evaluation import EvaluationError
from pacl.report import figures as draw
from pacl.report.page import FigureBlock
from pacl.report.paper_values import loss_title
from pacl.report.style import FigureError
from pacl.studies.metric import AUROC
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.studies.patient_statistics import interval_of
from pacl.windows import WindowSet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST_SVG = 300_000
"""Bytes above which a page takes the pixels instead of the vectors."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that is yet to be drawn."""

    name: str
    alt: str
    caption: str
    make: "Callable[[], Figure]"
    wide: bool = False

    def draw(self, folder: Path) -> FigureBlock:
        """Draw it as vectors and as pixels; the page takes the vectors unless they are many."""
        import matplotlib.pyplot as plt

        figure = self.make()
        svg, png = draw.save_published(figure, folder, self.name)
        plt.close(figure)
        chosen = svg if svg.stat().st_size < LARGEST_SVG else png
        return FigureBlock.read(chosen, self.alt, self.caption, self.wide)


def method_pictures(outcomes: Outcomes, windows: WindowSet) -> list[Picture]:
    """The method: pairs, the timeline of a record of the cohort, the encoder."""
    encoder = outcomes.each[0].runs[0].encoder().config
    return [
        Picture(
            "pairs",
            "Two panels: which windows attract and repel an anchor under SupCon and as proposed",
            "**Which pairs attract.** SupCon pulls every window of the anchor's class; the "
            "proposed objective pulls only those of the same patient, and leaves the others of "
            "its class alone. Read off the weights that the loss sums over.",
            lambda: draw.draw_pairs(draw.compute_pairs()),
        ),
        Picture(
            "timeline",
            "RR intervals of one recording with the beats it is scaled on and its windows",
            "**From a recording to windows.** A record of this cohort: beats that the scale is "
            "fitted on, and the windows of sinus rhythm and of AF, none of which overlaps these "
            "beats.",
            lambda: draw.draw_timeline(draw.compute_timeline(windows)),
            wide=True,
        ),
        Picture(
            "encoder",
            "The layers of the encoder from a window of beats to both embeddings",
            "**The encoder.** Layers and parameters, counted on the model itself.",
            lambda: draw.draw_architecture(
                draw.compute_architecture(encoder, windows.window_beats)
            ),
        ),
    ]


def training_picture(outcomes: Outcomes) -> Picture:
    """Curves of all runs."""
    histories = {
        loss: [run.history() for one in outcomes.of(loss) for run in one.runs]
        for loss in outcomes.losses
    }
    return Picture(
        "training",
        "Validation AUROC and loss by epoch for every run",
        "**Training.** AUROC on validation patients and the training loss, one line per run; the "
        "dot is the epoch whose weights were kept, a cross an epoch in which embeddings collapsed.",
        lambda: draw.draw_curves(draw.compute_curves(histories)),
        wide=True,
    )


def seeds_picture(cohorts: Sequence[Outcomes]) -> Picture:
    """AUROC of each run on each cohort."""
    scores = {
        one.title: {loss: [_score(x) for x in one.of(loss)] for loss in one.losses}
        for one in cohorts
    }
    return Picture(
        "seeds",
        "AUROC of every seed and loss on each cohort, with intervals over patients",
        "**Every run.** AUROC over all windows; whiskers are the 95 % interval that other patients "
        "would give.",
        lambda: draw.draw_seeds(draw.compute_seeds(scores)),
        wide=True,
    )


def result_pictures(outcomes: Outcomes) -> list[Picture]:
    """What came out on one cohort."""
    key, title = slug(outcomes), outcomes.title
    measured = {loss: [one.measured for one in outcomes.of(loss)] for loss in outcomes.losses}
    judged = {
        loss: [(one.predictions.labels, one.predictions.probability) for one in outcomes.of(loss)]
        for loss in outcomes.losses
    }
    shown = _shown_seed(outcomes)
    embeddings = {
        loss: outcomes.of(loss)[outcomes.seeds.index(shown)].evaluated[0].embeddings
        for loss in outcomes.losses
    }
    fold = ", first fold" if outcomes.folds > 1 else ""
    return [
        Picture(
            f"comparison-{key}",
            "Detection metrics of each loss, mean and standard deviation over seeds",
            f"**Detection, {title}.** Mean ± SD over seeds, faint dots the seeds; the axis does "
            "not begin at 0.",
            lambda: draw.draw_comparison(draw.compute_comparison(draw.metric_values(measured))),
            wide=True,
        ),
        Picture(
            f"sphere-{key}",
            "Embeddings on a globe for each loss, coloured by rhythm above and by patient below",
            f"**On the sphere, {title}** (seed {shown}{fold}). Windows of each patient projected "
            "to the three directions that keep most of their length: above by rhythm, below by "
            "patient.",
            lambda: draw.draw_spheres(draw.compute_spheres(embeddings, np.random.default_rng(0))),
            wide=True,
        ),
        Picture(
            f"patients-{key}",
            "Cohesion of sinus rhythm against AUROC, one dot per patient, one panel per loss",
            f"**Patients, {title}.** How cohesive a patient's sinus rhythm is, and how well AF "
            "is detected in that patient; mean and spread over seeds. The worst are named.",
            lambda: draw.draw_patients(draw.compute_patients(measured)),
            wide=True,
        ),
        Picture(
            f"roc-{key}",
            "ROC curve of each loss and its upper left corner",
            f"**ROC, {title}.** Patients pooled, mean over seeds with the range of the seeds.",
            lambda: draw.draw_roc(draw.compute_roc(judged)),
        ),
        Picture(
            f"calibration-{key}",
            "Share of AF against predicted probability for each loss",
            f"**Calibration, {title}.** Share of windows in AF against the predicted probability.",
            lambda: draw.draw_reliability(draw.compute_reliability(measured)),
            wide=True,
        ),
    ]


def draw_all(
    pictures: Sequence[Picture], folder: Path, done: Callable[[], None]
) -> tuple[dict[str, FigureBlock], dict[str, str]]:
    """Draw all that can be drawn; the others with the reason, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn, reasons = {}, {}
    for picture in pictures:
        try:
            drawn[picture.name] = picture.draw(folder)
        except (FigureError, EvaluationError) as error:
            reasons[picture.name] = str(error)
        done()
    return drawn, reasons


def slug(outcomes: Outcomes) -> str:
    """What files of a cohort are called after."""
    return outcomes.on.replace(".", "-")


def _shown_seed(outcomes: Outcomes) -> int:
    """The first seed with which no loss collapsed, or the first."""
    fallen = {one.seed for one in outcomes.each if one.collapsed}
    return next((seed for seed in outcomes.seeds if seed not in fallen), outcomes.seeds[0])


def _score(one: Outcome) -> draw.SeedScore:
    auroc = one.value(AUROC.key)
    try:
        interval = interval_of([one], AUROC)
    except EvaluationError:
        return draw.SeedScore(one.seed, auroc)
    return draw.SeedScore(one.seed, auroc, interval.low, interval.high)


def told_losses(outcomes: Outcomes) -> str:
    """The losses in words."""
    return ", ".join(loss_title(loss) for loss in outcomes.losses)
