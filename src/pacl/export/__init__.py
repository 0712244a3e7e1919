"""Networks that leave torch: an encoder with its probe as a file that anyone can run."""

from pacl.export.errors import ExportError
from pacl.export.onnx import export_onnx
from pacl.export.parity import Parity, measure_parity
from pacl.export.scorer import Scorer, Scores
from pacl.export.steady import Steady
from pacl.export.weights import Weights

__all__ = [
    "ExportError",
    "Parity",
    "Scorer",
    "Scores",
    "Steady",
    "Weights",
    "export_onnx",
    "measure_parity",
]
