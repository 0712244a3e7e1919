"""Weights as one C file that needs nothing else, for microcontrollers.

```
Weights --fold--> plain layers --+--> arrays        @weights
                                 +--> sizes         @sizes        template/*.c  -->  af.c
constants of pacl.detect ------------> numbers      @constants
```
"""

import math
from pathlib import Path

import numpy as np

import pacl
from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32
from pacl.detect.detection import LONGEST_MS
from pacl.detect.smoother import CAUSAL, FARTHEST
from pacl.detect.steps import BETWEEN, MOST_DROPPED, REPEATED, STRIDE, WITHIN
from pacl.detect.window_judge import THRESHOLD
from pacl.export.c_layout import Kept, Layout, features_of, macs_of
from pacl.export.c_writer import (
    PREFIX,
    Arrays,
    CFile,
    c_arrays,
    c_comment,
    c_defines,
    c_floats,
    check_prefix,
    filled,
    layer_arrays,
    layer_entry,
    learned,
)
from pacl.export.errors import ExportError
from pacl.export.folded import Folded, fold
from pacl.export.plain import Plain
from pacl.export.regularity_ceiling import RegularityCeiling
from pacl.export.weights import Weights
from pacl.models.encoder import MIN_BEATS
from pacl.models.network import GAIN, SHORTEST_MS
from pacl.records import GAP_MS, PLAUSIBLE_MS

TEMPLATE = ("declared", "layers", "window", "lines", "stream")
"""What a caller sees; layers; from a window to a logit; for `main`; from intervals to decisions."""

UNTOLD = ("pacl", "plan")
"""Of what weights say about themselves, not repeated in the file: settings of their training."""


def write_c(weights: Weights, path: Path, *, int8: bool = False, prefix: str = PREFIX) -> CFile:
    """Write weights and all that turns a stream of RR intervals into decisions as one C99 file.

    It says what `pacl.detect.StreamDetector` would say with the same weights. The same weights
    give the same bytes.

    Parameters
    ----------
    weights
        With an encoder whose norm is `batch` or `none`, and whose view is `relative`.
    path
        Where to; written whole or not at all.
    int8
        Keep the weights of all layers in a byte each, with a scale for each of their outputs: a
        quarter of the flash. What is computed with them stays in single precision.
    prefix
        What the names in the file begin with.
    """
    check_prefix(prefix)
    if weights.window_beats < MIN_BEATS:
        raise ExportError(
            f"{weights.name} has windows of {weights.window_beats} beats, an encoder takes "
            f"{MIN_BEATS} at least; state window_beats as it was trained"
        )
    scorer = weights.scorer()
    folded = fold(scorer.encoder)
    layout = Layout.of(folded, weights.window_beats)
    arrays = arrays_of(folded, scorer.weight.numpy(), int8=int8)
    told = CFile(
        parameters=learned(arrays) + 1,  # and the probe's bias
        macs=macs_of(folded, layout.lengths),
        flash_bytes=sum(values.nbytes for values in arrays.values()) + 4,
        ram_bytes=layout.ram_bytes,
    )
    bias = float(scorer.bias)
    parts = {
        "about": c_comment(_about(weights, told, prefix, int8=int8)),
        "sizes": c_sizes(layout, prefix),
        "constants": c_constants(folded, layout, bias, weights.steady, int8=int8),
        "weights": c_weights(arrays, folded, layout, int8=int8),
    }
    atomic_write(path, filled([("pacl.export", name) for name in TEMPLATE], parts, prefix))
    return told


