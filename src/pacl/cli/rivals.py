"""`pacl rivals`: every system the paper names, on the same patients, windows, splits and seeds."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pacl.cli.messages import say
from pacl.cli.options import Device, InputPath, Output, Quiet, Threads, usable_threads
from pacl.cli.progress import Advance, progress
from pacl.errors import PaclError
from pacl.printable import printable

if TYPE_CHECKING:
    from pacl.cohort import Split
    from pacl.studies.rivals import RivalsProtocol

SETTINGS = "rivals.json"
PATIENTS = 30
"""Simulated, where no data is given."""


def rivals(
    *,
    output: Output,
    data: InputPath | None = None,
    other_data: InputPath | None = None,
    only: Annotated[tuple[str, ...], Parameter(show_default=False)] = (),
    seeds: tuple[int, ...] = (1, 42, 102),
    folds: int = 5,
    trials: int = 3,
    steps: int = 1000,
    few: tuple[int, ...] = (1, 2, 4, 8, 16),
    few_seeds: Annotated[tuple[int, ...], Parameter(show_default=False)] = (),
    other_steps: int = 400,
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Compare every system the paper names under one protocol, and report who wins where.

    Self-supervised systems are pre-trained without labels and probed; supervised ones are trained
    on the same patients. Each is tuned on validation patients alone, over as many settings as any
    other, and repeated with every seed. Then: how few labelled patients are enough, how it goes on
    another cohort and back, and what dividing windows instead of patients would have promised.
    Interrupted, the same command goes on where it was.

    Parameters
    ----------
    output
        Folder of the study; new, or that of the same study.
    data
        Recordings with annotated rhythms, or a window set of pacl prepare --protocol all-beats.
        [default: simulated patients]
    other_data
        Another cohort, to learn here and judge there, and the other way round.
    only
        Names of systems; those of the references, patient-aware and statistics, are worth having.
        Frames and report are then of these systems alone. Can be given several times.
        [default: all]
    seeds
        The first is tuned with. Can be given several times, as can the numbers below.
    folds
        By patient: one is judged, the next chosen by, the others learned from.
    trials
        How many settings of each system are tried, of all equally many; at most as many as the
        system with the fewest settings has.
    steps
        Of 256 windows, for systems that learn in steps.
    few
        Numbers of training patients whose labels are known.
    few_seeds
        Those of the seeds that few patients are drawn with. [default: all]
    other_steps
        Steps on the other cohort, which is taken to be small.
    device
        Where to compute: cpu, cuda, or auto, which is a GPU where there is one.
    threads
        How many fits at once, a core each. [default: all cores]
    quiet
        Show no progress.
    """
    from pacl.report.rivals import write_rivals
    from pacl.rivals.registry import current_name
    from pacl.studies.lock import sole_worker
    from pacl.studies.provenance import usable_device
    from pacl.studies.rivals import SYSTEMS, RivalsProtocol, run_rivals

    only = tuple(map(current_name, only))
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
        _begin(output, protocol, data, other_data)
        cores = usable_threads(threads)
        windows = _windows(output, data, other_data, cores, quiet=quiet)
        protocol = _with_patients(protocol, next(iter(windows.values())))
        try:
            with _stages(quiet=quiet) as tell:
                run_rivals(
                    windows,
                    output,
                    protocol,
                    device=usable_device(device).type,
                    processes=cores,
                    tell=tell,
                )
        except KeyboardInterrupt:
            kept = f"{output}: what is done is kept, the same command goes on"
            print(printable(kept), file=sys.stderr)
            raise
        say(write_rivals(output, output / "report"))


def _with_patients(protocol: "RivalsProtocol", windows: Path) -> "RivalsProtocol":
    """The protocol without numbers of patients that no fold has; says which."""
    from pacl.studies.rivals.division import fewest_learned_from
    from pacl.windows import WindowSet

    most = fewest_learned_from(WindowSet.open(windows), protocol.folds, protocol.fold_seed)
    beyond = [count for count in protocol.few if count > most]
    if beyond:
        print(
            f"few: {', '.join(map(str, beyond))} left out, {most} patients are learned from",
            file=sys.stderr,
        )
    return replace(protocol, few=tuple(count for count in protocol.few if count not in beyond))


class _stages(ExitStack):  # noqa: N801 - used as a function
    """A bar, or lines, for one stage after the other."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__()
        self._quiet, self._stage = quiet, ""
        self._advance: Advance = lambda done, total: None

    def __enter__(self) -> "_stages":
        return self

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._advance = self.enter_context(progress(stage, quiet=self._quiet))
        self._advance(done, total)


def _begin(
    output: Path, protocol: "RivalsProtocol", data: Path | None, other_data: Path | None
) -> None:
    """Keep what the study is, or see that the one there is the same but for its systems."""
    from pacl.studies.begun import begin_study

    for path in (data, other_data):
        if path is not None and not path.exists():
            raise PaclError(f"{path}: there is no such folder")
    stated = {
        "data": str(data.resolve()) if data else "simulated patients",
        "other_data": str(other_data.resolve()) if other_data else "",
        **{key: value for key, value in asdict(protocol).items() if key != "methods"},
    }
    begin_study(output, SETTINGS, stated, trained="jobs")


def _windows(
    output: Path, data: Path | None, other_data: Path | None, threads: int, *, quiet: bool
) -> dict[str, Path]:
    """Window sets by cohort, made if they are not there yet."""
    from pacl.records.simulate import write_cohort
    from pacl.studies.inputs import cohort_name, other_name

    source = data or output / "cohort"
    if data is None and not source.exists():
        with progress("simulating patients", quiet=quiet) as advance:
            write_cohort(source, patients=PATIENTS, seed=0, threads=threads, track=advance)
    name = cohort_name(data) if data else "simulated"
    sources = {name: source}
    if other_data is not None:
        sources[other_name(other_data, (name,))] = other_data
    return {
        name: _cut(path, output / "windows" / name, threads, quiet=quiet)
        for name, path in sources.items()
    }


def _cut(source: Path, target: Path, threads: int, *, quiet: bool) -> Path:
    """All patients and rhythms in ms; nobody is divided yet."""
    from pacl.cohort import split_units
    from pacl.studies.inputs import as_windows
    from pacl.studies.weights.recipe import CUT, RULE
    from pacl.windows import WindowSet

    def undivided(strata: Mapping[str, str], patients: Mapping[str, str]) -> "Split":
        return split_units(strata, seed=0, counts=(1, 0, 0))

    with progress(f"preparing {source.name}", quiet=quiet) as advance:
        path = as_windows(
            source,
            target,
            protocol=RULE,
            divide=undivided,
            cut=CUT,
            threads=threads,
            track=advance,
        )
    if not WindowSet.open(path).in_ms:
        raise PaclError(f"{path}: its windows are scaled; prepare them with --protocol all-beats")
    return path
