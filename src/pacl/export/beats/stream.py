"""A beat network as an ONNX file for streams: some beats at a time, and a state between them.

```
state  --Split-->  columns kept of the input of each layer
                   [ kept | new ] --> the same valid convolution --> as many columns as are new
                          [ kept ]  --Concat-->  state
```

The logit of a beat is there `ahead` beats later, when all that it depends on has been heard.
"""

from collections.abc import Mapping
from math import prod

from onnx import TensorProto, helper

from pacl.export.beats.folded import fold_norm
from pacl.export.beats.graph import Graph
from pacl.export.beats.layers import add_network, stated_of
from pacl.export.errors import ExportError
from pacl.models.beat_network import BeatNetwork

BLOCK = 10


def stream_onnx(
    network: BeatNetwork, block: int = BLOCK, about: Mapping[str, str] | None = None
) -> bytes:
    """The content of a file; the same weights give the same bytes.

    It takes `rr_ms` (float32) and `present` (bool) of the next `block` beats, of shape (1, block),
    and `state` (float32) of shape (1, S). It gives `logits` of shape (1, block), of the beats
    `ahead` beats earlier, and `next_state`, to be given as `state` with the next beats. The state
    before the first beat of a stream is `pacl.detect.session.initial_state`.

    Its metadata states `block` and `state` (S) besides what whole recordings' states.
    """
    if block < 1:
        raise ExportError(f"a block of {block} beats; give at least 1")
    folded, graph = fold_norm(network), Graph()
    kept = _Kept(graph, block)
    add_network(graph, folded, "rr_ms", "present", kept.before)
    kept.add_state()
    beats = [
        helper.make_tensor_value_info("rr_ms", TensorProto.FLOAT, [1, block]),
        helper.make_tensor_value_info("present", TensorProto.BOOL, [1, block]),
    ]
    state, next_state = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, kept.size])
        for name in ("state", "next_state")
    )
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, block])
    stated = {
        **stated_of([folded], "stream"),
        "behind": str(folded.behind),
        "ahead": str(folded.ahead),
        "block": str(block),
        "state": str(kept.size),
    }
    return graph.content([*beats, state], [logits, next_state], stated, about or {})


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
