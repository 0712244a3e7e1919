"""Augmentations by name."""

from dataclasses import dataclass
from typing import Any

from pacl.registry import Entry, Registry


@dataclass(frozen=True)
class NoAugmentation:
    """Windows are learned from as they are."""


def _nothing(settings: NoAugmentation) -> None:
    """No augmentation."""


AUGMENTATIONS: Registry[Any] = Registry(
    "augmentation",
    "pacl.augmentations",
    {
        "none": Entry("none", _nothing, NoAugmentation, "windows as they are"),
        "rr": "pacl.rr:AUGMENTATION",
    },
)
"""How training windows are changed at random. A factory takes the settings and gives an
`Augmentation`, or None if it would change nothing."""
