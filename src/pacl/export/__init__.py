"""Export of networks: weights files, ONNX and C."""

from pacl.export.c_source import write_c
from pacl.export.c_writer import CFile
from pacl.export.errors import ExportError
from pacl.export.folded import Folded, fold
from pacl.export.int8 import (
    Int8Figures,
    export_int8,
    onnx_logits,
    spaced_windows,
    to_int8,
    weights_content,
)
from pacl.export.onnx import export_onnx, onnx_content
from pacl.export.parity import Parity, measure_parity
from pacl.export.plain import Plain
from pacl.export.regularity_ceiling import RegularityCeiling, variation_of
from pacl.export.scorer import Scorer, Scores
from pacl.export.weights import Weights

__all__ = [
    "CFile",
    "ExportError",
    "Folded",
    "Int8Figures",
    "Parity",
    "Plain",
    "RegularityCeiling",
    "Scorer",
    "Scores",
    "Weights",
    "export_int8",
    "export_onnx",
    "fold",
    "measure_parity",
    "onnx_content",
    "onnx_logits",
    "spaced_windows",
    "to_int8",
    "variation_of",
    "weights_content",
    "write_c",
]
