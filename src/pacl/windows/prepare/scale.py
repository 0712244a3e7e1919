"""The scale of each channel of a subject or a recording, by the median and IQR of a reference.

Eq. 4 does so with sinus rhythm. The reference is a class, or all samples.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, Real
from pacl.stored import Between, read_array
from pacl.windows.errors import WindowSetError, prepare_again
from pacl.windows.prepare.recordings import Stretch

PENDING_BYTES = 2**20
"""Bytes of samples of one subject that stay in memory until its scale is fitted."""


@dataclass(frozen=True)
class ArrayScale:
    """How signals are scaled: minus the median, divided by the IQR, of each channel.

    A subject or a recording without the reference class is left out.
    """

    by: Literal["none", "all", "reference"] = "none"
    """Whether each channel is scaled by its median and IQR: of all samples, or of a class."""
    reference: str | None = None
    """The class to scale by; chooses --arrays.scale reference."""
    reference_samples: Annotated[int, Between(2, 10**12)] | None = None
    """Scale by the first samples of the reference alone, which are then in no window."""
    per: Literal["subject", "record"] = "subject"
    """What is scaled separately."""

    def __post_init__(self) -> None:
        if (self.by == "reference") != (self.reference is not None):
            raise WindowSetError(
                "scale",
                f"by is {self.by!r} and reference is {self.reference!r}",
                "name the reference class, and scale by 'reference'",
            )
        if self.reference_samples is not None and (
            self.by != "reference" or self.reference_samples < 2
        ):
            raise WindowSetError(
                "scale",
                f"reference_samples is {self.reference_samples}",
                "give at least 2, and scale by 'reference'",
            )

    def whose(self, stretch: Stretch) -> str:
        """The subject or recording whose scale a stretch has."""
        return stretch.subject if self.per == "subject" else stretch.record


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """Which samples the scales are fitted on; counts what it was asked for so far."""

    scale: ArrayScale
    taken: dict[str, int] = field(default_factory=dict)

    def mask(self, stretch: Stretch, is_reference: Bool[Array, "time"]) -> Bool[Array, "time"]:
        """Samples of the next stretch that its scale is fitted on."""
        limit = self.scale.reference_samples
        if self.scale.by == "all":
            return np.ones_like(is_reference)
        if limit is None:
            return is_reference
        whose = self.scale.whose(stretch)
        left = limit - self.taken.get(whose, 0)
        chosen = is_reference & (np.cumsum(is_reference) <= left)
        self.taken[whose] = self.taken.get(whose, 0) + int(chosen.sum())
        return chosen


class ScaleFit:
    """Keeps the samples that scales are fitted on in a folder: memory holds few at once."""

    def __init__(self, folder: Path, channels: int) -> None:
        self._folder, self._channels = folder, channels
        self._pending: dict[str, list[Array]] = {}
        self._files: dict[str, list[Path]] = defaultdict(list)
        self._written = 0

    def add(self, whose: str, samples: Real[Array, "time channel"]) -> None:
        """Add samples to those of a subject or recording."""
        pending = self._pending.setdefault(whose, [])
        pending.append(samples.astype(np.float32))
        if sum(one.nbytes for one in pending) > PENDING_BYTES:
            path = self._folder / f"{self._written}.npy"
            np.save(path, np.concatenate(pending))
            self._files[whose].append(path)
            self._written += 1
            pending.clear()

    def fit(self, least: int) -> dict[str, "ChannelScale | str"]:
        """The scale of each, or why there is none; at least so many samples are needed."""
        return {whose: self._fit_one(whose, least) for whose in self._pending}

    def _fit_one(self, whose: str, least: int) -> "ChannelScale | str":
        shape = (None, self._channels)
        kept = [
            read_array(path, np.float32, shape, prepare_again, mapped=True)
            for path in self._files[whose]
        ]
        kept += self._pending[whose]
        size = sum(len(one) for one in kept)
        if size < least:
            return f"{size:,} samples of the reference, {least:,} needed"
        columns = (np.concatenate([one[:, at] for one in kept]) for at in range(self._channels))
        low, centre, high = np.stack(
            [np.quantile(one.astype(np.float64), (0.25, 0.5, 0.75)) for one in columns], axis=1
        )
        flat = np.flatnonzero(~(high - low > 0))
        if flat.size:
            return f"the IQR of channel {int(flat[0])} is 0 in the reference"
        return ChannelScale(centre, high - low)


@dataclass(frozen=True, eq=False, slots=True)
class ChannelScale:
    """The median and IQR of each channel."""

    centre: Float64[Array, "channel"]
    spread: Float64[Array, "channel"]

    def apply(self, signal: Real[Array, "time channel"]) -> Float32[Array, "time channel"]:
        """The signal in units of the IQR, from the median."""
        return ((signal - self.centre) / self.spread).astype(np.float32)
