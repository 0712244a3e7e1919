"""AF: the AV node as a lottery after a refractory period.

After Corino, Sandberg, Mainardi and Sornmo (IEEE TBME 58, 2011): atrial impulses arrive as a
Poisson process, the node lets the first one through that comes after its refractory period, and
has two pathways with refractory periods of their own. Hence

    RR = refractory(pathway) + blur * U(0, 1) + wait * Exp(1)

to which this adds a slow sway of the whole and a memory between neighbouring waits.
"""

import numpy as np

from pacl.axes import Array, Float32
from pacl.records.simulate.noise import coloured, knot_count, ramps
from pacl.records.simulate.physiology import Fibrillation
from pacl.records.simulate.sinus import STEP, swing

LATEST_H = 3.5
SWAY_BEATS = 8
"""The rate sways no faster than this many beats."""


def fibrillation_rr(
    fibrillation: Fibrillation, beats: int, clock_s: float, generator: np.random.Generator
) -> Float32[Array, "beat"]:
    """Intervals in ms of AF.

    Parameters
    ----------
    fibrillation
        The patient's AV node.
    beats
        How many intervals.
    clock_s
        Time of day at the first of them, in seconds since midnight.
    generator
        Where the randomness comes from.
    """
    mean = fibrillation.mean_ms
    wait = generator.standard_exponential(beats + 1, dtype=np.float32)
    rr = wait[1:] * np.float32(1 - fibrillation.memory)
    rr += np.float32(fibrillation.memory) * wait[:-1]
    rr *= np.float32(fibrillation.wait)
    chance = generator.random(beats, dtype=np.float32)
    rr += np.float32(fibrillation.detour) * (chance < fibrillation.detour_share)
    rr += np.float32(fibrillation.blur) * generator.random(beats, dtype=np.float32)
    rr += np.float32(shortest_share(fibrillation))
    sway = coloured(knot_count(beats, SWAY_BEATS), fibrillation.sway, 1.0, (), generator)
    rr *= ramps(1 + sway, SWAY_BEATS, beats)
    step_s = mean / 1000 * STEP
    level = swing(fibrillation.circadian, LATEST_H, clock_s, step_s, knot_count(beats, STEP))
    rr *= ramps(np.float32(mean) * level, STEP, beats)
    return rr


def shortest_share(fibrillation: Fibrillation) -> float:
    """The faster pathway's refractory period, as a share of the mean interval.

    It is what the other parts leave of the mean: all parts add up to 1.
    """
    rest = fibrillation.detour * fibrillation.detour_share + fibrillation.blur / 2
    return 1 - rest - fibrillation.wait
