"""The sums over pairs that losses are made of; a program holds a few anchors."""

from typing import no_type_check

import triton
import triton.language as tl

from pacl.objectives.kernels.tile import ENDS, rows_at, tile_of_pairs


@triton.jit
@no_type_check
def sums_of_pairs(
    large,
    small,
    classes,
    patients,
    order,
    rows,
    spans,
    scale,
    sums,
    windows,
    candidates,
    weight_0,
    weight_1,
    weight_2,
    weight_3,
    near_0: tl.constexpr,
    near_1: tl.constexpr,
    near_2: tl.constexpr,
    near_3: tl.constexpr,
    features: tl.constexpr,
    padded: tl.constexpr,
    height: tl.constexpr,
    width: tl.constexpr,
    mean_log: tl.constexpr,
    exact: tl.constexpr,
):
    """Of each anchor: maximum and sum below it over positives, then negatives; means' sums."""
    block = tl.program_id(0)
    at = block * height + tl.arange(0, height)
    inside = at < windows
    own_at = tl.load(rows + tl.minimum(at, windows - 1)).to(tl.int32)  # the last again
    own = rows_at(large, own_at, own_at >= 0, features, padded)
    own_rest = rows_at(small, own_at, own_at >= 0, features, padded)
    own_class = tl.load(classes + own_at)
    own_patient = tl.load(patients + own_at)
    per_product = tl.load(scale)
    near_top = tl.full((height,), -float("inf"), tl.float32)
    far_top = tl.full((height,), -float("inf"), tl.float32)
    near_sum = tl.zeros((height,), tl.float32)
    far_sum = tl.zeros((height,), tl.float32)
    weighted = tl.zeros((height,), tl.float32)
    weights = tl.zeros((height,), tl.float32)
    for span in range(0, ENDS, 2):
        first = tl.load(spans + block * ENDS + span)
        last = tl.load(spans + block * ENDS + span + 1)
        for tile in range(first, last):
            _, _, _, product, weight, near = tile_of_pairs(
                tile,
                own,
                own_rest,
                own_at,
                own_class,
                own_patient,
                large,
                small,
                classes,
                patients,
                candidates,
                weight_0,
                weight_1,
                weight_2,
                weight_3,
                near_0,
                near_1,
                near_2,
                near_3,
                features,
                padded,
                width,
                exact,
            )
            term = product * per_product + weight
            if mean_log:
                share = tl.where(near, tl.exp2(weight), 0.0)
                weighted += tl.sum(share * product, 1)
                weights += tl.sum(share, 1)
            near_new = tl.maximum(near_top, tl.max(tl.where(near, term, -float("inf")), 1))
            far_new = tl.maximum(far_top, tl.max(tl.where(near, -float("inf"), term), 1))
            near_shift = tl.where(near_new > -float("inf"), near_new, 0.0)  # of nothing yet
            far_shift = tl.where(far_new > -float("inf"), far_new, 0.0)
            part = tl.exp2(term - tl.where(near, near_shift[:, None], far_shift[:, None]))
            near_sum *= tl.exp2(near_top - near_shift)
            far_sum *= tl.exp2(far_top - far_shift)
            near_sum += tl.sum(tl.where(near, part, 0.0), 1)
            far_sum += tl.sum(tl.where(near, 0.0, part), 1)
            near_top = near_new
            far_top = far_new
    anchor = tl.load(order + own_at)
    tl.store(sums + anchor, near_top, mask=inside)
    tl.store(sums + windows + anchor, near_sum, mask=inside)
    tl.store(sums + 2 * windows + anchor, far_top, mask=inside)
    tl.store(sums + 3 * windows + anchor, far_sum, mask=inside)
    if mean_log:
        tl.store(sums + 4 * windows + anchor, weighted, mask=inside)
        tl.store(sums + 5 * windows + anchor, weights, mask=inside)
