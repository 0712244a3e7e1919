"""Networks that give a logit for every beat, in ONNX Runtime on one core."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Bool, Float32
from pacl.detect.artifact import no_detector
from pacl.detect.beat_quality import GROUP
from pacl.detect.first_state import first_state
from pacl.detect.session import open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

CHUNK = 8192
"""Beats at a time: all that a layer computes of them stays in a core's cache."""

USUAL_MS = 800.0
"""Interval of a beat that is absent; what it is does not matter."""


@dataclass(frozen=True, eq=False, slots=True)
class BeatScorer:
    """Logits of whole stretches; the network looks at beats before a beat and after it."""

    session: "InferenceSession"
    behind: int
    ahead: int

    @classmethod
    def open(cls, path: Path) -> "BeatScorer":
        """Load a network."""
        session = _session(path, {"rr_ms", "present"})
        return cls(session, _stated(session, path, "behind"), _stated(session, path, "ahead"))

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float32[Array, "beat"]:
        """One for each beat of a stretch; before and after it there is nothing."""
        around = (self.behind, self.ahead)
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

    session: "InferenceSession"
    ahead: int
    first: Float32[Array, "one number"]

    @classmethod
    def open(cls, path: Path) -> "BlockScorer":
        """Load a network."""
        session = _session(path, {"rr_ms", "present", "state"})
        for key in ("behind", "ahead", "state"):
            _stated(session, path, key)
        if _stated(session, path, "block") != GROUP:
            raise no_detector(path, f"it does not take {GROUP} beats at a time")
        return cls(session, _stated(session, path, "ahead"), first_state(session))

    def step(
        self,
        rr_ms: Float32[Array, "beat"],
        present: Bool[Array, "beat"],
        state: Float32[Array, "one number"],
    ) -> tuple[Float32[Array, "beat"], Float32[Array, "one number"]]:
        """Logits of the ten beats that lie `ahead` beats back, and the next state."""
        given = {"rr_ms": rr_ms[None], "present": present[None], "state": state}
        logits, after = self.session.run(["logits", "next_state"], given)
        return logits[0], after


def absent() -> tuple[Float32[Array, "beat"], Bool[Array, "beat"]]:
    """Intervals and presence of ten beats that are not there."""
    return np.full(GROUP, USUAL_MS, np.float32), np.zeros(GROUP, np.bool_)


def _session(path: Path, needed: set[str]) -> "InferenceSession":
    """Load a network that takes what it must."""
    session = open_session(path, no_detector)
    takes = {one.name for one in session.get_inputs()}
    if takes != needed:
        raise no_detector(
            path, f"it takes {', '.join(sorted(takes))}, expected {', '.join(sorted(needed))}"
        )
    return session


def _stated(session: "InferenceSession", path: Path, key: str) -> int:
    value = session.get_modelmeta().custom_metadata_map.get(key, "")
    if not value.isdecimal():
        raise no_detector(path, f"it does not state {key}")
    return int(value)
