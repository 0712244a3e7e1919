"""A beat network and a decoder as one C file without dependencies, for microcontrollers.

```
BeatNetwork --fold_norm--> plain layers --+--> arrays, blocks   @weights
example recordings --> scales of rings ---+--> sizes            @sizes       template/*.c --> af.c
Decoder ----------------------------------> numbers             @constants
```
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pacl.af.networks import CLIPPED_MS, COARSE, FINE, INPUTS, BeatNetwork
from pacl.axes import Array, Float32
from pacl.detect import LONGEST_MS, Decoder
from pacl.export.beats.folded import PlainNetwork, fold_norm
from pacl.export.beats.rings import Rings, scales_of
from pacl.export.c_writer import PREFIX, CFile, CSource, Entry, c_floats, c_numbers
from pacl.export.errors import ExportError
from pacl.export.plain import Plain
from pacl.records import GAP_MS
from pacl.rr import USUAL_MS

HERE = "pacl.export.beats"
TEMPLATES = (
    (HERE, "declared"),
    ("pacl.export", "layers"),
    (HERE, "network"),
    (HERE, "decoder"),
    ("pacl.export", "lines"),
    (HERE, "stream"),
)
"""Declarations; layers; from intervals to logits; from logits to AF; for `main`; the stream."""


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

    For each interval it gives the result of the network and the decoder for the beat `ahead + lag`
    beats earlier. The same weights, decoder and examples give the same bytes.

    Parameters
    ----------
    network
        Made with `widest_ahead`: its running mean looks back alone.
    path
        The file; written atomically.
    decoder
        With a lag.
    name, about
        Name and further facts for the comment at the top of the file.
    prefix
        Prefix of the names in the file.
    int8
        Keep each weight in a byte, with a scale for each output, and the older columns of wide
        blocks in a byte for each number, with a scale for each block.
    examples
        Intervals in ms of recordings, from which `int8` takes the scales of blocks.
    """
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
    source = CSource(
        name=name,
        use=f"it gives the probability of AF and the decision for the beat {prefix.upper()}_DELAY "
        "intervals earlier.",
        about=about,
        templates=TEMPLATES,
        sizes=_sizes(folded, rings, decoder.lag, prefix),
        constants=_constants(folded, decoder),
        layers=_named(folded),
        vectors={},
        tables=lambda entry: _tables(folded, rings, entry),
        macs=sum(layer.weight.size for layer in folded.layers),
        per="interval",
        ram_bytes=rings.ram_bytes(folded, decoder.lag),
    )
    return source.write(path, prefix, int8=int8)


def _named(folded: PlainNetwork) -> dict[str, Plain]:
    named = {"first": folded.first, "head": folded.head}
    for number, block in enumerate(folded.blocks):
        named |= {f"wide{number}": block.wide, f"point{number}": block.point}
    return named


def _sizes(folded: PlainNetwork, rings: Rings, lag: int, prefix: str) -> dict[str, object]:
    """What a caller has to know, and the sizes of the structs."""
    taps = folded.first.weight.shape[2]
    return {
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


def _constants(folded: PlainNetwork, decoder: Decoder) -> dict[str, object]:
    """Numbers of the network's inputs, and of the decoder."""
    numbers = {
        "LEAST_MS": CLIPPED_MS[0],
        "MOST_MS": CLIPPED_MS[1],
        "USUAL_MS": USUAL_MS,
        "COARSE": COARSE,
        "FINE": FINE,
        "GAP_MS": GAP_MS,
        "LONGEST_MS": LONGEST_MS,
    }
    doubles = {"SLOPE": decoder.slope, "SHIFT": decoder.shift, "EVIDENCE": decoder.evidence}
    return {
        "INPUTS": INPUTS,
        "MEAN_BEATS": folded.mean_beats,
        **c_numbers(numbers),
        **{key: f"({float(value)!r})" for key, value in doubles.items()},
        "BRIDGE": decoder.bridge,
        "LEAST_BEATS": decoder.least_beats,
    }


def _tables(folded: PlainNetwork, rings: Rings, entry: Entry) -> Sequence[str]:
    """The first and last layer, and the blocks between them."""
    scales = c_floats(np.array([ring.scale for ring in rings.rings]))
    rows = [
        f"{{{entry(f'wide{number}')}, {entry(f'point{number}')}, {block.dilation}, "
        f"{block.after}, {ring.place}, {scale}}}"
        for number, (block, ring, scale) in enumerate(
            zip(folded.blocks, rings.rings, scales, strict=True)
        )
    ]
    return [
        f"static const layer FIRST = {entry('first')};",
        f"static const layer HEAD = {entry('head')};",
        f"static const block BLOCKS[{len(rows)}] = {{\n    " + ",\n    ".join(rows) + ",\n};",
    ]
