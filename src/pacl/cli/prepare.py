"""`pacl prepare`: from recordings to a window set that is safe to learn from."""

import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from cyclopts import Parameter

from pacl.cli.array_settings import AllPrepareSettings, are_arrays, check_given
from pacl.cli.config import as_text, settle, stated_in
from pacl.cli.flags import Given, flags_of
from pacl.cli.messages import print_left_out, say
from pacl.cli.options import READING, InputPath, Output, Quiet, Threads, usable_threads
from pacl.cli.progress import progress
from pacl.cli.tables import WorkerOptions
from pacl.cohort import Kind
from pacl.errors import PaclError
from pacl.records import ReadOptions, address_of, local_path, open_records, shown_path
from pacl.rr import RRWindowSet, is_processed, prepare_processed
from pacl.rr import prepare as write_windows
from pacl.window_sets import open_windows
from pacl.windows import Prepared, WindowKind, prepare_arrays, read_split

if TYPE_CHECKING:
    Flags = Given
    Fault = Kind | WindowKind
else:
    Flags = flags_of(AllPrepareSettings)
    Fault = Literal[tuple(dict.fromkeys((*get_args(Kind), *get_args(WindowKind))))]  # each once


def prepare(
    source: InputPath,
    /,
    *,
    output: Output,
    config: InputPath | None = None,
    settings: Annotated[Flags | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*", group=READING)] = None,
    allow: tuple[Fault, ...] = (),
    skip_bad: bool = False,
    print_config: bool = False,
    threads: Threads = None,
    who: Annotated[WorkerOptions | None, Parameter(name="*")] = None,
    quiet: Quiet = False,
) -> None:
    """Cut recordings into windows that can be learned from without leaking a patient.

    Locates episodes, scales each patient by sinus rhythm alone, cuts windows, divides patients
    into train, validation and test, and audits the result. A set that would leak is not written.
    From arrays (.npz, or --layout arrays) it cuts signals of any kind that have a label for each
    sample, by the settings of arrays.

    With --workers or --scheduler, recordings are cut by other processes and kept in parts beside
    the output until it is complete: killed and started again, the command goes on where it was. The
    windows are the same.

    Parameters
    ----------
    source
        A folder of recordings, here or at an address such as s3://hospital/holter: IRIDIA-AF, WFDB
        annotations, or plain RR text files; the authors' processed windows (.h5); or arrays (.npz),
        a file or a folder with --layout arrays.
    output
        Folder to write the windows to; it must not exist yet or be empty.
    config
        TOML file with settings; flags override it.
    allow
        Write the set although the audit found this kind of leak or fault; the set stays marked as
        unsafe. Can be given several times.
    skip_bad
        List recordings that cannot be read in the manifest, and continue.
    print_config
        Print the settings as they would be used, as JSON, and stop; needs no --output.

    Examples
    --------
    $ pacl prepare iridia-af/ -o windows
    $ pacl prepare ltafdb/ -o windows --protocol pooled
    $ pacl prepare ltafdb/ -o fold0 --protocol pooled --split.folds 5
    $ pacl prepare emg.npz -o windows --arrays.length 200 --arrays.scale all
    """
    chosen = settle(AllPrepareSettings, config, settings)
    if print_config:
        print(as_text(chosen))
        return
    import pyarrow  # noqa: F401 - where it is missing, fail before hours of reading

    if chosen.split.file is not None:
        read_split(chosen.split.file)  # as well

    output = output.resolve()
    source = local_path(source)
    if address_of(source) and (are_arrays(source, read) or is_processed(source)):
        raise PaclError(
            f"{shown_path(source)}: arrays and processed windows are read from this machine; copy "
            "them here"
        )
    check_given(source, stated_in(config, settings), read)
    who = who or WorkerOptions()
    if who.given and (are_arrays(source, read) or is_processed(source)):
        raise PaclError("--workers and --scheduler are for recordings: leave them out")
    if are_arrays(source, read):
        with progress("preparing", quiet=quiet) as advance:
            made = prepare_arrays(
                source,
                output,
                keys=chosen.arrays.keys(),
                cut=chosen.arrays.cut(),
                scale=chosen.arrays.scaling(),
                divide=chosen.divide,
                allow=allow,
                track=advance,
            )
    elif is_processed(source):
        made = _processed(source, output, config is not None or settings is not None, read, allow)
    else:
        reader = open_records(source, read)
        print_left_out(reader)
        cut_all, parts = None, None
        with ExitStack() as opened:
            advance = opened.enter_context(progress("preparing", quiet=quiet))
            if who.given:
                from pacl.cohort_tables import cut_by_workers

                parts = output.with_name(f".{output.name}.parts")
                workers = opened.enter_context(who.open())
                cut_all = cut_by_workers(parts, source, read, workers, advance=advance)
            made = write_windows(
                reader,
                output,
                protocol=chosen.rule(),
                divide=chosen.divide,
                cut=chosen.window,
                allow=allow,
                skip_bad=skip_bad,
                read_as=chosen_options(read),
                threads=usable_threads(threads),
                cut_all=cut_all,
                track=advance,
            )
        if parts is not None:
            shutil.rmtree(parts)
    for finding in made.findings:
        say(finding)
    found, whom = open_windows(output), "patients"
    if are_arrays(source, read):
        _say_how_arrays_were_read(found.manifest)
        whom = "subjects"
    _say_what_was_dropped(found.manifest["dropped"])
    say(f"{output}: {made.windows:,} windows of {made.subjects} {whom}, {made.records} records")
    for part, counts in sorted(found.count().items()):
        print(f"  {part:<11}" + " ".join(f"{count:>9,} {name}" for name, count in counts.items()))
    if isinstance(found, RRWindowSet) and _patients_are_records(found):
        print("  each recording counts as a patient; --patients FILE names those of one person")


def _patients_are_records(windows: RRWindowSet) -> bool:
    return windows.table.patient.present() == windows.table.record.present()


def chosen_options(read: ReadOptions | None) -> dict[str, str]:
    """Reading options that were given, for the manifest."""
    given = read or ReadOptions()
    return {
        field.name: str(getattr(given, field.name))
        for field in fields(given)
        if getattr(given, field.name) != field.default
    }


def _say_how_arrays_were_read(manifest: Mapping[str, Any]) -> None:
    """Which arrays were taken, and what was left out and why."""
    taken = {key: value for key, value in manifest["read_as"].items() if value}
    stated = (
        f"{key} {', '.join([value] if isinstance(value, str) else value)}"
        for key, value in taken.items()
    )
    say(f"read as: {'; '.join(stated)}")
    for one in manifest["left_out"]:
        say(f"left out: {one['name']}: {one['why']}")


def _say_what_was_dropped(dropped: Mapping[str, int]) -> None:
    for why, count in dropped.items():
        if count:
            say(f"dropped: {why}: {count:,}")


def _processed(
    source: Path,
    output: Path,
    has_settings: bool,
    read: ReadOptions | None,
    allow: tuple[str, ...],
) -> Prepared:
    """The authors' windows: cut, scaled and divided already, so there is nothing to set."""
    metadata = read.metadata if read else None
    if has_settings or (read or ReadOptions()) != ReadOptions(metadata=metadata):
        raise PaclError(
            f"{source}: processed windows are cut, scaled and divided already; "
            "give no settings but --metadata and --allow"
        )
    return prepare_processed(source, output, metadata=metadata, allow=allow)
