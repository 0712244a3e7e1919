"""Workers of a search that start at once."""

import sys

from support.forked import Forked
from support.small_runs import flags
from support.tuning_workers import SHORT


def forked_worker(windows, folder, url, *argv, epochs):
    """`pacl tune` in a copy of a process; what it says goes into a file beside its folder."""
    command = ["tune", windows, "-o", folder, f"--storage={url}", *flags(epochs=epochs), *argv]
    return Forked(folder.with_suffix(".txt"), work, [*map(str, command)])


def work(argv):
    """`pacl tune` with short times between signs of life."""
    from pacl.cli import main
    from pacl.studies.tuning import search, signs

    for name, value in SHORT.items():
        setattr(signs, name, value)
    search.LOOK_LATER_S = 0.2
    sys.argv = ["pacl", *argv]
    main()
