"""`pacl tune`: settings tried out on the validation patients."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.types import PositiveFloat, PositiveInt

from pacl.cli.config import settle
from pacl.cli.messages import print_left_out, say
from pacl.cli.options import Device, InputPath, Output, Quiet, Threads, usable_threads, use_threads
from pacl.cli.prepare import chosen_options
from pacl.cli.tune_settings import TuneSettings
from pacl.errors import PaclError
from pacl.printable import printable
from pacl.records import ReadOptions, open_records
from pacl.windows import Cut, is_processed

if TYPE_CHECKING:
    from pacl.studies.tuning import Outcome, Tried, WindowSource

EARLY = {"windows", "workers", "journal.log", "journal.lock"}
"""What other workers on the same folder may have made already."""
SHORT = ("train.lr", "objective.temperature", "window.window_beats", "window.stride")
"""Settings that are shown in the line of a trial, by their last word."""


def tune(
    data: InputPath,
    /,
    *,
    output: Output,
    space: Literal["fair", "full"] = "fair",
    trials: PositiveInt = 50,
    seeds: PositiveInt = 1,
    at_once: PositiveInt | None = None,
    pruner: Literal["median", "halving", "none"] = "median",
    storage: str | None = None,
    timeout: PositiveFloat | None = None,
    config: InputPath | None = None,
    settings: Annotated[TuneSettings | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
    skip_bad: bool = False,
    print_config: bool = False,
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Search for better settings with Optuna's TPE, on the validation patients alone.

    A trial is worth its best validation AUROC. The test patients are never looked at. The same
    command goes on with what is there, and several at a time share the work.

    Parameters
    ----------
    data
        A window set, as pacl prepare wrote it; or a folder of recordings, from which windows are
        cut as the search needs them.
    output
        Folder of the study; with several losses, of a folder for each.
    space
        What is tried. `fair`: learning rate and temperature, as the paper does for each loss.
        `full`: encoder, optimiser, objective and sampler as well, and of recordings the length and
        stride of windows.
    trials
        How many have to end in all, however often the command is given.
    seeds
        Runs of each trial, whose mean counts.
    at_once
        Trials trained side by side. [default: 16 on a GPU in the fair space, else 1]
    pruner
        How trials are given up early that others were better than.
    storage
        Optuna storage URL, for workers on several machines. [default: a journal in the folder]
    timeout
        Begin no trial after so many seconds; each loss has as many.
    config
        TOML file with the settings to begin with; flags override it.
    skip_bad
        Leave out recordings that cannot be read.
    print_config
        Print the settings to begin with, as JSON, and stop; needs no --output.
    device
        Where to compute: cpu, cuda, or auto, which is a GPU where there is one.
    threads
        How many CPU cores to use. [default: all of them]
    quiet
        Show no progress.
    """
    chosen = settle(TuneSettings, config, settings)
    if print_config:
        print(chosen.model_dump_json(indent=1))
        return
    from pacl.studies.tuning import tune as search

    targets = {loss: output / loss if len(chosen.losses) > 1 else output for loss in chosen.losses}
    for target in targets.values():
        if not (target / "study.json").exists():
            _check_new(target)
    use_threads(threads)
    source = _source(data, output, chosen, read, skip_bad, usable_threads(threads), quiet)
    if space == "full" and not source.cuts and not quiet:
        beats = source.cut.window_beats
        _show(f"{data}: windows of {beats} beats, cut already: length and stride stay as they are")
    for loss, target in targets.items():
        try:
            outcome = search(
                source,
                target,
                chosen.plan(loss),
                space=space,
                trials=trials,
                seeds=seeds,
                at_once=at_once,
                pruner=pruner,
                storage=storage,
                timeout_s=timeout,
                device=device,
                tell=None if quiet else _tell,
            )
        except KeyboardInterrupt:
            if (target / "study.json").exists():
                _show(f"{target}: the trials so far are kept, the same command goes on")
            raise
        _draw(outcome, target)
        _summarise(outcome, target, data if not source.cuts else None)


def _check_new(target: Path) -> None:
    """Refuse a folder that holds anything but what a search leaves that was stopped at once."""
    if target.is_file():
        raise PaclError(f"{target}: it is a file; name a folder for the search")
    if target.is_dir() and (
        others := sorted({p.name for p in target.iterdir() if not p.name.startswith(".")} - EARLY)
    ):
        raise PaclError(f"{target}: it holds {others[0]}; name a new folder, or an empty one")


def _source(
    data: Path,
    output: Path,
    chosen: TuneSettings,
    read: ReadOptions | None,
    skip_bad: bool,
    threads: int,
    quiet: bool,
) -> "WindowSource":
    """Windows as they lie there, or recordings to cut them from."""
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
        chosen.cut(),
        stated=chosen.of_data(),
        cache=output / "windows",
        skip_bad=skip_bad,
        read_as=chosen_options(read),
        threads=threads,
        tell=None if quiet else _tell_cut,
    )


def _tell_cut(cut: Cut) -> None:
    _show(f"cutting windows of {cut.window_beats} beats every {cut.stride}")


def _tell(tried: "Tried", outcome: "Outcome") -> None:
    """A line a trial."""
    best = outcome.best
    value = "failed" if tried.value is None else f"{tried.value:.4f}"
    mark = "*" if best is tried else " "
    shown = [f"{key.split('.')[1]} {_word(v)}" for key, v in tried.settings.items() if key in SHORT]
    so_far = "" if best is None else f"best {best.value:.4f} (trial {best.number})"
    pruned = "pruned after " * (tried.ended == "pruned")
    words = [
        f"{pruned}{tried.epochs} epochs, {tried.seconds:.1f} s",
        ", ".join(shown),
        tried.reason,
    ]
    words = [word for word in words if word]
    _show(f"trial {tried.number:>4} {value:>7} {mark} {so_far:<23}  {'; '.join(words)}")


def _draw(outcome: "Outcome", target: Path) -> None:
    """The pictures, each as PNG and as SVG."""
    from pacl.report.tuning import compute_history, draw_history, draw_importances

    history = compute_history(outcome)
    for ending in (".png", ".svg"):
        draw_history(history, target / f"history{ending}")
        if outcome.importances:
            picture = target / f"importances{ending}"
            draw_importances(outcome.importances, history.title, picture)


def _summarise(outcome: "Outcome", target: Path, windows: Path | None) -> None:
    """What came of it, and what to do with it."""
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
        print(f"  {key:<28}{_word(value):<26}{mattered}".rstrip())
    if windows is None:
        say(f"pacl prepare RECORDINGS -o WINDOWS --config {target / 'prepare.toml'}")
    found, given = (shlex.quote(str(x)) for x in (target / "best.toml", windows or "WINDOWS"))
    say(f"pacl train {given} -o RUN --config {found}")
    say(f"pacl reproduce -o STUDY --data {given} --tuned {found}")


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _show(line: str) -> None:
    print(printable(line), file=sys.stderr, flush=True)
