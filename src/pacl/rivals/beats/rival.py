"""The interface of methods that classify each beat as AF or not."""

from typing import Protocol, runtime_checkable

import numpy as np

from pacl.axes import Array, Float32, Float64
from pacl.errors import PaclError


class BeatRivalError(PaclError):
    """Intervals that a method cannot classify, or a method that is not trained."""


@runtime_checkable
class BeatRival(Protocol):
    """A method that classifies each beat of a stretch of intervals without a gap."""

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def least_beats(self) -> int:
        """Shorter stretches are not classified."""

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
        """One number per beat; AF above 0."""


def checked(rival: BeatRival, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
    """The intervals in double precision; an error if the method cannot classify them."""
    if rr_ms.size < rival.least_beats:
        raise BeatRivalError(
            f"{rr_ms.size} beats; {rival.name} needs at least {rival.least_beats} in a row: "
            "leave shorter stretches out"
        )
    wrong = np.flatnonzero(~(np.isfinite(rr_ms) & (rr_ms > 0)))
    if wrong.size:
        raise BeatRivalError(
            f"beat {wrong[0]} is {rr_ms[wrong[0]]} ms; {rival.name} needs intervals above 0 ms: "
            f"leave such beats out ({wrong.size} of {rr_ms.size})"
        )
    return rr_ms.astype(np.float64)
