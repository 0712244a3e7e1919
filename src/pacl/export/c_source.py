"""An encoder with its probe as one C file without dependencies, for microcontrollers.

```
Weights --fold--> plain layers --+--> arrays        @weights
                                 +--> sizes         @sizes        template/*.c  -->  af.c
constants of pacl.detect ------------> numbers      @constants
```
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pacl.detect import (
    AF_PROBABILITY,
    CAUSAL_SMOOTHER,
    EQUAL_BETWEEN,
    EQUAL_WITHIN,
    LONGEST_MS,
    MOST_DROPPED,
    MOST_LOG_ODDS,
    REPEAT_COUNTS,
    STRIDE_BEATS,
)
from pacl.export.c_layout import Kept, Layout, features_of, macs_of
from pacl.export.c_writer import PREFIX, CFile, CSource, Entry, c_floats, c_numbers
from pacl.export.errors import ExportError
from pacl.export.folded import Folded, fold
from pacl.export.plain import Plain
from pacl.export.regularity_ceiling import RegularityCeiling
from pacl.export.weights import Weights
from pacl.models import GAIN, MIN_LENGTH, SHORTEST
from pacl.records import GAP_MS, PLAUSIBLE_MS

TEMPLATES = [("pacl.export", name) for name in ("declared", "layers", "window", "lines", "stream")]
"""Declarations; layers; from a window to a logit; for `main`; from intervals to decisions."""

NOT_REPEATED = ("pacl", "plan")
"""Facts about weights that the file does not repeat: settings of their training."""


def write_c(weights: Weights, path: Path, *, int8: bool = False, prefix: str = PREFIX) -> CFile:
    """Write weights, and what turns a stream of RR intervals into decisions, as one C99 file.

    Its decisions are those of `pacl.detect.StreamDetector` with the same weights. The same weights
    give the same bytes.

    Parameters
    ----------
    weights
        With an encoder whose norm is `batch` or `none`, and whose view is `relative`.
    path
        The file; written atomically.
    int8
        Keep the weights of all layers in one byte each, with a scale for each of their outputs: a
        quarter of the flash. The arithmetic stays in single precision.
    prefix
        Prefix of the names in the file.
    """
    if weights.window_beats < MIN_LENGTH:
        raise ExportError(
            f"{weights.name} has windows of {weights.window_beats} beats, an encoder takes "
            f"{MIN_LENGTH} at least; state window_beats as it was trained"
        )
    scorer = weights.scorer()
    folded = fold(scorer.encoder)
    layout = Layout.of(folded, weights.window_beats)
    source = CSource(
        name=weights.name,
        use=f"the last {weights.window_beats} plausible ones are evaluated every few beats, as by "
        f"the causal detector of pacl. {prefix}_logit evaluates one window.",
        about={key: value for key, value in weights.about.items() if key not in NOT_REPEATED},
        templates=TEMPLATES,
        sizes=_sizes(layout),
        constants=_constants(folded, layout, float(scorer.bias), weights.steady),
        layers=_named(folded),
        vectors={"SCORE": folded.score, "PROBE": scorer.weight.numpy()},
        tables=lambda entry: _tables(folded, layout, entry),
        single=1,  # the bias of the probe
        macs=macs_of(folded, layout.lengths),
        per="window",
        ram_bytes=layout.ram_bytes,
    )
    return source.write(path, prefix, int8=int8)


def _sizes(layout: Layout) -> dict[str, object]:
    """What a caller has to know, and the sizes of the structs."""
    (threshold,) = c_floats(np.array([AF_PROBABILITY]))
    return {
        "BEATS": layout.lengths[0],
        "BRANCHES": len(layout.kept),
        "DEPTH": len(layout.kept[0]),
        "RECENT": layout.recent,
        "COLUMN": layout.column,
        "MIXED": layout.mixed,
        "THRESHOLD": f"{threshold} /* from this probability on, it is called AF */",
    }


def _constants(
    folded: Folded, layout: Layout, bias: float, steady: RegularityCeiling
) -> dict[str, object]:
    """Numbers of the encoder's view, of the probe, and of the causal detector."""
    numbers = {
        "GAIN": GAIN,
        "SHORTEST_MS": SHORTEST,
        "PROBE_BIAS": bias,
        "STEADY_VARIATION": steady.variation,
        "STEADY_CEILING": steady.ceiling,
        "LEAST_MS": PLAUSIBLE_MS[0],
        "MOST_MS": PLAUSIBLE_MS[1],
        "GAP_MS": GAP_MS,
        "LONGEST_MS": LONGEST_MS,
        "CHANGE": CAUSAL_SMOOTHER.change,
        "TRUST": CAUSAL_SMOOTHER.trust,
        "FARTHEST": MOST_LOG_ODDS,
        "WITHIN": EQUAL_WITHIN,
        "BETWEEN": EQUAL_BETWEEN,
    }
    return {
        "LINEAR": int(folded.to_pooled is not None),
        "MOMENTS": layout.lengths[-1],
        "FEATURES": features_of(folded),
        "STRIDE": STRIDE_BEATS,
        "MOST_REPEATED": REPEAT_COUNTS[-1],
        "MOST_LEFT_OUT": math.floor(MOST_DROPPED * layout.lengths[0]),
        **c_numbers(numbers),
    }


def _tables(folded: Folded, layout: Layout, entry: Entry) -> Sequence[str]:
    """The layers of the branches, and those after them."""

    def step(name: str, length: int, kept: Kept) -> str:
        return f"{{{entry(name)}, {length}, {kept.place}, {kept.slots}}}"

    depth = len(layout.kept[0])
    rows = [
        ",\n     ".join(
            step(f"branch{number}_{at}", layout.lengths[at], one) for at, one in enumerate(branch)
        )
        for number, branch in enumerate(layout.kept)
    ]
    tables = [
        f"static const convolution BRANCHES[{len(rows)}][{depth}] = {{\n    {{"
        + "},\n    {".join(rows)
        + "},\n};",
        f"static const layer MIX = {entry('mix')};",
    ]
    if folded.to_pooled is not None:
        tables.append(f"static const layer TO_POOLED = {entry('to_pooled')};")
    return tables


def _named(folded: Folded) -> dict[str, Plain]:
    named = {
        f"branch{number}_{at}": layer
        for number, branch in enumerate(folded.branches)
        for at, layer in enumerate(branch)
    }
    named["mix"] = folded.mix
    return named if folded.to_pooled is None else {**named, "to_pooled": folded.to_pooled}
