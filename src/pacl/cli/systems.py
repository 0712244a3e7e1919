"""`pacl systems`: systems compared on windows of any signal, on subjects never seen."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pacl.cli.config import as_text, settle
from pacl.cli.flags import Given, flags_of
from pacl.cli.messages import say
from pacl.cli.options import Device, InputPath, Output, Quiet, Scheduler, Workers, usable_threads
from pacl.printable import printable
from pacl.settings import ComparisonSettings

if TYPE_CHECKING:
    Flags = Given
else:
    Flags = flags_of(ComparisonSettings)


def systems(
    windows: InputPath | None = None,
    /,
    *,
    output: Output,
    config: InputPath | None = None,
    settings: Annotated[Flags | None, Parameter(name="*")] = None,
    print_config: bool = False,
    device: Device = "auto",
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Compare systems on windows of any signal, on subjects never seen, and write a report.

    Subjects are divided into folds; each is tested once for each seed, by models that never saw the
    subject. Networks differ in the loss alone; classical systems read time-domain features. Scores,
    differences and their intervals are over subjects. The same command resumes an interrupted
    study, and systems or seeds can be added to a finished one.

    Parameters
    ----------
    windows
        A window set of pacl prepare --layout arrays. Without it, only the report of a finished
        study is written again.
    output
        Folder of the study; new, or that of the same study.
    config
        TOML file with settings; flags override it.
    print_config
        Print the settings as they would be used, as JSON, and stop; needs no --output.

    Examples
    --------
    $ pacl systems windows -o study --folds 13
    $ pacl systems windows -o study --systems subject-aware --systems lda
    """
    chosen = settle(ComparisonSettings, config, settings)
    if print_config:
        print(as_text(chosen))
        return
    from pacl.cli.study_progress import study_progress
    from pacl.locks import sole_worker
    from pacl.report.systems import what_holds, write_systems
    from pacl.studies.systems import SystemsStudy, compare_on_signals

    with sole_worker(output):
        if windows is not None:
            with study_progress(output, quiet=quiet) as progress:
                compare_on_signals(
                    windows,
                    output,
                    chosen,
                    device=device,
                    processes=usable_threads(workers),
                    scheduler=scheduler,
                    report=progress,
                )
        page = write_systems(output, output / "report")
    for line in what_holds(SystemsStudy.read(output)).replace("**", "").splitlines():
        print(printable(line))
    say(page)
