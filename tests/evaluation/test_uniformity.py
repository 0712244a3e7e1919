"""Alignment and uniformity by kind of pair: by hand, against a slow loop, by what must hold."""

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.evaluation import subject_groups
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.uniformity import SphereSpread, SpreadByKind, measure_spread
from support.refusals import refused

SR, AF = 0, 1
KINDS = tuple(field.name for field in dataclasses.fields(SpreadByKind))
EQUATIONS = settings(max_examples=30, derandomize=True, deadline=None)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@st.composite
def windows(draw):
    """Ragged groups: subjects with many windows, one, or only one of the classes."""
    several = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=12)
    rhythm, subjects = zip((SR, 0), (AF, draw(st.integers(0, 3))), *draw(several), strict=True)
    embedded = generator(draw(st.integers(0, 2**32))).normal(
        size=(len(rhythm), draw(st.integers(2, 5)))
    )
    embedded /= np.linalg.norm(embedded, axis=1, keepdims=True)
    return embedded, np.array(rhythm), np.array(subjects)


def clusters(subjects: int, per_group: int, width: float, apart: float, features: int = 16):
    """Subjects around a common centre per class, `apart` from it, each `width` wide."""
    draws = generator(5)
    subject, rhythm = (np.repeat(a, per_group) for a in np.divmod(np.arange(2 * subjects), 2))
    embedded = draws.normal(size=(2, features))[rhythm]
    embedded = embedded + apart * draws.normal(size=(subjects, 2, features))[subject, rhythm]
    embedded += width * draws.normal(size=embedded.shape)
    return embedded / np.linalg.norm(embedded, axis=1, keepdims=True), rhythm, subject


def test_by_hand():
    # subject A: SR at 0 and 90 degrees, AF at 180; subject B: SR at 0
    found = measure_spread(
        np.array([[1.0, 0], [0, 1], [-1, 0], [1, 0]]),
        np.array([SR, SR, AF, SR]),
        np.array([0, 0, 0, 1]),
        generator(),
        ["A", "B"],
        class_names=["SR", "AF"],
    )
    a_sr, a_af, b_sr = found.per_subject
    assert [(row.subject, row.class_name, row.windows) for row in found.per_subject] == [
        ("A", "SR", 2),
        ("A", "AF", 1),
        ("B", "SR", 1),
    ]
    near, right, opposite = 1.0, math.exp(-4), math.exp(-8)
    for row, expected in (
        (a_sr, [(2, right, 1), (3, (opposite + right) / 2, 2), (1, (near + right) / 2, 2), None]),
        (a_af, [None, (3, (opposite + right) / 2, 2), None, (4, opposite, 1)]),
        (b_sr, [None, None, (1, (near + right) / 2, 2), (4, opposite, 1)]),
    ):
        for kind, numbers in zip(KINDS, expected, strict=True):
            spread = getattr(row.kinds, kind)
            if numbers is None:
                assert dataclasses.astuple(spread) == (None, None, 0, 0)
            else:
                alignment, kernel, pairs = numbers
                assert spread.alignment == pytest.approx(alignment)
                assert spread.uniformity == pytest.approx(math.log(kernel), abs=1e-5)
                assert (spread.pairs, spread.subjects) == (pairs, 1)
    sr = found.classes[SR]
    assert (sr.subjects, found.classes[AF].subjects, found.windows_drawn, found.exact) == (
        2,
        1,
        4,
        True,
    )
    assert sr.pooled.other_subject_same_class.alignment == pytest.approx(1)
    assert sr.pooled.other_subject_same_class.pairs == 2  # each once, though met from both sides
    assert sr.averaged.other_subject_same_class.subjects == 2
    assert sr.averaged.same_subject_same_class.subjects == 1
    assert sr.spread_ratio == pytest.approx(1 / 2)
    assert sr.centroid_cosine == pytest.approx(math.sqrt(0.5))
    assert sr.centroid_uniformity == pytest.approx(-2 * (2 - math.sqrt(2)))
    assert (found.classes[AF].centroid_cosine, found.classes[AF].centroid_uniformity) == (
        None,
        None,
    )
    assert found.classes[AF].spread_ratio is None


def loop(embedded, rhythm, subjects, anchored) -> dict[str, tuple[float, float, int] | None]:
    """Every pair met by a double loop: those `anchored(i)` for one of their windows, once each."""
    met = {kind: [] for kind in KINDS}
    for i, j in itertools.combinations(range(len(rhythm)), 2):
        if anchored(i) or anchored(j):
            subject = "same" if subjects[i] == subjects[j] else "other"
            label = "same" if rhythm[i] == rhythm[j] else "other"
            apart = sum((a - b) ** 2 for a, b in zip(embedded[i], embedded[j], strict=True))
            met[f"{subject}_subject_{label}_class"].append(float(apart))
    return {
        kind: (
            sum(squares) / len(squares),
            math.log(sum(math.exp(-2 * square) for square in squares) / len(squares)),
            len(squares),
        )
        if squares
        else None
        for kind, squares in met.items()
    }


