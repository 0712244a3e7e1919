"""Train the encoders that `adaptation_spaces.py` compares; wants a GPU, 24 runs in three minutes.

    python benchmarks/adaptation_spaces_encoders.py LTAFDB AFDB RUNS

Each is trained on all patients of one database: three losses by the recipe of `af-rr200`, and the
paper's loss on windows scaled by Eq. 4.
"""

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from adaptation_spaces import LOSSES, SEEDS

from pacl.cohort import PooledProtocol
from pacl.records import open_records
from pacl.rr import prepare
from pacl.settings import NoAugmentation
from pacl.studies.gpus import Job
from pacl.studies.inputs import all_in
from pacl.studies.scheduler import train_runs
from pacl.studies.weights import RECIPE
from pacl.studies.weights.recipe import CUT, RULE


def main() -> None:
    """Cut windows, and train all runs."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("data", type=Path, nargs=2)
    options.add_argument("runs", type=Path)
    given = options.parse_args()
    scaled = replace(
        RECIPE, encoder=replace(RECIPE.encoder, view="bent"), augmentation=NoAugmentation()
    )
    with tempfile.TemporaryDirectory() as folder:
        jobs = {}
        for path in given.data:
            windows = {
                kind: prepare(
                    open_records(path),
                    Path(folder) / f"{path.name}-{kind}",
                    protocol=protocol,
                    divide=all_in("train"),
                    cut=CUT,
                ).path
                for kind, protocol in (("relative", RULE), ("scaled", PooledProtocol()))
            }
            for seed in SEEDS:
                for loss in LOSSES:
                    plan = replace(RECIPE, loss=loss, seed=seed)
                    jobs[f"{path.name}-{loss}-{seed}"] = Job(windows["relative"], plan)
                plan = replace(scaled, seed=seed)
                jobs[f"{path.name}-scaled-{seed}"] = Job(windows["scaled"], plan)
        train_runs(jobs, given.runs)


if __name__ == "__main__":
    main()
