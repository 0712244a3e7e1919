"""The scale of each channel of a subject or a recording, by the median and IQR of a reference.

Eq. 4 does so with sinus rhythm. The reference is a class, or all samples.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, Real
from pacl.windows.errors import WindowSetError
from pacl.windows.prepare.recordings import Stretch


@dataclass(frozen=True, slots=True)
class ArrayScale:
    """How signals are scaled: minus the median, divided by the IQR, of each channel.

    Parameters
    ----------
    by
        `none`; `all`: the median and IQR of all samples, without labels; `reference`: of the
        samples of one class. A subject or a recording without that class is left out.
    reference
        The name of that class.
    reference_samples
        Fit on the first so many samples of it, which are then in no window; by default on all of
        them, which are in windows too.
    per
        Whether each subject or each recording has a scale of its own.
    """

    by: Literal["none", "all", "reference"] = "none"
    reference: str | None = None
    reference_samples: int | None = None
    per: Literal["subject", "record"] = "subject"

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
    """Keeps the samples that scales are fitted on in a folder: memory holds one channel at once."""

    def __init__(self, folder: Path, channels: int) -> None:
        self._folder, self._channels = folder, channels
        self._files: dict[str, Path] = {}

    def add(self, whose: str, samples: Real[Array, "time channel"]) -> None:
        """Add samples to those of a subject or recording."""
        path = self._files.setdefault(whose, self._folder / f"{len(self._files)}.float32")
        if len(samples):
            with path.open("ab") as file:
                file.write(np.ascontiguousarray(samples, dtype=np.float32).data)

    def fit(self, least: int) -> dict[str, "ChannelScale | str"]:
        """The scale of each, or why there is none; at least so many samples are needed."""
        return {whose: self._fit_one(path, least) for whose, path in self._files.items()}

    def _fit_one(self, path: Path, least: int) -> "ChannelScale | str":
        size = path.stat().st_size // (4 * self._channels) if path.exists() else 0
        if size < max(least, 2):
            return f"{size:,} samples of the reference, {max(least, 2):,} needed"
        samples = np.memmap(path, np.float32, "r", shape=(size, self._channels))
        columns = (samples[:, channel] for channel in range(self._channels))
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
