"""Many numbers in text at once."""

import numpy as np

from pacl.axes import Array, Float64, Int64, UInt8

_WIDEST = 19  # digits that a whole number of 64 bits always holds
_MISSING = {"", "-", "na", "nan", "n/a", "none", "null"}
_POINT, _PLUS, _MINUS, _ZERO = (ord(sign) for sign in ".+-0")


def parse_plain(
    signs: UInt8[Array, "sign"],
    starts: Int64[Array, "number"],
    lengths: Int64[Array, "number"],
) -> Float64[Array, "number"] | None:
    """Numbers such as `-0.125`, by where each starts; nothing where one is anything else.

    All numbers are read side by side, sign by sign: this is three times as fast as `float`.
    """
    widest = int(lengths.max(initial=0))
    if not 0 < widest <= _WIDEST or lengths.min() < 1:
        return None
    first = signs[starts]
    negative = first == _MINUS
    signed = negative | (first == _PLUS)
    whole = np.zeros(starts.size, np.uint64)
    digits = np.zeros(starts.size, np.int8)
    decimals = np.zeros(starts.size, np.int8)
    behind_point = np.zeros(starts.size, np.bool_)
    at = starts.copy()
    for place in range(widest):
        here = signs[at]
        inside = lengths > place
        digit = here - np.uint8(_ZERO)
        is_digit = (digit < 10) & inside
        is_point = (here == _POINT) & inside
        known = is_digit | is_point | ~inside
        if place == 0:
            known |= signed
        if not known.all() or (is_point & behind_point).any():
            return None
        np.multiply(whole, 10, out=whole, where=is_digit)
        np.add(whole, digit, out=whole, where=is_digit)
        digits += is_digit
        decimals += is_digit & behind_point
        behind_point |= is_point
        at += inside
    if not digits.all():
        return None
    found = whole / np.power(10.0, np.arange(_WIDEST + 1))[decimals]
    np.negative(found, out=found, where=negative)
    return found


def parse_cell(cell: str) -> float | None:
    """One number, NaN for a mark of a missing one; nothing where it is neither."""
    text = cell.strip(" \t\"'")
    if text.lower() in _MISSING:
        return float("nan")
    if "_" in text:  # Python reads 8_00 as 800
        return None
    try:
        return float(text)
    except ValueError:
        return None
