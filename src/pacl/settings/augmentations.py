"""Augmentations by name."""

from dataclasses import dataclass
from typing import Annotated, Any

from pacl.registry import Entry, Registry
from pacl.settings.bounds import CountFrom0, Share
from pacl.stored import Between


@dataclass(frozen=True)
class NoAugmentation:
    """Windows are learned from as they are."""


Amount = Annotated[float, Between(0, 1e6)]


@dataclass(frozen=True)
class SignalAugmentationSettings:
    """Of `SignalAugmentation`: what may differ between two wearings of the same sensors."""

    gain: Amount = 0.0
    """Standard deviation of the logarithm of each channel's gain."""
    offset: Amount = 0.0
    """Standard deviation of a level that is added to each channel."""
    noise: Amount = 0.0
    """Standard deviation of noise that is added to each sample."""
    lost: Share = 0.0
    """Share of the channels that are lost: all their samples are 0."""
    shift: CountFrom0 = 0
    """The most samples by which a window is moved in time; its first or last sample fills in."""
    turn: Amount = 0.0
    """The most channels, or parts of one, by which a ring of channels is turned."""
    ring: CountFrom0 = 0
    """Channels of a ring, if there are several rings one after the other; 0 for all channels."""

    @property
    def idle(self) -> bool:
        """Whether nothing would be changed."""
        return not any((self.gain, self.offset, self.noise, self.lost, self.shift, self.turn))


def _nothing(settings: NoAugmentation) -> None:
    """No augmentation."""


AUGMENTATIONS: Registry[Any] = Registry(
    "augmentation",
    "pacl.augmentations",
    {
        "none": Entry("none", _nothing, NoAugmentation, "windows as they are"),
        "signal": Entry(
            "signal",
            "pacl.training:signal_augmentation",
            SignalAugmentationSettings,
            "any signal: gain, level, noise, lost channels, shift in time, turn of a ring",
        ),
        "rr": "pacl.rr:AUGMENTATION",
    },
)
"""How training windows are changed at random. A factory takes the settings and gives an
`Augmentation`, or None if it would change nothing."""
