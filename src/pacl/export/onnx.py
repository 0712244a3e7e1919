"""A scorer as an ONNX file, which needs no torch."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32
from pacl.export.convert import to_onnx
from pacl.export.errors import ExportError
from pacl.export.parity import BATCH, Parity, measure_parity
from pacl.export.scorer import Scorer

OURS = ("encoder", "window_beats")
"""Metadata that every file has: the encoder's config as JSON, and the beats of a window."""


def export_onnx(
    scorer: Scorer,
    path: Path,
    *,
    window_beats: int = 200,
    about: Mapping[str, str],
    examples: Float32[Array, "window beat"],
    tolerance: float = 1e-5,
) -> Parity:
    """Write a scorer to a file, after checking that ONNX Runtime and torch agree.

    The same scorer gives the same bytes. The file has one input, `rr` (window, beat), and the
    outputs `probability`, `logit` and `pooled`; any number of windows, of `window_beats` each.

    Parameters
    ----------
    about
        Kept in the file's metadata, with `window_beats` and `encoder`, its config as JSON.
    examples
        Windows to compare on, such as the encoder takes them; at least 7.
    tolerance
        Largest accepted difference of any output; relative for outputs above 1.
    """
    check_examples(examples, window_beats)
    scorer = deepcopy(scorer).cpu()
    content = onnx_content(scorer, window_beats, about)
    parity = measure_parity(scorer, content, examples)
    if not parity.within(tolerance):
        raise ExportError(
            f"{path}: ONNX Runtime and torch differ by up to {parity.probability:.2g} in "
            f"probability, {parity.logit:.2g} in logit and {parity.pooled:.2g} in pooled over "
            f"{parity.windows} windows (beyond 1, as a share), the tolerance is {tolerance:g}; "
            "nothing was written, raise the tolerance only if this does not matter"
        )
    atomic_write(path, content)
    return parity


def onnx_content(scorer: Scorer, window_beats: int, about: Mapping[str, str]) -> bytes:
    """The content of the file of a scorer on the CPU."""
    if taken := sorted(set(about) & set(OURS)):
        raise ExportError(f"about states {', '.join(taken)}, which is added here; leave it out")
    model = to_onnx(scorer, window_beats)
    encoder = json.dumps(scorer.encoder.config, sort_keys=True)
    stated = {**about, "encoder": encoder, "window_beats": str(window_beats)}
    for key in sorted(stated):
        model.metadata_props.add(key=key, value=stated[key])
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def check_examples(examples: Array, window_beats: int) -> None:
    """Refuse windows of another shape or type, or with NaN."""
    if examples.ndim != 2 or examples.shape[1] != window_beats or len(examples) < BATCH:
        raise ExportError(
            f"examples of shape {examples.shape}; expected (window, {window_beats}) with at "
            f"least {BATCH} windows, or state window_beats"
        )
    if examples.dtype != np.float32:
        raise ExportError(f"examples are {examples.dtype}; the network takes float32, convert them")
    if wrong := np.flatnonzero(~np.isfinite(examples).all(axis=1)).tolist():
        raise ExportError(
            f"{len(wrong)} of {len(examples)} examples have beats that are no numbers, the first "
            f"is window {wrong[0]}; leave them out"
        )
