"""Eqs. 6-10: by hand, against a slow loop, and by what must hold."""

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.geometry import Geometry, measure_geometry
from pacl.evaluation.subject_groups import group_windows
from support.refusals import refused

SR, AF = 0, 1
EQUATIONS = settings(max_examples=40, derandomize=True, deadline=None)


@st.composite
def windows(draw):
    """Ragged groups: subjects with many windows, one, or only one of the classes."""
    several = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), max_size=12)
    rhythm, subjects = zip((SR, 0), (AF, draw(st.integers(0, 4))), *draw(several), strict=True)
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    embedded = generator.normal(size=(len(rhythm), draw(st.integers(2, 5))))
    embedded /= np.linalg.norm(embedded, axis=1, keepdims=True)
    return embedded, np.array(rhythm), np.array(subjects)


def flat(geometry: Geometry) -> list[float | None]:
    """All numbers in a row, the subjects' ordered by name."""
    whole = dataclasses.asdict(geometry)
    rows = sorted(whole.pop("per_subject"), key=lambda row: row.pop("subject"))
    parts = [*whole.pop("classes"), *whole.pop("pairs"), whole, *rows]
    values = [value for part in parts for value in part.values() if not isinstance(value, str)]
    return [n for value in values for n in (value if isinstance(value, tuple) else [value])]


def same(one: list[float | None], other: list[float | None]) -> None:
    assert [value is None for value in one] == [value is None for value in other]
    assert [v for v in one if v is not None] == pytest.approx(
        [v for v in other if v is not None], rel=1e-9, abs=1e-9
    )


def test_by_hand():
    found = measure_geometry(
        np.array([[1.0, 0], [0, 1], [-1, 0], [1, 0], [1, 0], [0, -1]]),
        np.array([SR, SR, AF, SR, SR, AF]),
        np.array([0, 0, 0, 2, 2, 1]),
        ["A", "C", "B"],
    )
    a, c, b = found.per_subject
    assert (a.subject, a.windows[SR], a.windows[AF]) == ("A", 2, 1)
    assert (a.cohesion[SR], a.cohesion[AF]) == pytest.approx((math.sqrt(0.5), 1))
    assert (a.spread[SR], a.spread[AF]) == pytest.approx((math.sqrt(0.5), 0))
    assert (a.resultant[SR], a.resultant[AF]) == (a.cohesion[SR], a.cohesion[AF])
    assert a.centroid_distance == pytest.approx(math.sqrt(2.5))
    assert a.centroid_similarity == pytest.approx(-math.sqrt(0.5))
    assert a.compactness == pytest.approx(math.sqrt(5))
    assert dataclasses.astuple(b)[:4] == ("B", (2, 0), (1.0, None), (0.0, None))
    assert dataclasses.astuple(b)[4:] == ((1.0, None), None, None, None)
    assert dataclasses.astuple(c)[:4] == ("C", (0, 1), (None, 1.0), (None, 0.0))
    assert dataclasses.astuple(c)[4:] == ((None, 1.0), None, None, None)

    assert found.classes[SR].cohesion == pytest.approx((math.sqrt(0.5) + 1) / 2)
    assert found.classes[AF].cohesion == 1
    assert (found.classes[SR].subjects, found.classes[AF].subjects) == (2, 2)
    assert (found.classes[SR].windows, found.classes[AF].windows) == (4, 2)
    assert found.classes[SR].global_cohesion == pytest.approx(math.sqrt(0.75**2 + 0.25**2))
    assert found.classes[AF].global_cohesion == pytest.approx(math.sqrt(0.5))
    assert found.classes[SR].spread == pytest.approx(1.5 * math.sqrt(0.125))
    assert found.classes[SR].subject_spread == pytest.approx(math.sqrt(0.5) / 2)
    assert found.centroid_distance == pytest.approx(math.sqrt(2.125))
    assert found.centroid_similarity == pytest.approx(-0.5 / math.sqrt(0.3125))
    assert found.compactness == pytest.approx(
        math.sqrt(2.125) / (1.5 * math.sqrt(0.125) + math.sqrt(0.5))
    )
    assert found.subject_compactness == pytest.approx(math.sqrt(5))
    assert counts(found) == (1, 0)


def counts(found):
    """Subjects with both classes, and those of them without spread, of the only pair."""
    (pair,) = found.pairs
    assert found.subjects_with_several == pair.subjects_with_both
    assert pair.compactness == found.compactness
    assert pair.subject_compactness == found.subject_compactness
    return pair.subjects_with_both, pair.subjects_without_spread


def mean_of(vectors):
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def distance(x, y):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))


def spread_of(vectors):
    return sum(distance(z, mean_of(vectors)) for z in vectors) / len(vectors)


def cosine_to_centroid(vectors):
    mu = mean_of(vectors)
    return sum(dot(z, mu) / math.sqrt(dot(mu, mu)) for z in vectors) / len(vectors)


