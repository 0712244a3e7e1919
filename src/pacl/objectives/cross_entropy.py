"""Cross-entropy with a linear head: the baseline without pairs (2.4, 3)."""

from typing import get_args

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.objective import Codes, Embeddings, Objective, in_full_precision
from pacl.settings import HeadOn


class BinaryCrossEntropyLoss(Objective):
    """Cross-entropy of two classes, by a linear head on an embedding before normalisation.

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
        _check_reads(reads)
        self.reads = reads
        self.head = _head(features, 1, generator)

    def forward(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> Float[Tensor, ""]:
        """The mean over windows; labels are 0 and 1, subjects are not used."""
        _check_labels(labels, 2, "binary cross-entropy; more classes have 'cross-entropy'")
        logit = in_full_precision(self.head(embedded.to(self.head.weight.dtype))).squeeze(1)
        return nn.functional.binary_cross_entropy_with_logits(logit, labels.to(logit.dtype))


class CrossEntropyLoss(Objective):
    """Cross-entropy of any number of classes, by a linear head with a row for each.

    Parameters
    ----------
    classes
        How many classes there are.
    features, reads, generator
        As in `BinaryCrossEntropyLoss`.
    """

    def __init__(
        self,
        classes: int,
        features: int = 128,
        reads: HeadOn = "projected_raw",
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if classes < 2:
            raise ObjectiveError(f"cross-entropy of {classes} class(es); give two or more")
        self.classes = classes
        _check_reads(reads)
        self.reads = reads
        self.head = _head(features, classes, generator)

    def forward(self, embedded: Embeddings, labels: Codes, subjects: Codes) -> Float[Tensor, ""]:
        """The mean over windows; labels are numbers of classes, subjects are not used."""
        _check_labels(labels, self.classes, f"cross-entropy of {self.classes} classes")
        logits = in_full_precision(self.head(embedded.to(self.head.weight.dtype)))
        return nn.functional.cross_entropy(logits, labels.long())


def _check_reads(reads: str) -> None:
    if reads not in get_args(HeadOn):
        raise ObjectiveError(f"a head on {reads!r}; use {' or '.join(get_args(HeadOn))}")


def _head(features: int, rows: int, generator: torch.Generator | None) -> nn.Linear:
    with torch.random.fork_rng(devices=[]):  # the layer draws weights, which are replaced
        head = nn.Linear(features, rows)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.uniform_(-(features**-0.5), features**-0.5, generator=generator)
    return head


def _check_labels(labels: Codes, classes: int, what: str) -> None:
    if not len(labels):
        raise ObjectiveError("an empty batch; give at least one window")
    if not bool(((labels >= 0) & (labels < classes)).all()):
        other = sorted(set(labels.tolist()) - set(range(classes)))
        raise ObjectiveError(f"labels {other}; 0 to {classes - 1} are those of {what}")
