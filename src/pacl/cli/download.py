"""`pacl download`: fetch a public data set."""

from typing import Literal

from pacl.cli.messages import say
from pacl.cli.options import Output, Quiet
from pacl.cli.progress import file_progress


def download(
    dataset: Literal["iridia-af", "ltafdb", "afdb"],
    /,
    output: Output,
    *,
    quiet: Quiet = False,
) -> None:
    """Fetch IRIDIA-AF, LTAFDB or AFDB.

    Files that are there already are checked and kept; an interrupted download goes on where it
    stopped. Of LTAFDB and AFDB only annotations and headers are fetched, not the signals.

    Parameters
    ----------
    dataset
        iridia-af (10.5 GB, Zenodo), ltafdb or afdb (PhysioNet).
    output
        Folder to put it in.

    Examples
    --------
    $ pacl download afdb afdb
    $ pacl download iridia-af data/iridia-af
    """
    from pacl.records.download import download as fetch

    with file_progress(quiet=quiet) as track:
        done = fetch(dataset, output, track=track)
    say(
        f"{output}: {len(done.files)} files, {done.fetched} of them fetched now "
        f"({done.bytes_fetched / 2**20:.1f} MiB)"
    )
