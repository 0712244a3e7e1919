"""`pacl weights`: from recordings to weights that need no labels of whoever they are used on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pacl.cli.beat_weights import make_beats
from pacl.cli.config import laid_over, settings_in, validated
from pacl.cli.messages import print_left_out, say
from pacl.cli.options import Device, InputPath, Output, Quiet, Threads, usable_threads, use_threads
from pacl.cli.study_progress import study_progress
from pacl.cli.train_settings import TrainSettings
from pacl.errors import PaclError
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.studies import Plan

SETTINGS = "weights-study.json"


def weights(
    data: InputPath | None = None,
    /,
    *,
    output: Output,
    cohorts: Annotated[tuple[InputPath, ...], Parameter(name="--data")] = (),
    test_data: Annotated[tuple[InputPath, ...], Parameter(name="--test-data")] = (),
    name: str | None = None,
    config: InputPath | None = None,
    seed: int | None = None,
    steps: int | None = None,
    tolerance: float | None = None,
    print_config: bool = False,
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Make a detector of AF in anybody's RR intervals, without labels of that person.

    With --data, given once for each of several cohorts: a detector that judges every beat, as
    af-beats, which comes with pacl. Each cohort is left out once. What is chosen, calibrated and
    reported of it comes from networks that have not seen it; what ships learns from all. A cohort
    may say in a cohort.toml what its files do not. Use a GPU: it trains dozens of networks.

    With one folder and no --data: weights that judge windows of 200 beats, as af-rr200. The recipe
    is cross-validated by patient, trained on everybody, and calibrated on patients held out.

    The same command goes on where it was interrupted.

    Parameters
    ----------
    data
        For weights of windows: a folder of recordings with annotated rhythms.
    output
        Folder for all that is made, the result at its top; new, or that of the same study.
    cohorts
        For a detector of beats: a folder, or a cohort.toml that names one. Give it several times.
    test_data
        Another cohort to judge the weights on; nothing is chosen by it. Can be given several times.
    name
        What to call it. [default: af-beats with --data, else af-rr200]
    config
        TOML file with settings of pacl train in which training is to differ from the recipe.
    seed
        Of the first weights, the batches and dropout. [default: the recipe's]
    steps
        With --data: steps of each network, to try things out. [default: the recipe's]
    tolerance
        The most that ONNX Runtime may differ from torch in any output; of an output beyond 1, which
        logits may be, as a share of it. [default: 1e-5]
    print_config
        Print the settings as they would be used, as JSON, and stop; needs no --output.
    device
        Where to compute: cpu, cuda, or auto, which is a GPU where there is one.
    threads
        How many CPU cores to use: as many runs are trained at once. [default: all of them]
    quiet
        Show no progress.
    """
    from pacl.detect import BUNDLED
    from pacl.records import manifest_of, open_records
    from pacl.report.cards import cohort_source, write_card
    from pacl.studies.begun import begin_study
    from pacl.studies.inputs import cohort_name
    from pacl.studies.lock import sole_worker
    from pacl.studies.weights import NAME, check_weights, make_weights, write_made
    from pacl.studies.weights.recipe import FOLDS
    from pacl.studies.weights.tolerance import TOLERANCE

    if cohorts:
        if data is not None or test_data or config or seed is not None or print_config:
            raise PaclError(
                "--data makes a detector of beats: give it with --output, --name, --steps, "
                "--device, --threads and --quiet alone"
            )
        make_beats(
            cohorts,
            output,
            name or BUNDLED[0],
            steps=steps,
            device=device,
            processes=usable_threads(threads),
            quiet=quiet,
        )
        return
    if steps is not None:
        raise PaclError("--steps is for --data alone; leave it out")
    if data is None:
        raise PaclError("name the cohorts to learn from with --data, or one folder for windows")
    plan = _plan(config, seed)
    if print_config:
        print(TrainSettings.model_validate(plan.to_dict()).model_dump_json(indent=1))
        return
    readers = {cohort_name(path): open_records(path) for path in (data, *test_data)}
    for reader in readers.values():
        print_left_out(reader)
    if len(readers) <= len(test_data):
        raise PaclError(
            "two cohorts have the same name; rename a folder, or set name in its cohort.toml"
        )
    cohort, *others = readers
    sources = {one: cohort_source(one, manifest_of(reader)) for one, reader in readers.items()}
    name, tolerance = name or NAME, TOLERANCE if tolerance is None else tolerance
    check_weights(output, plan, name, list(readers.values()))
    if f"{name}.json" == SETTINGS:
        raise PaclError(f"--name {name}: {SETTINGS} is a file of the study; name them otherwise")
    stated = {"data": cohort, "test_data": others, "name": name}  # runs keep their plans
    use_threads(1)  # every run has a core of its own, so that it comes out the same anywhere
    with sole_worker(output):
        begin_study(output, SETTINGS, stated, trained="runs")
        try:
            with study_progress(FOLDS + 1, quiet=quiet) as display:
                made = make_weights(
                    readers[cohort],
                    output,
                    plan=plan,
                    name=name,
                    about={"data": sources[cohort]},
                    others={other: readers[other] for other in others},
                    tolerance=tolerance,
                    device=device,
                    processes=usable_threads(threads),
                    tell=display.tell,
                    finished=display.judged,
                )
        except KeyboardInterrupt:
            print(printable(f"{output}: the same command goes on from here"), file=sys.stderr)
            raise
        written = write_made(
            made, output, write_card(made, sources[cohort], sources), tolerance=tolerance
        )
        for who, measured in {f"{cohort}, out of fold": made.out_of_fold, **made.elsewhere}.items():
            own = measured.auroc_patient
            within = f"within patients {own.text()}" if own else "nobody with both"
            say(
                f"{who}: {measured.patients} patients, AUROC {measured.auroc.text()}, {within}, "
                f"false AF {measured.false_af_h.text(2)} h in 24 h"
            )
        for path in written.values():
            say(path)


def _plan(config: Path | None, seed: int | None) -> "Plan":
    """The recipe, and what else was said."""
    from pacl.studies.weights import RECIPE

    given = RECIPE.to_dict()
    if config is not None:
        given = laid_over(given, settings_in(config))
    if seed is not None:
        given = laid_over(given, {"seed": seed})
    return validated(TrainSettings, given, str(config or "settings")).plan()
