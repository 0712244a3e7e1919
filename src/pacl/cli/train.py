"""`pacl train`: from a window set to a trained and evaluated encoder."""

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pacl.cli.config import as_text, settle
from pacl.cli.epochs import epochs
from pacl.cli.flags import Given, flags_of
from pacl.cli.messages import counted, say
from pacl.cli.options import Device, InputPath, Output, Quiet, Threads, use_threads
from pacl.printable import printable
from pacl.settings import Plan

if TYPE_CHECKING:
    Flags = Given
else:
    Flags = flags_of(Plan)


def train(
    windows: InputPath,
    /,
    *,
    output: Output,
    config: InputPath | None = None,
    settings: Annotated[Flags | None, Parameter(name="*")] = None,
    resume: bool = False,
    print_config: bool = False,
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Train an encoder on the training patients of a window set.

    After each epoch a linear probe on frozen embeddings is evaluated on the validation patients;
    the best weights are kept. The test patients are used once, at the end.

    Parameters
    ----------
    windows
        A window set, as pacl prepare wrote it.
    output
        Folder of the run; it must not exist yet or be empty, unless resumed.
    config
        TOML file with settings; flags override it.
    resume
        Resume an interrupted run; start it if there is none.
    print_config
        Print the settings as they would be used, as JSON, and stop; needs no --output.

    Examples
    --------
    $ pacl train windows -o run
    $ pacl train windows -o run-supcon --loss supcon --seed 2
    $ pacl train windows -o run --train.epochs 20 --device cuda --resume
    """
    chosen = settle(Plan, config, settings)
    if print_config:
        print(as_text(chosen))
        return
    from pacl.cli.scores_table import print_scores
    from pacl.studies import Outcome, train_run

    use_threads(threads)
    try:
        with epochs(quiet=quiet) as display:
            run = train_run(
                windows,
                output,
                chosen,
                device=device,
                resume=resume,
                on_start=display.on_start,
                on_epoch=display.on_epoch,
            )
    except KeyboardInterrupt:
        if (output / "config.json").exists():
            kept = f"{output}: finished epochs are kept; give the same command with --resume"
            print(printable(kept), file=sys.stderr)
        raise
    judged = [part for part in ("validation", "test") if part in run.evaluations()]
    if judged:
        print_scores({part: Outcome.of_run(run, part) for part in judged})
    if run.origin is not None and run.origin.allowed:
        print(f"UNSAFE: its windows were written allowing {', '.join(run.origin.allowed)}")
    say(f"{run.path}: {run.title}, seed {run.plan.seed}, {counted(len(run.history()), 'epoch')}")
