"""A check before training that ONNX Runtime can be within the tolerance of torch."""

from pathlib import Path

import numpy as np

from pacl.axes import Array, Float32
from pacl.evaluation import Platt, Probe
from pacl.export import Weights, measure_parity, onnx_content
from pacl.studies.errors import RunError
from pacl.studies.plan import Plan
from pacl.studies.run import build_model

TOLERANCE = 1e-5


def check_tolerance(
    plan: Plan, examples: Float32[Array, "window beat"], tolerance: float, target: Path
) -> None:
    """Refuse a tolerance that the untrained network already exceeds."""
    encoder, _ = build_model(plan)
    features = plan.encoder.pooled_features
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
