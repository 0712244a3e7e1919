"""Gradients of losses over pairs; a program holds a few anchors and computes their tiles again."""

from typing import no_type_check

import triton
import triton.language as tl

from pacl.objectives.kernels.sums import LN2
from pacl.objectives.kernels.tile import (
    ANCHOR,
    CLASS,
    ORIGIN,
    SUBJECT,
    rows_at,
    spans_at,
    tile_at,
    tile_of_pairs,
)

STEEPEST = tl.constexpr(32768.0)
"""To what slopes of a tile are stretched: half precision goes twice as far, and holds small parts.

None is above the two anchors' pushes together, so that nothing has to be known of other tiles.
"""


@triton.jit(do_not_specialize=["apart"])
@no_type_check
def pushes_of_anchors(
    given,
    apart,
    table,
    shifts,
    pushes,
    tops,
    places,
    count: tl.constexpr,
    width: tl.constexpr,
    mean_log: tl.constexpr,
):
    """What terms of each anchor are multiplied with, its share of means, and the most of a tile."""
    tile = tl.program_id(0) * count + tl.arange(0, count)
    at = tile[:, None] * width + tl.arange(0, width)[None, :]
    inside = at < places
    slope = tl.load(shifts + 2 * places + at, mask=inside, other=0.0)
    origin = tl.load(table + ORIGIN * places + at, mask=inside, other=0)
    push = tl.load(given + origin.to(tl.int64) * apart, mask=slope > 0, other=0.0)
    if mean_log:
        tl.store(pushes + places + at, push * slope, mask=inside)
    else:
        push *= slope
    tl.store(pushes + at, push, mask=inside)
    tl.store(tops + tile, tl.max(tl.abs(push), 1), mask=tile * width < places)


@triton.jit
@no_type_check
def _slope(term, near, near_shift, far_shift, push, mean_log: tl.constexpr):
    """How an anchor's loss changes with each similarity, but for the mean over positives."""
    if mean_log:
        slope = tl.exp2(term - far_shift) * push
    else:
        slope = tl.exp2(term - tl.where(near, near_shift, far_shift)) * tl.where(near, -push, push)
    return slope


@triton.jit(do_not_specialize=["windows", "candidates"])
@no_type_check
def gradients_of_pairs(
    parts,
    table,
    shifts,
    tau,
    pushes,
    tops,
    moved,
    of_tau,
    windows,
    candidates,
    places,
    length,
    weight_0,
    weight_1,
    weight_2,
    weight_3,
    near: tl.constexpr,
    beside: tl.constexpr,
    across: tl.constexpr,
    features: tl.constexpr,
    padded: tl.constexpr,
    height: tl.constexpr,
    width: tl.constexpr,
    mean_log: tl.constexpr,
    exact: tl.constexpr,
):
    """Gradients for each anchor's embedding, and a program's part of that for the temperature.

    A similarity is in the sums of both its windows: of one tile come its share of either.
    """
    begin = tl.program_id(0) * height
    at = begin + tl.arange(0, height)
    inside = at < windows
    own_at = tl.load(table + ANCHOR * places + tl.minimum(at, windows - 1))  # the last again
    own = rows_at(parts, own_at, padded)
    own_rest = own
    if exact:
        own_rest = rows_at(parts + places.to(tl.int64) * padded, own_at, padded)
    own_class = tl.load(table + CLASS * places + own_at)
    own_subject = tl.load(table + SUBJECT * places + own_at)
    own_near = tl.load(shifts + own_at)
    own_far = tl.load(shifts + places + own_at)
    own_push = tl.load(pushes + own_at)
    own_top = tl.max(tl.abs(own_push), 0)
    if mean_log:
        own_share = tl.load(pushes + places + own_at)
    stretch = length * tl.load(tau)
    per_product = 1 / (length * stretch * LN2)
    total = tl.zeros((height, padded), tl.float32)
    along = tl.zeros((height,), tl.float32)
    before, within, after, own_from, after_from = spans_at(
        table, places, windows, candidates, begin, height, width, beside, across
    )
    for step in range(before + within + after):
        tile = tile_at(step, before, within, own_from, after_from)
        column, others, rest, product, weight, is_near = tile_of_pairs(
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
            near,
            padded,
            width,
            exact,
        )
        unit = tl.maximum(own_top + tl.load(tops + tile), 1e-30) / STEEPEST
        per_unit = 1 / unit
        other_near = tl.load(shifts + column)[None, :]
        other_far = tl.load(shifts + places + column)[None, :]
        other_push = (tl.load(pushes + column) * per_unit)[None, :]
        push = (own_push * per_unit)[:, None]
        term = product * per_product + weight
        slope = _slope(term, is_near, own_near[:, None], own_far[:, None], push, mean_log)
        back = _slope(term, is_near, other_near, other_far, other_push, mean_log)
        if mean_log:
            other_share = (tl.load(pushes + places + column) * per_unit)[None, :]
            share = tl.where(is_near, tl.exp2(weight), 0.0)
            slope -= share * (own_share * per_unit)[:, None]
            back -= share * other_share
        along += tl.sum(slope * product, 1) * unit
        slope += back
        cut = slope.to(tl.float16)
        if exact:
            part = tl.dot((slope - cut.to(tl.float32)).to(tl.float16), others)
            part = tl.dot(cut, rest, part)
            part = tl.dot(cut, others, part)
        else:
            part = tl.dot(cut, others)
        # A sum of many tiles is rounded here: tensor cores would cut it off at each step. As the
        # factor is known only now, the compiler cannot make it one of theirs.
        total += part * unit
    origin = tl.load(table + ORIGIN * places + own_at).to(tl.int64)
    feature = tl.arange(0, padded)
    place = moved + origin[:, None] * features + feature[None, :]
    known = inside[:, None] & (feature < features)[None, :]
    tl.store(place, total * (1 / stretch), mask=known)
    along = tl.sum(tl.where(inside, along, 0.0), 0)
    tl.store(of_tau + tl.program_id(0), -along / (stretch * stretch))
