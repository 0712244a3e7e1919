"""The linear probe of several runs at once, on the device their embeddings are on (2.4, 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad, softplus

from pacl.axes import Float, Float64, Int
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.probe import TOLERANCE, ProbeScore
from pacl.models import pool_stacked
from pacl.windows import WindowTensors

MAX_STEPS = 100
HALVINGS = 30
PIECE = 1024
BATCH = 2048
PLACES = 2**28
"""How many embedded values of all runs a device holds at once, at 8 bytes."""


@dataclass(frozen=True, eq=False, slots=True)
class StackedProbe:
    """One probe of two classes per run; see `Probe`."""

    weight: Float64[Tensor, "run feature"]
    bias: Float64[Tensor, "run"]

    def logit(self, pooled: Float[Tensor, "run window feature"]) -> Float64[Tensor, "run window"]:
        """Logarithm of the odds of the second class."""
        return torch.baddbmm(
            self.bias[:, None, None], pooled.double(), self.weight[:, :, None]
        ).squeeze(2)


def fit_probes(
    pooled: Float[Tensor, "run window feature"], labels: Int[Tensor, "window"], *, c: float = 1.0
) -> StackedProbe:
    """Fit a logistic regression for each run by Newton's method, in double precision.

    The same problem as `fit_probe` solves: half the squared length of the weights, the bias free,
    plus `c` times the logistic loss; to the same tolerance.
    """
    problem = _Problem.of(pooled, labels, c)
    weight = torch.zeros(pooled.shape[::2], dtype=torch.float64, device=pooled.device)
    bias = torch.zeros_like(weight[:, 0])
    logit = torch.zeros_like(problem.features[:, :, 0])
    cost = problem.cost(logit, weight)
    for _ in range(MAX_STEPS):
        probability = logit.sigmoid()
        slope = problem.slope(probability, weight)
        there = slope.abs().amax(1) <= TOLERANCE * c * len(labels)
        if bool(there.all()):
            return StackedProbe(weight, bias)
        step = torch.linalg.solve(problem.curvature(probability), slope)
        along = torch.bmm(problem.features, step[:, :-1, None]).squeeze(2) + step[:, -1:]
        # Along a line the logits change linearly: half a step costs no product.
        # Runs that have converged do not move, so that no probe depends on the other runs.
        size = (~there).to(cost.dtype)
        for _ in range(HALVINGS):
            tried = weight - size[:, None] * step[:, :-1]
            now = problem.cost(logit - size[:, None] * along, tried)
            # Near the optimum, rounding may make a good step look slightly uphill.
            uphill = now > cost + 1e-12 * cost.abs()
            if not bool(uphill.any()):
                break
            size = torch.where(uphill, size / 2, size)
        weight, bias = tried, bias - size * step[:, -1]
        logit, cost = logit - size[:, None] * along, now
    if wrong := (~pooled.isfinite().flatten(1).all(1)).nonzero().flatten().tolist():
        raise EvaluationError(
            f"pooled features of {len(wrong)} of {len(pooled)} runs are not finite, the first is "
            f"row {wrong[0]}; the encoder has diverged or was given such windows"
        )
    raise EvaluationError(
        f"a probe found no optimum within {MAX_STEPS} steps on {len(labels)} windows with c = {c}; "
        "lower c"
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Problem:
    """The loss to be minimised and its derivatives, weights first and the bias last.

    Windows are padded to full pieces, whose sums keep a GPU busy; `c` is 0 for the padding.
    """

    pooled: Float[Tensor, "run window feature"]
    features: Float64[Tensor, "run window feature"]
    target: Float64[Tensor, "window"]
    c: Float64[Tensor, "window"]

    @classmethod
    def of(
        cls, pooled: Float[Tensor, "run window feature"], labels: Int[Tensor, "window"], c: float
    ) -> "_Problem":
        missing = -len(labels) % PIECE
        padded = pad(pooled, (0, 0, 0, missing))
        return cls(
            padded,
            padded.double(),
            pad(labels.double(), (0, missing)),
            pad(torch.full_like(labels, c, dtype=torch.float64), (0, missing)),
        )

    def cost(
        self, logit: Float64[Tensor, "run window"], weight: Float64[Tensor, "run feature"]
    ) -> Float64[Tensor, "run"]:
        loss = softplus(logit) - self.target * logit
        return (self.c * loss).sum(1) + weight.square().sum(1) / 2

    def slope(
        self, probability: Float64[Tensor, "run window"], weight: Float64[Tensor, "run feature"]
    ) -> Float64[Tensor, "run row"]:
        residual = self.c * (probability - self.target)
        for_weight = _by_pieces(residual[:, :, None], self.features).squeeze(1) + weight
        return torch.cat([for_weight, residual.sum(1, keepdim=True)], dim=1)

    def curvature(
        self, probability: Float64[Tensor, "run window"]
    ) -> Float64[Tensor, "run row row"]:
        """Second derivatives.

        The large product is in the precision of the embeddings: it affects the speed, not the
        optimum.
        """
        bend = self.c * probability * (1 - probability)
        bent = self.pooled * bend[:, :, None].to(self.pooled.dtype)
        size = self.pooled.shape[2]
        found = bend.new_zeros(len(bend), size + 1, size + 1)
        found[:, :-1, :-1] = _by_pieces(bent, self.pooled)
        found[:, :-1, :-1].diagonal(dim1=1, dim2=2).add_(1)
        found[:, -1, :-1] = found[:, :-1, -1] = bent.sum(1, dtype=torch.float64)
        found[:, -1, -1] = bend.sum(1)
        return found


def _by_pieces(
    left: Float[Tensor, "run window a"], right: Float[Tensor, "run window b"]
) -> Float[Tensor, "run a b"]:
    """The product over windows of each run, as a sum of products over pieces."""
    pieces = [side.reshape(-1, PIECE, side.shape[2]) for side in (left, right)]
    product = torch.bmm(pieces[0].transpose(1, 2), pieces[1])
    return product.view(len(left), -1, *product.shape[1:]).sum(1)


def measure_aurocs(
    labels: Int[Tensor, "window"], score: Float[Tensor, "run window"]
) -> list[float]:
    """The area under the ROC curve of each run, as `measure_auroc` counts it."""
    low, high = score[:, labels == 0].sort(dim=1).values, score[:, labels == 1].contiguous()
    below = torch.searchsorted(low, high, side="left").sum(1)
    below_or_tied = torch.searchsorted(low, high, side="right").sum(1)
    pairs = 2 * low.shape[1] * high.shape[1]
    return [int(count) / pairs for count in (below + below_or_tied).tolist()]


class StackedProbeScore:
    """`ProbeScore` of each run; runs on the same windows are scored together.

    Windows are embedded together. Probes of two classes are fitted together on the device, those of
    more classes one after the other (`fit_probe`).
    """

    def __init__(self, scores: Sequence[ProbeScore]) -> None:
        self.scores = list(scores)

    def __call__(
        self, config: Mapping[str, Any], weights: Mapping[str, Tensor], runs: Sequence[int]
    ) -> list[float]:
        """Score the encoders whose weights are stacked; `runs` is the run of each row."""
        groups: dict[tuple[int, int], list[int]] = {}
        for row, run in enumerate(runs):
            score = self.scores[run]
            groups.setdefault((id(score.train), id(score.validation)), []).append(row)
        found = [0.0] * len(runs)
        for rows in groups.values():
            score = self.scores[runs[rows[0]]]
            most = max(len(score.train), len(score.validation))
            at_once = PLACES // (most * config["pooled_features"])
            for some in torch.split(torch.tensor(rows), max(1, at_once)):
                chosen = {name: value[some.to(value.device)] for name, value in weights.items()}
                for row, auroc in zip(some.tolist(), _aurocs(score, config, chosen), strict=True):
                    found[row] = auroc
        return found


def _aurocs(
    score: ProbeScore, config: Mapping[str, Any], weights: Mapping[str, Tensor]
) -> list[float]:
    known = _embed(config, weights, score.train.tensors)
    unseen = _embed(config, weights, score.validation.tensors)
    if int(score.train.labels.max()) > 1:
        pairs = zip(known.cpu().numpy(), unseen.cpu().numpy(), strict=True)
        return [score.of_embedded(*both) for both in pairs]
    probes = fit_probes(known, score.train.labels, c=score.c)
    return measure_aurocs(score.validation.labels, probes.logit(unseen))


@torch.no_grad()
def _embed(
    config: Mapping[str, Any], weights: Mapping[str, Tensor], tensors: WindowTensors
) -> Float[Tensor, "run window feature"]:
    every = torch.arange(len(tensors), device=tensors.device)
    like = next(iter(weights.values()))
    parts = [
        pool_stacked(config, weights, tensors.take(rows).to(like.dtype))
        for rows in torch.split(every, BATCH)
    ]
    return torch.cat(parts, dim=1)
