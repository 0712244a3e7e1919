"""Variants of the recipe of the bundled weights, in groups; `weights_study.py` trains them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pacl.objectives import PairPolicy, negative, positive
from pacl.rr import Reference
from pacl.settings import NoAugmentation
from pacl.studies import Plan
from pacl.studies.weights import RECIPE

SEEDS = (1, 42, 102, 2026, 9999)
FEW = SEEDS[:2]
SHORT = replace(RECIPE, train=replace(RECIPE.train, epochs=36))
"""Half as long as the recipe, for comparisons of settings at equal length."""


@dataclass(frozen=True)
class Variant:
    """The recipe with one change."""

    name: str
    plan: Plan = SHORT
    seeds: tuple[int, ...] = FEW
    reference: Reference | str | None = None
    """What windows are scaled with, `hour` for the labelled one; none for ms."""
    policy: PairPolicy | None = None
    """Which pairs attract, where no loss has this name."""
    others: bool = True
    """Whether windows with other rhythms are used for training."""
    all_patients: bool = False
    """Whether weights are trained on all patients as well."""


def with_train(**changes: object) -> Plan:
    """The short recipe with other settings of training."""
    return replace(SHORT, train=replace(SHORT.train, **changes))


def augmented(plan: Plan, **changes: float) -> Plan:
    """A plan with other shares of augmented windows."""
    return replace(plan, augmentation=replace(plan.augmentation, **changes))


def seen_as(view: str) -> Plan:
    """The recipe without faults, for scaled windows."""
    return replace(SHORT, encoder=replace(SHORT.encoder, view=view), augmentation=NoAugmentation())


def leaning(weight: float) -> PairPolicy:
    """Other patients of the same class attract, too, with this weight."""
    return PairPolicy(positive(), negative(), positive(weight), negative())


BREATHE = (0.0, 0.25, 0.5)
LOSSES = ("patient-aware", "supcon", "bce")
GROUPS: Mapping[str, tuple[Variant, ...]] = {
    "rivals": tuple(
        Variant(loss, replace(RECIPE, loss=loss), SEEDS, all_patients=True) for loss in LOSSES
    ),
    "recipe": (
        Variant("the recipe", seeds=SEEDS),
        Variant("other patients' pairs weigh 0.2", policy=leaning(0.2)),
        Variant("other patients' pairs weigh 1", policy=leaning(1.0)),
        Variant("other patients repel", policy=PairPolicy(*[positive(), *[negative()] * 3])),
        Variant(
            "patients with both rhythms alone",
            replace(SHORT, sampler=replace(SHORT.sampler, one_class=False)),
        ),
        Variant("other rhythms not learned from", others=False),
        Variant(
            "8 patients of 16 and 16 windows in a batch",
            replace(SHORT, sampler=replace(SHORT.sampler, subjects=8, windows=16)),
        ),
    ),
    "training": tuple(
        Variant(name, plan, (1, 42, 9999))
        for name, plan in {
            "rate 0.0003": with_train(lr=3e-4),
            "rate 0.003": with_train(lr=3e-3),
            "72 epochs": with_train(epochs=72),
            "temperature 0.1": replace(SHORT, objective=replace(SHORT.objective, temperature=0.1)),
            "weight decay 0.03": with_train(weight_decay=0.03),
        }.items()
    ),
    **{
        f"breath{share:.0%}".rstrip("%"): (
            Variant(
                f"{share:.0%} breathe",
                replace(
                    RECIPE, augmentation=replace(RECIPE.augmentation, respiratory_arrhythmia=share)
                ),
                SEEDS,
                all_patients=True,
            ),
        )
        for share in BREATHE
    },
    "faultless": (
        Variant("relative", replace(SHORT, augmentation=replace(SHORT.augmentation, faults=0.0))),
    ),
    "references": tuple(
        Variant(name, seen_as("bent"), reference=name)
        for name in ("hour", "window", "regular", "shrunk")
    ),
    "paper": (Variant("hour, not bent", seen_as("given"), reference="hour"),),
}
