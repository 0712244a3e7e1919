"""Bundled weights, ready to judge windows; ONNX Runtime on one core."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float32, Float64
from pacl.detect.bundled import BUNDLED, bundled_file
from pacl.detect.errors import DetectError

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
    def bundled(cls, name: str = BUNDLED[0]) -> "WindowScorer":
        """Bundled weights, by name."""
        from onnxruntime import InferenceSession, SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = InferenceSession(bundled_file(name), options, providers=["CPUExecutionProvider"])
        about = session.get_modelmeta().custom_metadata_map
        return cls(name, int(about["window_beats"]), session)

    def logits(self, rr_ms: Float32[Array, "window beat"]) -> Float64[Array, "window"]:
        """Of many windows, some at a time."""
        return np.concatenate([np.empty(0), *self._each("logit", rr_ms)]).astype(np.float64)

    def pooled(self, rr_ms: Float32[Array, "window beat"]) -> Float32[Array, "window feature"]:
        """Embeddings of many windows, at least one."""
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
        """Of one window, by itself: the same to the bit wherever it comes from."""
        return float(self.session.run(["logit"], {"rr": rr_ms[None]})[0][0])
