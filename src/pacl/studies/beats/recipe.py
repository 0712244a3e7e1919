"""How a detector for unseen databases is trained, and the recipes that are compared.

The rule of the choice was fixed before the comparison (`pacl.studies.beats.choose`). Candidates
differ from the first in one setting each.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pacl.af.beats import ROBUST, Augmentation, BeatTraining, Splice
from pacl.af.networks import BeatNetwork


@dataclass(frozen=True, slots=True, eq=False)
class BeatRecipe:
    """How a network is trained.

    Parameters
    ----------
    name
        Its name.
    network
        Settings of `BeatNetwork`; the others are its defaults.
    training
        Steps, batches, learning rate.
    augmentations
        Augmentations of the crops, in this order.
    """

    name: str
    network: Mapping[str, Any] = field(default_factory=dict)
    training: BeatTraining = field(default_factory=BeatTraining)
    augmentations: tuple[Augmentation, ...] = ROBUST

    def build(self, **given: Any) -> BeatNetwork:
        """An untrained network."""
        return BeatNetwork(**self.network, **given)

    def with_augmentation(self, name: str, changed: Augmentation) -> "BeatRecipe":
        """The same with one augmentation replaced."""
        kept = tuple(changed if type(one) is type(changed) else one for one in self.augmentations)
        return replace(self, name=name, augmentations=kept)

    def without(self, kind: type[Augmentation]) -> "BeatRecipe":
        """The same recipe without one augmentation."""
        kept = tuple(one for one in self.augmentations if not isinstance(one, kind))
        return replace(self, name=f"without {kind.__name__}", augmentations=kept)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, to be kept with the result."""
        return {
            "name": self.name,
            "network": self.build().config,
            "training": {
                one.name: getattr(self.training, one.name) for one in fields(BeatTraining)
            },
            "augmentations": {
                type(one).__name__: {each.name: getattr(one, each.name) for each in fields(one)}  # type: ignore[arg-type]
                for one in self.augmentations
            },
        }


FIRST = BeatRecipe("560 beats")
"""Sees 560 beats to either side; 32 channels, 88,225 parameters, 2,000 steps."""

SUBJECTS = replace(FIRST, name="more subjects", training=BeatTraining(subjects=48, crops=2))
"""48 subjects in a batch, two crops of each: the least false AF in healthy sleep."""

STREAM = replace(
    FIRST.with_augmentation("stream", Splice(share=0.4)),
    network={"channels": 24, "widest_ahead": 4},
    training=BeatTraining(steps=4000, subjects=48, crops=1, beats=1024),
)
"""Looks 30 beats ahead, and fits a microcontroller."""

CANDIDATES: tuple[BeatRecipe, ...] = (
    SUBJECTS,
    FIRST,
    replace(FIRST, name="48 channels", network={"channels": 48}),
)
"""Recipes to choose from, the default first. `docs/results/left-out-databases.md` lists all."""
