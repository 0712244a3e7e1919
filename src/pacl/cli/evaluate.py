"""`pacl evaluate`: figures of a run, on its test patients or on other windows."""

from typing import Literal

from pacl.cli.messages import say
from pacl.cli.options import Device, InputPath, Quiet, Threads, use_threads
from pacl.cli.progress import progress
from pacl.errors import PaclError
from pacl.printable import printable


def evaluate(
    run: InputPath,
    /,
    *,
    windows: InputPath | None = None,
    name: str | None = None,
    on: str | None = None,
    format: Literal["text", "json"] = "text",  # noqa: A002 - the option's name
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate a run: detection, calibration, and the geometry of its embeddings.

    Without --windows the figures are computed again from the predictions and embeddings in the
    run's folder. With it, all windows of another set are embedded and classified by the run's
    probe, and the result is kept in the run's folder; recordings that the run was trained on are
    refused. Figures have a 95 % interval over patients if there are enough patients.

    Parameters
    ----------
    run
        Folder of a run.
    windows
        Other windows: a window set of pacl prepare, or the authors' processed windows (.h5). All of
        them are test windows, also those of other parts.
    name
        What to call the evaluation on other windows. [default: name of the folder]
    on
        Which evaluation to show: validation, test, or the name of other windows. [default: test]
    format
        text is a table; json has all figures.

    Examples
    --------
    $ pacl evaluate run
    $ pacl evaluate run --windows other-windows --name other
    """
    from pacl.studies import RunFolder, evaluate_external
    from pacl.training import usable_device

    use_threads(threads)
    if on is not None and name is not None:
        raise PaclError("--on names an evaluation that exists, --name a new one; give one of them")
    opened = RunFolder.open(run)
    if windows is None:
        shown_on = on or name or "test"
        measured = opened.evaluated(shown_on).measure() if format == "json" else None
    else:
        with progress("embedding", quiet=quiet) as advance:
            shown_on, measured, shared = evaluate_external(
                opened, windows, name=name or on, device=usable_device(device), track=advance
            )
        _warn_of_names(shared)
    if format == "json" and measured is not None:
        print(measured.to_json(), end="")
        return
    from pacl.cli.scores_table import print_scores
    from pacl.studies import Outcome

    print_scores({shown_on: Outcome.of_run(opened, shown_on, again=windows is None)})
    if windows is not None:
        say(f"{opened.path / 'on' / shown_on}: predictions and embeddings")


def _warn_of_names(shared: list[str]) -> None:
    import sys

    shared = [printable(name) for name in shared]
    if shared:
        more = ", ..." if len(shared) > 5 else ""
        print(
            f"note: {len(shared)} patients have the name of a training patient of the run "
            f"({', '.join(shared[:5])}{more}). Their recordings differ. If they are the same "
            "patients, this is no result on unseen patients.",
            file=sys.stderr,
        )
