"""Welch's spectrum of each window's curve, from where its parabolas meet and not from samples.

NeuroKit2 samples the spline at 100 Hz, subtracts the mean, and averages the spectra of stretches of
half the window that overlap by half, tapered by Hann's window and padded to twice their length. Of
some 16,000 samples it uses some 80 bins. Here the samples are never made: with r = exp(i w),

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
from pacl.features.numeric import over
from pacl.features.turning import turned_sums

HIGHEST_HZ = 0.5
"""Powers are wanted up to here."""

SEARCHED = 0.75
"""The largest power is searched up to this share of the mean heart rate. In 24,000 windows of
LTAFDB and AFDB it was never above 0.58."""

BATCH_POINTS = 4_000
"""Points per batch, so that intermediate results fit into the cache."""


@dataclass(frozen=True, slots=True)
class Spectra:
    """Power in each bin over the largest of the window; bins that do not count hold 0."""

    power: Float64[Array, "window bin"]
    hz: Float64[Array, "window bin"]
    counts: Bool[Array, "window bin"]
    """Bins in which a stretch has at least two periods."""


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Welch's stretches, each beginning in the middle of the one before.

    Each of the four quarters is summed once: the first stretch is the first two quarters, the
    second the middle two, the third the last two. With an odd length, one sample lies between the
    quarters of the second stretch.
    """

    length: Int64[Array, "window"]
    cut: Int64[Array, "window 6"]
    """Where quarters begin and end; the middle sample lies between the third cut and the fourth."""
    third: Bool[Array, "window"]
    """Whether the window is long enough for a third stretch."""
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
    power = _power(curve, stretches, at.size)
    power[at >= bins[:, None]] = 0.0
    hz = at * hz_step[:, None]
    counts = (hz >= stretches.lowest_hz[:, None]) & (hz <= HIGHEST_HZ)
    return Spectra(over(power, power.max(axis=1, keepdims=True)), hz, counts)


def _lay(samples: Int64[Array, "window"]) -> _Stretches:
    """Lay the stretches; operation for operation NeuroKit2's, as lengths are cut to whole ones."""
    lowest_hz = 2 * RATE_HZ / (samples / 2)
    length = np.minimum(((2 / lowest_hz) * RATE_HZ).astype(np.int64), samples // 2)
    shared = length // 2
    hop = length - shared
    cut = np.stack([0 * hop, hop, length, 2 * hop, length + hop, length + 2 * hop], axis=1)
    return _Stretches(length, cut, (samples - shared) // hop > 2, lowest_hz)


def _power(curve: Curve, stretches: _Stretches, bins: int) -> Float64[Array, "window bin"]:
    """Sum over the stretches of the squares of their tapered sums, but for a common factor."""
    found = _stretch_sums(curve, stretches, bins + 2)
    # Hann's window begins with the stretch: two bins on, a sum has turned by this since sample 0.
    turn = 2j * np.pi / stretches.length[:, None]
    since = np.exp(turn * stretches.cut[:, [0, 1, 3]])[:, :, None]
    tapered = 2 * found[:, :, :-2]
    tapered[:, :, 2:] -= found[:, :, :-4] * since
    tapered[:, :, :2] -= found[:, :, 2:0:-1].conj() * since
    tapered -= found[:, :, 2:] * since.conj()
    squares = np.square(tapered.real) + np.square(tapered.imag)
    power = squares[:, 0] + squares[:, 1] + squares[:, 2] * stretches.third[:, None]
    power[:, 0] /= 2  # all others stand for a negative frequency, too
    return np.asarray(power)


def _stretch_sums(curve: Curve, stretches: _Stretches, bins: int) -> Array:
    """Sums over the samples of each stretch, turned by each bin: complex, window, stretch, bin."""
    cut = stretches.cut
    sums = curve.sum_to(np.concatenate([cut, curve.samples[:, None]], axis=1))
    mean = sums[:, -1:] / curve.samples[:, None]
    level = np.diff(sums[:, :-1] - mean * cut, axis=1)
    weight, point = _quarters(curve, cut, mean)
    turn = np.pi / stretches.length[:, None]
    quarter = np.empty((len(cut), 4, bins), dtype=np.complex128)
    batch = max(BATCH_POINTS // point[0].size, 1)
    for first in range(0, len(cut), batch):
        part = slice(first, first + batch)
        quarter[part] = _quarter_sums(weight[:, part], point[part], turn[part], bins)
    quarter[:, :, 0] = level[:, [0, 1, 3, 4]]
    found: Array = quarter[:, :3] + quarter[:, 1:]
    # From one bin to the next the sample in the middle makes half a turn.
    found[:, 1, ::2] += level[:, 2:3]
    found[:, 1, 1::2] -= level[:, 2:3]
    return found


def _quarter_sums(
    weight: Float64[Array, "3 window 4 point"],
    point: Int64[Array, "window 4 point"],
    turn: Float64[Array, "window 1"],
    bins: int,
) -> Array:
    """Sums over the samples of each quarter for all bins but the first, which comes to nothing."""
    value, once, found = turned_sums(weight, turn[:, :, None] * point, bins)
    # 1/(r-1), and r/(r-1) is one more.
    back = np.zeros((len(turn), 1, bins), dtype=np.complex128)
    back.real[..., 1:] = -0.5
    back.imag[:, 0, 1:] = -0.5 / np.tan(turn * np.arange(1, bins) / 2)
    ahead = 1 + back
    found *= ahead
    np.subtract(once, found, out=found)
    found *= ahead
    np.subtract(value, found, out=found)
    found *= back
    return np.asarray(found)


def _quarters(
    curve: Curve, cut: Int64[Array, "window 6"], mean: Float64[Array, "window 1"]
) -> tuple[Float64[Array, "3 window 4 point"], Int64[Array, "window 4 point"]]:
    """What each point adds to its quarter (value, first and second difference), and its place.

    Points are where pieces meet, as many as the fullest quarter has, then where the quarter begins
    and where it ends; what is between meetings and the end of a quarter weighs nothing.
    """
    windows, meetings = curve.meet.shape
    piece = curve.before(cut)
    edge = curve.differences(piece, cut)
    edge[:, 0] -= mean
    begin, end = [0, 1, 3, 4], [1, 2, 4, 5]
    most = int((piece[:, end] - piece[:, begin]).max())
    meeting = piece[:, begin, None] + np.arange(most)
    there = meeting < piece[:, end, None]
    meeting = np.minimum(meeting, meetings - 1)
    meeting += meetings * np.arange(windows)[:, None, None]
    point = np.empty((windows, 4, most + 2), dtype=np.int64)
    weight = np.empty((3, windows, 4, most + 2))
    point[:, :, :-2] = curve.meet.ravel()[meeting]
    for order in range(3):
        np.multiply(curve.jump[:, order].ravel()[meeting], there, out=weight[order, :, :, :-2])
    point[:, :, -2], point[:, :, -1] = cut[:, begin], cut[:, end]
    weight[..., -2] = -edge[:, :, begin].swapaxes(0, 1)
    weight[..., -1] = edge[:, :, end].swapaxes(0, 1)
    return weight, point
