"""The objectives of many runs at once: any mix of pair policies, forms and cross-entropy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from pacl.axes import Bool, Float, Int
from pacl.objectives.all_pairs import anchor_losses
from pacl.objectives.contrastive import SubjectContrastiveLoss
from pacl.objectives.cross_entropy import BinaryCrossEntropyLoss
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.objective import Objective
from pacl.objectives.pairs import PairWeights, pair_kinds
from pacl.objectives.temperature import tau_above

KINDS = ("log_sum", "mean_log", "bce")


@runtime_checkable
class Embedded(Protocol):
    """Output of an encoder, with a leading axis for the run."""

    @property
    def projected(self) -> Tensor:
        """Of unit length."""

    @property
    def pooled_raw(self) -> Tensor:
        """Before normalisation."""

    @property
    def projected_raw(self) -> Tensor:
        """Before normalisation."""


@dataclass(frozen=True, eq=False, slots=True)
class StackedObjective:
    """Settings of the objectives of runs."""

    kind: Int[Tensor, "run"]
    present: tuple[str, ...]
    positive: Float[Tensor, "run 5"]
    negative: Float[Tensor, "run 5"]
    floor: Float[Tensor, "run"]
    learnable: Bool[Tensor, "run"]
    on_pooled: Bool[Tensor, "run"]

    @classmethod
    def of(cls, objectives: Sequence[Objective]) -> "StackedObjective":
        """Describe the objectives of runs, in their order."""
        rows = [_describe(objective) for objective in objectives]
        like = next(objectives[0].parameters())
        columns = {}
        for name, values in zip(_Row._fields, zip(*rows, strict=True), strict=True):
            dtype = like.dtype if name in ("positive", "negative", "floor") else None
            columns[name] = torch.tensor(values, device=like.device, dtype=dtype)
        present = tuple(name for at, name in enumerate(KINDS) if any(r.kind == at for r in rows))
        return cls(present=present, **columns)

    def losses(
        self,
        weights: Mapping[str, Tensor],
        out: Embedded,
        labels: Int[Tensor, "run window"],
        subjects: Int[Tensor, "run window"],
    ) -> Float[Tensor, "run"]:
        """The loss of each run's batch."""
        found: dict[str, Tensor] = {}
        if {"log_sum", "mean_log"} & set(self.present):
            kinds = pair_kinds(labels, subjects).flatten(1)
            shape = (*labels.shape, labels.shape[1])
            pairs = PairWeights(
                *(table.gather(1, kinds).view(shape) for table in (self.positive, self.negative))
            )
            log_tau = weights["log_tau"]
            log_tau = torch.where(self.learnable, log_tau, log_tau.detach())
            tau = tau_above(self.floor.log(), log_tau)
            for form in ("log_sum", "mean_log"):
                if form in self.present:
                    found[form] = anchor_losses(out.projected, pairs, tau, form).mean(1)
        if "bce" in self.present:
            read = out.projected_raw
            if read.shape == out.pooled_raw.shape:
                read = torch.where(self.on_pooled[:, None, None], out.pooled_raw, read)
            elif weights["head.weight"].shape[2] == out.pooled_raw.shape[2]:
                read = out.pooled_raw  # heads of one length: all are on z
            logit = torch.baddbmm(
                weights["head.bias"][:, None], read, weights["head.weight"].transpose(1, 2)
            ).squeeze(2)
            target = labels.to(logit.dtype)
            found["bce"] = binary_cross_entropy_with_logits(logit, target, reduction="none").mean(1)
        total = next(iter(found.values()))
        for name, losses in found.items():
            total = torch.where(self.kind == KINDS.index(name), losses, total)
        return total

    @torch.no_grad()
    def project(self, weights: Mapping[str, Tensor]) -> None:
        """Keep temperatures at or above their floors."""
        weights["log_tau"].copy_(torch.maximum(weights["log_tau"], self.floor.log()))


def stack_objectives(objectives: Sequence[Objective]) -> dict[str, Tensor]:
    """The weights of objectives by name; zeros where an objective lacks one."""
    heads = [o.head for o in objectives if isinstance(o, BinaryCrossEntropyLoss)]
    like = next(objectives[0].parameters())
    shapes: dict[str, tuple[int, ...]] = {"log_tau": ()}
    if heads:
        if len({head.in_features for head in heads}) > 1:
            raise ObjectiveError("heads on embeddings of different lengths; train them apart")
        shapes |= {"head.weight": tuple(heads[0].weight.shape), "head.bias": (1,)}
    named = [
        {stacked_name(name): value for name, value in objective.named_parameters()}
        for objective in objectives
    ]
    empty = {name: torch.zeros(shape).to(like) for name, shape in shapes.items()}
    return {
        name: torch.stack([one.get(name, empty[name]).detach() for one in named]) for name in shapes
    }


def stacked_name(name: str) -> str:
    """The name of a parameter in the stacked weights."""
    return name.removeprefix("temperature.")


def stackable(objective: Objective) -> bool:
    """Whether the objective depends only on the batch, so that runs can be stacked."""
    if isinstance(objective, SubjectContrastiveLoss):
        return objective.memory is None
    return isinstance(objective, BinaryCrossEntropyLoss)


class _Row(NamedTuple):
    """One run of a `StackedObjective`; the defaults are those of cross-entropy."""

    kind: int
    on_pooled: bool
    positive: Sequence[float] = (0.0,) * 5
    negative: Sequence[float] = (0.0,) * 5
    floor: float = 1.0
    learnable: bool = False


def _describe(objective: Objective) -> _Row:
    if isinstance(objective, BinaryCrossEntropyLoss):
        return _Row(KINDS.index("bce"), on_pooled=objective.reads == "pooled_raw")
    if not isinstance(objective, SubjectContrastiveLoss):
        raise ObjectiveError(
            f"{type(objective).__name__} cannot be stacked; train its runs separately"
        )
    if not stackable(objective):
        raise ObjectiveError(
            "an objective with a memory of past batches cannot be stacked; train its runs "
            "separately, or without memory"
        )
    tables = objective.policy.log_weights()
    return _Row(
        KINDS.index(objective.form),
        on_pooled=False,
        **tables,
        floor=objective.temperature.floor,
        learnable=objective.temperature.log_tau.requires_grad,
    )