def separation(sr, af):
    """Eqs. 7 to 9 of two lists of vectors."""
    mu, nu = mean_of(sr), mean_of(af)
    cosine = dot(mu, nu) / math.sqrt(dot(mu, mu)) / math.sqrt(dot(nu, nu))
    spread = spread_of(sr) + spread_of(af)
    return distance(mu, nu), cosine, distance(mu, nu) / spread if spread > 1e-9 else None


@given(windows())
@EQUATIONS
def test_against_a_slow_loop(drawn):
    embedded, rhythm, subjects = drawn
    found = measure_geometry(*drawn)
    whole, ratios = {SR: [], AF: []}, []
    sets = {(p, c): [] for p in set(subjects.tolist()) for c in (SR, AF)}
    for z, c, p in zip(embedded.tolist(), rhythm.tolist(), subjects.tolist(), strict=True):
        whole[c].append(z)
        sets[p, c].append(z)
    for c, of_class in ((SR, found.classes[SR]), (AF, found.classes[AF])):
        having = [sets[p, c] for p in sorted(set(subjects.tolist())) if sets[p, c]]
        cohesions = [cosine_to_centroid(vectors) for vectors in having]
        assert of_class.cohesion == pytest.approx(sum(cohesions) / len(having))
        assert of_class.global_cohesion == pytest.approx(cosine_to_centroid(whole[c]))
        assert of_class.spread == pytest.approx(spread_of(whole[c]), abs=1e-9)
        spreads = [spread_of(vectors) for vectors in having]
        assert of_class.subject_spread == pytest.approx(sum(spreads) / len(having), abs=1e-9)
        assert (of_class.subjects, of_class.windows) == (len(having), len(whole[c]))
    measured = (found.centroid_distance, found.centroid_similarity, found.compactness)
    same(list(measured), list(separation(whole[SR], whole[AF])))
    for row in found.per_subject:
        sr, af = sets[int(row.subject), SR], sets[int(row.subject), AF]
        assert (row.windows[SR], row.windows[AF]) == (len(sr), len(af))
        measured = [row.centroid_distance, row.centroid_similarity, row.compactness]
        expected = list(separation(sr, af)) if sr and af else [None] * 3
        same(measured, expected)
        ratios += [expected[2]] if sr and af else []
        for vectors, cohesion, spread in (
            (sr, row.cohesion[SR], row.spread[SR]),
            (af, row.cohesion[AF], row.spread[AF]),
        ):
            assert cohesion == (pytest.approx(cosine_to_centroid(vectors)) if vectors else None)
            assert spread == (pytest.approx(spread_of(vectors), abs=1e-9) if vectors else None)
    valued = [ratio for ratio in ratios if ratio is not None]
    same([found.subject_compactness], [sum(valued) / len(valued) if valued else None])
    assert counts(found) == (len(ratios), len(ratios) - len(valued))


@given(windows(), st.integers(0, 2**32))
@EQUATIONS
def test_order_names_and_rotation_do_not_matter(drawn, seed):
    embedded, rhythm, subjects = drawn
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(rhythm))
    expected = flat(measure_geometry(*drawn))
    same(flat(measure_geometry(embedded[order], rhythm[order], subjects[order])), expected)
    codes = generator.permutation(5)
    names = [str(subject) for subject in np.argsort(codes)]
    same(flat(measure_geometry(embedded, rhythm, codes[subjects], names)), expected)
    rotation, _ = np.linalg.qr(generator.normal(size=(embedded.shape[1],) * 2))
    same(flat(measure_geometry(embedded @ rotation, rhythm, subjects)), expected)


@given(windows())
@EQUATIONS
def test_bounds(drawn):
    found = measure_geometry(*drawn)
    for at, of_class in enumerate(found.classes):
        lengths = [row.resultant[at] for row in found.per_subject]
        having = [row.windows[at] for row in found.per_subject]
        assert lengths == [row.cohesion[at] for row in found.per_subject]
        assert all(0 < length <= 1 for length in lengths if length is not None)
        # the centroid of the class is a weighed mean of the subjects', so it is no longer
        longest = sum(n * length for n, length in zip(having, lengths, strict=True) if n)
        assert of_class.global_cohesion <= longest / sum(having) + 1e-12
        # Jensen: the mean distance is at most the root of the mean squared one, 1 - |mu|^2
        assert of_class.spread <= math.sqrt(1 - of_class.global_cohesion**2) + 1e-7
        assert sum(having) == of_class.windows
        assert sum(n > 0 for n in having) == of_class.subjects
    assert 0 <= found.centroid_distance <= 2
    assert -1 <= found.centroid_similarity <= 1
    both = [row for row in found.per_subject if row.windows[SR] and row.windows[AF]]
    assert counts(found)[0] == len(both)


