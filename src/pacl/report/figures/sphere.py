"""Embeddings on a globe: the three directions that hold most of them, for each loss."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Int64
from pacl.records import Rhythm
from pacl.report.globe import Globe, project_globe
from pacl.report.style import FigureError

if TYPE_CHECKING:
    from pacl.evaluation import EmbeddingSet

PER_GROUP = 40
COLOURED = 10


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
