"""Equal networks are turned into ONNX once: torch takes more than a second for each.

For tests of what is made of the graph. Those of the graph itself are in `tests/export/test_onnx.py`
and trace whatever they are given.
"""

from collections.abc import Iterator

import onnx
import pytest

from pacl.export import onnx as module

_TRACED: dict[tuple[str, bytes, int], bytes] = {}


@pytest.fixture(autouse=True, scope="module")
def traced_once() -> Iterator[None]:
    """A scorer whose every bit is that of an earlier one gets a copy of its graph."""
    trace = module.to_onnx

    def remembered(scorer, window_beats):
        key = *_content(scorer), window_beats
        if key not in _TRACED:
            _TRACED[key] = trace(scorer, window_beats).SerializeToString()
        return onnx.ModelProto.FromString(_TRACED[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "to_onnx", remembered)
        yield


def _content(scorer) -> tuple[str, bytes]:
    """All that a graph depends on: the parts with what they were made with, and their numbers."""
    plain = [
        {name: value for name, value in vars(part).items() if not name.startswith("_")}
        for part in scorer.modules()
    ]
    tensors = [*scorer.parameters(), *scorer.buffers()]
    numbers = b"".join(tensor.detach().numpy().tobytes() for tensor in tensors)
    return f"{scorer!r} {plain} {[tensor.shape for tensor in tensors]}", numbers
