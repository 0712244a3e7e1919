"""Augmentation of windows of any signal: as if the sensors had been worn another time."""

from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.settings import SignalAugmentationSettings
from pacl.training.errors import TrainingError
from pacl.training.windows import LabelledWindows


@dataclass(frozen=True)
class SignalAugmentation(SignalAugmentationSettings):
    """Turns a ring of channels, moves windows in time, changes gain and level, adds noise.

    Each window is changed by itself. What is 0 in the settings is left out.
    """

    def check(self, windows: LabelledWindows) -> None:
        """Refuse windows that are too short, or whose channels do not make up rings."""
        channels, length = windows.tensors.channels, windows.tensors.length
        if self.ring and channels % self.ring:
            raise TrainingError(
                f"augmentation.ring: rings of {self.ring} channels, the windows have {channels}; "
                "give a number that divides it, or 0 for one ring of all channels"
            )
        if self.shift >= length:
            raise TrainingError(
                f"augmentation.shift: {self.shift} samples, windows have {length}; give less"
            )

    def draw(
        self,
        windows: int,
        length: int,
        generator: torch.Generator,
        device: torch.device | str,
        channels: int = 1,
    ) -> Float[Tensor, "window draw"]:
        """Turn, shift and lost channels are uniform, the others normal."""

        def uniform(count: int) -> Tensor:
            return torch.rand((windows, count), generator=generator, device=device)

        def normal(count: int) -> Tensor:
            return torch.randn((windows, count), generator=generator, device=device)

        drawn = [uniform(2 + channels), normal(2 * channels)]
        if self.noise:
            drawn.append(normal(channels * length))
        return torch.cat(drawn, dim=1)

    def put(
        self,
        x: Float[Tensor, "..."],
        draws: Float[Tensor, "*run window draw"],
    ) -> Float[Tensor, "..."]:
        """Windows (run, window, channel, time), changed; one channel may have no axis."""
        flat = x.ndim == draws.ndim
        wide = x.unsqueeze(-2) if flat else x
        channels, length = wide.shape[-2:]
        sizes = [1, 1, channels, channels, channels, channels * length * bool(self.noise)]
        turn, shift, lost, gain, offset, noise = torch.split(draws, sizes, dim=-1)
        if self.turn:
            wide = self._turned(wide, self.turn * (2 * turn - 1))
        if self.shift:
            wide = _moved(wide, shift, self.shift)
        if self.gain:
            wide = wide * torch.exp(self.gain * gain)[..., None]
        if self.offset:
            wide = wide + self.offset * offset[..., None]
        if self.noise:
            wide = wide + self.noise * noise.reshape(wide.shape)
        if self.lost:
            wide = wide.masked_fill((lost < self.lost)[..., None], 0.0)
        return wide.squeeze(-2) if flat else wide

    def _turned(self, x: Tensor, turn: Tensor) -> Tensor:
        """Channels rolled, also by parts of one: between two channels, their mean by weight."""
        ring = self.ring or x.shape[-2]
        at = torch.arange(x.shape[-2], device=x.device)
        begin, place = at // ring * ring, at % ring
        whole = torch.floor(turn)
        source = (place - whole.long()) % ring
        part = (turn - whole)[..., None]

        def take(index: Tensor) -> Tensor:
            return torch.take_along_dim(x, (begin + index)[..., None], dim=-2)

        return (1 - part) * take(source) + part * take((source - 1) % ring)


def signal_augmentation(settings: SignalAugmentationSettings) -> SignalAugmentation | None:
    """The augmentation of these settings; None if it would change nothing."""
    return None if settings.idle else SignalAugmentation(**asdict(settings))


def _moved(x: Tensor, shift: Tensor, most: int) -> Tensor:
    """Windows moved in time by whole samples, at most so many either way."""
    by = torch.floor(shift * (2 * most + 1)).long() - most
    at = torch.arange(x.shape[-1], device=x.device)
    source = (at - by[..., None]).clamp(0, x.shape[-1] - 1)
    return torch.take_along_dim(x, source, dim=-1)
