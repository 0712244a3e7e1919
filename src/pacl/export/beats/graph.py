"""An ONNX graph built operator by operator; equal graphs give equal bytes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

import pacl
from pacl.axes import Array
from pacl.export.errors import ExportError

OPSET = 18
IR_VERSION = 8
"""Of the same time as the operators, so that older runtimes read the file."""

END = 2**62
"""As the end of a slice: all that there is."""


class Graph:
    """Operators and constants; a value is known by its name."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._stored: list[onnx.TensorProto] = []
        self._count = 0

    def constant(self, value: Array) -> str:
        """A constant; equal ones are stored once."""
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self._constants:
            name = self._constants[key] = f"constant_{len(self._constants)}"
            self._stored.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return self._constants[key]

    def number(self, value: float) -> str:
        """A constant in single precision."""
        return self.constant(np.array(value, dtype=np.float32))

    def whole(self, *values: int) -> str:
        """A constant of whole numbers: axes, ends and shapes."""
        return self.constant(np.array(values, dtype=np.int64))

    def add(self, operator: str, *inputs: str, into: str | None = None, **attributes: Any) -> str:
        """One operator of one output."""
        return self.add_many(operator, *inputs, into=[into or self._new()], **attributes)[0]

    def add_many(
        self, operator: str, *inputs: str, into: Sequence[str] | int, **attributes: Any
    ) -> list[str]:
        """One operator of some outputs."""
        outputs = [self._new() for _ in range(into)] if isinstance(into, int) else list(into)
        self._nodes.append(helper.make_node(operator, inputs, outputs, **attributes))
        return outputs

    def columns(self, value: str, first: int, last: int = 0) -> str:
        """All but the first and the last columns."""
        if not first and not last:
            return value
        ends = self.whole(-last if last else END)
        return self.add("Slice", value, self.whole(first), ends, self.whole(-1))

    def content(
        self,
        inputs: Sequence[onnx.ValueInfoProto],
        outputs: Sequence[onnx.ValueInfoProto],
        stated: Mapping[str, str],
        about: Mapping[str, str],
    ) -> bytes:
        """The bytes of a file; `stated` and `about` are its metadata, the latter a caller's."""
        if taken := sorted(set(about) & set(stated)):
            raise ExportError(f"about states {', '.join(taken)}, which is added here; leave it out")
        graph = helper.make_graph(self._nodes, "pacl", inputs, outputs, self._stored)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
        model.producer_name, model.producer_version = "pacl", pacl.__version__
        every = {**stated, **about}
        for key in sorted(every):
            model.metadata_props.add(key=key, value=every[key])
        onnx.checker.check_model(model, full_check=True)
        found: bytes = model.SerializeToString(deterministic=True)
        return found

    def _new(self) -> str:
        self._count += 1
        return f"value_{self._count}"
