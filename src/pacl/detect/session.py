"""A network in ONNX Runtime, on one core."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def open_session(path: Path, refuse: Callable[[Path, str], Exception]) -> "InferenceSession":
    """Load a network; `refuse` makes the error where that fails."""
    from onnxruntime import InferenceSession, SessionOptions
    from onnxruntime.capi.onnxruntime_pybind11_state import (
        Fail,
        InvalidArgument,
        InvalidGraph,
        InvalidProtobuf,
        NotImplemented,  # noqa: A004 - an operator that this version does not have
    )

    if not path.is_file():
        raise refuse(path, "there is no such file")
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotImplemented) as error:
        raise refuse(path, "ONNX Runtime cannot read it") from error
