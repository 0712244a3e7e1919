"""Numbers and words as C text: the same ones give the same bytes, and floats come back exactly."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from pacl.axes import Array, Float32, Int8
from pacl.export.errors import ExportError
from pacl.export.plain import Plain

WIDTH = 96


def c_floats(values: Array) -> list[str]:
    """Numbers in single precision, with the nine digits that give them back to the bit.

    Examples
    --------
    >>> c_floats(np.array([0.1, 30.0, 1e-12]))
    ['0.100000001f', '30.0f', '9.99999996e-13f']
    """
    digits = [f"{one:.9g}" for one in values.astype(np.float32).ravel().tolist()]
    return [f"{one}f" if "." in one or "e" in one else f"{one}.0f" for one in digits]


def c_defines(values: Mapping[str, object]) -> str:
    """Names for numbers, one on each line."""
    return "\n".join(f"#define {name} {value}" for name, value in values.items())


def c_array(kind: str, name: str, values: Array) -> str:
    """A constant array, flat."""
    whole = values.dtype == np.int8
    words = list(map(str, values.ravel().tolist())) if whole else c_floats(values)
    each = 16 if whole else 6
    lines = [", ".join(words[at : at + each]) for at in range(0, len(words), each)]
    body = ",\n    ".join(lines)
    return f"static const {kind} {name}[{len(words)}] = {{\n    {body}\n}};"


def c_comment(paragraphs: Sequence[str]) -> str:
    """A comment, whatever the paragraphs hold."""
    lines: list[str] = []
    for number, paragraph in enumerate(paragraphs):
        # What would begin or end a comment, or be taken for another character, is set apart.
        text = paragraph.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
        lines += [""] * (number > 0) + textwrap.wrap(
            text, WIDTH - 4, break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in lines), " */"])


def int8_of(
    weight: Float32[Array, "output input tap"],
) -> tuple[Int8[Array, "output input tap"], Float32[Array, "output"]]:
    """Whole numbers from -127 to 127, and what each output's are multiples of.

    Examples
    --------
    >>> whole, scale = int8_of(np.array([[[0.5], [-1.0]]], dtype=np.float32))
    >>> whole.ravel().tolist(), (127 * scale).tolist()
    ([64, -127], [1.0])
    """
    largest = np.abs(weight).max(axis=(1, 2))
    scale = (largest / 127).astype(np.float32)
    scale[scale == 0] = 1.0
    whole = np.rint(weight.astype(np.float64) / scale[:, None, None].astype(np.float64))
    return np.clip(whole, -127, 127).astype(np.int8), scale


Arrays = Mapping[str, Array]


def layer_arrays(named: Mapping[str, Plain], *, int8: bool) -> Arrays:
    """Every array by name; weights in the order that they are gone through."""
    found: dict[str, Array] = {}
    for name, layer in named.items():
        weight = layer.weight
        if int8:
            weight, found[f"{name}_scale"] = int8_of(weight)
        found[f"{name}_weights"] = np.ascontiguousarray(weight.transpose(2, 1, 0))
        found[f"{name}_bias"] = layer.bias
    return found


def layer_entry(name: str, layer: Plain, *, int8: bool) -> str:
    """What one of them is."""
    outputs, inputs, taps = layer.weight.shape
    scale = f"{name}_scale, " if int8 else ""
    return f"{{{name}_weights, {scale}{name}_bias, {inputs}, {outputs}, {taps}}}"


def c_arrays(arrays: Arrays) -> list[str]:
    """All arrays, one after the other."""
    return [
        c_array("weight" if name.endswith("_weights") else "float", name, values)
        for name, values in arrays.items()
    ]


def learned(arrays: Arrays) -> int:
    """How many of the numbers were learned: scales of weights follow from them."""
    return sum(values.size for name, values in arrays.items() if not name.endswith("_scale"))


PREFIX = "pacl_af"
"""What the templates' names begin with."""


def filled(templates: Sequence[tuple[str, str]], parts: Mapping[str, str], prefix: str) -> bytes:
    """Templates one after the other, each as package and name; `@part` in a comment is a part."""
    text = "\n".join(
        (files(package) / "template" / f"{name}.c").read_text("utf-8")
        for package, name in templates
    )
    text = text.replace(PREFIX, prefix).replace(PREFIX.upper(), prefix.upper())
    for name, part in parts.items():
        text = text.replace(f"/* @{name} */", part)
    return text.encode()


def check_prefix(prefix: str) -> None:
    """Refuse what C names cannot begin with."""
    if not re.fullmatch("[a-z][a-z0-9_]*", prefix):
        raise ExportError(f"prefix {prefix!r}; give lower-case letters, digits and _, as {PREFIX}")


@dataclass(frozen=True, slots=True)
class CFile:
    """What a C file takes.

    Parameters
    ----------
    parameters
        Numbers that were learned and are in the file.
    macs
        Multiply-adds for one logit, at most: those with zeros are counted, and left out when it
        runs.
    flash_bytes
        Of the weights, without the code.
    ram_bytes
        Of the struct that holds a stream and its working memory.
    """

    parameters: int
    macs: int
    flash_bytes: int
    ram_bytes: int
