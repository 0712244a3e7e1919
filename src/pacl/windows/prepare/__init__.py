"""Continuous signals with a label per sample, cut into windows."""

from pacl.windows.prepare.cut import ArrayCut, MixedWindow
from pacl.windows.prepare.keys import ArrayKeys
from pacl.windows.prepare.prepare import prepare_arrays
from pacl.windows.prepare.scale import ArrayScale

__all__ = ["ArrayCut", "ArrayKeys", "ArrayScale", "MixedWindow", "prepare_arrays"]
