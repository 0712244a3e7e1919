"""`pacl simulate`: a cohort of simulated patients, in IRIDIA-AF's layout or as text."""

from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from pacl.cli.messages import say
from pacl.cli.options import Output, Quiet, Threads, usable_threads
from pacl.cli.progress import progress


def simulate(
    output: Output,
    *,
    patients: Annotated[int, Parameter(validator=Number(gte=1, lte=1_000_000))] = 32,
    seed: Annotated[int, Parameter(validator=Number(gte=0, lt=2**63))] = 0,
    layout: Literal["iridia", "text"] = "iridia",
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Write a cohort of simulated patients.

    The recordings are laid out like IRIDIA-AF, with its peculiarities, and can be read, prepared
    and trained on like it. The true cause of each interval is written beside them. With --layout
    text, each recording is one CSV file with the rhythm of each beat.

    Parameters
    ----------
    output
        Folder to make; it must not exist yet or be empty.
    patients
        Number of patients; some have several records.
    seed
        Same seed, same cohort, to the byte.
    layout
        iridia, as IRIDIA-AF (HDF5), or text.

    Examples
    --------
    $ pacl simulate cohort
    $ pacl simulate cohort --patients 100 --seed 7
    $ pacl simulate nights --layout text --patients 3
    """
    from pacl.records.simulate import write_cohort

    with progress("simulating", quiet=quiet) as advance:
        made = write_cohort(
            output,
            patients=patients,
            seed=seed,
            layout=layout,
            threads=usable_threads(threads),
            track=advance,
        )
    say(
        f"{output}: {made.patients} patients, {made.records} records, {made.beats:,} beats, "
        f"{made.hours:,.0f} h"
    )
