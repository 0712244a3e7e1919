"""AF: random conduction through the AV node after a refractory period.

After Corino, Sandberg, Mainardi and Sornmo (IEEE TBME 58, 2011): atrial impulses arrive as a
Poisson process, the node lets the first one through that comes after its refractory period, and
has two pathways, each with its refractory period. Hence

    RR = refractory(pathway) + blur * U(0, 1) + wait * Exp(1)

to which this adds a slow modulation of the rate, a memory between neighbouring waits, and spells in
which the atria organise or the node is blocked: nearly regular beats, yet annotated as AF. Of 72
patients of LTAFDB 4 spend a sixth to a quarter of their AF so (SD below a tenth of the mean).
"""

import numpy as np

from pacl.axes import Array, Float32
from pacl.records.simulate.noise import coloured, knot_count, ramps
from pacl.records.simulate.physiology import Fibrillation
from pacl.records.simulate.places import clustered, ranges
from pacl.records.simulate.sinus import STEP, swing

LATEST_H = 3.5
SWAY_BEATS = 8
"""The rate is modulated no faster than this many beats."""

SPELL_STEP = 16
"""A spell sets in and fades over this many beats."""


def fibrillation_rr(
    fibrillation: Fibrillation, beats: int, clock_s: float, generator: np.random.Generator
) -> Float32[Array, "beat"]:
    """Intervals in ms of AF, from `clock_s` seconds after midnight on."""
    mean = fibrillation.mean_ms
    wait = generator.standard_exponential(beats + 1, dtype=np.float32)
    rr = wait[1:] * np.float32(1 - fibrillation.memory)
    rr += np.float32(fibrillation.memory) * wait[:-1]
    rr *= np.float32(fibrillation.wait)
    chance = generator.random(beats, dtype=np.float32)
    rr += np.float32(fibrillation.detour) * (chance < fibrillation.detour_share)
    rr += np.float32(fibrillation.blur) * generator.random(beats, dtype=np.float32)
    rr += np.float32(shortest_share(fibrillation))
    _organise(rr, fibrillation, generator)
    sway = coloured(knot_count(beats, SWAY_BEATS), fibrillation.sway, 1.0, (), generator)
    rr *= ramps(1 + sway, SWAY_BEATS, beats)
    step_s = mean / 1000 * STEP
    level = swing(fibrillation.circadian, LATEST_H, clock_s, step_s, knot_count(beats, STEP))
    rr *= ramps(np.float32(mean) * level, STEP, beats)
    return rr


def _organise(
    rr: Float32[Array, "beat"], fibrillation: Fibrillation, generator: np.random.Generator
) -> None:
    """Take most of the irregularity out of spells, in place."""
    knots = knot_count(rr.size, SPELL_STEP)
    length = max(fibrillation.spell_beats / SPELL_STEP, 1.0)
    starts = clustered(knots, fibrillation.spells / length, 0.0, generator)
    if not starts.size:
        return
    at = ranges(starts, generator.geometric(1 / length, starts.size))
    at = at[at < knots]
    spread, pace = np.ones((2, knots), dtype=np.float32)
    spread[at], pace[at] = fibrillation.spell_spread, fibrillation.spell_pace
    rr -= np.float32(1)
    rr *= ramps(spread, SPELL_STEP, rr.size)
    rr += np.float32(1)
    rr *= ramps(pace, SPELL_STEP, rr.size)


def shortest_share(fibrillation: Fibrillation) -> float:
    """The faster pathway's refractory period, as a share of the mean interval.

    All parts of the mean add up to 1.
    """
    rest = fibrillation.detour * fibrillation.detour_share + fibrillation.blur / 2
    return 1 - rest - fibrillation.wait
