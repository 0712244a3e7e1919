"""Differences between ONNX Runtime and torch."""

from dataclasses import dataclass

import numpy as np
import onnxruntime
import torch

from pacl.axes import Array, Float32
from pacl.export.scorer import Scorer, Scores

BATCH = 7
"""Size of the small batch, besides one window and all of them."""


@dataclass(frozen=True, slots=True)
class Parity:
    """The largest difference of each output over `windows` windows, in batches of 1, 7 and all.

    For numbers above 1, such as logits, it is relative: single precision has seven digits.
    """

    windows: int
    probability: float
    logit: float
    pooled: float

    def within(self, tolerance: float) -> bool:
        """Whether no output differs by more; NaN is never within."""
        return all(each <= tolerance for each in (self.probability, self.logit, self.pooled))


def measure_parity(
    scorer: Scorer, content: bytes, examples: Float32[Array, "window beat"]
) -> Parity:
    """Compare an ONNX file, on one CPU thread, with torch."""
    session = open_session(content)
    differences = []
    for size in (1, BATCH, len(examples)):
        some = examples[:size]
        found = session.run(list(Scores._fields), {"rr": some})
        with torch.no_grad():
            expected = [each.numpy() for each in scorer(torch.tensor(some))]
        differences.append(
            [
                float((np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1.0)).max())
                for ours, theirs in zip(found, expected, strict=True)
            ]
        )
    return Parity(len(examples), *np.max(differences, axis=0).tolist())


def open_session(content: bytes) -> onnxruntime.InferenceSession:
    """A session for the content of an ONNX file, on one CPU thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
