"""A person's sinus rhythm in a few numbers: its rate, its variation, its place in log odds.

```
beats        | 10 beats | 10 beats | 10 beats | ...
each group   rate, variation from beat to beat, mean log odds of AF
a person     the means over groups of sinus rhythm
```
"""

import math
from dataclasses import dataclass

import numpy as np

from pacl.adaptation import LIMIT, AdaptationError
from pacl.axes import Array, Bool, Float32, Float64, UInt8
from pacl.detect.not_judged import Fault
from pacl.detect.quality import GROUP
from pacl.rr import is_implausible

STEADY = 0.005
"""Added to the variation, so that a rhythm without any has a logarithm."""


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """Groups of ten beats that could be judged, in order of time.

    `first` and `beats` are each group's first beat and number of beats. `minutes` is the time of
    its plausible beats, `log_odds` the mean of the population's log odds of AF. `log_rr` is the
    logarithm of the mean plausible interval in ms, `log_variation` that of the root mean square of
    relative differences between neighbours.
    """

    first: Float64[Array, "group"]
    beats: Float64[Array, "group"]
    minutes: Float64[Array, "group"]
    log_odds: Float64[Array, "group"]
    log_rr: Float64[Array, "group"]
    log_variation: Float64[Array, "group"]

    @classmethod
    def of(
        cls,
        rr_ms: Float32[Array, "beat"],
        log_odds: Float64[Array, "beat"],
        faults: UInt8[Array, "group"],
        first: int = 0,
    ) -> "Groups":
        """The groups of one stretch that begins with beat `first` of a recording."""
        starts = np.arange(0, rr_ms.size, GROUP)
        beats = np.diff(np.append(starts, rr_ms.size)).astype(np.float64)
        there = ~is_implausible(rr_ms)
        time_ms = np.add.reduceat(np.where(there, rr_ms, 0.0).astype(np.float64), starts)
        plausible = np.add.reduceat(there.astype(np.float64), starts)
        follows = there & np.append(False, there[:-1])
        follows[starts] = False  # the beat before is of another group
        steps = np.append(0.0, np.diff(np.log(np.maximum(rr_ms.astype(np.float64), 1.0)))) ** 2
        pairs = np.maximum(np.add.reduceat(follows.astype(np.float64), starts), 1.0)
        variation = np.sqrt(np.add.reduceat(np.where(follows, steps, 0.0), starts) / pairs)
        fit = (faults == Fault.NONE) & (plausible > 0)
        return cls(
            first=(first + starts[fit]).astype(np.float64),
            beats=beats[fit],
            minutes=time_ms[fit] / 60_000,
            log_odds=(np.add.reduceat(log_odds, starts) / beats)[fit],
            log_rr=np.log(time_ms[fit] / plausible[fit]),
            log_variation=np.log(variation[fit] + STEADY),
        )

    def those(self, mask: Bool[Array, "group"]) -> "Groups":
        """Some of the groups."""
        return Groups(*(getattr(self, name)[mask] for name in self.__slots__))

    @classmethod
    def joined(cls, parts: "list[Groups]") -> "Groups":
        """Groups of several stretches."""
        none = np.empty(0)
        return cls(
            *(
                np.concatenate([none, *(getattr(one, name) for one in parts)])
                for name in cls.__slots__
            )
        )


@dataclass(frozen=True, slots=True)
class SinusRhythm:
    """Means over groups of sinus rhythm; `minutes` is how much of it there was."""

    minutes: float = 0.0
    log_rr: float = 0.0
    log_variation: float = 0.0
    log_odds: float = 0.0

    def plus(self, groups: Groups) -> "SinusRhythm":
        """The same and more groups."""
        minutes = self.minutes + float(groups.minutes.sum())
        if minutes <= 0:
            return self
        return SinusRhythm(
            minutes,
            *(
                (self.minutes * before + float((groups.minutes * more).sum())) / minutes
                for before, more in (
                    (self.log_rr, groups.log_rr),
                    (self.log_variation, groups.log_variation),
                    (self.log_odds, np.clip(groups.log_odds, -LIMIT, LIMIT)),
                )
            ),
        )

    @property
    def rate(self) -> float:
        """Beats in a minute."""
        return 60_000 / math.exp(self.log_rr)

    @property
    def variation(self) -> float:
        """Typical difference from beat to beat, as a share of the interval."""
        return max(math.exp(self.log_variation) - STEADY, 0.0)


@dataclass(frozen=True, slots=True)
class DayToDay:
    """How much one person's sinus rhythm differs from time to time: standard deviations."""

    log_rr: float
    log_variation: float
    log_odds: float

    def __post_init__(self) -> None:
        if not min(self.log_rr, self.log_variation, self.log_odds) > 0:
            raise AdaptationError(f"{self}; give standard deviations above 0")

    def unlike(self, one: SinusRhythm, other: SinusRhythm) -> float:
        """How unlike two sinus rhythms are: 1 is usual for one person at two times.

        Examples
        --------
        >>> spread = DayToDay(log_rr=0.1, log_variation=0.4, log_odds=0.5)
        >>> usual = SinusRhythm(5.0, math.log(800), -3.0, -7.0)
        >>> round(spread.unlike(usual, SinusRhythm(5.0, math.log(800), -3.0, -6.5)), 2)
        0.58
        """
        differences = (
            (one.log_rr - other.log_rr) / self.log_rr,
            (one.log_variation - other.log_variation) / self.log_variation,
            (one.log_odds - other.log_odds) / self.log_odds,
        )
        return math.sqrt(sum(each**2 for each in differences) / 3)
