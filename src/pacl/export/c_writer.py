"""The writer of all C files: layers as arrays, templates filled in, and what the file costs.

The same weights give the same bytes, and floats are read back exactly.
"""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

import pacl
from pacl.atomic_write import atomic_write
from pacl.axes import Array, Float32, Int8
from pacl.export.errors import ExportError
from pacl.export.plain import Plain

WIDTH = 96
PREFIX = "pacl_af"
"""Prefix of the names in the templates."""

Entry = Callable[[str], str]
"""From the name of a layer to its entry of the struct `layer` in `template/layers.c`."""


@dataclass(frozen=True, slots=True)
class CFile:
    """What a C file costs."""

    parameters: int
    """Learned numbers in the file."""
    macs: int
    """Multiply-adds for one logit, at most: those with zeros are skipped at run time."""
    flash_bytes: int
    """Size of the weights, without the code."""
    ram_bytes: int
    """Size of the struct with a stream and its working memory."""


@dataclass(frozen=True, eq=False, slots=True)
class CSource:
    """The parts of a C file that depend on the network.

    Parameters
    ----------
    name, use, about
        For the comment at the top: name of the weights, how to use the file, further facts.
    templates
        Package and name of each template, in order.
    sizes, constants
        Values of `#define`s; names of `sizes` get the prefix.
    layers, vectors
        Layers and further arrays, by name.
    tables
        C tables of the layers, given how to write the entry of one.
    single
        Learned numbers among the constants.
    macs, per, ram_bytes
        Multiply-adds and what they are counted for; bytes of the stream's struct.
    """

    name: str
    use: str
    about: Mapping[str, str]
    templates: Sequence[tuple[str, str]]
    sizes: Mapping[str, object]
    constants: Mapping[str, object]
    layers: Mapping[str, Plain]
    tables: Callable[[Entry], Sequence[str]]
    macs: int
    per: str
    ram_bytes: int
    vectors: Mapping[str, Array]
    single: int = 0

    def write(self, path: Path, prefix: str, *, int8: bool) -> CFile:
        """Write the file atomically."""
        check_prefix(prefix)
        arrays = {**layer_arrays(self.layers, int8=int8), **self.vectors}
        scales = sum(values.size for key, values in arrays.items() if key.endswith("_scale"))
        costs = CFile(
            parameters=sum(values.size for values in arrays.values()) - scales + self.single,
            macs=self.macs,
            flash_bytes=sum(values.nbytes for values in arrays.values()) + 4 * self.single,
            ram_bytes=self.ram_bytes,
        )
        tables = self.tables(lambda key: layer_entry(key, self.layers[key], int8=int8))
        written = [
            c_array("weight" if key.endswith("_weights") else "float", key, values)
            for key, values in arrays.items()
        ]
        sizes = {f"{prefix.upper()}_{key}": value for key, value in self.sizes.items()}
        parts = {
            "about": c_comment(self._about(costs, prefix, int8=int8)),
            "sizes": c_defines(sizes),
            "constants": c_defines({"INT8": int(int8), **self.constants}),
            "weights": "\n\n".join([*written, *tables]),
        }
        atomic_write(path, filled(self.templates, parts, prefix))
        return costs

    def _about(self, costs: CFile, prefix: str, *, int8: bool) -> list[str]:
        kind = "one byte each, with a scale for each output" if int8 else "in single precision"
        return [
            f"Atrial fibrillation in RR intervals: {self.name}, written by pacl "
            f"{pacl.__version__}. Not a medical device: it has not been cleared for diagnosis.",
            f"{prefix}_init once, then {prefix}_push for each interval in ms: {self.use} All "
            "memory is the caller's, nothing is allocated, and streams are independent. To "
            f"declare the functions elsewhere, define {prefix.upper()}_DECLARE and include this "
            "file. To try it: cc -std=c99 -O2 -DPACL_MAIN this-file.c -lm, and give it one "
            "interval in ms per line.",
            f"{costs.parameters:,} parameters, {costs.macs:,} multiply-adds per {self.per}, "
            f"{costs.flash_bytes:,} bytes of weights ({kind}), {costs.ram_bytes:,} bytes of RAM "
            f"({prefix}_stream) besides a few hundred of stack.",
            *(f"{key}: {value}" for key, value in sorted(self.about.items())),
            "The code is under pacl's licence (MIT). The weights carry information from the data "
            "they were learned from, which has its own licence.",
        ]


