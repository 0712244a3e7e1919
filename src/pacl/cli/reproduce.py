"""`pacl reproduce`: the paper's whole study, and a report that says what holds."""

import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from pydantic import ValidationError

from pacl.atomic_write import check_new
from pacl.cli.config import ConfigError, PrepareSettings, settle
from pacl.cli.messages import say
from pacl.cli.options import Device, InputPath, Output, Quiet, Threads, usable_threads
from pacl.cli.progress import progress
from pacl.cli.reproduce_settings import ReproduceSettings
from pacl.errors import PaclError
from pacl.printable import printable
from pacl.records import ReadOptions

if TYPE_CHECKING:
    from pacl.cohort import Split
    from pacl.studies.claims import Claim

SETTINGS = "reproduce.json"
MADE = ("cohort", "windows", "folds", "elsewhere")
"""Folders that a study makes before its runs."""


def reproduce(
    *,
    output: Output,
    data: InputPath | None = None,
    test_data: tuple[InputPath, ...] = (),
    tuned: tuple[InputPath, ...] = (),
    config: InputPath | None = None,
    settings: Annotated[ReproduceSettings | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
    print_config: bool = False,
    device: Device = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Run the paper's study: train every loss with every seed, judge them, and write a report.

    If it is interrupted, the same command continues. Test patients are used once, after a run is
    trained. Without data, patients are simulated. Windows are cut by the paper's rule from
    IRIDIA-AF, and from all SR and AF (pooled) of any other recordings, unless a protocol is named.

    Parameters
    ----------
    output
        Folder of the study; new, or that of the same study.
    data
        Recordings to learn from and test on (IRIDIA-AF, WFDB, text), or a window set of pacl
        prepare. [default: simulated patients]
    test_data
        Another cohort, on all of whose patients every run is judged. Can be given several times.
    tuned
        Settings of one loss, as pacl tune writes them (best.toml); flags override them. Can be
        given several times.
    config
        TOML file with settings; flags override it.
    print_config
        Print the settings as they would be used, as JSON, and stop; needs no --output.
    device
        Where to compute: cpu, cuda, or auto, which is a GPU where there is one.
    threads
        How many CPU cores to use; without a GPU, so many runs are trained at once.
        [default: all of them]
    quiet
        Show no progress.
    """
    try:
        chosen = settle(ReproduceSettings, config, settings)
    except ConfigError as error:
        if "  loss: " in str(error):
            raise ConfigError(f"{config}: settings of one loss; give them with --tuned") from error
        raise
    if print_config:
        print(chosen.model_dump_json(indent=1))
        return
    given = (*([data] if data else []), *test_data)
    for path in given:
        if not path.exists():
            raise PaclError(f"{path}: there is no such folder")
    if output.is_file():
        raise PaclError(f"{output}: it is a file; name a folder for the study")
    from pacl.cli.study_progress import study_progress
    from pacl.report.study import write_report
    from pacl.studies.inputs import cohort_name, other_name
    from pacl.studies.lock import sole_worker
    from pacl.studies.provenance import usable_device
    from pacl.studies.reproduce import run_study

    usable_device(device)
    study = chosen.study(tuned, settings)
    _check_unused(chosen.prepare, data, test_data)
    title = cohort_name(data) if data else "simulated patients"
    names: dict[str, Path] = {}
    for path in test_data:
        if data is not None and path.resolve() == data.resolve():
            raise PaclError(f"{path}: it is the data to learn from; give another cohort")
        names[other_name(path, (title, *names))] = path
    with sole_worker(output):
        _begin(output, chosen, data, read, given)
        cores = usable_threads(threads)
        windows = _windows(data, output, chosen, read, threads=cores, quiet=quiet)
        others = {
            name: _other(path, output / "elsewhere" / name, windows, chosen, read, cores, quiet)
            for name, path in names.items()
        }

        runs = len(chosen.losses) * len(chosen.seeds) * max(chosen.folds, 1)
        try:
            with study_progress(runs, quiet=quiet) as shown:
                outcomes = run_study(
                    windows,
                    output,
                    study,
                    elsewhere=others,
                    title=title,
                    device=device,
                    processes=cores,
                    tell=shown.tell,
                    judged=shown.judged,
                    judged_elsewhere=shown.elsewhere,
                )
        except KeyboardInterrupt:
            kept = f"{output}: what is done is kept, the same command continues"
            print(printable(kept), file=sys.stderr)
            raise
        with progress("writing the report", quiet=quiet) as advance:
            command = f"pacl {shlex.join(sys.argv[1:])}"
            report = write_report(outcomes, output, windows=windows, command=command, track=advance)
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


def _begin(
    output: Path,
    chosen: ReproduceSettings,
    data: Path | None,
    read: ReadOptions | None,
    given: Sequence[Path],
) -> None:
    """Keep the settings, or see that the study there had the same; others if no run was begun."""
    from pacl.atomic_write import atomic_write
    from pacl.stored import read_json
    from pacl.studies.errors import RunError

    stated = {
        "data": str(data.resolve()) if data else "simulated patients",
        "settings": chosen.model_dump(mode="json"),
        "read": {key: str(value) for key, value in asdict(read or ReadOptions()).items()},
    }
    path = output / SETTINGS
    if not path.exists():
        check_new(output)
        output.mkdir(parents=True, exist_ok=True)
    else:
        there = read_json(
            path, dict[str, Any], lambda file, what: RunError(file, what, "name another folder")
        )
        if _as_of_now(there) == stated:
            return
        if any((output / "runs").glob("*")):
            raise RunError(
                output,
                f"a study with other settings or other data was begun here (see {path})",
                "give the same settings to go on with it, or another folder",
            )
        _clear(output, given)
    atomic_write(path, (json.dumps(stated, indent=1) + "\n").encode())


def _as_of_now(there: Any) -> Any:
    """What was kept as it would be kept today: settings that are newer have their defaults."""
    try:
        settings = ReproduceSettings.model_validate(there["settings"])
    except (ValidationError, TypeError, KeyError):
        return there
    return there | {"settings": settings.model_dump(mode="json")}


def _clear(output: Path, given: Sequence[Path]) -> None:
    """Remove what was made for a study that was refused before anything was trained."""
    for path in given:
        if path.resolve().is_relative_to(output.resolve()):
            raise PaclError(
                f"{path}: it is in {output}, where another study was begun; name another output"
            )
    for made in MADE:
        shutil.rmtree(output / made, ignore_errors=True)
    (output / "study.json").unlink(missing_ok=True)


def _windows(
    data: Path | None,
    output: Path,
    chosen: ReproduceSettings,
    read: ReadOptions | None,
    *,
    threads: int,
    quiet: bool,
) -> Path:
    """The window set to learn from, made if it is not there yet."""
    from pacl.records.simulate import write_cohort
    from pacl.studies.inputs import as_windows

    source = data or output / "cohort"
    if data is None and not source.exists():
        with progress("simulating patients", quiet=quiet) as advance:
            write_cohort(
                source,
                patients=chosen.simulate.patients,
                seed=chosen.simulate.seed,
                threads=threads,
                track=advance,
            )
    with progress("preparing", quiet=quiet) as advance:
        return as_windows(
            source,
            output / "windows",
            protocol=chosen.prepare.rule() if _says_protocol(chosen) else None,
            divide=chosen.prepare.divide,
            cut=chosen.prepare.cut(),
            read=read if data else None,
            threads=threads,
            track=advance,
        )


def _other(
    source: Path,
    target: Path,
    windows: Path,
    chosen: ReproduceSettings,
    read: ReadOptions | None,
    threads: int,
    quiet: bool,
) -> Path:
    """The window set of another cohort, all of it for testing, cut as the first one is."""
    from pacl.cohort import split_units
    from pacl.studies.inputs import as_windows, cut_like

    def everybody(strata: Mapping[str, str], patients: Mapping[str, str]) -> "Split":
        return split_units(strata, seed=0, counts=(0, 0, 1))

    with progress(f"preparing {source.name}", quiet=quiet) as advance:
        return as_windows(
            source,
            target,
            protocol=chosen.prepare.rule() if _says_protocol(chosen) else None,
            divide=everybody,
            cut=cut_like(windows),
            read=read,
            threads=threads,
            track=advance,
        )


def _says_protocol(chosen: ReproduceSettings) -> bool:
    return bool({"protocol", "episodes", "pooled"} & chosen.prepare.model_fields_set)


def _check_unused(prepare: PrepareSettings, data: Path | None, others: tuple[Path, ...]) -> None:
    """Refuse settings for cutting windows where all are cut already."""
    from pacl.studies.inputs import is_window_set

    if data is None or prepare == PrepareSettings():
        return
    if all(is_window_set(path) for path in (data, *others)):
        raise ConfigError(
            f"{data}: it is a window set, cut and divided already; "
            "give no prepare settings, or give the recordings"
        )
