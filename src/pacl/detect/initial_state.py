"""The state of a stream that has heard nothing, for ONNX files of streams."""

from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float32

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def initial_state(session: "InferenceSession") -> Float32[Array, "one number"]:
    """The state after as many absent beats as a network looks at; more of them change nothing.

    Computed once per file; every stretch begins with it.
    """
    about = session.get_modelmeta().custom_metadata_map
    block, reach = int(about["block"]), int(about["behind"]) + int(about["ahead"])
    state: Float32[Array, "one number"] = np.zeros((1, int(about["state"])), np.float32)
    absent = {
        "rr_ms": np.zeros((1, block), np.float32),
        "present": np.zeros((1, block), np.bool_),
    }
    for _ in range(-(-reach // block)):
        (state,) = session.run(["next_state"], {**absent, "state": state})
    return state
