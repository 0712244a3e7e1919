"""Sampling of crops: first a database, then a subject, then a place of a certain kind.

Databases differ a thousandfold in beats, and their subjects in how much AF they have. Neither
should decide what is learned.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from pacl.af.beats.crops import Augmentation, Crops
from pacl.af.beats.line import BeatLine
from pacl.axes import Array, Int64
from pacl.training import SamplerError

KINDS = ("not AF", "AF", "change")
PLAUSIBLE_MS = (150.0, 4000.0)
"""Intervals are clipped to this range before augmentation."""


class BeatSampler:
    """Draws subjects, and places in their recordings.

    Parameters
    ----------
    weights
        Relative frequency of each database; one without a weight is not used.
    change
        Share of crops around a change between AF and another rhythm, for subjects with one. The
        rest is half AF and half not AF, for subjects with both.
    """

    def __init__(
        self, line: BeatLine, weights: Mapping[str, float], *, change: float = 0.5
    ) -> None:
        device = line.rr_ms.device
        table, first, count = _places(line)
        names = [database for database, _ in line.subjects]
        if unknown := set(weights) - set(names):
            raise SamplerError(
                f"no recordings of {', '.join(sorted(unknown))}; there are {sorted(set(names))}"
            )
        usable = count.sum(axis=1) > 0
        members = {name: sum(map(name.__eq__, np.array(names)[usable])) for name in set(names)}
        chances = [
            weights.get(name, 0.0) / members[name] if useful else 0.0
            for name, useful in zip(names, usable, strict=True)
        ]
        if not sum(chances) > 0:
            raise SamplerError("no labelled beat in the databases with a weight")
        self._subjects = torch.tensor(chances, device=device)
        self._table = torch.from_numpy(table).to(device)
        self._first, self._count = (torch.from_numpy(one).to(device) for one in (first, count))
        rest = (1.0 - change) / 2
        self._kinds = torch.tensor([rest, rest, change], device=device)

    def draw(
        self, subjects: int, crops: int, generator: torch.Generator
    ) -> tuple[Int64[Tensor, "crop"], Int64[Tensor, "crop"]]:
        """Subject and place of `crops` crops of each of `subjects` subjects."""
        drawn = torch.multinomial(self._subjects, subjects, replacement=True, generator=generator)
        who = drawn.repeat_interleave(crops)
        has = self._count[who] > 0
        kind = torch.multinomial(self._kinds * has, 1, generator=generator)[:, 0]
        count = self._count[who, kind]
        drawn = torch.rand(who.numel(), generator=generator, device=who.device)
        which = (drawn.double() * count).long().clamp(max=count - 1)
        return who, self._table[self._first[who, kind] + which]


def draw_crops(
    line: BeatLine,
    sampler: BeatSampler,
    augmentations: Sequence[Augmentation],
    generator: torch.Generator,
    *,
    subjects: int,
    crops: int,
    beats: int,
    behind: int = 0,
    ahead: int = 0,
) -> Crops:
    """Augmented crops of `beats` beats with the sampled place at random among them.

    There are `crops` crops of each of `subjects` subjects, with `behind` more beats before and
    `ahead` more after them.
    """
    _, places = sampler.draw(subjects, crops, generator)
    drawn = torch.rand(places.numel(), generator=generator, device=places.device)
    first = places - (drawn * beats).long() - behind
    found = line.crops(first, beats + behind + ahead)
    found = Crops(found.rr_ms.clamp(*PLAUSIBLE_MS), found.present, found.label)
    for augmentation in augmentations:
        found = augmentation(found, generator)
    return found


def _places(
    line: BeatLine,
) -> tuple[Int64[Array, "place"], Int64[Array, "subject kind"], Int64[Array, "subject kind"]]:
    """Places of each kind by subject: one table, first row and count of each subject and kind."""
    label = line.label.cpu().numpy()
    known = label < 2
    change = np.flatnonzero((label[1:] != label[:-1]) & known[1:] & known[:-1]) + 1
    tables, firsts, counts, before = [], [], [], 0
    for places in (np.flatnonzero(label == 0), np.flatnonzero(label == 1), change):
        order = np.argsort(line.subject[places], kind="stable")
        count = np.bincount(line.subject[places], minlength=len(line.subjects))
        tables.append(places[order])
        firsts.append(before + np.cumsum(count) - count)
        counts.append(count)
        before += places.size
    return np.concatenate(tables), np.stack(firsts, axis=1), np.stack(counts, axis=1)
