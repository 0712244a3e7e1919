"""Gradients of losses over pairs; a program holds a few anchors and computes their tiles again."""

from typing import no_type_check

import triton
import triton.language as tl

from pacl.objectives.kernels.tile import ENDS, rows_at, tile_of_pairs


@triton.jit
@no_type_check
def _slope(term, near, near_shift, far_shift, push, mean_log: tl.constexpr):
    """How an anchor's loss changes with each similarity, but for the mean over positives."""
    if mean_log:
        slope = tl.exp2(term - far_shift) * push
    else:
        slope = tl.exp2(term - tl.where(near, near_shift, far_shift)) * tl.where(near, -push, push)
    return slope


@triton.jit
@no_type_check
def gradients_of_pairs(
    large,
    small,
    classes,
    patients,
    order,
    rows,
    spans,
    scale,
    factor,
    slopes,
    moved,
    of_tau,
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
    """Gradients for each anchor's embedding, and for the temperature but for a factor.

    A similarity is in the sums of both its windows: of one tile come its share of either.
    """
    block = tl.program_id(0)
    at = block * height + tl.arange(0, height)
    inside = at < windows
    own_at = tl.load(rows + tl.minimum(at, windows - 1)).to(tl.int32)  # the last again
    own = rows_at(large, own_at, own_at >= 0, features, padded)
    own_rest = rows_at(small, own_at, own_at >= 0, features, padded)
    own_class = tl.load(classes + own_at)
    own_patient = tl.load(patients + own_at)
    own_near = tl.load(slopes + own_at)
    own_far = tl.load(slopes + candidates + own_at)
    own_push = tl.load(slopes + 2 * candidates + own_at)
    own_share = tl.load(slopes + 3 * candidates + own_at)
    per_product = tl.load(scale)
    per_move = tl.load(factor)
    total = tl.zeros((height, padded), tl.float32)
    along = tl.zeros((height,), tl.float32)
    for span in range(0, ENDS, 2):
        first = tl.load(spans + block * ENDS + span)
        last = tl.load(spans + block * ENDS + span + 1)
        for tile in range(first, last):
            column, others, rest, product, weight, near = tile_of_pairs(
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
            real = column < candidates
            other_near = tl.load(slopes + column, mask=real, other=float("inf"))
            other_far = tl.load(slopes + candidates + column, mask=real, other=float("inf"))
            other_push = tl.load(slopes + 2 * candidates + column, mask=real, other=0.0)
            term = product * per_product + weight
            slope = _slope(
                term, near, own_near[:, None], own_far[:, None], own_push[:, None], mean_log
            )
            back = _slope(
                term, near, other_near[None, :], other_far[None, :], other_push[None, :], mean_log
            )
            if mean_log:
                other_share = tl.load(slopes + 3 * candidates + column, mask=real, other=0.0)
                share = tl.where(near, tl.exp2(weight), 0.0)
                slope -= share * own_share[:, None]
                back -= share * other_share[None, :]
            along += tl.sum(slope * product, 1)
            slope += back
            cut = slope.to(tl.float16)
            total = tl.dot(cut, others, total)
            if exact:
                total = tl.dot((slope - cut.to(tl.float32)).to(tl.float16), others, total)
                total = tl.dot(cut, rest, total)
    anchor = tl.load(order + own_at)
    feature = tl.arange(0, padded)
    place = moved + anchor.to(tl.int64)[:, None] * features + feature[None, :]
    known = inside[:, None] & (feature < features)[None, :]
    tl.store(place, total * per_move, mask=known)
    tl.store(of_tau + anchor, along, mask=inside)
