"""Binary cross-entropy with a linear head: the baseline without pairs (2.4, 3)."""

from typing import get_args

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.objective import Codes, Embeddings, Objective, in_full_precision
from pacl.settings import HeadOn


class BinaryCrossEntropyLoss(Objective):
    """Cross-entropy of a linear head on an embedding before normalisation.

    Parameters
    ----------
    features
        Length of the embedding.
    reads
        Which embedding: e (`projected_raw`) or z (`pooled_raw`).
    generator
        For the initial weights of the head.
    """

    def __init__(
        self,
        features: int = 128,
        reads: HeadOn = "projected_raw",
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if reads not in get_args(HeadOn):
            raise ObjectiveError(f"a head on {reads!r}; use {' or '.join(get_args(HeadOn))}")
        self.reads = reads
        with torch.random.fork_rng(devices=[]):  # the layer draws weights, which are replaced
            self.head = nn.Linear(features, 1)
        with torch.no_grad():
            for parameter in self.head.parameters():
                parameter.uniform_(-(features**-0.5), features**-0.5, generator=generator)

    def forward(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> Float[Tensor, ""]:
        """The mean over windows; labels are 0 (SR) and 1 (AF), subjects are not used."""
        if not len(labels):
            raise ObjectiveError("an empty batch; give at least one window")
        if not bool(((labels == 0) | (labels == 1)).all()):
            other = sorted(set(labels.tolist()) - {0, 1})
            raise ObjectiveError(f"labels {other}; binary cross-entropy takes 0 and 1")
        logit = in_full_precision(self.head(embedded.to(self.head.weight.dtype))).squeeze(1)
        return nn.functional.binary_cross_entropy_with_logits(logit, labels.to(logit.dtype))
