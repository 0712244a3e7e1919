"""The layers of a beat network as ONNX operators, for recordings and for streams.

All convolutions are valid. A stream puts the columns that it kept of a layer's input before the new
ones (`Before`); a recording has them already.
"""

import json
from collections.abc import Callable, Mapping, Sequence

from onnx import TensorProto

from pacl.af.networks import CLIPPED_MS, COARSE, FINE, INPUTS
from pacl.export.beats.folded import PlainNetwork
from pacl.export.beats.graph import Graph
from pacl.export.plain import Plain
from pacl.rr import USUAL_MS

FORMAT = "pacl beats 1"
FLOAT = int(TensorProto.FLOAT)

Before = Callable[[str, tuple[int, ...], int], str]
"""From the name of new columns, the shape of one column and the number of older columns to the name
of all columns."""

BLOCKED = 16
"""Channels per step of ONNX Runtime's fastest convolutions. They are for images, so beats become an
image of one row; with other widths they are slower than plain convolutions."""


def add_network(
    graph: Graph,
    folded: PlainNetwork,
    rr_ms: str,
    present: str,
    before: Before,
    into: str | None = "logits",
) -> str:
    """Logits of all beats whose neighbours are there."""
    found = _add_inputs(graph, folded, rr_ms, present, before)
    row = folded.channels % BLOCKED == 0
    if row:
        found = graph.add("Unsqueeze", found, graph.whole(2))
    line = (1,) if row else ()
    seen = before(found, (INPUTS, *line), folded.first.weight.shape[2] - 1)
    found = _convolved(graph, folded.first, seen, row=row)
    for block in folded.blocks:
        seen = before(found, (folded.channels, *line), block.before + block.after)
        wide = _convolved(graph, block.wide, seen, row=row, dilation=block.dilation)
        beside = _convolved(graph, block.point, graph.add("Relu", wide), row=row)
        found = graph.add("Add", graph.columns(seen, block.before, block.after), beside)
    found = _convolved(graph, folded.head, graph.add("Relu", found), row=row)
    return graph.add("Squeeze", found, graph.whole(*range(1, 3 if row else 2)), into=into)


def _add_inputs(
    graph: Graph, folded: PlainNetwork, rr_ms: str, present: str, before: Before
) -> str:
    """What the network sees of each beat: `beat_inputs` in `pacl.af.networks.beat_network`."""
    there = graph.add("Cast", present, to=FLOAT)
    low, high = map(graph.number, CLIPPED_MS)
    ratio = graph.add("Div", graph.add("Clip", rr_ms, low, high), graph.number(USUAL_MS))
    log_rr = graph.add("Mul", graph.add("Log", ratio), there)
    stacked = [graph.add("Unsqueeze", one, graph.whole(1)) for one in (log_rr, there)]
    both = before(graph.add("Concat", *stacked, axis=1), (2,), folded.mean_beats - 1)

    means = graph.add("AveragePool", both, kernel_shape=[folded.mean_beats])
    mean, share = graph.add_many("Split", means, into=2, axis=1, num_outputs=2)
    least = graph.number(0.5 / folded.mean_beats)
    mean = graph.add("Div", mean, graph.add("Max", share, least))

    behind, ahead = folded.mean_beats - 1 - folded.mean_ahead, folded.mean_ahead
    now, there = graph.add_many(
        "Split", graph.columns(both, behind, ahead), into=2, axis=1, num_outputs=2
    )
    last, was_there = graph.add_many(
        "Split", graph.columns(both, behind - 1, ahead + 1), into=2, axis=1, num_outputs=2
    )
    follows = graph.add("Mul", there, was_there)
    step = graph.add("Mul", graph.add("Sub", now, last), follows)

    def bent(value: str, factor: float) -> str:
        return graph.add("Asinh", graph.add("Mul", value, graph.number(factor)))

    inputs = (
        bent(graph.add("Sub", now, mean), COARSE),
        bent(step, COARSE),
        graph.add("Div", bent(step, FINE), graph.number(2.0)),
        graph.add("Mul", mean, graph.number(2.0)),
        there,
    )
    return graph.add("Mul", graph.add("Concat", *inputs, axis=1), there)


def _convolved(graph: Graph, layer: Plain, value: str, *, row: bool, dilation: int = 1) -> str:
    weight = layer.weight[:, :, None] if row else layer.weight
    return graph.add(
        "Conv",
        value,
        graph.constant(weight),
        graph.constant(layer.bias),
        dilations=[1, dilation] if row else [dilation],
    )


def stated_of(folded: Sequence[PlainNetwork], kind: str) -> Mapping[str, str]:
    """What every file says of its networks."""
    return {
        "format": FORMAT,
        "kind": kind,
        "config": json.dumps([one.config for one in folded], sort_keys=True),
    }
