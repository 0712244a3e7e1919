"""Sums of weights that turn: a Fourier transform of points that lie anywhere."""

import numpy as np

from pacl.axes import Array, Float64

BATCH = 16
"""Windows at a time, so that what is made for them stays near the processor."""

CENTRES = 5
"""Weights are turned to so many k; the k around each need the same cosines and sines."""


def turned_sums(
    weight: Float64[Array, "window row point"], angle: Float64[Array, "window point"], number: int
) -> Array:
    """Sum of weight exp(-i k angle) over each row's points, for k from 0 to `number` - 1.

    Complex, of axes window, row, k. All k in one product of matrices would need a cosine and a
    sine for each k and point. Here weights are turned to a few central k, and those j before and j
    after a centre share theirs: exp(-i (c + j) angle) = exp(-i c angle) (cos(j angle) - i sin).

    Examples
    --------
    >>> turned_sums(np.array([[[1.0, 2.0]]]), np.array([[0.0, np.pi]]), 3).real.round(12)
    array([[[ 3., -1.,  3.]]])
    """
    windows, rows, points = weight.shape
    reach = max(-(-(number - CENTRES) // (2 * CENTRES)), 1)
    width = 2 * reach + 1
    found = np.empty((windows, rows, CENTRES, width), dtype=np.complex128)
    room = np.empty((min(BATCH, windows), 2, reach + 1, points))
    for first in range(0, windows, BATCH):
        part = slice(first, first + BATCH)
        near = _multiples(angle[part], room[: len(angle[part])])
        turned = np.empty((len(near), 2, rows, CENTRES, points))
        once, at = (near[:, 0, far] - 1j * near[:, 1, far] for far in (1, reach))
        on = at * at * once
        for centre in range(CENTRES):
            np.multiply(weight[part], at.real[:, None], out=turned[:, 0, :, centre])
            np.multiply(weight[part], at.imag[:, None], out=turned[:, 1, :, centre])
            at = at * on
        sums = turned.reshape(len(near), -1, points) @ near.reshape(
            len(near), -1, points
        ).transpose(0, 2, 1)
        real, imag = sums.reshape(len(near), 2, rows, CENTRES, 2, reach + 1).transpose(
            1, 4, 0, 2, 3, 5
        )
        # (a + ib) (cos - i sin) after a centre, and with the sign of the sine turned before it.
        for sign, side in ((1, np.s_[reach:]), (-1, np.s_[reach::-1])):
            found.real[part, ..., side] = real[0] + sign * imag[1]
            found.imag[part, ..., side] = imag[0] - sign * real[1]
    return found.reshape(windows, rows, CENTRES * width)[:, :, :number]


def _multiples(
    angle: Float64[Array, "window point"], room: Float64[Array, "window 2 multiple point"]
) -> Float64[Array, "window 2 multiple point"]:
    """Cosine and sine of 0, 1, 2, ... times each angle, by doubling how many there are."""
    cosine, sine = room[:, 0], room[:, 1]
    cosine[:, 0], sine[:, 0] = 1.0, 0.0
    along, across = np.cos(angle)[:, None], np.sin(angle)[:, None]
    known, number = 1, room.shape[2]
    while known < number:
        more = min(known, number - known)
        old_cosine, old_sine = cosine[:, :more], sine[:, :more]
        new_cosine, new_sine = cosine[:, known : known + more], sine[:, known : known + more]
        np.multiply(old_cosine, along, out=new_cosine)
        new_cosine -= old_sine * across
        np.multiply(old_cosine, across, out=new_sine)
        new_sine += old_sine * along
        known += more
        along, across = along**2 - across**2, 2 * along * across
    return room
