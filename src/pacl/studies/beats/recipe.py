"""How a detector for strangers is made, and the ways that were compared.

The rule was fixed before anything was compared (`pacl.studies.beats.choose`). Candidates differ
from the first in one thing each.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pacl.models.beat_network import BeatNetwork
from pacl.training.beats import ROBUST, Augmentation, BeatTraining, Excerpt, Splice


@dataclass(frozen=True, slots=True, eq=False)
class BeatRecipe:
    """How a network is made.

    Parameters
    ----------
    name
        What to call it.
    network
        Settings of `BeatNetwork`; the others are its defaults.
    training
        Steps, batches, learning rate.
    augmentations
        What is done to crops, in this order.
    teacher, teacher_seeds
        Recipe and seeds of networks that it learns from besides the annotations. They have left
        out the same cohorts.
    """

    name: str
    network: Mapping[str, Any] = field(default_factory=dict)
    training: BeatTraining = field(default_factory=BeatTraining)
    augmentations: tuple[Augmentation, ...] = ROBUST
    teacher: "BeatRecipe | None" = None
    teacher_seeds: tuple[int, ...] = ()

    def build(self, **given: Any) -> BeatNetwork:
        """A network that has learned nothing yet."""
        return BeatNetwork(**self.network, **given)

    def with_augmentation(self, name: str, changed: Augmentation) -> "BeatRecipe":
        """The same, but for one augmentation, which takes the place of its kind."""
        kept = tuple(changed if type(one) is type(changed) else one for one in self.augmentations)
        return replace(self, name=name, augmentations=kept)

    def without(self, kind: type[Augmentation]) -> "BeatRecipe":
        """The same without one augmentation."""
        kept = tuple(one for one in self.augmentations if not isinstance(one, kind))
        return replace(self, name=f"without {kind.__name__}", augmentations=kept)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: what was done, to be kept with what came of it."""
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
            "teacher": None if self.teacher is None else self.teacher.name,
            "teacher_seeds": list(self.teacher_seeds),
        }


FIRST = BeatRecipe("560 beats")
"""Sees 560 beats to either side; 32 channels, 88,225 parameters, 2,000 steps."""

LONG = replace(
    FIRST.with_augmentation("long crops", Splice(share=0.4)),
    training=BeatTraining(steps=4000, subjects=48, crops=1, beats=1024),
)
"""What helped alone, together: more steps, more subjects, more splices. Of a crop of 2,144 beats
1,024 are learned from, of one of 1,632 only 512: a step takes two thirds of the time."""

STREAM = BeatRecipe(
    "stream",
    {"channels": 24, "widest_ahead": 4},
    training=LONG.training,
    augmentations=LONG.augmentations,
)
"""Looks 30 beats ahead, and fits a microcontroller."""

SCREENED: tuple[BeatRecipe, ...] = (
    FIRST,
    FIRST.without(Excerpt),
    FIRST.with_augmentation("more splices", Splice(share=0.4)),
    replace(FIRST, name="48 channels", network={"channels": 48}),
    replace(FIRST, name="weight decay 0.1", training=BeatTraining(weight_decay=0.1)),
    replace(FIRST, name="more subjects", training=BeatTraining(subjects=48, crops=2)),
    replace(FIRST, name="4,000 steps", training=BeatTraining(steps=4000)),
    replace(FIRST, name="1072 beats", network={"dilations": (1, 2, 4, 8, 16, 32, 64, 128) * 2}),
)
"""What was compared first, with one seed."""

SECOND: tuple[BeatRecipe, ...] = (
    LONG,
    replace(
        LONG, name="long crops, weight decay 0.1", training=replace(LONG.training, weight_decay=0.1)
    ),
    replace(LONG, name="long crops, slower mean", training=replace(LONG.training, averaged=0.999)),
    replace(LONG, name="long crops, 8,000 steps", training=replace(LONG.training, steps=8000)),
)
"""What was compared next, with one seed."""

SUBJECTS = next(one for one in SCREENED if one.name == "more subjects")
"""48 subjects in a batch, two crops of each: the least false AF in healthy sleep."""

TAUGHT = replace(SUBJECTS, name="taught", teacher=SUBJECTS, teacher_seeds=(1, 2, 3, 4, 5))
"""One network that learns from five: seeds differ in whom they mistake, their mean in fewer."""

CANDIDATES: tuple[BeatRecipe, ...] = (TAUGHT, SUBJECTS)
"""What is chosen from now, the default first."""