def agree(spread, numbers) -> None:
    if numbers is None:
        assert (spread.alignment, spread.uniformity, spread.pairs) == (None, None, 0)
    else:
        assert spread.alignment == pytest.approx(numbers[0], abs=1e-9)
        assert spread.uniformity == pytest.approx(numbers[1], abs=1e-5)
        assert spread.pairs == numbers[2]


@given(windows(), st.sampled_from([1, 2, 3, 512]))
@EQUATIONS
def test_against_a_slow_loop_whatever_the_tiles(drawn, tile):
    embedded, rhythm, subjects = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject_groups, "TILE_WINDOWS", tile)
        found = measure_spread(*drawn, generator())
    assert found.exact
    for c, of_class in ((SR, found.classes[SR]), (AF, found.classes[AF])):
        pooled = loop(*drawn, lambda i, c=c: rhythm[i] == c)
        having = sorted(set(subjects[rhythm == c].tolist()))
        rows = [row for row in found.per_subject if row.class_name == of_class.name]
        assert [int(row.subject) for row in rows] == having
        each = [
            loop(*drawn, lambda i, c=c, p=p: (rhythm[i], subjects[i]) == (c, p)) for p in having
        ]
        for kind in KINDS:
            agree(getattr(of_class.pooled, kind), pooled[kind])
            for row, numbers in zip(rows, each, strict=True):
                agree(getattr(row.kinds, kind), numbers[kind])
            known = [numbers[kind] for numbers in each if numbers[kind]]
            averaged = getattr(of_class.averaged, kind)
            assert averaged.subjects == len(known)
            if known:
                alignment, uniformity, _ = np.mean(known, axis=0)
                agree(averaged, (alignment, uniformity, pooled[kind][2]))
        means = [embedded[(rhythm == c) & (subjects == p)].mean(axis=0) for p in having]
        cosines = [
            x @ y / np.linalg.norm(x) / np.linalg.norm(y)
            for x, y in itertools.combinations(means, 2)
        ]
        if cosines:
            kernel = [math.exp(-2 * (2 - 2 * cosine)) for cosine in cosines]
            assert of_class.centroid_cosine == pytest.approx(sum(cosines) / len(cosines))
            assert of_class.centroid_uniformity == pytest.approx(
                math.log(sum(kernel) / len(kernel))
            )
        else:
            assert (of_class.centroid_cosine, of_class.centroid_uniformity) == (None, None)


def flat(spread: SphereSpread) -> list[float]:
    """All numbers in a row, the subjects' ordered by name; -99 for those without a value."""

    def numbers(value):
        if isinstance(value, dict):
            return [number for inner in value.values() for number in numbers(inner)]
        if isinstance(value, tuple):
            return [number for inner in value for number in numbers(inner)]
        return [] if isinstance(value, str) else [-99.0 if value is None else float(value)]

    whole = dataclasses.asdict(spread)
    rows = sorted(whole.pop("per_subject"), key=lambda row: (row["subject"], row["class_name"]))
    return [number for part in (whole, *rows) for number in numbers(part)]


@given(windows(), st.integers(0, 2**32))
@EQUATIONS
def test_order_names_and_rotation_do_not_matter(drawn, seed):
    embedded, rhythm, subjects = drawn
    draws = generator(seed)
    order = draws.permutation(len(rhythm))
    rotation, _ = np.linalg.qr(draws.normal(size=(embedded.shape[1],) * 2))
    codes = draws.permutation(4)
    names = [str(subject) for subject in np.argsort(codes)]
    expected = flat(measure_spread(*drawn, generator()))
    for other in (
        measure_spread(embedded[order], rhythm[order], subjects[order], generator()),
        measure_spread(embedded, rhythm, codes[subjects], generator(), names),
        measure_spread(embedded @ rotation, rhythm, subjects, generator()),
    ):
        np.testing.assert_allclose(flat(other), expected, rtol=1e-6, atol=1e-5)


