"""Features for AF detection: how much beats differ without a pattern.

Published detectors use 12 to 128 beats; here they use the entire window, so published thresholds do
not apply. NeuroKit2 has none of them.
"""

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.features.entropy import shannon_entropy
from pacl.features.neighbours import count_neighbours
from pacl.features.numeric import over, quantile

IRREGULARITY_NAMES = (
    *("TPR", "CoSEn", "RREn", "StepEn", "RdRCells", "LorenzCells", "LorenzOrigin"),
    *("pStep10", "MedStep"),
)

TOLERANCE_MS = 30.0
LEAST_MATCHES = 5
CELL_MS = 25.0
LORENZ_MS, ORIGIN_MS = 40.0, 80.0
LEVELS = 16
TRIM = 16
"""`RREn` leaves out a sixteenth of the beats at each end: the longest and the shortest."""


def irregularity_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 9"]:
    """`IRREGULARITY_NAMES` of each window.

    `TPR`
        Share of beats that are longer or shorter than both neighbours; two thirds for beats in
        random order (Dash et al. 2009).
    `CoSEn`
        See `coefficient_of_sample_entropy`.
    `RREn`
        Shannon entropy of 16 equal levels of the interval without extremes, from 0 to 1 (Dash et
        al. 2009, who leave out 8 and 8 of 128 beats).
    `StepEn`
        Shannon entropy, in bits, of steps from beat to beat in classes of 25 ms.
    `RdRCells`
        Cells of 25 ms that the map of interval and step occupies (Lian et al. 2011).
    `LorenzCells`, `LorenzOrigin`
        Cells of 40 ms that the map of a step and the next occupies outside its origin, and points
        at the origin, where neither is beyond 80 ms: irregularity evidence and origin count of
        Sarkar et al. (2008), without their term for premature beats.
    `pStep10`, `MedStep`
        Share of steps above a tenth of the mean interval; median step over the mean interval.
    """
    step = np.diff(rr_ms, axis=1)
    rise, next_rise = np.sign(step[:, :-1]), np.sign(step[:, 1:])
    relative = np.abs(step) / rr_ms.mean(axis=1, keepdims=True)
    far = (np.abs(step[:, :-1]) > ORIGIN_MS) | (np.abs(step[:, 1:]) > ORIGIN_MS)
    lorenz = _cells(step[:, :-1], step[:, 1:], LORENZ_MS)
    return np.column_stack(
        [
            (rise * next_rise < 0).mean(axis=1),
            coefficient_of_sample_entropy(rr_ms),
            _level_entropy(rr_ms),
            shannon_entropy(np.floor(step / CELL_MS)),
            _distinct(_cells(rr_ms[:, 1:], step, CELL_MS)),
            # One number for all points at the origin, which is then no cell.
            _distinct(np.where(far, lorenz, -1)) - (~far).any(axis=1),
            (~far).sum(axis=1),
            (relative > 0.1).mean(axis=1),
            quantile(np.sort(relative, axis=1), 0.5),
        ]
    )


def coefficient_of_sample_entropy(
    rr_ms: Float64[Array, "window beat"],
) -> Float64[Array, "window"]:
    """Sample entropy of single beats, with its tolerance and the mean interval accounted for.

    -ln(A / B) + ln(2 r) - ln(mean), with B pairs of beats within r = 30 ms of each other and A
    those whose next beats are too (Lake & Moorman 2011). They need at least five such pairs; with
    fewer, r is doubled until there are five, which is our choice.
    """
    found = np.empty(len(rr_ms))
    left = np.arange(len(rr_ms))
    tolerance_ms = TOLERANCE_MS
    while left.size:
        windows = rr_ms[left]
        one, two = count_neighbours(windows, np.full(left.size, tolerance_ms), 1)
        pairs = one.sum(axis=1) // 2 - one[:, -1]
        still = two.sum(axis=1) // 2
        done = still >= LEAST_MATCHES
        density = pairs[done] / still[done] * 2 * tolerance_ms / windows[done].mean(axis=1)
        found[left[done]] = np.log(density)
        left = left[~done]
        tolerance_ms *= 2
    return found


def _level_entropy(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window"]:
    out = rr_ms.shape[1] // TRIM
    kept = np.sort(rr_ms, axis=1)[:, out : rr_ms.shape[1] - out]
    low, high = kept[:, :1], kept[:, -1:]
    level = np.minimum(np.floor(LEVELS * over(kept - low, high - low)), LEVELS - 1)
    return np.asarray(shannon_entropy(level) / np.log2(LEVELS))


def _cells(
    across: Float64[Array, "window point"], up: Float64[Array, "window point"], cell_ms: float
) -> Int64[Array, "window point"]:
    """A number for each cell of the map."""
    place = [np.floor(values / cell_ms).astype(np.int64) for values in (across, up)]
    rows = place[1] - place[1].min()
    return np.asarray((place[0] - place[0].min()) * (rows.max() + 1) + rows)


def _distinct(cells: Int64[Array, "window point"]) -> Int64[Array, "window"]:
    """How many different numbers each row holds."""
    ordered = np.sort(cells, axis=1)
    return np.asarray(1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1))
