"""Settings of the encoders that pacl has."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pacl.registry import Entry, Registry
from pacl.settings.bounds import Count, KernelSize, ShareBelow1, Width, Widths
from pacl.stored import Between, Several

Norm = Literal["group", "batch", "none"]
PooledBy = Literal["linear", "mix"]
Place = Literal["mix", "scores", "weights", "pooled", "projection"]
"""After the channel mix, on the attention's scores and weights, on z, within the projection."""
View = Literal["given", "bent", "relative"]
"""`given` and `bent`: windows are scaled. `relative`: windows are as measured, above 0."""

RELEASED_PLACES: tuple[Place, ...] = ("mix", "scores", "weights", "pooled")


@dataclass(frozen=True)
class BranchesSettings:
    """Of `Encoder`, the paper's: convolution branches, attention."""

    kernels: Annotated[tuple[KernelSize, ...], Several(1, 16)] = (3, 5, 7)
    """Kernel size of each branch."""
    channels: Widths = (16, 32, 64)
    """Channels after each convolution of a branch."""
    pooled_features: Width = 128
    """Length of z."""
    projected_features: Width = 128
    """Length of e."""
    norm: Norm = "group"
    """How channels are normalised."""
    groups: Count = 8
    """Groups of group normalisation."""
    dropout: ShareBelow1 = 0.12
    """Probability of dropout."""
    dropout_places: tuple[Place, ...] = RELEASED_PLACES
    """Where there is dropout; the default is as released."""
    pooled_by: PooledBy = "linear"
    """`linear`: a layer makes z of the pooled channels. `mix`: the 1x1 convolution fuses to z."""
    view: View = "given"
    """How windows are transformed. `bent`: far values compressed. `relative`: each window divided
    by its own mean, for values above 0 that are not scaled, such as intervals between beats (pacl
    prepare --protocol all-beats)."""

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        widths = [*self.channels, len(self.kernels) * self.channels[-1]]
        if self.pooled_by == "mix":
            widths[-1] = self.pooled_features
        if self.norm == "group" and any(width % self.groups for width in widths):
            yield f"groups {self.groups}: must divide every width {widths}"


@dataclass(frozen=True)
class ResidualSettings:
    """Of `ResidualEncoder`: a plain residual network, for any signal."""

    width: Width = 32
    """Channels of the first stage; each further stage has twice as many and half the samples."""
    blocks: Annotated[tuple[Annotated[int, Between(1, 64)], ...], Several(1, 8)] = (2, 2, 2)
    """Residual blocks of each stage."""
    kernel: KernelSize = 7
    """Kernel size of the convolutions."""
    groups: Count = 8
    """Groups of group normalisation."""
    dropout: ShareBelow1 = 0.1
    """Probability of dropout on z."""
    pooled_features: Width = 128
    """Length of z."""
    projected_features: Width = 128
    """Length of e."""

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        if self.width % self.groups:
            yield f"groups {self.groups}: must divide the width {self.width}"
        if self.width * 2 ** (len(self.blocks) - 1) > 16_384:
            yield f"width {self.width} doubled {len(self.blocks) - 1} times is above 16,384"


BRANCHES: Entry[Any] = Entry(
    "branches",
    "pacl.models:branches",
    BranchesSettings,
    "the paper's: convolution branches, attention",
)
RESIDUAL: Entry[Any] = Entry(
    "residual",
    "pacl.models:residual",
    ResidualSettings,
    "a plain residual network, for any signal",
)

ENCODERS: Registry[Any] = Registry(
    "encoder", "pacl.encoders", {"branches": BRANCHES, "residual": RESIDUAL}
)
"""From windows to vectors. A factory takes the settings, `in_channels` and `generator`, and gives a
`Network`, or any module that maps (window, channel, time) to (window, `pooled_features`)."""
