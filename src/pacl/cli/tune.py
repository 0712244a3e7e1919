"""`pacl tune`: settings tried out on the validation patients."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.types import PositiveFloat, PositiveInt

from pacl.cli.config import as_text, settle
from pacl.cli.flags import Given, flags_of
from pacl.cli.messages import print_left_out, say
from pacl.cli.options import (
    READING,
    Device,
    InputPath,
    Output,
    Quiet,
    Threads,
    usable_threads,
    use_threads,
)
from pacl.cli.prepare import chosen_options
from pacl.cli.tune_settings import TuneSettings
from pacl.errors import PaclError
from pacl.records import ReadOptions, open_records
from pacl.rr import is_processed

if TYPE_CHECKING:
    from pacl.studies import StudyReport
    from pacl.studies.tuning import Outcome, WindowSource

if TYPE_CHECKING:
    Flags = Given
else:
    Flags = flags_of(TuneSettings)


def tune(
    data: InputPath,
    /,
    *,
    output: Output,
    space: Literal["fair", "full"] = "fair",
    trials: PositiveInt = 50,
    repeats: PositiveInt = 1,
    at_once: PositiveInt | None = None,
    pruner: Literal["median", "halving", "none"] = "median",
    storage: str | None = None,
    timeout: PositiveFloat | None = None,
    config: InputPath | None = None,
    settings: Annotated[Flags | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
    skip_bad: bool = False,
    print_config: bool = False,
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Search for better settings with Optuna's TPE, on the validation patients alone.

    The value of a trial is its best validation AUROC. Test patients are never used. The same
    command resumes the search, and several processes can share it.

    Parameters
    ----------
    data
        A window set of pacl prepare; or a folder of recordings, from which windows are cut as the
        search needs them.
    output
        Folder of the study; with several losses, it holds a folder for each.
    space
        What is tried. `fair`: learning rate and temperature, as the paper does for each loss.
        `full`: encoder, optimiser, objective and sampler as well, and of recordings the length and
        stride of windows.
    trials
        Number of trials in all, also if the search is resumed.
    repeats
        Runs of each trial, each with a seed of its own; its value is their mean.
    at_once
        Trials trained at the same time. [default: 16 on a GPU in the fair space, else 1]
    pruner
        How trials are stopped early that are worse than others.
    storage
        Where workers on several machines share the search: postgresql://USER@HOST/DATABASE,
        mysql://USER@HOST/DATABASE, or grpc://HOST:PORT of Optuna's proxy. Give each machine its own
        --output. [default: a journal in the folder]
    timeout
        Start no trial after this time in seconds; each loss has its own time.
    config
        TOML file with the settings of the first trial; flags override it.
    skip_bad
        Leave out recordings that cannot be read.
    print_config
        Print the settings of the first trial, as JSON, and stop; needs no --output.

    Examples
    --------
    $ pacl tune windows -o tuned --trials 50
    $ pacl tune windows -o tuned --loss subject-aware --loss supcon --repeats 3
    """
    chosen = settle(TuneSettings, config, settings)
    if print_config:
        print(as_text(chosen))
        return
    from pacl.cli.study_progress import study_progress
    from pacl.studies.tuning import tune as search

    targets = {loss: output / loss if len(chosen.losses) > 1 else output for loss in chosen.losses}
    use_threads(threads)
    with study_progress(output, quiet=quiet) as progress:
        source = _source(data, output, chosen, read, skip_bad, usable_threads(threads), progress)
        if space == "full" and not source.cuts and not quiet:
            beats = source.cut.window_beats
            progress.on_note(f"{data}: a window set of {beats} beats; length and stride are fixed")
        for loss, target in targets.items():
            outcome = search(
                source,
                target,
                chosen.plan(loss),
                space=space,
                trials=trials,
                seeds=repeats,
                at_once=at_once,
                pruner=pruner,
                storage=storage,
                timeout_s=timeout,
                device=device,
                report=progress,
            )
            _draw(outcome, target)
            _summarise(outcome, target, data if not source.cuts else None)


def _source(
    data: Path,
    output: Path,
    chosen: TuneSettings,
    read: ReadOptions | None,
    skip_bad: bool,
    threads: int,
    report: "StudyReport",
) -> "WindowSource":
    """A window set as it is, or recordings to cut windows from."""
    from pacl.studies.tuning import Recordings, WindowsAsCut

    if is_processed(data):
        raise PaclError(f"{data}: processed windows; make a window set of them with pacl prepare")
    if (data / "manifest.json").exists():
        chosen.check_no_data(data)
        if read is not None:
            raise PaclError(f"{data}: a window set; leave out options of how to read recordings")
        return WindowsAsCut(data)
    reader = open_records(data, read)
    print_left_out(reader)
    return Recordings(
        reader,
        chosen.rule(),
        chosen.divide,
        chosen.window,
        stated=chosen.of_data(),
        cache=output / "windows",
        skip_bad=skip_bad,
        read_as=chosen_options(read),
        threads=threads,
        report=report,
    )


def _draw(outcome: "Outcome", target: Path) -> None:
    """The pictures, each as PNG and as SVG."""
    from pacl.report import compute_history, draw_history, draw_importances

    history = compute_history(outcome)
    for ending in (".png", ".svg"):
        draw_history(history, target / f"history{ending}")
        if outcome.importances:
            picture = target / f"importances{ending}"
            draw_importances(outcome.importances, history.title, picture)


def _summarise(outcome: "Outcome", target: Path, windows: Path | None) -> None:
    """Print the result, and the commands that use it."""
    from pacl.cli.study_progress import setting_text

    counts = ", ".join(f"{count} {ended}" for ended, count in outcome.count().items() if count)
    say(f"{target}: {outcome.loss}, {outcome.space} space, {len(outcome.tried)} trials ({counts})")
    best = outcome.best
    if best is None:
        print("no trial has finished; the reasons are in trials.csv")
        return
    print(f"best validation AUROC {best.value:.4f}, trial {best.number}")
    for key, value in best.settings.items():
        share = outcome.importances.get(key)
        mattered = "" if share is None else f"   importance {share:.2f}"
        print(f"  {key:<28}{setting_text(value):<26}{mattered}".rstrip())
    if windows is None:
        say(f"pacl prepare RECORDINGS -o WINDOWS --config {target / 'prepare.toml'}")
    found, given = (shlex.quote(str(x)) for x in (target / "best.toml", windows or "WINDOWS"))
    say(f"pacl train {given} -o RUN --config {found}")
    say(f"pacl reproduce -o STUDY --data {given} --tuned {found}")
