"""`pacl prepare`: from recordings to a window set that is safe to learn from."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pacl.cli.config import PrepareSettings, settle
from pacl.cli.messages import print_left_out, say
from pacl.cli.options import InputPath, Output, Quiet, Threads, usable_threads
from pacl.cli.progress import progress
from pacl.cohort import Kind
from pacl.errors import PaclError
from pacl.records import ReadOptions, open_records
from pacl.rr import RRWindowSet, is_processed, prepare_processed
from pacl.rr import prepare as write_windows
from pacl.windows import Prepared, read_split


def prepare(
    source: InputPath,
    /,
    *,
    output: Output,
    config: InputPath | None = None,
    settings: Annotated[PrepareSettings | None, Parameter(name="*")] = None,
    read: Annotated[ReadOptions | None, Parameter(name="*")] = None,
    allow: tuple[Kind, ...] = (),
    skip_bad: bool = False,
    print_config: bool = False,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Cut recordings into windows that can be learned from without leaking a patient.

    Locates episodes, scales each patient by sinus rhythm alone, cuts windows, divides patients
    into train, validation and test, and audits the result. A set that would leak is not written.

    Parameters
    ----------
    source
        A folder of recordings: IRIDIA-AF, WFDB annotations, or plain RR text files; or the authors'
        processed windows (.h5).
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
    threads
        Number of CPU cores to use. [default: all of them]
    """
    chosen = settle(PrepareSettings, config, settings)
    if print_config:
        print(chosen.model_dump_json(indent=1))
        return
    import pyarrow  # noqa: F401 - where it is missing, fail before hours of reading

    if chosen.split.file is not None:
        read_split(chosen.split.file)  # as well

    output = output.resolve()
    if is_processed(source):
        made = _processed(source, output, config is not None or settings is not None, read, allow)
    else:
        reader = open_records(source, read)
        print_left_out(reader)
        with progress("preparing", quiet=quiet) as advance:
            made = write_windows(
                reader,
                output,
                protocol=chosen.rule(),
                divide=chosen.divide,
                cut=chosen.cut(),
                allow=allow,
                skip_bad=skip_bad,
                read_as=chosen_options(read),
                threads=usable_threads(threads),
                track=advance,
            )
    for finding in made.findings:
        say(finding)
    say(f"{output}: {made.windows:,} windows of {made.subjects} patients, {made.records} records")
    for part, counts in sorted(RRWindowSet.open(output).count().items()):
        print(f"  {part:<11}{counts['SR']:>9,} SR {counts['AF']:>9,} AF")


def chosen_options(read: ReadOptions | None) -> dict[str, str]:
    """Reading options that were given, for the manifest."""
    given = read or ReadOptions()
    return {
        field.name: str(getattr(given, field.name))
        for field in fields(given)
        if getattr(given, field.name) != field.default
    }


def _processed(
    source: Path,
    output: Path,
    has_settings: bool,
    read: ReadOptions | None,
    allow: tuple[Kind, ...],
) -> Prepared:
    """The authors' windows: cut, scaled and divided already, so there is nothing to set."""
    metadata = read.metadata if read else None
    if has_settings or (read or ReadOptions()) != ReadOptions(metadata=metadata):
        raise PaclError(
            f"{source}: processed windows are cut, scaled and divided already; "
            "give no settings but --metadata and --allow"
        )
    return prepare_processed(source, output, metadata=metadata, allow=allow)
