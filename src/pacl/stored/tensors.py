"""Tensors in `.safetensors` files, and what the file says of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacl.atomic_write import atomic_write
from pacl.file_bytes import FileError, read_file
from pacl.stored.documents import MOST_JSON, Refuse, parse_json

if TYPE_CHECKING:
    from torch import Tensor

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
    path: Path,
    tensors: Mapping[str, "Tensor"],
    stated: Mapping[str, Any],
    *,
    written_as: str,
    sort_keys: bool = True,
) -> None:
    """Write tensors, and what is stated of them, as `read_tensors` reads them.

    The same tensors give the same bytes. All is stated in one entry: safetensors writes several in
    an order that changes from call to call.
    """
    from safetensors.torch import save

    about = json.dumps({"format": written_as, **stated}, sort_keys=sort_keys)
    plain = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    atomic_write(path, save(plain, {"pacl": about}))
