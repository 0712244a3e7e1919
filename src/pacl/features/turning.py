"""Sums of weights that turn: a Fourier transform of points that lie anywhere."""

import math

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.numeric import Scratch

SCRATCH = Scratch()


def turned_sums(
    weight: Float64[Array, "row window group point"],
    angle: Float64[Array, "window group point"],
    number: int,
) -> Array:
    """Sum of weight exp(i k angle) over each group's points, for k from 0 to `number` - 1.

    Complex, of axes row, window, group, k. All k in one product of matrices would need a cosine and
    a sine for each k and point. Here weights are turned to a few central k, and those j before and
    j after a centre share theirs: exp(i (c + j) angle) = exp(i c angle) (cos(j angle) + i sin).
    They lie where the next call puts its own.

    Examples
    --------
    >>> weight, angle = np.array([[[[1.0, 2.0]]]]), np.array([[[0.0, np.pi]]])
    >>> turned_sums(weight, angle, 3).real.round(12)
    array([[[[ 3., -1.,  3.]]]])
    """
    rows, *places = weight.shape
    # A centre needs each row twice, a distance from it a cosine and a sine: so both are fewest.
    centres = max(round(math.sqrt(number / (2 * rows))), 1)
    reach = max(-(-(number - centres) // (2 * centres - 1)), 1)
    turns = _multiples(angle, _complex("turns", (reach + 1, *places)))
    near = SCRATCH.array("near", (2, reach + 1, *places))
    near[0], near[1] = turns.real, turns.imag
    turned = _turned(weight, turns, SCRATCH.array("turned", (2, rows, centres, *places)))
    sums = np.matmul(
        turned.reshape(-1, *places).transpose(1, 2, 0, 3),
        near.reshape(-1, *places).transpose(1, 2, 3, 0),
        out=SCRATCH.array("sums", (*places[:2], 2 * rows * centres, 2 * (reach + 1))),
    )
    sums = sums.reshape(*places[:2], 2, rows, centres, 2, reach + 1)
    (cosines, real_sines), (imag_cosines, sines) = sums.transpose(2, 5, 3, 0, 1, 4, 6)
    found = _complex("found", (rows, *places[:2], centres, 2 * reach + 1))
    after, before = found[..., reach:], found[..., reach::-1]
    np.subtract(cosines, sines, out=after.real)
    np.add(imag_cosines, real_sines, out=after.imag)
    np.add(cosines, sines, out=before.real)
    np.subtract(imag_cosines, real_sines, out=before.imag)
    return found.reshape(rows, *places[:2], -1)[..., reach : reach + number]


def _turned(
    weight: Float64[Array, "row window group point"],
    turns: Array,
    turned: Float64[Array, "2 row centre window group point"],
) -> Float64[Array, "2 row centre window group point"]:
    """Weights times the cosine and times the sine of each centre's multiple of the angle."""
    # From a centre to the next: as far as the last multiple on both sides, and one.
    at, on = turns[0], np.square(turns[-1]) * turns[1]
    for centre in range(turned.shape[2]):
        np.multiply(weight, at.real, out=turned[0, :, centre])
        np.multiply(weight, at.imag, out=turned[1, :, centre])
        at = at * on
    return turned


def _multiples(angle: Float64[Array, "window group point"], turns: Array) -> Array:
    """Fill in exp(i j angle) for j = 0, 1, 2, ..., by doubling how many there are."""
    turns[0] = 1.0
    np.cos(angle, out=turns[1].real)
    np.sin(angle, out=turns[1].imag)
    known = 2
    while known < len(turns):
        np.square(turns[known // 2], out=turns[known])
        more = turns[known + 1 : 2 * known]
        np.multiply(turns[1 : len(more) + 1], turns[known], out=more)
        known *= 2
    return turns


def _complex(name: str, shape: tuple[int, ...]) -> Array:
    return SCRATCH.array(name, (*shape[:-1], 2 * shape[-1])).view(np.complex128)
