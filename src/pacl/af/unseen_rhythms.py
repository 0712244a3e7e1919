"""Ectopy and pacing that training never simulates: a test of what was learned.

```
interpolated   |-----|--|--|-----|        a beat in between, no pause: two short intervals for one
couplet        |-----|--|--|----------|   two premature beats, then a pause
parasystole    a second, regular focus fires whenever the heart is not refractory
demand pacing  no interval is longer than the pacemaker waits
rate response  regular, with slow ramps between rest and effort
Wenckebach     intervals shrink, then one beat is dropped: groups of beats
```
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from pacl.axes import Array, Float64

Intervals: TypeAlias = Float64[Array, "_"]
Make: TypeAlias = Callable[[Intervals, np.random.Generator], Intervals]

REFRACTORY_MS = 250.0


@dataclass(frozen=True, slots=True)
class UnseenRhythm:
    """A kind of ectopy, in any rhythm, or of pacing, in place of sinus rhythm."""

    name: str
    kind: Literal["ectopy", "pacing"]
    make: Make


def interpolated(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
    """One beat in twelve intervals, between two that stay where they are."""
    split = (generator.random(rr_ms.size) < 1 / 12) & (rr_ms > 2.2 * REFRACTORY_MS)
    part = generator.uniform(0.42, 0.58, rr_ms.size)
    pieces = np.stack([np.where(split, part * rr_ms, rr_ms), (1 - part) * rr_ms], axis=1)
    return pieces[np.stack([np.ones_like(split), split], axis=1)]


def couplets(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
    """Two premature beats and a pause, about every 15 beats."""
    found = rr_ms.copy()
    at = np.cumsum(generator.integers(8, 23, max(rr_ms.size // 8, 1)))
    at = at[at < rr_ms.size - 2]
    total = found[at] + found[at + 1] + found[at + 2]
    first = np.maximum(generator.uniform(0.5, 0.7, at.size) * found[at], REFRACTORY_MS)
    second = np.maximum(generator.uniform(0.45, 0.65, at.size) * found[at], REFRACTORY_MS)
    found[at], found[at + 1], found[at + 2] = first, second, total - first - second
    return found


def parasystole(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
    """A second focus at 1.7 to 2.3 times the mean interval, which nothing resets."""
    ends = np.cumsum(rr_ms)
    period = float(rr_ms.mean()) * generator.uniform(1.7, 2.3)
    fires = np.arange(period, ends[-1], period)
    fires = fires + generator.normal(0, 0.01 * period, fires.size)
    after = np.searchsorted(ends, fires)
    before_ms = np.where(after > 0, ends[np.maximum(after - 1, 0)], 0.0)
    late_enough = fires - before_ms > REFRACTORY_MS + 100
    early_enough = ends[np.minimum(after, ends.size - 1)] - fires > 60
    fires = fires[late_enough & early_enough]
    taken = np.searchsorted(ends, fires)  # the next sinus beat finds the heart refractory
    times = np.sort(np.concatenate([np.delete(ends, np.unique(taken)), fires]))
    return np.diff(times, prepend=0.0)


def demand_pacing(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
    """A pacemaker that waits for a little less than the median interval."""
    wait = float(np.median(rr_ms)) * generator.uniform(0.92, 1.0)
    return np.minimum(rr_ms, wait + generator.normal(0, 2.0, rr_ms.size))


def rate_response(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
    """Paced at 60 to 110 a minute, with ramps of half a minute, in steps of 8 ms."""
    levels = generator.uniform(545, 1000, rr_ms.size // 150 + 2)
    smooth = np.interp(np.arange(rr_ms.size) / 150, np.arange(levels.size), levels)
    return 8.0 * np.round(smooth / 8.0) + generator.normal(0, 1.0, rr_ms.size)


def wenckebach(rr_ms: Intervals, generator: np.random.Generator) -> Intervals:
    """Groups of three to five beats: intervals shrink, then one is long."""
    base = float(np.median(rr_ms))
    found: list[float] = []
    while len(found) < rr_ms.size:
        beats = int(generator.integers(3, 6))
        shrinking = base * (1.06 - 0.04 * np.arange(beats - 1))
        found += [*shrinking, base * generator.uniform(1.65, 1.8)]
    return np.array(found[: rr_ms.size]) + generator.normal(0, 6.0, rr_ms.size)


UNSEEN: tuple[UnseenRhythm, ...] = (
    UnseenRhythm("interpolated beats", "ectopy", interpolated),
    UnseenRhythm("couplets", "ectopy", couplets),
    UnseenRhythm("parasystole", "ectopy", parasystole),
    UnseenRhythm("demand pacing", "pacing", demand_pacing),
    UnseenRhythm("rate response", "pacing", rate_response),
    UnseenRhythm("Wenckebach", "pacing", wenckebach),
)
