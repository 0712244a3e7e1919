"""Gradient boosting on the HRV features of 200 beats, a logit for every beat.

It is trained on the same databases as the network, sampled and augmented by the same code, but on
windows:

- a window has 200 beats, all of them present and of known rhythm; others are drawn again,
- it is AF if at least half of its beats are, so windows around a change are included.

A beat has the logit of the window around it. Windows are evaluated every few beats, with linear
interpolation between them; before the centre of the first window and after that of the last, the
logit is constant.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pacl.af.beats import (
    PLAUSIBLE_MS,
    UNKNOWN,
    Augmentation,
    BeatLine,
    BeatSampler,
    draw_crops,
)
from pacl.axes import Array, Bool, Float, Float32, Float64
from pacl.features import hrv_features
from pacl.rivals.beats.rival import BeatRivalError, checked

WINDOW_BEATS = 200
SUBJECTS, CROPS = 256, 4
"""Subjects per draw, and crops of each, as in a batch of the network."""

TREES = 200
FUTILE = 20
"""Number of draws without a usable window after which an error is raised."""

Features = Callable[[Float[Array, "window beat"]], Float64[Array, "window feature"]]


def window_features(rr_ms: Float[Array, "window beat"]) -> Float64[Array, "window feature"]:
    """HRV features of intervals clipped to plausible lengths, as for the network."""
    return hrv_features(np.clip(rr_ms, *PLAUSIBLE_MS))


@dataclass(frozen=True, eq=False, slots=True)
class LabelledWindows:
    """Windows of 200 intervals, and whether each is AF."""

    rr_ms: Float32[Array, "window beat"]
    af: Bool[Array, "window"]


def draw_windows(
    line: BeatLine,
    sampler: BeatSampler,
    augmentations: Sequence[Augmentation],
    generator: torch.Generator,
    windows: int,
) -> LabelledWindows:
    """Draw training windows."""
    drawn: list[LabelledWindows] = []
    batches = _draws(line, sampler, augmentations, generator)
    while sum(one.af.size for one in drawn) < windows:
        drawn.append(next(batches))
    rr_ms = np.concatenate([one.rr_ms for one in drawn])
    af = np.concatenate([one.af for one in drawn])
    return LabelledWindows(rr_ms[:windows], af[:windows])


def _draws(
    line: BeatLine,
    sampler: BeatSampler,
    augmentations: Sequence[Augmentation],
    generator: torch.Generator,
) -> Iterator[LabelledWindows]:
    """Endless batches of windows; an error if none is usable."""
    futile = 0
    while futile < FUTILE:
        crops = draw_crops(
            line,
            sampler,
            augmentations,
            generator,
            subjects=SUBJECTS,
            crops=CROPS,
            beats=WINDOW_BEATS,
        )
        usable = (crops.present & (crops.label != UNKNOWN)).all(dim=1)
        share = (crops.label[usable] == 1).float().mean(dim=1)
        futile = 0 if usable.any() else futile + 1
        yield LabelledWindows(
            crops.rr_ms[usable].float().cpu().numpy(), (share >= 0.5).cpu().numpy()
        )
    raise BeatRivalError(
        f"no window of {WINDOW_BEATS} beats in a row of known rhythm in {FUTILE} draws; give "
        "longer recordings"
    )


@dataclass(slots=True)
class Boosted:
    """Boosted trees on 74 features."""

    step_beats: int = 10
    """Beats from one window to the next in evaluation."""
    seed: int = 0
    name: str = "boosted HRV features"
    model: Any = None

    @property
    def least_beats(self) -> int:
        """One window."""
        return WINDOW_BEATS

    def fit(
        self,
        line: BeatLine,
        sampler: BeatSampler,
        augmentations: Sequence[Augmentation],
        generator: torch.Generator,
        windows: int = 60_000,
        features: Features = window_features,
    ) -> "Boosted":
        """Draw windows and train on them.

        `features` computes the features of many windows; it may use several processes.
        """
        drawn = draw_windows(line, sampler, augmentations, generator, windows)
        return self.fit_windows(drawn, features)

    def fit_windows(
        self, windows: LabelledWindows, features: Features = window_features
    ) -> "Boosted":
        """Train on windows drawn before."""
        if windows.af.all() or not windows.af.any():
            raise BeatRivalError(
                f"{windows.af.size} windows, {windows.af.sum()} of them AF; give both classes"
            )
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            max_iter=TREES, early_stopping=False, random_state=self.seed
        )
        self.model = model.fit(features(windows.rr_ms), windows.af)
        return self

    def window_logits(self, rr_ms: Float[Array, "window beat"]) -> Float64[Array, "window"]:
        """The logit of each window of 200 intervals."""
        if self.model is None:
            raise BeatRivalError(f"{self.name} is not trained; call fit first")
        if rr_ms.shape[1] != WINDOW_BEATS:
            raise BeatRivalError(
                f"windows of {rr_ms.shape[1]} beats; it was trained on {WINDOW_BEATS}"
            )
        found: Float64[Array, "window"] = self.model.decision_function(window_features(rr_ms))
        return found

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
        """The logit of the window around each beat."""
        windows = np.lib.stride_tricks.sliding_window_view(checked(self, rr_ms), WINDOW_BEATS)
        last = len(windows) - 1
        first = np.unique(np.append(np.arange(0, last, self.step_beats), last))
        of_window = self.window_logits(windows[first])
        middle = first + (WINDOW_BEATS - 1) / 2
        return np.interp(np.arange(rr_ms.size), middle, of_window)
