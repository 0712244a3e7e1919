"""Welch's spectrum of each window's curve, from where its parabolas meet and not from samples.

NeuroKit2 samples the spline at 100 Hz, subtracts the mean, and averages the spectra of stretches of
half the window that overlap by half, tapered by Hann's window and padded to twice their length. Of
some 16,000 samples it uses some 80 bins. Here the samples are never made: with r = exp(-i w),

    sum p(n) r^n from a to b - 1  =  q(b) r^b - q(a) r^a,
    q(n) = p(n)/(r-1) - D p(n) r/(r-1)^2 + D^2 p(n) r^2/(r-1)^3

for a parabola p and its differences, so a sum over samples is one over knots, and what is left at a
knot is the jump of p and its differences. Hann's window of half the padded length mixes each bin
with those two before and after. Both are exact: the powers are those of the samples.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float64, Int64
from pacl.features.curve import RATE_HZ, Curve, draw_curve
from pacl.features.ratio import over
from pacl.features.turning import turned_sums

HIGHEST_HZ = 0.5
"""Powers are wanted up to here."""

SEARCHED = 0.75
"""The largest power is looked for up to this share of the mean heart rate. Beats hold nothing
above half their rate but what their being uneven mixes in: of 24,000 windows of LTAFDB and AFDB
none had it above 0.58."""


@dataclass(frozen=True, slots=True)
class Spectra:
    """Power in each bin over the largest of the window; bins that do not count hold 0."""

    power: Float64[Array, "window bin"]
    hz: Float64[Array, "window bin"]
    counts: Bool[Array, "window bin"]
    """Bins in which a stretch has at least two periods."""


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Where Welch's stretches begin and end; a third that does not fit has no length."""

    length: Int64[Array, "window"]
    begin: Int64[Array, "window stretch"]
    end: Int64[Array, "window stretch"]
    lowest_hz: Float64[Array, "window"]


def measure_spectra(rr_ms: Float64[Array, "window beat"]) -> Spectra:
    """Powers up to `HIGHEST_HZ`, over the largest power, which NeuroKit2 looks for up to 50 Hz."""
    curve = draw_curve(rr_ms)
    stretches = _lay(curve.samples)
    hz_step = 1.0 / (2 * stretches.length * (1 / RATE_HZ))
    # As many bins as beats reach the mean rate, for the padded length is that of the window.
    searched = round(SEARCHED * rr_ms.shape[1])
    bins = np.maximum(np.ceil(HIGHEST_HZ / hz_step).astype(np.int64) + 1, searched)
    bins = np.minimum(bins, stretches.length)
    at = np.arange(bins.max())
    power = _power(curve, stretches, at.size) * (at < bins[:, None])
    hz = at * hz_step[:, None]
    counts = (hz >= stretches.lowest_hz[:, None]) & (hz <= HIGHEST_HZ)
    return Spectra(over(power, power.max(axis=1, keepdims=True)), hz, counts)


def _lay(samples: Int64[Array, "window"]) -> _Stretches:
    """Lay the stretches; operation for operation NeuroKit2's, as lengths are cut to whole ones."""
    lowest_hz = 2 * RATE_HZ / (samples / 2)
    length = np.minimum(((2 / lowest_hz) * RATE_HZ).astype(np.int64), samples // 2)
    shared = length // 2
    hop = length - shared
    begin = hop[:, None] * np.arange(3)
    there = np.arange(3) < ((samples - shared) // hop)[:, None]
    return _Stretches(length, begin, begin + there * length[:, None], lowest_hz)


def _power(curve: Curve, stretches: _Stretches, bins: int) -> Float64[Array, "window bin"]:
    """Sum over the stretches of the squares of their tapered sums, but for a common factor."""
    begin, end = stretches.begin, stretches.end
    mean = curve.sum_to(curve.samples[:, None]) / curve.samples[:, None]
    turn = np.pi / stretches.length[:, None]
    points = np.concatenate([curve.meet, begin, end], axis=1)
    sums = turned_sums(_weights(curve, stretches, mean), turn * points, bins + 2)
    value, once, twice = sums.reshape(len(begin), 3, 3, bins + 2)[..., 1:].transpose(2, 0, 1, 3)
    # 1/(r-1), and r/(r-1) is one more.
    back = (-0.5 + 0.5j / np.tan(turn * np.arange(1, bins + 2) / 2))[:, None]
    found = np.empty((len(begin), 3, bins + 2), dtype=np.complex128)
    found[:, :, 0] = curve.sum_to(end) - curve.sum_to(begin) - mean * (end - begin)
    found[:, :, 1:] = back * (value - (1 + back) * (once - (1 + back) * twice))
    # Hann's window begins with the stretch: two bins on, a sum has turned by this since sample 0.
    since = np.exp(2j * turn * begin)[:, :, None]
    before = np.concatenate([found[:, :, 2:0:-1].conj(), found[:, :, :-4]], axis=2)
    tapered = 2 * found[:, :, :-2] - before * since.conj() - found[:, :, 2:] * since
    power = (np.square(tapered.real) + np.square(tapered.imag)).sum(axis=1)
    power[:, 0] /= 2  # all others stand for a negative frequency, too
    return np.asarray(power)


def _weights(
    curve: Curve, stretches: _Stretches, mean: Float64[Array, "window 1"]
) -> Float64[Array, "window 9 point"]:
    """What each point adds to each stretch: value, first and second difference.

    Points are where pieces meet, then where the stretches begin, then where they end.
    """
    begin, end = stretches.begin, stretches.end
    edges = np.concatenate([begin, end], axis=1)
    begins = np.arange(6) < 3
    # A piece that begins where the stretch does is on it, one that begins where it ends is not.
    edge = curve.differences(curve.before(edges + begins), edges)
    edge[:, 0] -= mean
    edge *= np.where(begins, -1.0, 1.0)
    meet = curve.meet[:, None, :]
    inside = (begin[:, :, None] < meet) & (meet < end[:, :, None])
    own = np.tile(np.eye(3), 2) * (end > begin)[:, :, None]
    weight = np.concatenate(
        [curve.jump[:, None] * inside[:, :, None], edge[:, None] * own[:, :, None]], axis=3
    )
    return weight.reshape(len(begin), 9, -1)
