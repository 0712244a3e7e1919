"""Export of beat networks: ONNX for recordings and streams, C for microcontrollers."""

from pacl.export.beats.c_source import write_beats_c
from pacl.export.beats.folded import PlainNetwork, fold_norm
from pacl.export.beats.onnx import stream_onnx, whole_onnx

__all__ = ["PlainNetwork", "fold_norm", "stream_onnx", "whole_onnx", "write_beats_c"]
