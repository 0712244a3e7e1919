"""`pacl reproduce`: the study of the paper, and a report that says what holds."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pacl.cli.config import ConfigError, as_text, given_by, settle, stated_in
from pacl.cli.flags import Given, flags_of
from pacl.cli.messages import say
from pacl.cli.options import (
    READING,
    Device,
    InputPath,
    Output,
    Quiet,
    Scheduler,
    Workers,
    usable_threads,
)
from pacl.cli.prepare_settings import PrepareSettings
from pacl.cli.reproduce_settings import ReproduceSettings
from pacl.printable import printable
from pacl.records import ReadOptions

if TYPE_CHECKING:
    from pacl.studies.claims import Claim

if TYPE_CHECKING:
    Flags = Given
else:
    Flags = flags_of(ReproduceSettings)


def reproduce(
    data: InputPath | None = None,
    *,
    output: Output,
    test_data: tuple[InputPath, ...] = (),
    tuned: tuple[InputPath, ...] = (),
    config: InputPath | None = None,
    settings: Annotated[Flags | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
    print_config: bool = False,
    device: Device = "auto",
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Run the paper's study: train all losses with all seeds, evaluate them, write a report.

    The same command resumes an interrupted study. Test patients are used once, after a run is
    trained. Without data, patients are simulated. Windows are cut by the paper's rule from
    IRIDIA-AF, and from all SR and AF (pooled) of other recordings, unless a protocol is named.

    Parameters
    ----------
    output
        Folder of the study; new, or that of the same study.
    data
        Recordings to learn from and test on (IRIDIA-AF, WFDB, text), or a window set of pacl
        prepare. [default: simulated patients]
    test_data
        Another cohort to evaluate all runs on. Can be given several times.
    tuned
        Settings of one loss, as pacl tune writes them (best.toml); flags override them. Can be
        given several times.
    config
        TOML file with settings; flags override it.
    print_config
        Print the settings as they would be used, as JSON, and stop; needs no --output.

    Examples
    --------
    $ pacl reproduce -o study
    $ pacl reproduce iridia-af/ -o study --folds 5 --test-data ltafdb/
    $ pacl reproduce -o study --seeds 1 2 --print-config
    """
    try:
        chosen = settle(ReproduceSettings, config, settings)
    except ConfigError as error:
        if "  loss: " in str(error):
            raise ConfigError(f"{config}: settings of one loss; give them with --tuned") from error
        raise
    if print_config:
        print(as_text(chosen))
        return
    from pacl.cli.study_progress import study_progress
    from pacl.locks import sole_worker
    from pacl.report.study import write_report
    from pacl.studies import StudyData, reproduce_paper

    study = chosen.study(tuned, given_by(settings))
    _check_unused(chosen.prepare, data, test_data)
    given = StudyData(
        data,
        test_data,
        read=read or ReadOptions(),
        patients=chosen.simulate.patients,
        seed=chosen.simulate.seed,
    )
    with sole_worker(output), study_progress(output, quiet=quiet) as progress:
        windows, outcomes = reproduce_paper(
            output,
            study,
            given,
            chosen.preparation(stated_in(config, settings)),
            device=device,
            threads=usable_threads(workers),
            scheduler=scheduler,
            report=progress,
        )
        report = write_report(
            outcomes,
            output,
            windows=windows,
            command=f"pacl {shlex.join(sys.argv[1:])}",
            track=lambda done, total: progress.on_stage("writing the report", done, total),
        )
    for reason in report.not_drawn:
        print(printable(f"not drawn: {reason}"), file=sys.stderr)
    _print_claims(report.claims)
    say(f"{report.path}: open it in a browser")


def _print_claims(claims: "Sequence[Claim]") -> None:
    """Decided claims, one line each; of the others their number."""
    for claim in claims:
        if claim.decided:
            say(f"{claim.verdict:<13}  {claim.cohort}: {claim.text}")
    for cohort in dict.fromkeys(claim.cohort for claim in claims):
        here = [claim for claim in claims if claim.cohort == cohort]
        left = sum(not claim.decided for claim in here)
        say(f"{'inconclusive':<13}  {cohort}: {left} of {len(here)} claims, see the report")


def _check_unused(prepare: PrepareSettings, data: Path | None, others: tuple[Path, ...]) -> None:
    """Refuse settings for cutting windows if only window sets are given."""
    from pacl.studies import is_window_set

    if data is None or prepare == PrepareSettings():
        return
    if all(is_window_set(path) for path in (data, *others)):
        raise ConfigError(
            f"{data}: it is a window set, cut and divided already; "
            "give no prepare settings, or give the recordings"
        )
