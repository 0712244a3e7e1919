"""Windows of a search: those of training and validation patients alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch

from pacl.rr import Cut, RRWindowSet, ScaleBeats
from pacl.studies.inputs import cut_like
from pacl.studies.run import LearningWindows, check_parts
from pacl.windows import Names

AT_HAND = 4
"""Window sets that stay on the device."""


@runtime_checkable
class WindowSource(Protocol):
    """Gives training and validation windows of a length and stride."""

    @property
    def cuts(self) -> bool:
        """Whether windows of other lengths can be cut."""

    @property
    def cut(self) -> Cut:
        """How they are cut in the first trial."""

    def parts(self, cut: Cut) -> tuple[RRWindowSet, RRWindowSet]:
        """The training and the validation windows, without beats of other patients."""

    def settings(self, cut: Cut) -> Mapping[str, Any] | None:
        """Settings of `pacl prepare` for such windows; None for a window set."""


@dataclass(frozen=True, slots=True)
class WindowsAsCut:
    """A window set as `prepare` wrote it: its cut is fixed."""

    path: Path
    cuts = False

    @property
    def cut(self) -> Cut:
        """How it was cut."""
        return cut_like(self.path)

    def parts(self, cut: Cut) -> tuple[RRWindowSet, RRWindowSet]:
        """The training and the validation windows."""
        return parts_to_tune(self.path)

    def settings(self, cut: Cut) -> None:
        """None: it is a window set."""
        return


def parts_to_tune(path: Path) -> tuple[RRWindowSet, RRWindowSet]:
    """Open the training and the validation part of a window set."""
    windows = RRWindowSet.open(path)
    check_parts(windows, path, ("train", "validation"))
    return alone(windows.part("train")), alone(windows.part("validation"))


def alone(part: RRWindowSet) -> RRWindowSet:
    """A part with a copy of its own beats and names, without those of other patients."""
    table, length = part.table, part.window_beats
    edges = np.zeros(part.rr_ms.size + 1, dtype=np.int64)
    np.add.at(edges, table.start, 1)
    np.add.at(edges, table.start + length, -1)
    own = np.cumsum(edges[:-1]) > 0
    return replace(
        part,
        rr_ms=np.array(part.rr_ms[own]),
        raw_index=np.array(part.raw_index[own]),
        beat_rhythm=np.array(part.beat_rhythm[own]),
        table=replace(
            table,
            start=(np.cumsum(own) - 1)[table.start],
            patient=_own_names(table.patient),
            record=_own_names(table.record),
        ),
        scale_beats=ScaleBeats((), np.empty(0, np.int64), np.empty(0, np.int64)),
        manifest={key: part.manifest[key] for key in ("allowed", "scaled") if key in part.manifest},
    )


def _own_names(names: Names) -> Names:
    """The names that occur, in the order they had."""
    codes, places = np.unique(names.codes, return_inverse=True)
    return Names(places.astype(np.int32), tuple(names.names[code] for code in codes))


class WindowsAtHand:
    """The windows of a source on a device; the last few sets stay there."""

    def __init__(self, source: WindowSource, device: torch.device) -> None:
        self.source, self.device = source, device
        self.of = lru_cache(AT_HAND)(self._of)

    def _of(self, cut: Cut) -> LearningWindows:
        return LearningWindows.of(*self.source.parts(cut), self.device)
