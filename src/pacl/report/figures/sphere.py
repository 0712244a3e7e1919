"""Embeddings on a globe: the three directions that hold most of them, for each loss."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float, Float64, Int64
from pacl.records import Rhythm
from pacl.report.style import FigureError

if TYPE_CHECKING:
    from pacl.evaluation import EmbeddingSet

PER_GROUP = 40
COLOURED = 10


@dataclass(frozen=True, eq=False, slots=True)
class Globe:
    """One loss. Points of length 1: x to the right, y upwards, z towards the viewer.

    `share` is the part of the embeddings' squared length that the three directions hold: 1 where
    nothing was lost. `kept` is the same for each point, before it was put back on the sphere.
    """

    points: Float64[Array, "window 3"]
    kept: Float64[Array, "window"]
    share: float


@dataclass(frozen=True, eq=False, slots=True)
class SpherePicture:
    """The same windows under each loss: their globes, rhythm and patient.

    `coloured` are the patients with a colour; the others are drawn in grey.
    """

    globes: Mapping[str, Globe]
    rhythm: Int64[Array, "window"]
    patient: tuple[str, ...]
    coloured: tuple[str, ...]


def compute_spheres(
    embeddings: "Mapping[str, EmbeddingSet]",
    generator: np.random.Generator,
    *,
    per_group: int = PER_GROUP,
    coloured: int = COLOURED,
) -> SpherePicture:
    """Take as many windows of each patient and rhythm, the same for all losses, and project them.

    Parameters
    ----------
    embeddings
        Of one run of each loss, all evaluated on the same windows; z-hat is shown.
    generator
        Draws the windows.
    per_group
        How many windows of a patient and rhythm to take at most, so that none outweighs others.
    coloured
        How many patients to colour: those who have most windows of their rarer rhythm.
    """
    if not embeddings:
        raise FigureError("no embeddings to draw; give one run of a loss or more")
    if coloured > COLOURED:
        raise FigureError(f"{coloured} patients to colour; there are {COLOURED} colours")
    (first, one), *others = embeddings.items()
    who = one.table.subject
    for loss, other in others:
        theirs = other.table
        if theirs.subject.to_list() != who.to_list() or not (
            np.array_equal(other.labels, one.labels)
            and np.array_equal(theirs.start, one.table.start)
        ):
            raise FigureError(
                f"{loss} was evaluated on other windows than {first}; evaluate both on the same"
            )
    rows, counts = [], {}
    for code in np.unique(who.codes):
        of_patient = [
            np.flatnonzero((who.codes == code) & (one.labels == kind))
            for kind in (Rhythm.SR, Rhythm.AF)
        ]
        counts[who.names[code]] = tuple(found.size for found in of_patient)
        for found in of_patient:
            rows.append(np.sort(generator.permutation(found)[:per_group]))
    chosen = np.concatenate(rows)
    ranked = sorted(counts, key=lambda name: (-min(counts[name]), -sum(counts[name]), name))
    rhythm = one.labels[chosen]
    return SpherePicture(
        globes={
            loss: project_globe(found.pooled[chosen], rhythm) for loss, found in embeddings.items()
        },
        rhythm=rhythm,
        patient=tuple(who[chosen].to_list()),
        coloured=tuple(sorted(ranked[:coloured], key=lambda name: (len(name), name))),
    )


def project_globe(
    embedded: Float[Array, "window feature"], rhythm: Int64[Array, "window"]
) -> Globe:
    """Project unit vectors onto the three directions that hold most of their squared length.

    The directions are the first right singular vectors of the windows, which are not centred:
    the sphere keeps its centre, and an angle within the three directions keeps its size. Points
    are then put back on the sphere. The globe is turned, mirrored if need be, so that the mean
    directions of SR (left) and AF (right) are on its equator, equally near, for all losses.
    """
    values = embedded.astype(np.float64)
    _, _, directions = np.linalg.svd(values, full_matrices=False)
    flat = np.zeros((len(values), 3))
    inside = values @ directions[:3].T
    flat[:, : inside.shape[1]] = inside
    kept = np.sum(flat**2, axis=1)
    length = np.sqrt(kept)[:, None]
    points = np.divide(flat, length, out=np.zeros_like(flat), where=length > 1e-9)
    points[length[:, 0] <= 1e-9] = (0.0, 0.0, 1.0)
    return Globe(
        points=points @ _view(points, rhythm).T,
        kept=kept,
        share=float(kept.sum() / np.sum(values**2)),
    )


def _view(
    points: Float64[Array, "window 3"], rhythm: Int64[Array, "window"]
) -> Float64[Array, "3 3"]:
    """Rows: the directions to the right, up, and towards the viewer."""
    means = [
        points[rhythm == kind].mean(axis=0) if np.any(rhythm == kind) else np.zeros(3)
        for kind in (Rhythm.SR, Rhythm.AF)
    ]
    sr, af = (mean / max(float(np.linalg.norm(mean)), 1e-12) for mean in means)
    axes: list[Float64[Array, "3"]] = []
    # The line from SR to AF, then their middle; the directions themselves where these are nothing.
    for wanted in (af - sr, sr + af, *np.eye(3)):
        rest = wanted - sum((wanted @ axis) * axis for axis in axes)
        size = np.linalg.norm(rest)
        if size > 1e-3 and len(axes) < 2:
            axes.append(rest / size)
    right, towards = axes
    up = np.cross(towards, right)
    # Both means are on the equator; up is the side with the windows furthest from it.
    return np.stack([right, up if np.sum((points @ up) ** 3) >= 0 else -up, towards])
