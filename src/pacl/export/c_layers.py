"""Plain layers as C text: arrays, and entries of the struct `layer` in `template/layers.c`."""

from collections.abc import Mapping

import numpy as np

from pacl.axes import Array
from pacl.export.c_text import c_array, int8_of
from pacl.export.plain import Plain

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
