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
"""Bytes at the start of a file that say how long its JSON is."""


def read_tensors(
    path: Path, kind: Any, refuse: Refuse, *, written_as: str
) -> tuple[Any, dict[str, "Tensor"]]:
    """Read all tensors, and what the file says of them under the name `pacl`.

    Parameters
    ----------
    path
        The file.
    kind, written_as
        What is expected to be said, and its `format`; see `read_json`.
    refuse
        Makes the error where it is something else.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        content = read_file(path, MOST)
        length = int.from_bytes(content[:LENGTH], "little")
        if length > min(MOST_JSON, len(content)):
            raise ValueError("it does not begin as tensors do")
        head = parse_json(
            content[LENGTH : LENGTH + length], path, dict[str, dict[str, Any]], refuse
        )
        said = head.get("__metadata__", {}).get("pacl")
        if not isinstance(said, str):
            raise ValueError("pacl did not write it")
        about = parse_json(said.encode(), path, kind, refuse, written_as=written_as)
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
    """Read a dictionary that `torch.save` wrote, of at most so many bytes; runs no code of it."""
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
