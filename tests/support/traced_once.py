"""Equal networks are turned into ONNX once: torch takes more than a second for each.

For tests of what is made of the graph. Those of the graph itself are in `tests/export/test_onnx.py`
and trace whatever they are given.
"""

import pickle
from collections.abc import Iterator

import onnx
import pytest

from pacl.export import onnx as module

_TRACED: dict[tuple[bytes, int], bytes] = {}


@pytest.fixture(autouse=True, scope="module")
def traced_once() -> Iterator[None]:
    """A scorer whose every bit is that of an earlier one gets a copy of its graph."""
    trace = module.to_onnx

    def remembered(scorer, window_beats):
        key = pickle.dumps(scorer), window_beats
        if key not in _TRACED:
            _TRACED[key] = trace(scorer, window_beats).SerializeToString()
        return onnx.ModelProto.FromString(_TRACED[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "to_onnx", remembered)
        yield
