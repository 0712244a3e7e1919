"""Weights as one C file that needs nothing else, for microcontrollers.

```
Weights --fold--> plain layers --+--> arrays        @weights
                                 +--> sizes         @sizes        template/*.c  -->  af.c
constants of pacl.detect ------------> numbers      @constants
```
"""

from pathlib import Path

import pacl
from pacl.atomic_write import atomic_write
from pacl.export.c_file import CFile
from pacl.export.c_layers import learned
from pacl.export.c_layout import Layout, macs_of
from pacl.export.c_parts import arrays_of, c_constants, c_sizes, c_weights
from pacl.export.c_template import PREFIX, check_prefix, filled
from pacl.export.c_text import c_comment
from pacl.export.errors import ExportError
from pacl.export.folded import fold
from pacl.export.weights import Weights
from pacl.models.encoder import MIN_BEATS

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
