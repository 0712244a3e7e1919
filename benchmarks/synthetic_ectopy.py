"""Simulated windows of sinus rhythm with ectopic beats, without AF."""

from collections.abc import Callable, Mapping

import numpy as np

from pacl.axes import Array, Bool, Float64
from pacl.studies.weights import CUT

WINDOWS = 2000


def _sinus(generator: np.random.Generator) -> Float64[Array, "window beat"]:
    """Slow waves of respiration and drift around a mean, and a little noise."""
    beats = np.arange(CUT.window_beats)
    mean_ms = generator.uniform(550, 1150, (WINDOWS, 1))
    depth = generator.uniform(0.005, 0.05, (WINDOWS, 1))
    waves = sum(
        np.sin(2 * np.pi * (beats * rate + generator.random((WINDOWS, 1))))
        for rate in (0.25, 0.08, 0.015)
    )
    noise = generator.normal(0, 0.008, (WINDOWS, CUT.window_beats))
    return mean_ms * (1 + depth * waves / 2 + noise)


def _with_ectopy(
    generator: np.random.Generator, early: Bool[Array, "window beat"]
) -> Float64[Array, "window beat"]:
    """Beats that come early by a quarter to a half, and the pause after each."""
    rr_ms = _sinus(generator)
    early = early.copy()
    early[:, -1] = False
    early[:, 1:] &= ~early[:, :-1]
    own = generator.uniform(0.25, 0.5, (WINDOWS, 1))
    cut = np.where(early, rr_ms * own * generator.normal(1, 0.05, rr_ms.shape), 0)
    rr_ms = rr_ms - cut
    rr_ms[:, 1:] += cut[:, :-1] * generator.uniform(0.7, 1.0, (WINDOWS, 1))
    return np.clip(rr_ms, 200, 2000)


def _every(beats: int) -> Bool[Array, "window beat"]:
    at = np.arange(CUT.window_beats) % beats == 0
    return np.tile(at, (WINDOWS, 1))


def _random(generator: np.random.Generator, share: float) -> Bool[Array, "window beat"]:
    return generator.random((WINDOWS, CUT.window_beats)) < share


def _bouts(generator: np.random.Generator) -> Bool[Array, "window beat"]:
    """Bigeminy in bouts of about twenty beats, half of the time."""
    block = generator.random((WINDOWS, CUT.window_beats // 20)) < 0.5
    return _every(2) & np.repeat(block, 20, axis=1)


PATTERNS: Mapping[str, Callable[[np.random.Generator], Float64[Array, "window beat"]]] = {
    "sinus rhythm alone": _sinus,
    "bigeminy": lambda g: _with_ectopy(g, _every(2)),
    "trigeminy": lambda g: _with_ectopy(g, _every(3)),
    "quadrigeminy": lambda g: _with_ectopy(g, _every(4)),
    "bigeminy that comes and goes": lambda g: _with_ectopy(g, _bouts(g)),
    "every tenth beat, at random": lambda g: _with_ectopy(g, _random(g, 0.1)),
    "every fourth beat, at random": lambda g: _with_ectopy(g, _random(g, 0.25)),
}
