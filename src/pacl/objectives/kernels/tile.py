"""One tile of pairs: some anchors, some columns, and what their pairs are.

Logarithms are of base 2, which is what a GPU has. Embeddings are in half precision, each as a large
part and what that leaves: three products of parts keep single precision.
"""

from typing import no_type_check

import triton
import triton.language as tl

from pacl.objectives.kernels.arrangement import SPANS

ENDS = tl.constexpr(2 * SPANS)
"""Numbers that say which tiles of columns a program goes through."""


@triton.jit
@no_type_check
def _of_kind(same_patient, same_class, both, patient, label, none):
    """The value for the kind of each pair, in the order of a policy's fields."""
    alike = tl.where(same_patient, both, label)
    return tl.where(same_class, alike, tl.where(same_patient, patient, none))


@triton.jit
@no_type_check
def rows_at(halves, at, real, features: tl.constexpr, padded: tl.constexpr):
    """Parts of embeddings at some places, zeros beyond their features and where there is none."""
    feature = tl.arange(0, padded)
    place = halves + at.to(tl.int64)[:, None] * features + feature[None, :]
    return tl.load(place, mask=real[:, None] & (feature < features)[None, :], other=0.0)


@triton.jit
@no_type_check
def tile_of_pairs(
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
    near_0: tl.constexpr,
    near_1: tl.constexpr,
    near_2: tl.constexpr,
    near_3: tl.constexpr,
    features: tl.constexpr,
    padded: tl.constexpr,
    width: tl.constexpr,
    exact: tl.constexpr,
):
    """Columns, parts of their embeddings, and of pairs the product, the log weight, if near."""
    column = tile * width + tl.arange(0, width)
    real = column < candidates
    others = rows_at(large, column, real, features, padded)
    rest = others
    if exact:
        rest = rows_at(small, column, real, features, padded)
    same_class = own_class[:, None] == tl.load(classes + column, mask=real, other=-1)[None, :]
    same_patient = own_patient[:, None] == tl.load(patients + column, mask=real, other=-1)[None, :]
    product = tl.dot(own, tl.trans(others))
    if exact:
        product = tl.dot(own_rest, tl.trans(others), product)
        product = tl.dot(own, tl.trans(rest), product)
    weight = _of_kind(same_patient, same_class, weight_0, weight_1, weight_2, weight_3)
    pair = real[None, :] & (own_at[:, None] != column[None, :])
    weight = tl.where(pair, weight, -float("inf"))
    near = _of_kind(same_patient, same_class, near_0, near_1, near_2, near_3)
    return column, others, rest, product, weight, near != 0
