"""A scorer in int8: weights and activations, by ONNX Runtime's quantiser.

Convolutions and linear layers are quantised, with one scale per channel of their weights; the
ranges of activations are measured on windows. The small rest stays in floats.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

import pacl
from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32, Float64
from pacl.export.convert import quiet_logger
from pacl.export.errors import ExportError
from pacl.export.onnx import onnx_content
from pacl.export.parity import open_session
from pacl.export.weights import Weights
from pacl.records import Rhythm
from pacl.rr import RRWindowSet

MOST_WORSE = 0.002
"""Largest accepted loss of AUROC."""

LAYERS = ("Conv", "Gemm", "MatMul")
TOGETHER = 512
SEEN = 1024
"""Number of windows for the ranges of activations."""


@dataclass(frozen=True, slots=True)
class Int8Figures:
    """Size and AUROC in single precision and in int8, on the same windows."""

    float_bytes: int
    int8_bytes: int
    float_auroc: float
    int8_auroc: float

    @property
    def why_not(self) -> str | None:
        """The reason against int8; None if there is none."""
        if self.int8_bytes >= self.float_bytes:
            return f"{self.int8_bytes:,} bytes are no less than {self.float_bytes:,}"
        if not self.int8_auroc >= self.float_auroc - MOST_WORSE:
            return (
                f"AUROC falls from {self.float_auroc:.4f} to {self.int8_auroc:.4f}, by more than "
                f"{MOST_WORSE:g}"
            )
        return None


def to_int8(content: bytes, examples: Float32[Array, "window beat"]) -> bytes:
    """Quantise an ONNX file; about 1,000 `examples` are enough for the ranges of activations.

    The same content and examples give the same bytes; inputs, outputs and metadata stay.
    """
    if not len(examples):
        raise ExportError("no windows for the ranges of activations; give about 1,000")
    with TemporaryDirectory() as folder, quiet_logger():  # it advises to fold constants, they are
        before, after = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
        before.write_bytes(content)
        quantize_static(
            before,
            after,
            _Batches(examples),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=list(LAYERS),
        )
        model = onnx.load(after)
    model.producer_name, model.producer_version = "pacl", pacl.__version__
    found: bytes = model.SerializeToString(deterministic=True)
    return found


def onnx_logits(content: bytes, rr_ms: Float32[Array, "window beat"]) -> Float64[Array, "window"]:
    """Logits of windows by an ONNX file."""
    session = open_session(content)
    parts = [
        session.run(["logit"], {"rr": rr_ms[at : at + TOGETHER]})[0]
        for at in range(0, len(rr_ms), TOGETHER)
    ]
    return np.concatenate([np.empty(0), *parts]).astype(np.float64)


def export_int8(weights: Weights, path: Path, windows: RRWindowSet) -> Int8Figures:
    """Write weights as an int8 ONNX file, if it is smaller and accurate enough.

    Ranges come from training windows, the AUROC from test windows; from all windows where a set has
    no such parts.
    """
    from sklearn.metrics import roc_auc_score  # slow to import

    if windows.window_beats != weights.window_beats:
        raise ExportError(
            f"{path}: windows of {windows.window_beats} beats, the weights take "
            f"{weights.window_beats}; give a set that was cut so"
        )
    parts = windows.table.split.present()
    known = windows.part("train") if "train" in parts else windows
    held = windows.part("test") if "test" in parts else windows
    labels = held.table.rhythm == Rhythm.AF
    if labels.all() or not labels.any():
        raise ExportError(
            f"{path}: the test windows are of one class; give a set with AF and without"
        )
    content = weights_content(weights)
    smaller = to_int8(content, spaced_windows(known))
    rr = held.windows(np.arange(len(held)))
    aurocs = [float(roc_auc_score(labels, onnx_logits(each, rr))) for each in (content, smaller)]
    figures = Int8Figures(len(content), len(smaller), *aurocs)
    if figures.why_not:
        raise ExportError(f"{path}: as int8, {figures.why_not}; nothing was written")
    atomic_write(path, smaller)
    return figures


def weights_content(weights: Weights) -> bytes:
    """The ONNX file of weights in single precision."""
    about = {"name": weights.name, **weights.about}
    return onnx_content(weights.scorer(), weights.window_beats, about)


def spaced_windows(windows: RRWindowSet, most: int = SEEN) -> Float32[Array, "window beat"]:
    """Evenly spaced windows of a set."""
    rows = np.linspace(0, len(windows) - 1, min(most, len(windows))).astype(np.int64)
    return windows.windows(rows)


class _Batches(CalibrationDataReader):  # type: ignore[misc]
    """Batches of windows for the quantiser."""

    def __init__(self, examples: Float32[Array, "window beat"]) -> None:
        self._left = iter(np.array_split(examples, -(-len(examples) // TOGETHER)))

    def get_next(self) -> dict[str, Any] | None:
        some = next(self._left, None)
        return None if some is None else {"rr": some}
