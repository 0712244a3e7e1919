"""Runs whose predictions and embeddings a test has chosen, on ten patients or on two."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from pacl.evaluation import Predictions
from pacl.studies import RunFolder
from pacl.studies.external_evaluation import evaluate_external
from support.small_runs import copied, place, small_run, small_windows

TEN = "ten"
"""The evaluation on ten patients; `test` is on two."""


def judged_run() -> RunFolder:
    """A small run that was judged on ten other patients, too; not to be changed."""
    path = place() / "judged-elsewhere"
    if not path.exists():
        evaluate_external(
            copied(small_run(), path), small_windows(4), name=TEN, device=torch.device("cpu")
        )
    return RunFolder.open(path)


def planted_run(
    path: Path,
    *,
    loss: str = "patient-aware",
    seed: int = 1,
    wrong: float = 0.2,
    noise: int = 0,
    perfect: bool = False,
    collapsed: bool = False,
) -> RunFolder:
    """A run that takes a share of every patient's windows for the other rhythm."""
    run = copied(judged_run(), path)
    plan = run.plan.to_dict() | {"loss": loss, "seed": seed}
    (path / "config.json").write_text(json.dumps({**run.config, "plan": plan}))
    generator = np.random.default_rng(noise)
    for place_in_run, name in (("test", "test"), (f"on/{TEN}", TEN)):
        found = run.evaluated(name)
        labels = found.embeddings.labels
        taken = np.where(
            generator.random(labels.size) < (0 if perfect else wrong), 1 - labels, labels
        )
        jitter = np.zeros(labels.size) if perfect else generator.normal(0, 0.02, labels.size)
        probability = np.clip(0.1 + 0.8 * taken + jitter, 0, 1)
        embeddings = found.embeddings
        if collapsed:
            point = np.zeros_like(embeddings.pooled)
            point[:, 0] = 1
            embeddings = replace(embeddings, pooled=point, projected=point.copy())
        run.write_evaluated(
            place_in_run, Predictions.embedded_with(probability, embeddings), run.origin_of(name)
        )
    if collapsed:
        epochs = [one | {"pooled_spread": 0.0, "projected_spread": 0.0} for one in run.history()]
        run.write_history(epochs)
    return RunFolder.open(path)
