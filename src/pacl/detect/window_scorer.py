"""Weights that judge windows, in ONNX Runtime on one core."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float32, Float64
from pacl.detect.beat_scorer import open_session
from pacl.detect.not_judged import DetectError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

TOGETHER = 512


@dataclass(frozen=True, eq=False, slots=True)
class WindowScorer:
    """Logits of AF, and embeddings, of windows in ms."""

    name: str
    window_beats: int
    session: "InferenceSession"

    @classmethod
    def open(cls, path: Path) -> "WindowScorer":
        """Load a file that `pacl weights` or `pacl export` wrote."""
        session = open_session(path, _no_weights)
        about = session.get_modelmeta().custom_metadata_map
        if not about.get("window_beats", "").isdecimal():
            raise _no_weights(path, "it does not state window_beats")
        return cls(about.get("name", path.stem), int(about["window_beats"]), session)

    def logits(self, rr_ms: Float32[Array, "window beat"]) -> Float64[Array, "window"]:
        """Logits of windows, 512 at a time."""
        return np.concatenate([np.empty(0), *self._each("logit", rr_ms)]).astype(np.float64)

    def pooled(self, rr_ms: Float32[Array, "window beat"]) -> Float32[Array, "window feature"]:
        """Embeddings of one or more windows."""
        return np.concatenate(list(self._each("pooled", rr_ms)))

    def _each(self, output: str, rr_ms: Float32[Array, "window beat"]) -> Iterator[Array]:
        windows = np.asarray(rr_ms, dtype=np.float32)
        if windows.ndim != 2 or windows.shape[1] != self.window_beats:
            raise DetectError(
                f"windows of shape {windows.shape}; {self.name} judges rows of {self.window_beats} "
                "intervals in ms"
            )
        for at in range(0, len(windows), TOGETHER):
            yield self.session.run([output], {"rr": windows[at : at + TOGETHER]})[0]

    def logit(self, rr_ms: Float32[Array, "beat"]) -> float:
        """The logit of one window, computed alone: bit-identical in a recording and in a stream."""
        return float(self.session.run(["logit"], {"rr": rr_ms[None]})[0][0])


def _no_weights(path: Path, what: str) -> DetectError:
    return DetectError(
        f"{path}: no weights of windows ({what}); give an .onnx file that pacl weights wrote"
    )
