"""Makes a reference map from the windows that weights were trained on."""

import numpy as np

from pacl.axes import Array, Bool, Float, Float64, Int
from pacl.detect.reference_map import ReferenceMap

LEAST_WINDOWS = 20
"""A patient's rhythm with fewer windows is left out: its mean is too uncertain."""
LEAST_PATIENTS = 2
"""Of each rhythm: one patient alone has no distance to another."""
OWN = 0.99
"""Share of the reference patients' centres that count as near another's."""
DIGITS, AXIS_DIGITS = 4, 6
"""Neighbouring patients are about 0.1 apart; more digits would only make the file larger."""


def learn_map(
    pooled: Float[Array, "window feature"],
    patient: Int[Array, "window"],
    af: Bool[Array, "window"],
    *,
    weight: Float64[Array, "feature"],
    bias: float,
) -> ReferenceMap | None:
    """Map the patients of a cohort.

    The first axis is the direction of the AF logit, with 0 at even odds. The second is the
    direction at right angles to it in which patients of the same rhythm differ most: the first
    principal direction of their centres, each less the mean centre of its rhythm.

    The logit of AF is `pooled @ weight + bias`. None with too few windows, with fewer than two
    patients of a rhythm, or where patients do not differ.
    """
    kind, centres = _centres(pooled, patient, af)
    if min(np.sum(kind), np.sum(~kind)) < LEAST_PATIENTS:
        return None
    steep = float(np.linalg.norm(weight))
    first = weight / steep
    along = centres @ first
    across = centres - along[:, None] * first
    for one in (True, False):
        across[kind == one] -= across[kind == one].mean(axis=0)
    _, spread, directions = np.linalg.svd(across, full_matrices=False)
    second = directions[0] - (directions[0] @ first) * first
    far_not_af, far_af = (_own_distance(centres[kind == one]) for one in (False, True))
    if not (spread[0] > 0 and far_not_af > 0 and far_af > 0):
        return None
    second *= np.sign(second[np.argmax(np.abs(second))]) / np.linalg.norm(second)
    origin = -bias / steep * first + (centres @ second).mean() * second
    return ReferenceMap(
        axes=np.round(np.stack([first, second]), AXIS_DIGITS),
        origin=np.round(origin, AXIS_DIGITS),
        centres=np.round(centres, DIGITS),
        af=kind,
        far_not_af=round(far_not_af, DIGITS),
        far_af=round(far_af, DIGITS),
    )


def _centres(
    pooled: Float[Array, "window feature"], patient: Int[Array, "window"], af: Bool[Array, "window"]
) -> tuple[Bool[Array, "centre"], Float64[Array, "centre feature"]]:
    """Of each patient's rhythms, whether it is AF, and the mean of its windows."""
    key = 2 * patient.astype(np.int64) + af
    order = np.argsort(key, kind="stable")
    groups, starts, counts = np.unique(key[order], return_index=True, return_counts=True)
    if not groups.size:
        return groups.astype(bool), np.empty((0, pooled.shape[1]))
    sums = np.add.reduceat(pooled[order], starts, axis=0, dtype=np.float64)
    kept = counts >= LEAST_WINDOWS
    return groups[kept] % 2 == 1, (sums / counts[:, None])[kept]


def _own_distance(centres: Float64[Array, "centre feature"]) -> float:
    """The distance within which 99 % of the centres of a rhythm have a neighbour."""
    between = np.linalg.norm(centres[:, None] - centres, axis=2)
    np.fill_diagonal(between, np.inf)
    return float(np.quantile(between.min(axis=1), OWN))
