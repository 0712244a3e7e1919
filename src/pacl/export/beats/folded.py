"""A beat network as plain arrays, its batch normalisation multiplied in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pacl.af.networks import BeatNetwork
from pacl.export.errors import ExportError
from pacl.export.plain import Plain, check_finite, plain

LEAST_MEAN = 3
"""Beats of a running mean that hold the beat before, which the step from it needs."""


@dataclass(frozen=True, eq=False, slots=True)
class PlainBlock:
    """A dilated convolution, a ReLU and a matrix, with a residual path.

    `before` and `after` are beats that the convolution looks at on each side.
    """

    wide: Plain
    point: Plain
    dilation: int
    before: int
    after: int

    @property
    def looks_back_alone(self) -> bool:
        """Whether it sees no later beats."""
        return self.after == 0


@dataclass(frozen=True, eq=False, slots=True)
class PlainNetwork:
    """The layers of a beat network in the order of use; a ReLU comes before the head."""

    config: Mapping[str, Any]
    first: Plain
    blocks: tuple[PlainBlock, ...]
    head: Plain
    mean_beats: int
    mean_ahead: int
    """Beats of the running mean that come after the beat."""
    behind: int
    """Beats before a beat that its logit depends on."""
    ahead: int
    """Beats after it."""

    @property
    def channels(self) -> int:
        """Width of every layer."""
        return int(self.first.bias.size)

    @property
    def layers(self) -> tuple[Plain, ...]:
        """All of them, in the order in which they are used."""
        inner = (layer for block in self.blocks for layer in (block.wide, block.point))
        return (self.first, *inner, self.head)


def fold_norm(network: BeatNetwork) -> PlainNetwork:
    """Fold a network in evaluation mode; the network does not change.

    Examples
    --------
    >>> folded = fold_norm(BeatNetwork())
    >>> folded.blocks[3].wide.weight.shape, folded.blocks[3].dilation
    ((32, 32, 5), 8)
    """
    if network.mean_beats < LEAST_MEAN:
        raise ExportError(
            f"the network's running mean is of {network.mean_beats} beat; a stream keeps at least "
            f"{LEAST_MEAN}, train with a larger mean_beats"
        )
    dilations = network.config["dilations"]
    folded = PlainNetwork(
        config=dict(network.config),
        first=plain(network.first),
        blocks=tuple(map(_plain_block, network.blocks, dilations)),
        head=plain(network.head),
        mean_beats=network.mean_beats,
        mean_ahead=network.mean_ahead,
        behind=network.behind,
        ahead=network.ahead,
    )
    check_finite("network", (a for one in folded.layers for a in (one.weight, one.bias)))
    return folded


def _plain_block(block: Any, dilation: int) -> PlainBlock:
    wide, point = plain(block.wide, block.norm), plain(block.point)
    return PlainBlock(wide, point, dilation, block.before, block.after)
