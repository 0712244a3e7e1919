"""The parts of a C file that depend on the weights: sizes, constants, arrays and their tables."""

import math

import numpy as np

from pacl.axes import Array, Float32
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
from pacl.export.c_layers import Arrays, c_arrays, layer_arrays, layer_entry
from pacl.export.c_layout import Kept, Layout, features_of
from pacl.export.c_text import c_defines, c_floats
from pacl.export.folded import Folded
from pacl.export.plain import Plain
from pacl.export.regularity_ceiling import RegularityCeiling
from pacl.models.view import GAIN, SHORTEST_MS
from pacl.records import GAP_MS, PLAUSIBLE_MS


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
    (threshold,) = c_floats(np.array([AF_PROBABILITY]))
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
        "CHANGE": CAUSAL_SMOOTHER.change,
        "TRUST": CAUSAL_SMOOTHER.trust,
        "FARTHEST": MOST_LOG_ODDS,
        "WITHIN": EQUAL_WITHIN,
        "BETWEEN": EQUAL_BETWEEN,
    }
    words = c_floats(np.array(list(numbers.values()), dtype=np.float64))
    return c_defines(
        {
            "INT8": int(int8),
            "LINEAR": int(folded.to_pooled is not None),
            "MOMENTS": layout.lengths[-1],
            "FEATURES": features_of(folded),
            "STRIDE": STRIDE_BEATS,
            "MOST_REPEATED": REPEAT_COUNTS[-1],
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
