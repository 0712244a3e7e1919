"""Losses from sums over pairs; a program holds a few anchors."""

from typing import no_type_check

import triton
import triton.language as tl

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

LN2 = tl.constexpr(0.6931471805599453)


@triton.jit
@no_type_check
def _log1p(x):
    """Of 0 to 1, to the last bit but one: log(1 + x) = 2 artanh(x / (2 + x)), by its series."""
    z = x / (2 + x)
    w = z * z
    more = w * (1 / 9 + w * (1 / 11 + w * (1 / 13 + w / 15)))
    return 2 * z * (1 + w * (1 / 3 + w * (1 / 5 + w * (1 / 7 + more))))


@triton.jit
@no_type_check
def _of_odds(near, far):
    """Loss and slope of an anchor by its two sums (Eq. 3); without either, none."""
    both = (near != -float("inf")) & (far != -float("inf"))  # if no number, the loss is none too
    odds = tl.where(both, far - tl.where(both, near, 0.0), -float("inf"))
    lesser = tl.exp2(-tl.abs(odds))
    loss = tl.maximum(odds, 0.0) * LN2 + _log1p(lesser)
    return loss, tl.where(odds > 0, 1.0, lesser) / (1 + lesser)


@triton.jit
@no_type_check
def _sum_of_both(near, far):
    """The logarithm of the sum, of base 2."""
    high = tl.maximum(near, far)
    gap = tl.minimum(near, far) - tl.where(high > -float("inf"), high, 0.0)
    return high + _log1p(tl.exp2(gap)) / LN2


@triton.jit(do_not_specialize=["windows", "candidates"])
@no_type_check
def losses_of_pairs(
    parts,
    table,
    shifts,
    tau,
    losses,
    valid,
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
    padded: tl.constexpr,
    height: tl.constexpr,
    width: tl.constexpr,
    mean_log: tl.constexpr,
    exact: tl.constexpr,
):
    """Of each anchor: its loss, if it has positives, and what the backward pass needs to know."""
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
    stretch = length * length * tl.load(tau)
    per_product = 1 / (stretch * LN2)
    near_top = tl.full((height,), -float("inf"), tl.float32)
    far_top = tl.full((height,), -float("inf"), tl.float32)
    near_sum = tl.zeros((height,), tl.float32)
    far_sum = tl.zeros((height,), tl.float32)
    weighted = tl.zeros((height,), tl.float32)
    weights = tl.zeros((height,), tl.float32)
    before, within, after, own_from, after_from = spans_at(
        table, places, windows, candidates, begin, height, width, beside, across
    )
    for step in range(before + within + after):
        tile = tile_at(step, before, within, own_from, after_from)
        _, _, _, product, weight, is_near = tile_of_pairs(
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
        term = product * per_product + weight
        if mean_log:
            # Asking for the term too leaves shares where it is: else they are computed twice.
            share = tl.where(is_near & (term > -float("inf")), tl.exp2(weight), 0.0)
            weighted += tl.sum(share * product, 1)
            weights += tl.sum(share, 1)
        near_new = tl.maximum(near_top, tl.max(tl.where(is_near, term, -float("inf")), 1))
        far_new = tl.maximum(far_top, tl.max(tl.where(is_near, -float("inf"), term), 1))
        near_shift = tl.where(near_new > -float("inf"), near_new, 0.0)  # of nothing yet
        far_shift = tl.where(far_new > -float("inf"), far_new, 0.0)
        part = tl.exp2(term - tl.where(is_near, near_shift[:, None], far_shift[:, None]))
        near_sum *= tl.exp2(near_top - near_shift)
        far_sum *= tl.exp2(far_top - far_shift)
        near_sum += tl.sum(tl.where(is_near, part, 0.0), 1)
        far_sum += tl.sum(tl.where(is_near, 0.0, part), 1)
        near_top = near_new
        far_top = far_new
    some = near_sum != 0
    near_log = near_top + tl.log2(tl.where(some, near_sum, 1.0))
    far_log = far_top + tl.log2(tl.where(far_sum != 0, far_sum, 1.0))
    if mean_log:
        near_log = _sum_of_both(near_log, far_log)
        far_log = near_log
        slope = 1 / tl.where(some, weights, 1.0)
        loss = near_log * LN2 - weighted * slope / stretch
    else:
        loss, slope = _of_odds(near_log, far_log)
    repels = some & (slope > 0)
    tl.store(shifts + own_at, tl.where(repels, near_log, float("inf")), mask=inside)
    tl.store(shifts + places + own_at, tl.where(repels, far_log, float("inf")), mask=inside)
    tl.store(shifts + 2 * places + own_at, tl.where(repels, slope, 0.0), mask=inside)
    origin = tl.load(table + ORIGIN * places + own_at)
    tl.store(losses + origin, tl.where(some, loss, 0.0), mask=inside)
    tl.store(valid + origin, some, mask=inside)
