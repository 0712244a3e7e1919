"""Cross-entropy of any number of classes with a linear head: the baseline without pairs."""

from typing import get_args

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.objective import Codes, Embeddings, Objective, in_full_precision
from pacl.settings import HeadOn


class CrossEntropyLoss(Objective):
    """Cross-entropy of a linear head on an embedding before normalisation.

    Parameters
    ----------
    features
        Length of the embedding.
    classes
        How many classes there are.
    reads
        Which embedding: e (`projected_raw`) or z (`pooled_raw`).
    generator
        For the initial weights of the head.

    Examples
    --------
    >>> loss = CrossEntropyLoss(features=16, classes=3)
    >>> loss(torch.zeros(4, 16), torch.tensor([0, 1, 2, 0]), torch.zeros(4).long()).ndim
    0
    """

    def __init__(
        self,
        features: int = 128,
        classes: int = 2,
        reads: HeadOn = "projected_raw",
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if reads not in get_args(HeadOn):
            raise ObjectiveError(f"a head on {reads!r}; use {' or '.join(get_args(HeadOn))}")
        if classes < 2:
            raise ObjectiveError(f"{classes} class(es); cross-entropy needs at least 2")
        self.reads, self.classes = reads, classes
        with torch.random.fork_rng(devices=[]):  # the layer draws weights, which are replaced
            self.head = nn.Linear(features, classes)
        with torch.no_grad():
            for parameter in self.head.parameters():
                parameter.uniform_(-(features**-0.5), features**-0.5, generator=generator)

    def forward(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> Float[Tensor, ""]:
        """The mean over windows; labels count the classes from 0, subjects are not used."""
        if not len(labels):
            raise ObjectiveError("an empty batch; give at least one window")
        if not bool(((labels >= 0) & (labels < self.classes)).all()):
            other = sorted(set(labels.tolist()) - set(range(self.classes)))
            raise ObjectiveError(f"labels {other}; there are {self.classes} classes, from 0")
        logits = in_full_precision(self.head(embedded.to(self.head.weight.dtype)))
        return nn.functional.cross_entropy(logits, labels)
