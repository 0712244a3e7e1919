"""From cohorts to a detector: fits with cohorts left out, a choice, a calibration, figures, files.

```
outer fits   each cohort left out    ->  choice, calibration, figures on unseen databases
inner fits   pairs left out          ->  the choice without each cohort
final fits   no cohort left out      ->  the detector
```

Recipes are chosen with one seed. The detector is the mean of five seeds, and so are its figures:
seeds differ in which patients they get wrong. Streams have one seed, and so have the figures of a
cohort that neither decides nor constrains.

Each fit is a folder, so that an interrupted study can be resumed, and fits may be made on several
machines.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from pacl.af.beats import BeatLine, beat_logits
from pacl.af.networks import BeatNetwork
from pacl.axes import Array, Float32
from pacl.detect import Mode
from pacl.locks import sole_worker
from pacl.studies.beats.calibrate import BEATS_OF_A_RECORDING, calibrate
from pacl.studies.beats.choose import (
    LeftOut,
    chosen,
    inner_false_h,
    inner_folds,
    inner_scalar,
    outer_false_h,
    outer_folds,
    outer_scalar,
)
from pacl.studies.beats.cohorts import BeatCohort
from pacl.studies.beats.fit import BeatFit
from pacl.studies.beats.measured import Measured, measure_left_out
from pacl.studies.beats.priors import learn_priors
from pacl.studies.beats.recipe import CANDIDATES, STREAM, BeatRecipe
from pacl.studies.beats.write import Networks, write_detector
from pacl.studies.errors import RunError
from pacl.studies.processes import run_fits
from pacl.studies.progress import SILENT, StudyReport
from pacl.studies.study_folder import start_study
from pacl.training import usable_device
from pacl.work import Say

SEEDS = (1, 2, 3, 4, 5)
FITS, LEFT_OUT, FORMER_LEFT_OUT = "fits", "left-out", "strangers"
NOBODY = LeftOut(())


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """The chosen recipe, and the recipe for the figures of each cohort that decides."""

    shipped: BeatRecipe
    reported: Mapping[str, BeatRecipe]
    scalars: Mapping[str, float]
    false_h: Mapping[str, float]


@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """A detector that is ready to be written, and its figures."""

    cohorts: Sequence[BeatCohort]
    choice: Choice
    networks: Networks
    measured: Measured


def make_detector(
    load: Callable[[], list[BeatCohort]],
    target: Path,
    name: str,
    *,
    candidates: Sequence[BeatRecipe] = CANDIDATES,
    stream: BeatRecipe = STREAM,
    device: str = "auto",
    processes: int = 1,
    scheduler: str | None = None,
    report: StudyReport = SILENT,
) -> Made:
    """Make a detector, and one for each cohort that has not seen it; resumes the same study.

    The latter are written to `target/left-out`; `write_detector` writes the detector.

    Parameters
    ----------
    load
        Reads the cohorts; called once in every process.
    target
        Folder of the study.
    name
        What to call the detector.
    candidates, stream
        Recipes to choose from, and the recipe of the network for streams.
    device, processes, scheduler
        `cpu`, `cuda` or `auto`; networks trained at the same time, or the Dask scheduler whose
        workers train them.
    report
        Gets the number of finished networks.
    """
    cohorts = load()
    if sum(one.role == "decides" for one in cohorts) < 3:
        raise RunError(
            target,
            "fewer than three cohorts can decide: each needs ten patients or more, some with AF. "
            "Two are left out to choose for a third, and training needs at least one more",
            "name more cohorts with --data",
        )
    finished: list[str] = []

    def run(fits: Sequence[BeatFit]) -> None:
        total = len({one.slug for one in fits} | set(finished))

        def on_finished(slug: str) -> None:
            finished.append(slug)
            report.on_stage("networks", len(set(finished)), total)

        run_fits(
            partial(_fit, target / FITS, device),
            {one.slug: one for one in fits},
            processes=processes,
            scheduler=scheduler,
            where=target,
            setup=partial(_begin, load),
            on_finished=on_finished,
        )

    with sole_worker(target):
        identity = {
            "data": [one.name for one in cohorts],
            "recordings": {one.name: one.digest for one in cohorts},
            "name": name,
        }
        start_study(target, "beats", identity, results=FITS, new=True)
        if (target / FORMER_LEFT_OUT).exists():
            (target / FORMER_LEFT_OUT).rename(target / LEFT_OUT)
        run(first_fits(cohorts, candidates, stream))
        choice = choose(cohorts, target, candidates)
        run(more_seeds(cohorts, choice))
        networks = write_left_out(cohorts, target, name, choice, stream)
        priors = learn_priors(cohorts, target / LEFT_OUT, networks.slopes, report)
        networks = replace(networks, priors=priors)
        return Made(cohorts, choice, networks, measure_left_out(cohorts, target / LEFT_OUT))


def first_fits(
    cohorts: Sequence[BeatCohort], candidates: Sequence[BeatRecipe], stream: BeatRecipe
) -> list[BeatFit]:
    """One seed of each recipe, for each set of cohorts that is left out."""
    deciding = [one for one in cohorts if one.role != "reported"]
    folds = (*outer_folds(deciding), *inner_folds(cohorts))
    fits = [BeatFit(recipe, fold, SEEDS[0]) for fold in folds for recipe in candidates]
    return fits + [BeatFit(stream, fold, SEEDS[0]) for fold in (*outer_folds(cohorts), NOBODY)]


def more_seeds(cohorts: Sequence[BeatCohort], choice: Choice) -> list[BeatFit]:
    """All seeds of the chosen recipe; one seed for a cohort that is only reported."""
    fits = [BeatFit(choice.shipped, NOBODY, seed) for seed in SEEDS]
    for cohort in cohorts:
        recipe = choice.reported.get(cohort.name, choice.shipped)
        fits += [BeatFit(recipe, LeftOut((cohort.name,)), one) for one in seeds_of(cohort)]
    return fits


def seeds_of(cohort: BeatCohort) -> tuple[int, ...]:
    """Seeds of the networks that a cohort is evaluated by."""
    return SEEDS[:1] if cohort.role == "reported" else SEEDS


def choose(cohorts: Sequence[BeatCohort], target: Path, candidates: Sequence[BeatRecipe]) -> Choice:
    """Choose by cohorts left out; figures of a cohort come from a choice made without it."""
    deciding = [one for one in cohorts if one.role != "reported"]
    folds = (*outer_folds(deciding), *inner_folds(cohorts))
    judged = {
        one.name: {fold: BeatFit(one, fold, SEEDS[0]).scores(target / FITS) for fold in folds}
        for one in candidates
    }
    named = {one.name: one for one in candidates}
    scalars = {name: outer_scalar(one, deciding) for name, one in judged.items()}
    false_h = {name: outer_false_h(one, deciding) for name, one in judged.items()}
    return Choice(
        shipped=named[chosen(scalars, false_h)],
        reported={
            cohort.name: named[
                chosen(
                    {name: inner_scalar(one, cohorts, cohort.name) for name, one in judged.items()},
                    {
                        name: inner_false_h(one, cohorts, cohort.name)
                        for name, one in judged.items()
                    },
                )
            ]
            for cohort in cohorts
            if cohort.role == "decides"
        },
        scalars=scalars,
        false_h=false_h,
    )


def write_left_out(
    cohorts: Sequence[BeatCohort],
    target: Path,
    name: str,
    choice: Choice,
    stream: BeatRecipe,
) -> Networks:
    """Write for each cohort a detector that has not seen it; returns those of the final one.

    The final one is calibrated on all cohorts that decide, each evaluated by a network that left it
    out; the detector for a cohort is calibrated on the others alone.
    """
    judged = {
        cohort.name: _judged(cohort, target, choice.shipped, stream)
        for cohort in cohorts
        if cohort.role == "decides"
    }

    def slopes(without: str | None) -> dict[Mode, float]:
        of = [one for name, one in judged.items() if name != without]
        modes: tuple[Mode, ...] = ("look-ahead", "causal")
        return {
            mode: calibrate([one[mode] for one in of], np.random.default_rng(SEEDS[0]))
            for mode in modes
        }

    for cohort in cohorts:
        left_out = LeftOut((cohort.name,))
        recipe = choice.reported.get(cohort.name, choice.shipped)
        networks = Networks(
            _seeds(recipe, left_out, seeds_of(cohort), target),
            BeatFit(stream, left_out, SEEDS[0]).network(target / FITS),
            slopes(cohort.name),
        )
        others = [one for one in cohorts if one.name != cohort.name]
        folder = target / LEFT_OUT / cohort.name
        write_detector(folder, f"{name}-{left_out.slug}", networks, others)
    return Networks(
        _seeds(choice.shipped, NOBODY, SEEDS, target),
        BeatFit(stream, NOBODY, SEEDS[0]).network(target / FITS),
        slopes(None),
    )


def _judged(
    cohort: BeatCohort, target: Path, recipe: BeatRecipe, stream: BeatRecipe
) -> dict[Mode, tuple[BeatLine, Float32[Array, "beat"]]]:
    """Logits of a cohort, by networks that have not seen it."""
    left_out = LeftOut((cohort.name,))
    networks = _seeds(recipe, left_out, seeds_of(cohort), target)
    causal = BeatFit(stream, left_out, SEEDS[0]).network(target / FITS)
    line = BeatLine.of(
        cohort.records, max(networks[0].reach, causal.reach), most_beats=BEATS_OF_A_RECORDING
    )
    mean: Float32[Array, "beat"] = np.stack([beat_logits(one, line) for one in networks]).mean(0)
    return {"look-ahead": (line, mean), "causal": (line, beat_logits(causal, line))}


def _seeds(
    recipe: BeatRecipe, left_out: LeftOut, seeds: Sequence[int], target: Path
) -> list[BeatNetwork]:
    return [BeatFit(recipe, left_out, seed).network(target / FITS) for seed in seeds]


_cohorts: list[BeatCohort] = []
"""Of a process that makes fits: read once, before the first of them."""


def _begin(load: Callable[[], list[BeatCohort]]) -> None:
    _cohorts[:] = load()


def _fit(target: Path, device: str, fit: BeatFit, say: Say) -> None:
    """One fit; it sends no messages."""
    fit.run(_cohorts, target, usable_device(device))
