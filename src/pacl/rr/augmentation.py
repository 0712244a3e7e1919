"""Settings of the augmentation of RR intervals; the augmentation itself is `pacl.af`'s."""

from dataclasses import dataclass
from typing import Any

from pacl.registry import Entry
from pacl.settings import Share


@dataclass(frozen=True)
class RRAugmentationSettings:
    """Shares of the training windows, which must be in ms."""

    respiratory_arrhythmia: Share = 0.0
    """Share of training windows that get respiratory arrhythmia; the windows must be in ms."""
    faults: Share = 0.0
    """Share of training windows that get the faults of a beat detector; the windows must be in
    ms."""

    @property
    def idle(self) -> bool:
        """Whether nothing would be changed."""
        return not (self.respiratory_arrhythmia or self.faults)


AUGMENTATION: Entry[Any] = Entry(
    "rr",
    "pacl.af:rr_augmentation",
    RRAugmentationSettings,
    "RR intervals in ms: respiratory arrhythmia, faults of a beat detector",
)
