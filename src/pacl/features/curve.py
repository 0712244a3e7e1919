"""Each window as a curve at 100 samples per second, summed without computing the samples."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.features.spline import draw_spline

RATE_HZ = 100.0


@dataclass(frozen=True, slots=True)
class Curve:
    """Parabolas in sample numbers from the first beat on, and a level piece after the last beat."""

    at: Float64[Array, "window piece"]
    value: Float64[Array, "window piece"]
    slope: Float64[Array, "window piece"]
    bend: Float64[Array, "window piece"]
    samples: Int64[Array, "window"]
    """Their number."""
    meet: Int64[Array, "window meeting"]
    """First sample of each piece except the first."""
    jump: Float64[Array, "window 3 meeting"]
    """A piece minus the next one there: value, first and second difference."""

    def differences(
        self, piece: Int64[Array, "window place"], sample: Int64[Array, "window place"]
    ) -> Float64[Array, "window 3 place"]:
        """Value, first and second difference of given pieces at given samples."""
        at, value, slope, bend = (
            np.take_along_axis(of_piece, piece, axis=1)
            for of_piece in (self.at, self.value, self.slope, self.bend)
        )
        return _differences(sample - at, value, slope, bend)

    def before(self, sample: Int64[Array, "window place"]) -> Int64[Array, "window place"]:
        """The piece that the sample before each of these lies on."""
        return np.asarray((self.meet[:, None, :] < sample[:, :, None]).sum(axis=2))

    def sum_to(self, sample: Int64[Array, "window place"]) -> Float64[Array, "window place"]:
        """Sum of all samples before each of these."""
        begin = np.concatenate([np.zeros_like(self.meet[:, :1]), self.meet], axis=1)
        first = _differences(begin - self.at, self.value, self.slope, self.bend)
        sums = np.zeros(begin.shape)
        np.cumsum(_sum(first[:, :, :-1], np.diff(begin, axis=1)), axis=1, out=sums[:, 1:])
        piece = self.before(sample)
        start = np.take_along_axis(begin, piece, axis=1)
        rest = _sum(np.take_along_axis(first, piece[:, None, :], axis=2), sample - start)
        return np.take_along_axis(sums, piece, axis=1) + rest


def draw_curve(rr_ms: Float64[Array, "window beat"]) -> Curve:
    """The spline of each window, relative to its first beat.

    The samples are those of NeuroKit2: from the first beat to the last; if no sample falls on the
    last beat, one more repeats it.
    """
    at_s = np.cumsum(rr_ms / 1000, axis=1)
    step_s = 1 / RATE_HZ
    samples = np.ceil((at_s[:, -1] + step_s - at_s[:, 0]) / step_s).astype(np.int64)
    at = (at_s - at_s[:, :1]) * RATE_HZ
    beyond = rr_ms - rr_ms[:, :1]
    spline = draw_spline(at, beyond)
    meet = np.ceil(spline.knot)
    past = meet - spline.knot
    # Neighbours share value and slope at the knot: they part by the difference of their bends.
    parting = spline.bend[:, :-1] - spline.bend[:, 1:]
    none = np.zeros_like(past)
    last = np.floor(at[:, -1:] + 1e-9) + 1  # a sample on the last beat is on the curve
    pieces = (spline.at, spline.value, spline.slope, spline.bend)
    end = _differences(last - pieces[0][:, -1:], *(of_piece[:, -1:] for of_piece in pieces[1:]))
    end[:, 0] -= beyond[:, -1:]
    level = (last, beyond[:, -1:], np.zeros_like(last), np.zeros_like(last))
    at, value, slope, bend = (
        np.concatenate(pair, axis=1) for pair in zip(pieces, level, strict=True)
    )
    meets = np.concatenate([meet, last], axis=1).astype(np.int64)
    jump = np.concatenate([_differences(past, none, none, parting), end], axis=2)
    return Curve(at, value, slope, bend, samples, meets, jump)


def _differences(
    past: Float64[Array, "window place"],
    value: Float64[Array, "window place"],
    slope: Float64[Array, "window place"],
    bend: Float64[Array, "window place"],
) -> Float64[Array, "window 3 place"]:
    return np.stack(
        [value + past * (slope + past * bend), slope + (2 * past + 1) * bend, 2 * bend], axis=1
    )


def _sum(
    first: Float64[Array, "window 3 place"], number: Int64[Array, "window place"]
) -> Float64[Array, "window place"]:
    """The sum of `number` samples of a parabola, from its differences at the first of them."""
    pairs = number * (number - 1) / 2
    value, once, twice = first[:, 0], first[:, 1], first[:, 2]
    return np.asarray(value * number + pairs * (once + twice * (number - 2) / 3))
