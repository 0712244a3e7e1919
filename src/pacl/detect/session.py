"""A network in ONNX Runtime, on one core."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float32

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


def initial_state(session: "InferenceSession") -> Float32[Array, "one number"]:
    """The state of a stream before its first beat, for ONNX files of streams.

    It is the state after as many absent beats as the network looks at. More of them change
    nothing. Each stretch begins with it.
    """
    about = session.get_modelmeta().custom_metadata_map
    block, reach = int(about["block"]), int(about["behind"]) + int(about["ahead"])
    state: Float32[Array, "one number"] = np.zeros((1, int(about["state"])), np.float32)
    absent = {"rr_ms": np.zeros((1, block), np.float32), "present": np.zeros((1, block), np.bool_)}
    for _ in range(-(-reach // block)):
        (state,) = session.run(["next_state"], {**absent, "state": state})
    return state
