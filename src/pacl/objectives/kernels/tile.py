"""One tile of pairs: some anchors, some columns, and what their pairs are.

Logarithms are of base 2, which is what a GPU has. Embeddings are in half precision, each as a large
part and what that leaves: three products of parts keep single precision. Tensor cores cut off what
does not fit into their sums, which adds up: the products of small parts come first, so that few
steps cut anything.
"""

from enum import IntEnum
from typing import no_type_check

import triton
import triton.language as tl


class Row(IntEnum):
    """What the table of an arrangement holds of the candidate at each place.

    Its class and subject, its number before sorting, and where its group begins and ends: windows
    of its class and subject, or with `OUTER` of the one of the two that is sorted by first. A row
    of its own are the places of the anchors.
    """

    CLASS = 0
    SUBJECT = 1
    ORIGIN = 2
    ANCHOR = 3
    FIRST = 4
    LAST = 5
    OUTER_FIRST = 6
    OUTER_LAST = 7


CLASS = tl.constexpr(Row.CLASS)
SUBJECT = tl.constexpr(Row.SUBJECT)
ORIGIN = tl.constexpr(Row.ORIGIN)
ANCHOR = tl.constexpr(Row.ANCHOR)
FIRST = tl.constexpr(Row.FIRST)
LAST = tl.constexpr(Row.LAST)
OUTER_FIRST = tl.constexpr(Row.OUTER_FIRST)
OUTER_LAST = tl.constexpr(Row.OUTER_LAST)


@triton.jit
@no_type_check
def _of_kind(same_subject, same_class, both, subject, label, none):
    """The value for the kind of each pair, in the order of a policy's fields."""
    alike = tl.where(same_subject, both, label)
    return tl.where(same_class, alike, tl.where(same_subject, subject, none))


@triton.jit
@no_type_check
def rows_at(part, at, padded: tl.constexpr):
    """Parts of embeddings at some places."""
    return tl.load(part + at.to(tl.int64)[:, None] * padded + tl.arange(0, padded)[None, :])


@triton.jit
@no_type_check
def spans_at(
    table,
    places,
    windows,
    candidates,
    begin,
    height,
    width,
    beside: tl.constexpr,
    across: tl.constexpr,
):
    """Which tiles the anchors from one on meet, in three stretches; the first begins at 0.

    They may hold pairs that do not count, but leave out none that does. Returned are the lengths
    of all three, and where the second and the third begin.
    """
    tiles = tl.cdiv(candidates, width)
    if beside and across:
        before, own, after, own_from, after_from = tiles, 0, 0, 0, 0
    else:
        group: tl.constexpr = OUTER_FIRST if beside else FIRST
        anchors = table + ANCHOR * places
        low = tl.load(anchors + begin)
        high = tl.load(anchors + tl.minimum(begin + height, windows) - 1)
        own_from = tl.load(table + group * places + low) // width
        own_to = tl.cdiv(tl.load(table + (group + 1) * places + high), width)
        if across:
            outer_from = tl.load(table + OUTER_FIRST * places + low)
            alone = outer_from == tl.load(table + OUTER_FIRST * places + high)
            # A tile on a border belongs to the stretch before it.
            before = tl.where(alone, tl.cdiv(outer_from, width), tiles)
            own_from = tl.maximum(own_from, before)
            own_to = tl.maximum(own_to, before)
            outer_to = tl.load(table + OUTER_LAST * places + high) // width
            after_from = tl.maximum(outer_to, own_to)
            own, after = tl.maximum(own_to - own_from, 0), tl.maximum(tiles - after_from, 0)
        else:
            before, own, after, after_from = 0, own_to - own_from, 0, 0
    return before, own, after, own_from, after_from


@triton.jit
@no_type_check
def tile_at(step, before, own, own_from, after_from):
    """The tile of a step, of three stretches one after another."""
    later = tl.where(step < before + own, own_from, after_from - own)
    return tl.where(step < before, step, step - before + later)


@triton.jit
@no_type_check
def tile_of_pairs(
    tile,
    own,
    own_rest,
    own_at,
    own_class,
    own_subject,
    parts,
    table,
    candidates,
    places,
    weight_0,
    weight_1,
    weight_2,
    weight_3,
    near: tl.constexpr,
    padded: tl.constexpr,
    width: tl.constexpr,
    exact: tl.constexpr,
):
    """Columns, parts of their embeddings, and of pairs the product, the log weight, if near."""
    column = tile * width + tl.arange(0, width)
    others = rows_at(parts, column, padded)
    rest = others
    same_class = own_class[:, None] == tl.load(table + CLASS * places + column)[None, :]
    same_subject = own_subject[:, None] == tl.load(table + SUBJECT * places + column)[None, :]
    if exact:
        rest = rows_at(parts + places.to(tl.int64) * padded, column, padded)
        product = tl.dot(own_rest, tl.trans(others))
        product = tl.dot(own, tl.trans(rest), product)
        product = tl.dot(own, tl.trans(others), product)
    else:
        product = tl.dot(own, tl.trans(others))
    weight = _of_kind(same_subject, same_class, weight_0, weight_1, weight_2, weight_3)
    pair = (column < candidates)[None, :] & (own_at[:, None] != column[None, :])
    weight = tl.where(pair, weight, -float("inf"))
    is_near = _of_kind(same_subject, same_class, near & 1, near & 2, near & 4, near & 8)
    return column, others, rest, product, weight, is_near != 0
