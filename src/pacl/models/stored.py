"""An encoder made again from its arguments and tensors, as they were stored."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from pacl.models.encoder import Encoder
from pacl.models.errors import ModelError
from pacl.stored import MisfitError, build


def stored_encoder(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Encoder:
    """The encoder, ready to evaluate; refuses arguments and tensors that do not fit together.

    It is built without memory for weights, and takes over those that are there: whatever sizes are
    stated, no more memory is used than the file has bytes.
    """
    sizes = [stated.get(key) for key in ("kernels", "channels")]
    if math.prod(len(size) for size in sizes if isinstance(size, list)) > len(tensors):
        raise ModelError(f"encoder: more convolutions than the {len(tensors)} tensors there are")
    try:
        with torch.device("meta"):
            encoder: Encoder = build(Encoder, stated, generator=None)
        expected = encoder.state_dict()
        for name in sorted(expected.keys() | tensors.keys()):
            wanted, came = expected.get(name), tensors.get(name)
            if wanted is None or came is None:
                raise ModelError(f"tensor {name} is {'missing' if came is None else 'not known'}")
            if (wanted.shape, wanted.dtype) != (came.shape, came.dtype):
                raise ModelError(
                    f"tensor {name} is {came.dtype} of shape {tuple(came.shape)}, expected "
                    f"{wanted.dtype} of shape {tuple(wanted.shape)}"
                )
        encoder.load_state_dict(dict(tensors), assign=True)
    except (MisfitError, RuntimeError, TypeError, OverflowError) as error:
        raise ModelError(f"encoder: {error}") from error
    return encoder.eval()
