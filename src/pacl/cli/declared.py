"""What a `cohort.toml` did to recordings, said to the person in one line."""

from collections.abc import Sequence

from pacl.cli.counted import counted
from pacl.cli.printable import say
from pacl.records import DeclaredReader, Overview, Reader, ReadOptions


def print_declared(reader: Reader, rows: Sequence[Overview], read: ReadOptions | None) -> None:
    """Say that a manifest was applied, and what it did to these recordings.

    Parameters
    ----------
    reader
        The recordings.
    rows
        Those that were read.
    read
        How they were to be read.
    """
    if not isinstance(reader, DeclaredReader):
        return
    manifest = reader.manifest
    done = [manifest.name] if manifest.name else []
    if manifest.unmarked is not None:
        those = counted(len(reader.filled), "record")
        done.append(f"{those} without rhythm marks read as {manifest.unmarked.name}")
    if manifest.patient or manifest.patients:
        if read is not None and read.patients is not None:
            done.append("patients as --patients says, not as the manifest does")
        else:
            patients = len({row.patient_id for row in rows})
            done.append(f"{counted(len(rows), 'record')} of {counted(patients, 'patient')}")
    if not manifest.as_read():
        done.append("it changes neither rhythms nor patients")
    say(f"{manifest.path}: {', '.join(done)}")
