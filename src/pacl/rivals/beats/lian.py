"""Non-empty cells of a map of intervals against their changes (Lian et al. 2011).

J. Lian, L. Wang, D. Muessig: A simple method to detect atrial fibrillation using RR intervals.
American Journal of Cardiology 107(10), 1494-1497, 2011.

Each interval is a point: its length, and its difference from the interval before. A grid of 25 ms
divides the map into cells. AF scatters points over many cells; the number of non-empty cells
decides.

The paper has consecutive windows of 32, 64 or 128 intervals. Not published: the origin of the grid,
here 0 ms on both axes; the first interval of a window, which has no difference and is no point
here; beats between windows, here each beat has its own window around it.

The paper chose its thresholds by ROC curves over AFDB, MITDB and two databases of sinus rhythm. Its
abstract gives the sensitivities but not the thresholds, and the full text was not accessible. More
than 23, 40 and 65 cells reach these sensitivities on AFDB and MITDB, in consecutive windows: 0.944,
0.957 and 0.958; the abstract has 0.944, 0.958 and 0.959. Much of the paper's sinus rhythm is of
older people. Young people have more respiratory arrhythmia: their beats fill more cells, and more
of them are called AF.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Float64, Int64
from pacl.rivals.beats.rival import BeatRivalError, checked
from pacl.rivals.beats.windowed import centred, sum_over_counts

CELL_MS = 25.0
CELLS = {32: 23, 64: 40, 128: 65}
"""Thresholds by length of the window: AF with more cells than this."""


@dataclass(frozen=True, slots=True)
class Lian:
    """Number of non-empty cells of the map, in windows of 32, 64 or 128 beats."""

    window_beats: int = 128
    name: str = "Lian 2011"

    def __post_init__(self) -> None:
        if self.window_beats not in CELLS:
            raise BeatRivalError(
                f"window_beats {self.window_beats}; the paper has thresholds for {list(CELLS)}"
            )

    @property
    def least_beats(self) -> int:
        """One window."""
        return self.window_beats

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
        """Cells less their threshold."""
        cells = filled_cells(checked(self, rr_ms), self.window_beats)
        return centred(cells, rr_ms.size) - CELLS[self.window_beats]


def filled_cells(rr_ms: Float64[Array, "beat"], window_beats: int) -> Float64[Array, "window"]:
    """Number of non-empty cells of each window."""
    across: Int64[Array, "point"] = np.floor(rr_ms[1:] / CELL_MS).astype(np.int64)
    up: Int64[Array, "point"] = np.floor(np.diff(rr_ms) / CELL_MS).astype(np.int64)
    points = window_beats - 1
    return sum_over_counts(across * 2**32 + up, np.minimum(np.arange(points + 1), 1.0))
