"""Sorted candidates as tiles need them: parts of embeddings, groups and where these end."""

from typing import no_type_check

import triton
import triton.language as tl

from pacl.objectives.kernels.tile import (
    ANCHOR,
    CLASS,
    FIRST,
    LAST,
    ORIGIN,
    OUTER_FIRST,
    OUTER_LAST,
    SUBJECT,
)


@triton.jit
@no_type_check
def _outer(key):
    """The first of two numbers in a key, the second of which has a sign too."""
    return (key + 2147483648) >> 32


@triton.jit
@no_type_check
def _fits(number):
    """Whether 32 bits hold a number and its opposite."""
    return (number > -2147483648) & (number < 2147483648)


@triton.jit
@no_type_check
def _further(count, size, keys, candidates, bound, outer: tl.constexpr, own: tl.constexpr):
    """One step of a search for how many keys come before a group, or with `own` before its end."""
    tried = count + size
    inside = tried <= candidates
    key = tl.load(keys + tried - 1, mask=inside, other=0)
    if outer:
        key = _outer(key)
    before = key <= bound if own else key < bound
    return tl.where(inside & before, tried, count)


@triton.jit
@no_type_check
def _row_of(batch, memory, origin, anchor, remembered, windows):
    """A number of each candidate, from the batch or the memory."""
    value = tl.load(batch + origin, mask=anchor, other=0)
    return value + tl.load(memory + origin - windows, mask=remembered, other=0)


@triton.jit(do_not_specialize=["windows", "candidates", "steps"])
@no_type_check
def candidates_in_order(
    embedded,
    memory,
    labels,
    memory_labels,
    subjects,
    memory_subjects,
    keys,
    order,
    ranks,
    parts,
    table,
    shifts,
    windows,
    candidates,
    places,
    steps,
    length,
    features: tl.constexpr,
    padded: tl.constexpr,
    height: tl.constexpr,
    with_memory: tl.constexpr,
    exact: tl.constexpr,
):
    """Fill the tables of an `Arrangement`; what is remembered has no loss, so no slope either."""
    at = tl.program_id(0) * height + tl.arange(0, height)
    real = at < candidates
    origin = tl.load(order + at, mask=real, other=0)
    anchor = real & (origin < windows)
    remembered = real & (origin >= windows)
    label = _row_of(labels, memory_labels, origin, anchor, remembered, windows)
    subject = _row_of(subjects, memory_subjects, origin, anchor, remembered, windows)
    tl.store(table + CLASS * places + at, label.to(tl.int32))
    tl.store(table + SUBJECT * places + at, subject.to(tl.int32))
    tl.store(table + ORIGIN * places + at, origin.to(tl.int32))
    rank = at
    if with_memory:
        rank = tl.load(ranks + at, mask=anchor, other=1) - 1
    tl.store(table + ANCHOR * places + rank, at, mask=anchor)
    key = tl.load(keys + at, mask=real, other=0)
    group = _outer(key)
    first = tl.zeros((height,), tl.int32)
    last = tl.zeros((height,), tl.int32)
    outer_first = tl.zeros((height,), tl.int32)
    outer_last = tl.zeros((height,), tl.int32)
    for step in range(steps):
        size = 1 << (steps - 1 - step)
        first = _further(first, size, keys, candidates, key, False, False)
        last = _further(last, size, keys, candidates, key, False, True)
        outer_first = _further(outer_first, size, keys, candidates, group, True, False)
        outer_last = _further(outer_last, size, keys, candidates, group, True, True)
    tl.store(table + FIRST * places + at, first)
    tl.store(table + LAST * places + at, last)
    tl.store(table + OUTER_FIRST * places + at, outer_first)
    tl.store(table + OUTER_LAST * places + at, outer_last)
    tl.store(shifts + at, float("inf"), mask=~anchor)
    tl.store(shifts + places + at, float("inf"), mask=~anchor)
    tl.store(shifts + 2 * places + at, 0.0, mask=~anchor)
    feature = tl.arange(0, padded)
    known = (feature < features)[None, :]
    place = embedded + origin[:, None] * features + feature[None, :]
    value = tl.load(place, mask=anchor[:, None] & known, other=0.0)
    if with_memory:
        place = memory + (origin - windows)[:, None] * features + feature[None, :]
        value += tl.load(place, mask=remembered[:, None] & known, other=0.0)
    # Two numbers of more bits do not fit into a key: losses that such a candidate is in are nan.
    fits = _fits(label) & _fits(subject)
    value = tl.where(fits[:, None], value * length, float("nan"))
    large = value.to(tl.float16)
    place = parts + at.to(tl.int64)[:, None] * padded + feature[None, :]
    tl.store(place, large)
    if exact:
        rest = (value - large.to(tl.float32)).to(tl.float16)
        tl.store(place + places.to(tl.int64) * padded, rest)
