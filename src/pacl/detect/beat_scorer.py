"""Networks that give a logit for each beat, in ONNX Runtime on one core."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Bool, Float32
from pacl.detect.artifact import (
    LOOK_AHEAD_NETWORK,
    OTHER_NETWORKS,
    STREAM_NETWORK,
    Artifact,
    no_detector,
)
from pacl.detect.quality import GROUP
from pacl.rr import USUAL_MS
from pacl.spans import runs

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

CHUNK = 16_384
"""Beats at a time: the results of a layer stay in a core's cache."""

BLOCK = 128
"""The other networks are run on at least this many beats."""


def open_session(path: Path, refuse: Callable[[Path, str], Exception]) -> "InferenceSession":
    """Load a network; `refuse` makes the error where that fails."""
    from onnxruntime import InferenceSession, SessionOptions
    from onnxruntime.capi.onnxruntime_pybind11_state import (
        Fail,
        InvalidArgument,
        InvalidGraph,
        InvalidProtobuf,
        NotImplemented,  # noqa: A004 - an operator that this version does not have
    )

    if not path.is_file():
        raise refuse(path, "there is no such file")
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotImplemented) as error:
        raise refuse(path, "ONNX Runtime cannot read it") from error


def initial_state(session: "InferenceSession") -> Float32[Array, "one number"]:
    """The state of a stream before its first beat, for ONNX files of streams.

    It is the state after as many absent beats as the network looks at. More of them change
    nothing. Each stretch begins with it.
    """
    about = session.get_modelmeta().custom_metadata_map
    block, reach = int(about["block"]), int(about["behind"]) + int(about["ahead"])
    state: Float32[Array, "one number"] = np.zeros((1, int(about["state"])), np.float32)
    absent = {"rr_ms": np.zeros((1, block), np.float32), "present": np.zeros((1, block), np.bool_)}
    for _ in range(-(-reach // block)):
        (state,) = session.run(["next_state"], {**absent, "state": state})
    return state


@dataclass(frozen=True, eq=False, slots=True)
class BeatScorer:
    """Logits of complete stretches: of one network or, where it is in doubt, the mean of all.

    Parameters
    ----------
    first, others, networks
        One network, the mean of the others, if any, and the number of all.
    doubt
        A logit of the first network closer to 0 than this is in doubt.
    behind, ahead
        Beats that a network looks at before and after a beat.
    """

    first: "InferenceSession"
    others: "InferenceSession | None"
    networks: int
    doubt: float
    behind: int
    ahead: int

    @classmethod
    def open(cls, artifact: Artifact) -> "BeatScorer":
        """Load the networks of a detector."""
        path, beside = (
            artifact.folder / f"{name}.onnx" for name in (LOOK_AHEAD_NETWORK, OTHER_NETWORKS)
        )
        first, others = _session(path, {"rr_ms", "present"}), None
        reach = behind, ahead = _reach(first, path)
        if artifact.networks > 1:
            others = _session(beside, {"rr_ms", "present"})
            if _reach(others, beside) != reach:
                raise no_detector(beside, f"it looks at another number of beats than {path.name}")
        return cls(first, others, artifact.networks, artifact.doubt, behind, ahead)

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float32[Array, "beat"]:
        """One logit for each beat of a stretch."""
        around = (self.behind, self.ahead)
        padded = np.pad(rr_ms.astype(np.float32), around, constant_values=USUAL_MS)
        present = np.pad(np.ones(rr_ms.size, np.bool_), around)

        def judged(session: "InferenceSession", low: int, high: int) -> Float32[Array, "beat"]:
            found = [np.empty(0, np.float32)]
            for at in range(low, high, CHUNK):
                part = slice(at, min(at + CHUNK, high) + sum(around))
                given = {"rr_ms": padded[None, part], "present": present[None, part]}
                found.append(session.run(["logits"], given)[0][0])
            return np.concatenate(found)

        logits = judged(self.first, 0, rr_ms.size)
        if self.others is not None:
            doubtful = _in_blocks(np.abs(logits) < self.doubt)
            for low, high in _joined(doubtful, sum(around)):
                there = np.flatnonzero(doubtful[low:high])
                of_others = judged(self.others, low, high)[there] * np.float32(self.networks - 1)
                logits[low + there] = (logits[low + there] + of_others) / np.float32(self.networks)
        return logits


@dataclass(frozen=True, eq=False, slots=True)
class BlockScorer:
    """Logits of a stream, ten beats at a time; `initial` is the state before the first beat."""

    session: "InferenceSession"
    ahead: int
    initial: Float32[Array, "one number"]

    @classmethod
    def open(cls, artifact: Artifact) -> "BlockScorer":
        """Load the network of a detector."""
        path = artifact.folder / f"{STREAM_NETWORK}.onnx"
        session = _session(path, {"rr_ms", "present", "state"})
        _stated(session, path, "state")
        if _stated(session, path, "block") != GROUP:
            raise no_detector(path, f"it does not take {GROUP} beats at a time")
        _, ahead = _reach(session, path)
        return cls(session, ahead, initial_state(session))

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

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float32[Array, "beat"]:
        """One logit for each beat of a complete stretch, the same as in a stream."""
        blocks = -(-(rr_ms.size + self.ahead) // GROUP)
        rest = (0, blocks * GROUP - rr_ms.size)
        padded = np.pad(rr_ms.astype(np.float32), rest, constant_values=USUAL_MS)
        present = np.pad(np.ones(rr_ms.size, np.bool_), rest)
        state, found = self.initial, np.empty(blocks * GROUP, np.float32)
        for at in range(0, blocks * GROUP, GROUP):
            part = slice(at, at + GROUP)
            found[part], state = self.step(padded[part], present[part], state)
        return found[self.ahead : self.ahead + rr_ms.size]


def absent() -> tuple[Float32[Array, "beat"], Bool[Array, "beat"]]:
    """Intervals and presence of ten absent beats."""
    return np.full(GROUP, USUAL_MS, np.float32), np.zeros(GROUP, np.bool_)


def _in_blocks(mask: Bool[Array, "beat"]) -> Bool[Array, "beat"]:
    """Blocks of beats in which a mask holds for any beat."""
    starts = np.arange(0, mask.size, BLOCK)
    return np.repeat(np.logical_or.reduceat(mask, starts), BLOCK)[: mask.size]


def _joined(mask: Bool[Array, "beat"], near: int) -> list[tuple[int, int]]:
    """Ranges where a mask holds; neighbouring ranges are joined, which costs less."""
    found: list[tuple[int, int]] = []
    for low, high in runs(mask):
        if found and low - found[-1][1] <= near:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found


def _session(path: Path, needed: set[str]) -> "InferenceSession":
    """Load a network, and check its inputs."""
    session = open_session(path, no_detector)
    takes = {one.name for one in session.get_inputs()}
    if takes != needed:
        raise no_detector(
            path, f"it takes {', '.join(sorted(takes))}, expected {', '.join(sorted(needed))}"
        )
    return session


def _reach(session: "InferenceSession", path: Path) -> tuple[int, int]:
    """Beats that a network looks at before and after a beat."""
    return _stated(session, path, "behind"), _stated(session, path, "ahead")


def _stated(session: "InferenceSession", path: Path, key: str) -> int:
    value = session.get_modelmeta().custom_metadata_map.get(key, "")
    if not value.isdecimal():
        raise no_detector(path, f"it does not state {key}")
    return int(value)
