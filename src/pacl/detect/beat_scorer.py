"""Networks that give a logit for every beat, in ONNX Runtime on one core."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Bool, Float32
from pacl.detect.artifact import NetworkFile, no_detector
from pacl.detect.beat_quality import GROUP
from pacl.detect.session import open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

CHUNK = 8192
"""Beats at a time: all that a layer computes of them stays in a core's cache."""

USUAL_MS = 800.0
"""Interval of a beat that is absent; what it is does not matter."""


@dataclass(frozen=True, eq=False, slots=True)
class BeatScorer:
    """Logits of whole stretches."""

    file: NetworkFile
    session: "InferenceSession"

    @classmethod
    def open(cls, file: NetworkFile) -> "BeatScorer":
        """Load a network."""
        return cls(file, open_session(file.path, no_detector))

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float32[Array, "beat"]:
        """One for each beat of a stretch; before and after it there is nothing."""
        around = (self.file.behind, self.file.ahead)
        padded = np.pad(rr_ms.astype(np.float32), around, constant_values=USUAL_MS)
        present = np.pad(np.ones(rr_ms.size, np.bool_), around)
        found = [np.empty(0, np.float32)]
        for at in range(0, rr_ms.size, CHUNK):
            part = slice(at, min(at + CHUNK, rr_ms.size) + sum(around))
            given = {"rr_ms": padded[None, part], "present": present[None, part]}
            found.append(self.session.run(["logits"], given)[0][0])
        return np.concatenate(found)


@dataclass(frozen=True, eq=False, slots=True)
class BlockScorer:
    """Logits of a stream, ten beats at a time; `first` is the state before the first beat."""

    file: NetworkFile
    session: "InferenceSession"
    first: Float32[Array, "1 state"]

    @classmethod
    def open(cls, file: NetworkFile) -> "BlockScorer":
        """Load a network; before the first beat, beats were absent for as long as it looks back."""
        session = open_session(file.path, no_detector)
        size = next(one.shape[1] for one in session.get_inputs() if one.name == "state")
        scorer = cls(file, session, np.zeros((1, size), np.float32))
        state = scorer.first
        for _ in range(-(-(file.behind + file.ahead) // GROUP)):
            _, state = scorer.step(*absent(), state)
        return cls(file, session, state)

    def step(
        self,
        rr_ms: Float32[Array, "beat"],
        present: Bool[Array, "beat"],
        state: Float32[Array, "1 state"],
    ) -> tuple[Float32[Array, "beat"], Float32[Array, "1 state"]]:
        """Logits of the ten beats that lie `ahead` beats back, and the next state."""
        given = {"rr_ms": rr_ms[None], "present": present[None], "state": state}
        logits, after = self.session.run(["logits", "next_state"], given)
        return logits[0], after


def absent(beats: int = GROUP) -> tuple[Float32[Array, "beat"], Bool[Array, "beat"]]:
    """Intervals and presence of beats that are not there."""
    return np.full(beats, USUAL_MS, np.float32), np.zeros(beats, np.bool_)
