"""`pacl import-checkpoint`: the authors' released weights as a run."""

from pacl.cli.messages import say
from pacl.cli.options import Device, InputPath, Output, Threads, use_threads


def import_checkpoint(
    checkpoint: InputPath,
    /,
    *,
    output: Output,
    windows: InputPath | None = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Make a run of the weights that the paper's authors released.

    With --windows, a probe is fitted on the training patients of that set and evaluated on its
    validation and test patients; without, the run has an encoder and no probe.

    Parameters
    ----------
    checkpoint
        The released .pth file; only tensors are read from it, no code is run.
    output
        Folder of the run; it must not exist yet or be empty.
    windows
        A window set, as pacl prepare wrote it.

    Examples
    --------
    $ pacl import-checkpoint released.pth -o run
    $ pacl import-checkpoint released.pth -o run --windows windows
    """
    from pacl.cli.scores_table import print_scores
    from pacl.studies import Outcome, import_released

    use_threads(threads)
    run = import_released(checkpoint, output, windows=windows, device=device)
    if evaluated := {part: Outcome.of_run(run, part) for part in run.evaluations()}:
        print_scores(evaluated)
    say(f"{run.path}: the released encoder{', with a probe' if windows else ', without a probe'}")