def check_prefix(prefix: str) -> None:
    """Refuse a prefix that C names cannot have."""
    if not re.fullmatch("[a-z][a-z0-9_]*", prefix):
        raise ExportError(f"prefix {prefix!r}; give lower-case letters, digits and _, as {PREFIX}")


def filled(templates: Sequence[tuple[str, str]], parts: Mapping[str, str], prefix: str) -> bytes:
    """Templates one after the other; a part replaces the comment `@part`."""
    text = "\n".join(
        (files(package) / "template" / f"{name}.c").read_text("utf-8")
        for package, name in templates
    )
    text = text.replace(PREFIX, prefix).replace(PREFIX.upper(), prefix.upper())
    for name, part in parts.items():
        text = text.replace(f"/* @{name} */", part)
    return text.encode()


def layer_arrays(named: Mapping[str, Plain], *, int8: bool) -> dict[str, Array]:
    """The arrays of layers by name; weights in the order in which the C code reads them."""
    found: dict[str, Array] = {}
    for name, layer in named.items():
        weight = layer.weight
        if int8:
            weight, found[f"{name}_scale"] = int8_of(weight)
        found[f"{name}_weights"] = np.ascontiguousarray(weight.transpose(2, 1, 0))
        found[f"{name}_bias"] = layer.bias
    return found


def layer_entry(name: str, layer: Plain, *, int8: bool) -> str:
    """A value of the struct `layer`."""
    outputs, inputs, taps = layer.weight.shape
    scale = f"{name}_scale, " if int8 else ""
    return f"{{{name}_weights, {scale}{name}_bias, {inputs}, {outputs}, {taps}}}"


def c_defines(values: Mapping[str, object]) -> str:
    """One `#define` per line."""
    return "\n".join(f"#define {name} {value}" for name, value in values.items())


def c_numbers(values: Mapping[str, float]) -> dict[str, str]:
    """Numbers as constants in single precision."""
    words = c_floats(np.array(list(values.values()), dtype=np.float64))
    return {name: f"({word})" for name, word in zip(values, words, strict=True)}


def c_floats(values: Array) -> list[str]:
    """Numbers in single precision, with nine digits, which identify them exactly.

    Examples
    --------
    >>> c_floats(np.array([0.1, 30.0, 1e-12]))
    ['0.100000001f', '30.0f', '9.99999996e-13f']
    """
    digits = [f"{one:.9g}" for one in values.astype(np.float32).ravel().tolist()]
    return [f"{one}f" if "." in one or "e" in one else f"{one}.0f" for one in digits]


def c_array(kind: str, name: str, values: Array) -> str:
    """A constant one-dimensional array."""
    whole = values.dtype == np.int8
    words = list(map(str, values.ravel().tolist())) if whole else c_floats(values)
    each = 16 if whole else 6
    lines = [", ".join(words[at : at + each]) for at in range(0, len(words), each)]
    body = ",\n    ".join(lines)
    return f"static const {kind} {name}[{len(words)}] = {{\n    {body}\n}};"


def c_comment(paragraphs: Sequence[str]) -> str:
    """A comment; any text is allowed."""
    lines: list[str] = []
    for number, paragraph in enumerate(paragraphs):
        # Separate what would begin or end a comment, or be read as a trigraph.
        text = paragraph.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
        lines += [""] * (number > 0) + textwrap.wrap(
            text, WIDTH - 4, break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in lines), " */"])


def int8_of(
    weight: Float32[Array, "output input tap"],
) -> tuple[Int8[Array, "output input tap"], Float32[Array, "output"]]:
    """Integers from -127 to 127, and the scale of each output.

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
