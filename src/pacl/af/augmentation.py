"""Augmentation of windows of RR intervals."""

from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from pacl.af.faults import draw_faults, put_faults
from pacl.af.respiratory_arrhythmia import (
    apply_respiration,
    draw_respiration,
    respiratory_draws,
)
from pacl.axes import Float
from pacl.rr import RRAugmentationSettings, RRWindowTensors
from pacl.training import LabelledWindows, TrainingError


@dataclass(frozen=True)
class RRAugmentation(RRAugmentationSettings):
    """Shares of the windows with respiratory arrhythmia and with beat-detector faults.

    The two are drawn independently. Respiration acts on the heart, faults on the measurement, so
    respiration comes first.
    """

    @classmethod
    def of(cls, respiratory_arrhythmia: float, faults: float) -> "RRAugmentation | None":
        """The augmentation of these shares; None if both are 0."""
        found = cls(respiratory_arrhythmia, faults)
        return None if found.idle else found

    def check(self, windows: LabelledWindows) -> None:
        """Refuse windows that are scaled: both act in ms."""
        if isinstance(windows.tensors, RRWindowTensors) and windows.tensors.in_ms:
            return
        keys = " and ".join(f"augmentation.{key}" for key, share in asdict(self).items() if share)
        raise TrainingError(
            f"{keys}: this augmentation needs windows in ms, these windows are scaled; "
            f"prepare them with --protocol all-beats, or set {keys} to 0"
        )

    def draw(
        self,
        windows: int,
        beats: int,
        generator: torch.Generator,
        device: torch.device | str,
        channels: int = 1,
    ) -> Float[Tensor, "window draw"]:
        """Random numbers for one batch; none for an augmentation that is off."""
        drawn = [torch.empty((windows, 0), device=device)]
        if self.respiratory_arrhythmia:
            drawn.append(draw_respiration(windows, beats, generator, device))
        if self.faults:
            drawn.append(draw_faults(windows, beats, generator, device))
        return torch.cat(drawn, dim=-1)

    def put(
        self, rr_ms: Float[Tensor, "*run window beat"], draws: Float[Tensor, "*run window draw"]
    ) -> Float[Tensor, "*run window beat"]:
        """Windows in ms, augmented by the numbers of `draw`."""
        if self.respiratory_arrhythmia:
            used = respiratory_draws(rr_ms.shape[-1])
            share = self.respiratory_arrhythmia
            rr_ms = apply_respiration(rr_ms, draws[..., :used], share)
            draws = draws[..., used:]
        return put_faults(rr_ms, draws, self.faults) if self.faults else rr_ms


def rr_augmentation(settings: RRAugmentationSettings) -> RRAugmentation | None:
    """The augmentation of these settings."""
    return RRAugmentation.of(**asdict(settings))
