"""Beat networks as an ONNX file for whole recordings: one, or the mean of several."""

from collections.abc import Mapping
from math import prod

import onnx
from onnx import TensorProto, helper

from pacl.af.networks import BeatNetwork
from pacl.export.beats.folded import fold_norm
from pacl.export.beats.graph import Graph
from pacl.export.beats.layers import add_network, stated_of
from pacl.export.errors import ExportError


def whole_onnx(*networks: BeatNetwork, about: Mapping[str, str] | None = None) -> bytes:
    """The content of a file; the same weights give the same bytes.

    It takes `rr_ms` (float32) and `present` (bool), both of shape (1, beats), and gives `logits`
    of shape (1, beats - behind - ahead): as the network, of all beats except the first `behind` and
    the last `ahead`. For several networks it gives the mean logit, with the largest `behind` and
    `ahead`. Its metadata states `format`, `kind`, `config`, `behind` and `ahead`, and `about`.

    It is fastest with 8,000 to 32,000 beats at a time, which fit into the cache of a core.
    """
    folded, graph = [fold_norm(one) for one in networks], Graph()
    behind, ahead = max(one.behind for one in folded), max(one.ahead for one in folded)
    found = []
    for one in folded:
        rr_ms, present = (
            graph.columns(name, behind - one.behind, ahead - one.ahead)
            for name in ("rr_ms", "present")
        )
        into = "logits" if len(folded) == 1 else None
        found.append(add_network(graph, one, rr_ms, present, lambda new, shape, older: new, into))
    if len(found) > 1:
        graph.add("Mean", *found, into="logits")
    stated = {**stated_of(folded, "whole"), "behind": str(behind), "ahead": str(ahead)}
    return graph.content(_beats("beats"), [_floats("logits", "inner")], stated, about or {})


def _floats(name: str, size: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, size])


def _beats(size: int | str) -> list[onnx.ValueInfoProto]:
    """The inputs of all files."""
    present = helper.make_tensor_value_info("present", TensorProto.BOOL, [1, size])
    return [_floats("rr_ms", size), present]


BLOCK = 10


def stream_onnx(
    network: BeatNetwork, block: int = BLOCK, about: Mapping[str, str] | None = None
) -> bytes:
    """The content of a file; the same weights give the same bytes.

    It takes `rr_ms` (float32) and `present` (bool) of the next `block` beats, of shape (1, block),
    and `state` (float32) of shape (1, S). It gives `logits` of shape (1, block), of the beats
    `ahead` beats earlier, and `next_state`, to be given as `state` with the next beats. The state
    before the first beat of a stream is `pacl.detect.beat_scorer.initial_state`.

    Its metadata states `block` and `state` (S) besides what whole recordings' states.
    """
    if block < 1:
        raise ExportError(f"a block of {block} beats; give at least 1")
    folded, graph = fold_norm(network), Graph()
    kept = _Kept(graph, block)
    add_network(graph, folded, "rr_ms", "present", kept.before)
    kept.add_state()
    inputs = [*_beats(block), _floats("state", kept.size)]
    outputs = [_floats("logits", block), _floats("next_state", kept.size)]
    stated = {
        **stated_of([folded], "stream"),
        "behind": str(folded.behind),
        "ahead": str(folded.ahead),
        "block": str(block),
        "state": str(kept.size),
    }
    return graph.content(inputs, outputs, stated, about or {})


class _Kept:
    """Columns of each layer that lie in the state, one layer after the other."""

    def __init__(self, graph: Graph, block: int) -> None:
        self._graph, self._block = graph, block
        self._next: list[str] = []
        self.size = 0

    def before(self, columns: str, shape: tuple[int, ...], older: int) -> str:
        """Kept columns and new ones; the last of them are kept for the next time."""
        if not older:
            return columns
        graph, first = self._graph, self.size
        self.size += prod(shape) * older
        ends = graph.whole(first), graph.whole(self.size)
        flat = graph.add("Slice", "state", *ends, graph.whole(1))
        kept = graph.add("Reshape", flat, graph.whole(1, *shape, older))
        both = graph.add("Concat", kept, columns, axis=-1)
        last = graph.columns(both, self._block)
        self._next.append(graph.add("Reshape", last, graph.whole(1, -1)))
        return both

    def add_state(self) -> None:
        """The state after the new beats."""
        self._graph.add("Concat", *self._next, axis=1, into="next_state")