@given(windows())
@EQUATIONS
def test_bounds_and_all_pairs(drawn):
    found = measure_spread(*drawn, generator())
    tables = [
        found.classes[SR].pooled,
        found.classes[AF].pooled,
        *(row.kinds for row in found.per_subject),
    ]
    for table, kind in itertools.product(tables, KINDS):
        spread = getattr(table, kind)
        if spread.pairs:
            assert 0 <= spread.alignment <= 4 + 1e-9
            # Jensen: exp is convex, so its mean is at least its value at the mean distance
            assert max(-8, -2 * spread.alignment) - 1e-5 <= spread.uniformity <= 0
    within = [
        getattr(of.pooled, kind).pairs
        for of in (found.classes[SR], found.classes[AF])
        for kind in KINDS[::2]
    ]
    across = [getattr(found.classes[SR].pooled, kind).pairs for kind in KINDS[1::2]]
    assert sum(within) + sum(across) == math.comb(len(drawn[1]), 2)
    # pairs of two classes are the same ones from either side
    for kind in KINDS[1::2]:
        sr, af = getattr(found.classes[SR].pooled, kind), getattr(found.classes[AF].pooled, kind)
        assert sr.pairs == af.pairs
        assert sr.alignment == (None if af.alignment is None else pytest.approx(af.alignment))


def test_a_shared_prototype_and_places_of_ones_own_are_told_apart():
    collapsed = measure_spread(*clusters(6, 20, width=0.2, apart=0.0), generator()).classes[SR]
    apart = measure_spread(*clusters(6, 20, width=0.2, apart=3.0), generator()).classes[SR]
    assert collapsed.spread_ratio == pytest.approx(1, abs=0.05)
    assert collapsed.centroid_cosine > 0.95
    assert apart.spread_ratio > 5
    assert apart.centroid_cosine < 0.5
    assert apart.centroid_uniformity < collapsed.centroid_uniformity - 1


def test_drawing_estimates_the_number_of_all_windows():
    embedded, rhythm, subjects = clusters(4, 60, width=0.5, apart=1.0)
    ragged = np.r_[0:362, 420:423]  # of the last subject 2 SR windows and 3 AF ones: drawn whole
    chosen = embedded[ragged], rhythm[ragged], subjects[ragged]
    exact = measure_spread(*chosen, generator(), per_group=60)
    drawn = [measure_spread(*chosen, generator(seed), per_group=30) for seed in range(20)]
    assert (exact.exact, drawn[0].exact) == (True, False)
    assert [row.windows_drawn for row in drawn[0].per_subject] == [30] * 6 + [2, 3]
    assert (drawn[0].windows, drawn[0].windows_drawn) == (365, 185)
    for kind in KINDS:
        one = getattr(exact.classes[SR].pooled, kind)
        others = [getattr(some.classes[SR].pooled, kind) for some in drawn]
        assert {other.alignment for other in others} == {one.alignment}
        assert {other.pairs for other in others} == {one.pairs}
        assert np.mean([o.uniformity for o in others]) == pytest.approx(one.uniformity, abs=0.05)


def test_the_same_generator_draws_the_same_windows():
    chosen = clusters(3, 20, width=0.5, apart=1.0)
    one, again, other = (
        measure_spread(*chosen, generator(seed), per_group=5) for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_windows_that_coincide_have_no_ratio():
    # many windows of odd numbers, whose sums round: what is left is not divided by
    embedded = np.tile(np.array([[0.1, 0.7, math.sqrt(0.5)]]), (600, 1))
    found = measure_spread(embedded, np.arange(600) % 2, np.arange(600) % 3, generator())
    assert found.classes[SR].averaged.same_subject_same_class.alignment == 0
    assert found.classes[SR].averaged.same_subject_same_class.uniformity == pytest.approx(
        0, abs=1e-6
    )
    assert (found.classes[SR].spread_ratio, found.classes[SR].centroid_cosine) == (
        None,
        pytest.approx(1),
    )


def test_tight_groups_lose_no_digits():
    angle = np.array([0, 1e-6, 1, 2])
    embedded = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    found = measure_spread(embedded, np.array([0, 0, 1, 1]), np.zeros(4, int), generator())
    row = found.per_subject[0].kinds.same_subject_same_class
    assert row.alignment == pytest.approx(1e-12, rel=1e-6, abs=0)


def test_written_as_json():
    found = measure_spread(np.eye(2), np.array([SR, AF]), np.array([0, 1]), generator())
    assert json.loads(json.dumps(dataclasses.asdict(found), allow_nan=False))["exact"] is True


def test_says_what_cannot_be_measured():
    with refused(EvaluationError, "per_group", 1, 2):
        measure_spread(np.eye(2), np.array([0, 1]), np.array([0, 1]), generator(), per_group=1)
    with refused(EvaluationError, 0, 3):
        measure_spread(3 * np.eye(2), np.array([0, 1]), np.array([0, 1]), generator())