def test_identical_embeddings_have_cohesion_one_and_no_compactness():
    # many windows of odd numbers, whose sums round: what is left of the spread is not divided by
    embedded = np.tile(np.array([[0.1, 0.7, math.sqrt(0.5)]]), (990, 1))
    found = measure_geometry(embedded, np.arange(990) % 2, np.arange(990) % 5)
    assert (found.classes[SR].cohesion, found.classes[AF].global_cohesion) == pytest.approx((1, 1))
    assert (found.classes[SR].spread, found.classes[SR].subject_spread) == (0, 0)
    assert found.centroid_distance == pytest.approx(0)
    assert (found.compactness, found.subject_compactness) == (None, None)
    assert counts(found) == (5, 5)


def test_a_subject_without_spread_is_left_out_of_compactness_and_counted():
    embedded = np.array([[1.0, 0], [0, 1], [-1, 0], [1, 0], [0, 1]])
    found = measure_geometry(embedded, np.array([SR, SR, AF, SR, AF]), np.array([0, 0, 0, 1, 1]))
    assert [row.compactness for row in found.per_subject] == [pytest.approx(math.sqrt(5)), None]
    assert found.subject_compactness == pytest.approx(math.sqrt(5))
    assert counts(found) == (2, 1)


def test_no_subject_with_both_classes_leaves_only_the_global_numbers():
    found = measure_geometry(np.eye(2), np.array([SR, AF]), np.array([0, 1]))
    assert (found.subject_compactness, counts(found)) == (None, (0, 0))
    assert found.centroid_distance == pytest.approx(math.sqrt(2))


def test_windows_that_cancel_have_no_direction():
    thirds = np.array([[1, 0], [-0.5, math.sqrt(0.75)], [-0.5, -math.sqrt(0.75)]])
    embedded = np.concatenate([thirds, [[1, 0], [0, 1]]])
    found = measure_geometry(
        embedded, np.array([SR, SR, SR, SR, AF]), np.array([0, 0, 0, 1, 0]), ["A", "B"]
    )
    a = found.per_subject[0]
    assert (a.cohesion[SR], a.resultant[SR], a.centroid_similarity) == (None, 0, None)
    assert (a.spread[SR], a.centroid_distance) == pytest.approx((1, 1))
    assert (
        found.classes[SR].cohesion,
        found.classes[SR].subjects,
        found.classes[SR].subjects_without_direction,
    ) == (1, 2, 1)
    alone = measure_geometry(embedded[[0, 1, 2, 4]], np.array([0, 0, 0, 1]), np.zeros(4, int))
    assert (
        alone.classes[SR].cohesion,
        alone.classes[SR].global_cohesion,
        alone.centroid_similarity,
    ) == (None,) * 3


def test_written_as_json():
    found = measure_geometry(np.eye(2, dtype=np.float32), np.array([SR, AF]), np.array([0, 1]))
    text = json.dumps(dataclasses.asdict(found), allow_nan=False)
    assert json.loads(text)["per_subject"][0]["cohesion"][AF] is None


def test_lengths_within_rounding_of_one_are_divided_out():
    rows = np.random.default_rng(0).normal(size=(40, 128))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    label = np.arange(40) % 2
    exact, longer, rounded = (
        measure_geometry(some, label, label * 0)
        for some in (rows, rows * 1.0009, rows.astype(np.float16))
    )
    same(flat(longer), flat(exact))
    assert rounded.classes[SR].cohesion == pytest.approx(exact.classes[SR].cohesion, abs=1e-3)


SIGNALLING = np.array([[0x3F800000, 0], [0, 0x3F800000], [0x7FA00000, 0]], np.uint32)
"""Two embeddings, and one with a NaN of a kind that only damage makes: to convert it warns."""


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"embedded": np.array([[1.0, 0], [0, 2], [1, 0]])}, ("window 1", "subject B", "length 2")),
        ({"embedded": np.array([[1.0, 0], [0, 1], [math.nan, 0]])}, ("window 2", "subject A")),
        ({"embedded": SIGNALLING.view(np.float32)}, ("window 2", "subject A")),
        ({"labels": np.array([0, 1, 2])}, ("window 2", "subject A", "label 2")),
        ({"labels": np.array([1, 1, 1])}, ("no SR", 3, 2)),
        ({"labels": np.array([0, 0, 0])}, ("no AF", 3, 2)),
        ({"labels": np.array([0, 1])}, ("(3, 2)", "2 label", "3 subject")),
        ({"subjects": np.array([0, 1, 2])}, ("subject code 2", "2 name(s)")),
        ({"names": ["A", "A"]}, ("subject A", "2 codes")),
    ],
)
def test_what_cannot_be_measured_is_named(change, facts):
    right = {
        "embedded": np.array([[1.0, 0], [0, 1], [1, 0]]),
        "labels": np.array([SR, AF, SR]),
        "class_names": ["SR", "AF"],
        "subjects": np.array([0, 1, 0]),
        "names": ["A", "B"],
    }
    # while testing, measure_geometry's own axes catch lengths that differ before it does
    with refused(EvaluationError, *facts):
        group_windows(**{**right, **change})
