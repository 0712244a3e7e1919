"""`pacl rivals`: all systems the paper names, on the same patients, windows, splits and seeds."""

from pacl.cli.messages import say
from pacl.cli.options import Device, InputPath, Output, Quiet, Scheduler, Workers, usable_threads
from pacl.errors import PaclError

PATIENTS = 30
"""Simulated, if no data is given."""


def rivals(
    data: InputPath | None = None,
    *,
    output: Output,
    other_data: InputPath | None = None,
    systems: tuple[str, ...] = (),
    seeds: tuple[int, ...] = (1, 42, 102),
    folds: int = 5,
    trials: int = 3,
    steps: int = 1000,
    few: tuple[int, ...] = (1, 2, 4, 8, 16),
    few_seeds: tuple[int, ...] = (),
    other_steps: int = 400,
    device: Device = "auto",
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Compare all systems that the paper names by one protocol, and write a report.

    Self-supervised systems are pre-trained without labels and probed; supervised ones are trained
    on the same patients. Each is tuned on validation patients, over the same number of settings,
    and repeated with all seeds. Further studies: few labelled patients, transfer to another cohort
    and back, and how optimistic a split by windows instead of patients is. The same command resumes
    an interrupted study.

    Parameters
    ----------
    output
        Folder of the study; new, or that of the same study.
    data
        Recordings with annotated rhythms, or a window set of pacl prepare --protocol all-beats.
        [default: simulated patients]
    other_data
        Another cohort, to train on one and test on the other, both ways.
    systems
        Names of systems; include the references patient-aware and statistics. Results and report
        are then of these systems alone. Can be given several times. [default: all]
    seeds
        One or more, for example --seeds 1 2 3. The first is used for tuning.
    folds
        By patient: one fold for testing, the next for validation, the others for training.
    trials
        Number of settings tried for each system, the same for all; at most as many as the system
        with the fewest settings has.
    steps
        Training steps of 256 windows, for systems that train in steps.
    few
        One or more numbers of labelled training patients, for the study of few labels.
    few_seeds
        Seeds to draw these patients with: one or more of --seeds. [default: all]
    other_steps
        Training steps on the other cohort, which is expected to be small.

    Examples
    --------
    $ pacl rivals ltafdb/ -o study
    $ pacl rivals ltafdb/ -o study --other-data afdb/
    $ pacl rivals -o study --systems patient-aware --systems statistics
    """
    from pacl.cli.study_progress import study_progress
    from pacl.locks import sole_worker
    from pacl.report.rivals import write_rivals
    from pacl.rivals import current_name
    from pacl.studies import StudyData
    from pacl.studies.rivals import SYSTEMS, RivalsProtocol, compare_systems

    only = tuple(map(current_name, systems))
    if unknown := [name for name in only if name not in SYSTEMS]:
        raise PaclError(f"no system {unknown[0]!r}; there are {', '.join(SYSTEMS)}")
    protocol = RivalsProtocol(
        methods=tuple(name for name in SYSTEMS if not only or name in only),
        seeds=seeds,
        folds=folds,
        trials=trials,
        steps=steps,
        few=few,
        few_seeds=few_seeds,
        other_steps=other_steps,
    )
    with sole_worker(output):
        with study_progress(output, quiet=quiet) as progress:
            compare_systems(
                output,
                protocol,
                StudyData(data, (other_data,) if other_data else (), patients=PATIENTS),
                device=device,
                threads=usable_threads(workers),
                scheduler=scheduler,
                report=progress,
            )
        say(write_rivals(output, output / "report"))
