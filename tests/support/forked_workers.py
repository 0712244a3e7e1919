"""Workers of a search that start at once: copies of a process that has imported all they need."""

import multiprocessing
import os
import sys

from support.small_runs import flags
from support.tuning_workers import SHORT

IMPORTED = [
    "matplotlib.pyplot",
    "optuna",
    "pacl.cli.tune",
    "pacl.report",
    "pacl.studies.tuning.search",
    "pacl.studies.tuning.storage",
    "psycopg",
    "support.forked_workers",
]


def work(argv, said):
    """`pacl tune` in a copy; what it says goes into a file."""
    from pacl.cli import main
    from pacl.studies.tuning import search, signs

    for name, value in SHORT.items():
        setattr(signs, name, value)
    search.LOOK_LATER_S = 0.2
    sys.stdout = sys.stderr = said.open("w")
    sys.argv = ["pacl", *argv]
    try:
        main()
    finally:
        sys.stdout.flush()


class ForkedWorker:
    """A worker with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, windows, folder, url, *argv, epochs):
        os.environ["OMP_NUM_THREADS"] = "1"
        copies = multiprocessing.get_context("forkserver")
        copies.set_forkserver_preload(IMPORTED)
        command = ["tune", windows, "-o", folder, f"--storage={url}", *flags(epochs=epochs), *argv]
        self.folder, self.said = folder, folder.with_suffix(".txt")
        self.process = copies.Process(target=work, args=([*map(str, command)], self.said))
        self.process.start()

    @property
    def pid(self):
        return self.process.pid

    def poll(self):
        return self.process.exitcode

    def kill(self):
        self.process.kill()

    def communicate(self, timeout=None):
        self.process.join(timeout)
        return self.said.read_text() if self.said.exists() else ""
