"""The score of early stopping for many runs at once, all of it on the device (2.4, App. B)."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.evaluation.score import ProbeScore
from pacl.evaluation.stacked_probe import fit_probes, measure_aurocs
from pacl.models.stacked import pool_stacked
from pacl.windows.tensors import WindowTensors

BATCH = 2048
PLACES = 2**28
"""How many embedded values of all runs a device holds at once, at 8 bytes."""


class StackedProbeScore:
    """What `ProbeScore` finds for each run; runs on the same windows are judged together."""

    def __init__(self, scores: Sequence[ProbeScore]) -> None:
        self.scores = list(scores)

    def __call__(
        self, config: Mapping[str, Any], weights: Mapping[str, Tensor], runs: Sequence[int]
    ) -> list[float]:
        """Judge the encoders whose weights are stacked; `runs` says which run each row is."""
        groups: dict[tuple[int, int], list[int]] = {}
        for row, run in enumerate(runs):
            score = self.scores[run]
            groups.setdefault((id(score.train), id(score.validation)), []).append(row)
        found = [0.0] * len(runs)
        for rows in groups.values():
            score = self.scores[runs[rows[0]]]
            room = PLACES // (len(score.train) * config["pooled_features"])
            for some in torch.split(torch.tensor(rows), max(1, room)):
                chosen = {name: value[some.to(value.device)] for name, value in weights.items()}
                for row, auroc in zip(some.tolist(), _judge(score, config, chosen), strict=True):
                    found[row] = auroc
        return found


def _judge(
    score: ProbeScore, config: Mapping[str, Any], weights: Mapping[str, Tensor]
) -> list[float]:
    probes = fit_probes(_embed(config, weights, score.train.tensors), score.train.labels)
    unseen = _embed(config, weights, score.validation.tensors)
    return measure_aurocs(score.validation.labels, probes.logit(unseen))


@torch.no_grad()
def _embed(
    config: Mapping[str, Any], weights: Mapping[str, Tensor], tensors: WindowTensors
) -> Float[Tensor, "run window feature"]:
    every = torch.arange(len(tensors), device=tensors.start.device)
    like = next(iter(weights.values()))
    parts = [
        pool_stacked(config, weights, tensors.take(rows).to(like.dtype))
        for rows in torch.split(every, BATCH)
    ]
    return torch.cat(parts, dim=1)
