"""Gradient boosting on the HRV features of 200 beats, a logit for every beat.

It learns from the same databases as the network, drawn and augmented by the same code. What it
sees are windows, so that windows are what it learns from:

- a window has 200 beats, all of them present and of known rhythm; others are drawn anew,
- it is AF where at least half of its beats are, so that windows around a change are learned from.

A beat has the logit of the window around it. Windows are computed every few beats, with straight
lines in between; before the middle of the first window and after that of the last, their logits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pacl.axes import Array, Bool, Float, Float32, Float64
from pacl.features import hrv_features
from pacl.rivals.beats.rival import BeatRivalError, checked
from pacl.training.beats import UNKNOWN, Augmentation, BeatLine, BeatSampler
from pacl.training.beats.sampler import PLAUSIBLE_MS, draw_crops

WINDOW_BEATS = 200
SUBJECTS, CROPS = 256, 4
"""Drawn at a time; four crops of each subject, as in a batch of the network."""

TREES = 200
FUTILE = 20
"""After so many draws without a window that can be learned from, there is none."""

Features = Callable[[Float[Array, "window beat"]], Float64[Array, "window feature"]]


def window_features(rr_ms: Float[Array, "window beat"]) -> Float64[Array, "window feature"]:
    """HRV features of intervals brought within plausible lengths, as those of the network are."""
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
    """So many windows to learn from."""
    rr_ms, af, count = [], [], 0
    for one in _draws(line, sampler, augmentations, generator):
        rr_ms.append(one.rr_ms)
        af.append(one.af)
        count += one.af.size
        if count >= windows:
            break
    return LabelledWindows(np.concatenate(rr_ms)[:windows], np.concatenate(af)[:windows])


def _draws(
    line: BeatLine,
    sampler: BeatSampler,
    augmentations: Sequence[Augmentation],
    generator: torch.Generator,
) -> Iterator[LabelledWindows]:
    """Batches of windows without end, as long as some can be learned from."""
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
        whole = (crops.present & (crops.label != UNKNOWN)).all(dim=1)
        share = (crops.label[whole] == 1).float().mean(dim=1)
        futile = 0 if whole.any() else futile + 1
        yield LabelledWindows(
            crops.rr_ms[whole].float().cpu().numpy(), (share >= 0.5).cpu().numpy()
        )
    raise BeatRivalError(
        f"no window of {WINDOW_BEATS} beats in a row of known rhythm in {FUTILE} draws; learn from "
        "longer recordings"
    )


@dataclass(slots=True)
class Boosted:
    """Boosted trees on 74 features.

    Parameters
    ----------
    step_beats
        Beats from one window to the next where a stretch is judged.
    seed
        Of the trees.
    """

    step_beats: int = 10
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
        """Draw windows and learn from them.

        `features` computes the features of many windows; it may share the work among processes.
        """
        return self.fit_windows(
            draw_windows(line, sampler, augmentations, generator, windows), features
        )

    def fit_windows(
        self, windows: LabelledWindows, features: Features = window_features
    ) -> "Boosted":
        """Learn from windows that were drawn before."""
        if windows.af.all() or not windows.af.any():
            raise BeatRivalError(
                f"{windows.af.size} windows, {windows.af.sum()} of them AF; learn from both kinds"
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
            raise BeatRivalError(f"{self.name} has not learned yet; call fit before")
        if rr_ms.shape[1] != WINDOW_BEATS:
            raise BeatRivalError(
                f"windows of {rr_ms.shape[1]} beats; it learned from {WINDOW_BEATS}"
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
