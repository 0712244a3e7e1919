"""Sinus rhythm: a mean, day and night, breath, the 0.1 Hz wave and 1/f noise.

The spectrum of sinus intervals has a respiratory and a 0.1 Hz (Mayer wave) peak on top of 1/f noise
(Task Force of the ESC and NASPE, Circulation 93, 1996); intervals lengthen by night.
"""

import numpy as np

from pacl.axes import Array, Float32
from pacl.records.simulate.noise import Peak, coloured, knot_count, ramps
from pacl.records.simulate.physiology import Sinus

STEP = 512
"""Beats between two knots of slow changes: the hour of the day, the variability."""

BEND = 0.3
"""Deviations of the interval's logarithm above this are compressed, but not clipped."""

DAY_S = 86_400


def sinus_rr(
    sinus: Sinus, beats: int, clock_s: float, generator: np.random.Generator
) -> Float32[Array, "beat"]:
    """Intervals in ms of undisturbed sinus rhythm, from `clock_s` seconds after midnight on."""
    pace_s = sinus.mean_ms / 1000
    peaks = (
        Peak(sinus.mayer, 0.1 * pace_s, 0.02),
        Peak(sinus.breath, sinus.breath_hz * pace_s, 0.025),
    )
    rr = coloured(beats, sinus.slow, sinus.slope, peaks, generator)
    knots = knot_count(beats, STEP)
    level = swing(sinus.circadian, sinus.latest_h, clock_s, pace_s * STEP, knots)
    restless = np.exp(sinus.restless * generator.standard_normal(knots, dtype=np.float32))
    rr *= ramps(restless, STEP, beats)
    rr *= np.float32(1 / BEND)
    np.arcsinh(rr, out=rr)
    rr *= np.float32(BEND)
    np.exp(rr, out=rr)
    rr *= ramps(np.float32(sinus.mean_ms) * level, STEP, beats)
    return rr


def swing(
    share: float, latest_h: float, clock_s: float, step_s: float, knots: int
) -> Float32[Array, "knot"]:
    """Day and night as a factor on the mean interval, one value every `step_s` seconds."""
    hour = (clock_s + step_s * np.arange(knots)) / 3600
    turn = np.cos((hour - latest_h) * (2 * np.pi * 3600 / DAY_S))
    return (1 + share * turn).astype(np.float32)
