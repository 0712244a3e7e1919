"""Tensors in `.safetensors` files with their metadata, and states that torch saved."""

import io
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacl.atomic_write import atomic_write
from pacl.file_bytes import FileError, read_file
from pacl.stored.documents import MOST_JSON, Refuse, parse_json

if TYPE_CHECKING:
    from torch import Tensor, device

MOST = 2**30
LENGTH = 8
"""Bytes at the start of a file that hold the length of its JSON."""


def read_tensors(
    path: Path, kind: Any, refuse: Refuse, *, written_as: str
) -> tuple[Any, dict[str, "Tensor"]]:
    """Read the metadata that the file has under the name `pacl`, and all tensors.

    `kind` and `written_as` are the expected type and `format` of the metadata, see `read_json`.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        content = read_file(path, MOST)
        length = int.from_bytes(content[:LENGTH], "little")
        if length > min(MOST_JSON, len(content)):
            raise ValueError("not a safetensors file")
        head = parse_json(
            content[LENGTH : LENGTH + length], path, dict[str, dict[str, Any]], refuse
        )
        stated = head.get("__metadata__", {}).get("pacl")
        if not isinstance(stated, str):
            raise ValueError("pacl did not write it")
        about = parse_json(stated.encode(), path, kind, refuse, written_as=written_as)
        return about, load(content)
    except FileError as error:
        raise refuse(path, error.what) from error
    except (SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise refuse(path, f"cannot be read ({error})") from error


def write_tensors(
    path: Path, tensors: Mapping[str, "Tensor"], about: Mapping[str, Any], *, sort_keys: bool = True
) -> None:
    """Write a file for `read_tensors`, atomically; the same content gives the same bytes."""
    from safetensors.torch import save

    plain = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    # One entry: safetensors writes several in an order that changes from call to call.
    atomic_write(path, save(plain, {"pacl": json.dumps(about, sort_keys=sort_keys)}))


def read_state(
    path: Path, refuse: Refuse, *, most: int = MOST, device: "device | str" = "cpu"
) -> dict[str, Any]:
    """Read a dictionary of at most `most` bytes that `torch.save` wrote; runs none of its code."""
    import torch

    try:
        content = io.BytesIO(read_file(path, most))
        with warnings.catch_warnings(action="ignore"):
            state = torch.load(content, map_location=device, weights_only=True)
    except FileError as error:
        raise refuse(path, error.what) from error
    except Exception as error:  # a damaged pickle can raise anything, even IndexError
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        if "weights_only" in str(error):  # torch proposes to run the file as code; we do not
            reason = "it holds something other than tensors and plain values"
        raise refuse(path, f"cannot be read ({reason})") from error
    if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
        raise refuse(path, f"cannot be read ({type(state).__name__}, expected values by name)")
    return state
