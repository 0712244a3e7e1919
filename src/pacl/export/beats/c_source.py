"""A beat network and a decoder as one C file that needs nothing else, for microcontrollers.

```
BeatNetwork --fold_norm--> plain layers --+--> arrays, blocks   @weights
example recordings --> scales of rings ---+--> sizes            @sizes       template/*.c --> af.c
Decoder ----------------------------------> numbers             @constants
```
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import pacl
from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32
from pacl.detect import LONGEST_MS, Decoder
from pacl.export.beats.folded import PlainNetwork, fold_norm
from pacl.export.beats.rings import Rings, scales_of
from pacl.export.c_file import CFile
from pacl.export.c_layers import Arrays, c_arrays, layer_arrays, layer_entry, learned
from pacl.export.c_template import PREFIX, check_prefix, filled
from pacl.export.c_text import c_comment, c_defines, c_floats
from pacl.export.errors import ExportError
from pacl.export.plain import Plain
from pacl.models.beat_network import CLIPPED_MS, COARSE, FINE, INPUTS, BeatNetwork
from pacl.records import GAP_MS
from pacl.windows.plausible import USUAL_MS

HERE = "pacl.export.beats"
TEMPLATE = (
    (HERE, "declared"),
    ("pacl.export", "layers"),
    (HERE, "network"),
    (HERE, "decoder"),
    ("pacl.export", "lines"),
    (HERE, "stream"),
)
"""What a caller sees; layers; from intervals to logits; from logits to AF; for `main`; all of it.
"""


def write_beats_c(
    network: BeatNetwork,
    path: Path,
    *,
    decoder: Decoder,
    name: str,
    about: Mapping[str, str],
    prefix: str = PREFIX,
    int8: bool = True,
    examples: Sequence[Float32[Array, "_"]] = (),
) -> CFile:
    """Write a network for streams and a decoder as one C99 file.

    Interval by interval it says of each beat what the network and the decoder say, `ahead + lag`
    beats later. The same weights, decoder and examples give the same bytes.

    Parameters
    ----------
    network
        Made with `widest_ahead`: its running mean looks back alone.
    path
        Where to; written whole or not at all.
    decoder
        With a lag.
    name, about
        What the file says of itself, as plain text.
    prefix
        What the names in the file begin with.
    int8
        Keep each weight in a byte, with a scale for each output, and the older columns of wide
        blocks in a byte for each number, with a scale for each block.
    examples
        Intervals in ms of recordings, from which `int8` takes the scales of blocks.
    """
    check_prefix(prefix)
    if decoder.lag is None:
        raise ExportError(f"{decoder} waits for the end of a stream; give a lag in beats")
    folded = fold_norm(network)
    if folded.mean_ahead:
        raise ExportError(
            f"the network looks {folded.ahead} beats ahead, its running mean as well; a stream "
            "needs one that was made with widest_ahead"
        )
    scales = scales_of(network, folded, examples) if int8 else [0.0] * len(folded.blocks)
    rings = Rings.of(folded, scales)
    named = _named(folded)
    arrays = layer_arrays(named, int8=int8)
    told = CFile(
        parameters=learned(arrays),
        macs=sum(layer.weight.size for layer in folded.layers),
        flash_bytes=sum(values.nbytes for values in arrays.values()),
        ram_bytes=rings.ram_bytes(folded, decoder.lag),
    )
    parts = {
        "about": c_comment(_about(name, about, told, prefix, int8=int8)),
        "sizes": _sizes(folded, rings, decoder.lag, prefix),
        "constants": _constants(folded, decoder, int8=int8),
        "weights": _weights(arrays, named, folded, rings, int8=int8),
    }
    atomic_write(path, filled(TEMPLATE, parts, prefix))
    return told


def _named(folded: PlainNetwork) -> dict[str, Plain]:
    named = {"first": folded.first, "head": folded.head}
    for number, block in enumerate(folded.blocks):
        named |= {f"wide{number}": block.wide, f"point{number}": block.point}
    return named


def _sizes(folded: PlainNetwork, rings: Rings, lag: int, prefix: str) -> str:
    """What a caller has to know, and what the structs are made of."""
    taps = folded.first.weight.shape[2]
    sizes = {
        "AHEAD": f"{folded.ahead} /* beats after a beat that its logit depends on */",
        "LAG": f"{lag} /* and so many more until it is decided */",
        "DELAY": f"({prefix.upper()}_AHEAD + {prefix.upper()}_LAG)",
        "CHANNELS": folded.channels,
        "BLOCKS": len(folded.blocks),
        "MEAN": folded.mean_beats - 1,
        "FIRST": max(1, INPUTS * (taps - 1)),  # C has no empty arrays
        "EXACT": rings.exact,
        "ROUNDED": rings.rounded,
    }
    return c_defines({f"{prefix.upper()}_{key}": value for key, value in sizes.items()})


def _constants(folded: PlainNetwork, decoder: Decoder, *, int8: bool) -> str:
    """Numbers of what the network sees, and of the decoder."""
    numbers = {
        "LEAST_MS": CLIPPED_MS[0],
        "MOST_MS": CLIPPED_MS[1],
        "USUAL_MS": USUAL_MS,
        "COARSE": COARSE,
        "FINE": FINE,
        "GAP_MS": GAP_MS,
        "LONGEST_MS": LONGEST_MS,
    }
    words = c_floats(np.array(list(numbers.values()), dtype=np.float64))
    doubles = {"SLOPE": decoder.slope, "SHIFT": decoder.shift, "EVIDENCE": decoder.evidence}
    return c_defines(
        {
            "INT8": int(int8),
            "INPUTS": INPUTS,
            "MEAN_BEATS": folded.mean_beats,
            **{key: f"({word})" for key, word in zip(numbers, words, strict=True)},
            **{key: f"({float(value)!r})" for key, value in doubles.items()},
            "BRIDGE": decoder.bridge,
            "LEAST_BEATS": decoder.least_beats,
        }
    )


def _weights(
    arrays: Arrays, named: Mapping[str, Plain], folded: PlainNetwork, rings: Rings, *, int8: bool
) -> str:
    """The arrays, and the tables that say what they are."""

    def entry(key: str) -> str:
        return layer_entry(key, named[key], int8=int8)

    scales = c_floats(np.array([ring.scale for ring in rings.rings]))
    rows = [
        f"{{{entry(f'wide{number}')}, {entry(f'point{number}')}, {block.dilation}, "
        f"{block.after}, {ring.place}, {scale}}}"
        for number, (block, ring, scale) in enumerate(
            zip(folded.blocks, rings.rings, scales, strict=True)
        )
    ]
    tables = [
        f"static const layer FIRST = {entry('first')};",
        f"static const layer HEAD = {entry('head')};",
        f"static const block BLOCKS[{len(rows)}] = {{\n    " + ",\n    ".join(rows) + ",\n};",
    ]
    return "\n\n".join([*c_arrays(arrays), *tables])


def _about(
    name: str, about: Mapping[str, str], told: CFile, prefix: str, *, int8: bool
) -> list[str]:
    """What the file says of itself."""
    kind = "one byte each, with a scale for each output" if int8 else "in single precision"
    return [
        f"Atrial fibrillation in RR intervals: {name}, written by pacl {pacl.__version__}. Not a "
        "medical device: it has not been cleared for diagnosis.",
        f"{prefix}_init once, then {prefix}_push for each interval in ms: it says of each beat, "
        f"{prefix.upper()}_DELAY intervals later, how likely AF is and whether it is in AF. All "
        "memory is the caller's, nothing is allocated, and streams do not know of each other. To "
        f"declare the functions elsewhere, define {prefix.upper()}_DECLARE and include this file. "
        "To try it: cc -std=c99 -O2 -DPACL_MAIN this-file.c -lm, and give it one interval in ms "
        "per line.",
        f"{told.parameters:,} parameters, {told.macs:,} multiply-adds per interval, "
        f"{told.flash_bytes:,} bytes of weights ({kind}), {told.ram_bytes:,} bytes of RAM "
        f"({prefix}_stream) besides a few hundred of stack.",
        *(f"{key}: {value}" for key, value in sorted(about.items())),
        "The code is under pacl's licence (MIT). The weights carry information from the data they "
        "were learned from, which has a licence of its own.",
    ]
