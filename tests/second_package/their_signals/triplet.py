"""A triplet loss: the farthest positive should be closer than the nearest negative."""

from dataclasses import dataclass
from typing import Annotated

from pacl.objectives import Objective
from pacl.registry import Entry
from pacl.stored import Between


@dataclass(frozen=True)
class TripletSettings:
    """Of `TripletLoss`."""

    margin: Annotated[float, Between(0, 2)] = 0.5
    """How much closer positives should be, in cosine."""


class TripletLoss(Objective):
    """Over the hardest pairs of each window, within its subject."""

    reads = "projected"

    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, embedded, labels, subjects):
        cosine = embedded @ embedded.T
        same = subjects[:, None] == subjects[None]
        alike = labels[:, None] == labels[None]
        far = cosine.masked_fill(~(same & alike), 2).amin(dim=1)
        near = cosine.masked_fill(~(same & ~alike), -2).amax(dim=1)
        return (near - far + self.margin).relu().mean()


def make(settings, *, projected_features, pooled_features, classes, generator):
    return TripletLoss(settings.margin)


ENTRY = Entry("triplet", make, TripletSettings, "hardest triplets within each subject")
