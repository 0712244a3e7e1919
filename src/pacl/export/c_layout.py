"""Memory and cost of a network that is computed column by column.

A layer keeps only the columns that the next layer still needs. The C file computes the same bounds
at run time (`advance` in `template/window.c`); here they give the maximum number of columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pacl.export.folded import Folded
from pacl.export.plain import Plain


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the columns of a layer are kept, counted in floats, and how many of them."""

    place: int
    slots: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes of the working memory, and where the layers of each branch keep their columns."""

    lengths: tuple[int, ...]
    """Columns that go into the first layer of a branch, into the second, and out of the last."""
    kept: tuple[tuple[Kept, ...], ...]
    """For each layer of each branch: in `recent`, for the last of a branch in `column`."""
    recent: int
    """Floats of this buffer, and of the next two."""
    column: int
    mixed: int

    @classmethod
    def of(cls, folded: Folded, beats: int) -> "Layout":
        """Of a network for windows of `beats` beats."""
        lengths = [beats]
        for _ in folded.branches[0]:
            lengths.append((lengths[-1] + 1) // 2)
        kept, recent, column = [], 0, 0
        for branch in folded.branches:
            places = []
            slots = slots_of([layer.weight.shape[2] for layer in branch], lengths)
            for layer, needed in zip(branch, slots, strict=False):
                places.append(Kept(recent, needed))
                recent += needed * layer.bias.size
            kept.append((*places, Kept(column, 1)))
            column += branch[-1].bias.size
        pooled = 0 if folded.to_pooled is None else folded.to_pooled.bias.size
        return cls(
            lengths=tuple(lengths),
            kept=tuple(kept),
            recent=max(recent, 1),  # C has no empty arrays
            column=max(column, pooled),
            mixed=folded.mix.bias.size,
        )

    @property
    def ram_bytes(self) -> int:
        """Of the struct that holds all of a stream: `pacl_af_stream` in `template/declared.c`."""
        beats, layers = self.lengths[0], sum(map(len, self.kept))
        work = 4 * (beats + self.recent + self.column + 2 * self.mixed + layers)
        shorts = 2 * (beats + 1)
        return work + 4 * beats + (shorts + 3) // 4 * 4 + 4 * 3


def slots_of(taps: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Maximum number of kept columns of each layer of a branch except the last.

    Examples
    --------
    >>> slots_of([3, 3, 3], [200, 100, 50, 25])
    [5, 3]
    """
    slots = [0] * (len(taps) - 1)
    made = [0] * len(taps)
    for moment in range(lengths[-1]):
        last = [moment] * len(taps)
        for at in range(len(taps) - 1, 0, -1):
            last[at - 1] = min(2 * last[at] + taps[at] // 2, lengths[at] - 1)
        for at in range(1, len(taps)):
            if made[at] <= last[at]:
                first_seen = max(0, 2 * made[at] - taps[at] // 2)
                slots[at - 1] = max(slots[at - 1], last[at - 1] - first_seen + 1)
        made = [max(before, now + 1) for before, now in zip(made, last, strict=True)]
    return slots


def macs_of(folded: Folded, lengths: Sequence[int]) -> int:
    """Multiply-adds per window, including those with zeros from padding and ReLU."""
    columns = [length for _ in folded.branches for length in lengths[1:]]
    columns += [lengths[-1], 1]
    layers = sum(
        layer.weight.size * count for layer, count in zip(folded.layers, columns, strict=False)
    )
    attention = 2 * folded.score.size * lengths[-1]  # the score, and the weighted mean
    return layers + attention + 2 * features_of(folded)  # the length of z, and the probe


def features_of(folded: Folded) -> int:
    """Length of z."""
    last: Plain = folded.mix if folded.to_pooled is None else folded.to_pooled
    return int(last.bias.size)
