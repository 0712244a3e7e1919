"""`pacl weights`: from recordings to a detector that needs no labels of new patients."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pacl.cli.beat_weights import make_beats
from pacl.cli.config import as_text, laid_over, settings_in, validated
from pacl.cli.messages import print_left_out, say
from pacl.cli.options import (
    Device,
    InputPath,
    Output,
    Quiet,
    Scheduler,
    Workers,
    usable_threads,
    use_threads,
)
from pacl.errors import PaclError
from pacl.settings import Plan


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
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Make a detector of AF in RR intervals that needs no labels of new patients.

    With --data, given once for each of several cohorts: a detector of single beats, such as the
    bundled af-beats. Each cohort is left out once. Choice, calibration and figures of a cohort come
    from networks that have not seen it; the final detector is trained on all. A cohort.toml can
    describe what the files of a cohort do not say. Use a GPU: it trains dozens of networks.

    With one folder and no --data: weights for windows of 200 beats, such as the bundled af-rr200.
    The recipe is cross-validated by patient, trained on all patients, and calibrated out of fold.

    The same command resumes an interrupted study.

    Parameters
    ----------
    data
        For weights of windows: a folder of recordings with annotated rhythms.
    output
        Folder of the study, with the result in it; new, or that of the same study.
    cohorts
        For a detector of beats: a folder, or a cohort.toml that names one. Give it several times.
    test_data
        Another cohort to evaluate the weights on; nothing is chosen by it. Can be given several
        times.
    name
        What to call it. [default: af-beats with --data, else af-rr200]
    config
        TOML file with settings of pacl train that replace those of the recipe.
    seed
        Seed of initial weights, batches and dropout. [default: the recipe's]
    steps
        With --data: training steps of each network, for short trials. [default: the recipe's]
    tolerance
        The largest difference between ONNX Runtime and torch in any output; above 1, as a share of
        the output. [default: 1e-5]
    print_config
        Print the settings as they would be used, as JSON, and stop; needs no --output.

    Examples
    --------
    $ pacl weights --data ltafdb/ --data afdb/ -o detector
    $ pacl weights ltafdb/ -o weights --test-data afdb/
    """
    from pacl.cli.study_progress import study_progress
    from pacl.detect import BUNDLED
    from pacl.locks import sole_worker
    from pacl.records import manifest_of, open_records
    from pacl.report import cohort_source, write_card
    from pacl.studies import cohort_name
    from pacl.studies.weights import NAME, TOLERANCE, study_weights, write_made

    if cohorts:
        if data is not None or test_data or config or seed is not None or print_config:
            raise PaclError(
                "--data makes a detector of beats: give it with --output, --name, --steps, "
                "--device, --workers, --scheduler and --quiet alone"
            )
        make_beats(
            cohorts,
            output,
            name or BUNDLED[0],
            steps=steps,
            device=device,
            processes=usable_threads(workers),
            scheduler=scheduler,
            quiet=quiet,
        )
        return
    if steps is not None:
        raise PaclError("--steps is for --data alone; leave it out")
    if data is None:
        raise PaclError("name the cohorts to learn from with --data, or one folder for windows")
    plan = _plan(config, seed)
    if print_config:
        print(as_text(plan))
        return
    readers = {cohort_name(path): open_records(path) for path in (data, *test_data)}
    for reader in readers.values():
        print_left_out(reader)
    if len(readers) <= len(test_data):
        raise PaclError(
            "two cohorts have the same name; rename a folder, or set name in its cohort.toml"
        )
    cohort = next(iter(readers))
    sources = {one: cohort_source(one, manifest_of(reader)) for one, reader in readers.items()}
    tolerance = TOLERANCE if tolerance is None else tolerance
    use_threads(1)  # each run has one core, so that its result does not depend on the machine
    with sole_worker(output):
        with study_progress(output, quiet=quiet) as progress:
            made = study_weights(
                readers,
                output,
                plan=plan,
                name=name or NAME,
                about={"data": sources[cohort]},
                tolerance=tolerance,
                device=device,
                processes=usable_threads(workers),
                scheduler=scheduler,
                report=progress,
            )
        card = write_card(made, sources[cohort], sources)
        written = write_made(made, output, card, tolerance=tolerance)
    for where, measured in {f"{cohort}, out of fold": made.out_of_fold, **made.elsewhere}.items():
        own = measured.auroc_patient
        within = f"within patients {own.text()}" if own else "no patient with both rhythms"
        say(
            f"{where}: {measured.patients} patients, AUROC {measured.auroc.text()}, {within}, "
            f"false AF {measured.false_af_h.text(2)} h in 24 h"
        )
    for path in written.values():
        say(path)


def _plan(config: Path | None, seed: int | None) -> Plan:
    """The recipe with the given settings."""
    from pacl.studies.weights import RECIPE

    given = RECIPE.to_dict()
    if config is not None:
        given = laid_over(given, settings_in(config))
    if seed is not None:
        given = laid_over(given, {"seed": seed})
    return validated(Plan, given, str(config or "settings"))
