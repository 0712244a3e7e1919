"""A scorer as an ONNX graph, without traces of the machine."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import onnx
import torch
from google.protobuf.message import Message

import pacl
from pacl.export.errors import ExportError
from pacl.export.scorer import Scorer, Scores

OPSET = 18
"""From 21 on, group normalisation is one operator, which ONNX Runtime takes apart into many on the
CPU; as instance normalisation, which torch writes before, a window takes two thirds of the time."""

REVEALING = {"doc_string", "metadata_props", "value_info"}
"""Fields in which torch keeps stack traces, and shapes that every runtime infers by itself."""


def to_onnx(scorer: Scorer, window_beats: int) -> onnx.ModelProto:
    """Trace a scorer for any number of windows; constants are folded, weights are inside."""
    example = torch.zeros(2, window_beats)
    windows = {"rr": {0: torch.export.Dim("window")}}
    try:
        # torch logs on optional packages, and warns its own developers.
        with torch.no_grad(), quiet_logger("torch.onnx"), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            # Traced here, because torch.onnx would silently fix the number of windows where a step
            # cannot be traced for any number.
            traced = torch.export.export(scorer, (example,), dynamic_shapes=windows, strict=False)
            program = torch.onnx.export(
                traced,
                dynamo=True,
                verbose=False,
                opset_version=OPSET,
                input_names=["rr"],
                output_names=list(Scores._fields),
            )
    except RuntimeError as error:  # the base of what torch.export and torch.onnx raise
        raise ExportError(
            f"torch cannot express the network in ONNX ({str(error).strip().splitlines()[0]}); "
            "replace the step that the error above names"
        ) from error
    model = cast(torch.onnx.ONNXProgram, program).model_proto  # None only without dynamo
    _remove_revealing(model)
    model.producer_name, model.producer_version = "pacl", pacl.__version__
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "window"
    onnx.checker.check_model(model, full_check=True)
    return model


def _remove_revealing(message: Message) -> None:
    for field, value in message.ListFields():
        if field.name in REVEALING:
            message.ClearField(field.name)
        elif field.message_type is not None:
            for part in [value] if isinstance(value, Message) else value:
                _remove_revealing(part)


@contextmanager
def quiet_logger(name: str | None = None) -> Iterator[None]:
    """Log only errors, under the logger of this name or under all."""
    log = logging.getLogger(name)
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)