def _about(weights: Weights, told: CFile, prefix: str, *, int8: bool) -> list[str]:
    """What the file says of itself."""
    kind = "a byte each, with a scale for each output" if int8 else "in single precision"
    return [
        f"Atrial fibrillation in RR intervals: {weights.name}, written by pacl "
        f"{pacl.__version__}. Not a medical device: it has not been cleared for diagnosis.",
        f"{prefix}_init once, then {prefix}_push for each interval in ms: the last "
        f"{weights.window_beats} plausible ones are judged again and again, as by the causal "
        f"detector of pacl. {prefix}_logit judges one window. All memory is the caller's, nothing "
        "is allocated, and streams do not know of each other. To declare the functions elsewhere, "
        f"define {prefix.upper()}_DECLARE and include this file. To try it: "
        "cc -std=c99 -O2 -DPACL_MAIN this-file.c -lm, and give it an interval in ms a line.",
        f"{told.parameters:,} parameters, {told.macs:,} multiply-adds a window, "
        f"{told.flash_bytes:,} bytes of weights ({kind}), {told.ram_bytes:,} bytes of RAM "
        f"({prefix}_stream) besides a few hundred of stack.",
        *(f"{key}: {value}" for key, value in sorted(weights.about.items()) if key not in UNTOLD),
        "The code is under pacl's licence (MIT). The weights carry information from the data they "
        "were learned from, which has a licence of its own.",
    ]


def c_sizes(layout: Layout, prefix: str) -> str:
    """What a caller has to know, and what the structs are made of."""
    sizes: dict[str, object] = {
        "BEATS": layout.lengths[0],
        "BRANCHES": len(layout.kept),
        "DEPTH": len(layout.kept[0]),
        "RECENT": layout.recent,
        "COLUMN": layout.column,
        "MIXED": layout.mixed,
    }
    (threshold,) = c_floats(np.array([THRESHOLD]))
    sizes["THRESHOLD"] = f"{threshold} /* from this probability on, it is called AF */"
    return c_defines({f"{prefix.upper()}_{name}": value for name, value in sizes.items()})


def c_constants(
    folded: Folded, layout: Layout, bias: float, steady: RegularityCeiling, *, int8: bool
) -> str:
    """Numbers of the encoder's view, of the probe, and of the causal detector."""
    numbers = {
        "GAIN": GAIN,
        "SHORTEST_MS": SHORTEST_MS,
        "PROBE_BIAS": bias,
        "STEADY_VARIATION": steady.variation,
        "STEADY_CEILING": steady.ceiling,
        "LEAST_MS": PLAUSIBLE_MS[0],
        "MOST_MS": PLAUSIBLE_MS[1],
        "GAP_MS": GAP_MS,
        "LONGEST_MS": LONGEST_MS,
        "CHANGE": CAUSAL.change,
        "TRUST": CAUSAL.trust,
        "FARTHEST": FARTHEST,
        "WITHIN": WITHIN,
        "BETWEEN": BETWEEN,
    }
    words = c_floats(np.array(list(numbers.values()), dtype=np.float64))
    return c_defines(
        {
            "INT8": int(int8),
            "LINEAR": int(folded.to_pooled is not None),
            "MOMENTS": layout.lengths[-1],
            "FEATURES": features_of(folded),
            "STRIDE": STRIDE,
            "MOST_REPEATED": REPEATED[-1],
            "MOST_LEFT_OUT": math.floor(MOST_DROPPED * layout.lengths[0]),
            **{name: f"({word})" for name, word in zip(numbers, words, strict=True)},
        }
    )


def arrays_of(folded: Folded, probe: Float32[Array, "feature"], *, int8: bool) -> Arrays:
    """Every array of the file by name."""
    return {**layer_arrays(_named(folded), int8=int8), "SCORE": folded.score, "PROBE": probe}


def c_weights(arrays: Arrays, folded: Folded, layout: Layout, *, int8: bool) -> str:
    """The arrays, and the tables that say what they are."""
    named = _named(folded)

    def entry(name: str) -> str:
        return layer_entry(name, named[name], int8=int8)

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
    return "\n\n".join([*c_arrays(arrays), *tables])


def _named(folded: Folded) -> dict[str, Plain]:
    named = {
        f"branch{number}_{at}": layer
        for number, branch in enumerate(folded.branches)
        for at, layer in enumerate(branch)
    }
    named["mix"] = folded.mix
    return named if folded.to_pooled is None else {**named, "to_pooled": folded.to_pooled}
