"""Weights as int8, and their accuracy on patients that each fold has not seen."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from pacl.export import (
    Int8Figures,
    Weights,
    onnx_logits,
    spaced_windows,
    to_int8,
    weights_content,
)
from pacl.studies.folder import RunFolder
from pacl.windows import WindowSet


@dataclass(frozen=True, eq=False, slots=True)
class Int8Made:
    """The content of an ONNX file, and its figures."""

    content: bytes
    figures: Int8Figures


def make_int8(
    weights: Weights,
    float_auroc: float,
    everybody: WindowSet,
    folds: Iterable[tuple[WindowSet, RunFolder]],
) -> Int8Made:
    """Quantise weights by windows of all patients, and each fold's by its training windows.

    `float_auroc` is that of the folds in single precision.
    """
    labels, logits = [], []
    for windows, run in folds:
        fold = Weights(
            run.path.name,
            run.encoder(),
            run.probe(),
            weights.platt,
            weights.window_beats,
            {},
            weights.steady,
        )
        content = to_int8(weights_content(fold), spaced_windows(windows.part("train")))
        held = windows.part("test")
        labels.append(held.table.rhythm.astype(np.int64))
        logits.append(onnx_logits(content, held.windows(np.arange(len(held)))))
    content = weights_content(weights)
    smaller = to_int8(content, spaced_windows(everybody))
    auroc = float(roc_auc_score(np.concatenate(labels), np.concatenate(logits)))
    return Int8Made(smaller, Int8Figures(len(content), len(smaller), float_auroc, auroc))
