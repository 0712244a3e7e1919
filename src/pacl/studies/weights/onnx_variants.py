"""Weights for ONNX Runtime: how near to torch it can be, and the int8 variant."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from pacl.axes import Array, Float32
from pacl.evaluation import Platt, Probe
from pacl.export import (
    Int8Figures,
    Weights,
    measure_parity,
    onnx_content,
    onnx_logits,
    spaced_windows,
    to_int8,
    weights_content,
)
from pacl.models import papers_encoder
from pacl.rr import RRWindowSet
from pacl.settings import Plan
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder
from pacl.studies.run import build_model

TOLERANCE = 1e-5


def check_tolerance(
    plan: Plan, examples: Float32[Array, "window beat"], tolerance: float, target: Path
) -> None:
    """Refuse a tolerance that the untrained network already exceeds."""
    encoder = papers_encoder(build_model(plan)[0])
    features = encoder.config["pooled_features"]
    probe = Probe(np.full(features, features**-0.5), 0.0)
    beats = examples.shape[1]
    scorer = Weights("untrained", encoder.eval(), probe, Platt(), beats, {}).scorer()
    parity = measure_parity(scorer, onnx_content(scorer, beats, {}), examples)
    if not parity.within(tolerance):
        off = max(parity.probability, parity.logit, parity.pooled)
        raise RunError(
            target,
            f"ONNX Runtime and torch differ by up to {off:.2g} before any training, the tolerance "
            f"is {tolerance:g}",
            "raise --tolerance; nothing is trained yet",
        )


@dataclass(frozen=True, eq=False, slots=True)
class Int8Made:
    """The content of an ONNX file, and its figures."""

    content: bytes
    figures: Int8Figures


def make_int8(
    weights: Weights,
    float_auroc: float,
    everybody: RRWindowSet,
    folds: Iterable[tuple[RRWindowSet, RunFolder]],
) -> Int8Made:
    """Quantise weights by windows of all patients, and each fold's by its training windows.

    `float_auroc` is that of the folds in single precision.
    """
    labels, logits = [], []
    for windows, run in folds:
        fold = Weights(
            run.path.name,
            papers_encoder(run.encoder()),
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
