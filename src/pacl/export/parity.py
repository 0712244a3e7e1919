"""Whether ONNX Runtime says what torch says."""

from dataclasses import dataclass

import numpy as np
import onnxruntime
import torch

from pacl.axes import Array, Float32
from pacl.export.scorer import Scorer, Scores

BATCH = 7
"""Windows in the small batch that is tried besides one window and all of them."""


@dataclass(frozen=True, slots=True)
class Parity:
    """The largest difference of each output over so many windows, in batches of 1, 7 and all."""

    windows: int
    probability: float
    logit: float
    pooled: float

    def within(self, tolerance: float) -> bool:
        """Whether no output differs by more; what is not a number is never within."""
        return all(each <= tolerance for each in (self.probability, self.logit, self.pooled))


def measure_parity(
    scorer: Scorer, content: bytes, examples: Float32[Array, "window beat"]
) -> Parity:
    """Run an ONNX file's content on one thread of the CPU and hold it against torch."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    differences = []
    for size in (1, BATCH, len(examples)):
        some = examples[:size]
        found = session.run(list(Scores._fields), {"rr": some})
        with torch.no_grad():
            expected = scorer(torch.tensor(some))
        differences.append(
            [
                float(np.abs(ours - theirs.numpy()).max())
                for ours, theirs in zip(found, expected, strict=True)
            ]
        )
    return Parity(len(examples), *np.max(differences, axis=0).tolist())
