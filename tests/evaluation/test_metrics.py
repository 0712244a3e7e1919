"""Detection: the paper's table, by hand, against loops and scikit-learn, and what must hold."""

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import accuracy_score, precision_recall_fscore_support, roc_auc_score

from pacl.evaluation.auroc import measure_auroc
from pacl.evaluation.calibration import measure_calibration
from pacl.evaluation.confusion import ClassScores, score_confusion
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.metrics import SubjectDetection, measure_detection
from support.refusals import refused

PAPER = {  # table of per-class metrics: precision, recall, F1, windows
    "SR": (0.970, 0.927, 0.948, 3799),
    "AF": (0.936, 0.974, 0.955, 4160),
}
PAPER_ACCURACY = 0.952
PAPER_COUNTS = [[3522, 277], [108, 4052]]
"""One of the tables of whole windows that all printed numbers follow from."""


@st.composite
def scored(draw, subjects: int = 4):
    """Labels with both rhythms, probabilities with ties, and subjects."""
    windows = draw(st.integers(2, 30))
    labels = draw(arrays(np.int8, windows, elements=st.integers(0, 1)))
    labels[:2] = [0, 1]
    steps = draw(arrays(np.int64, windows, elements=st.integers(0, 8)))
    who = draw(arrays(np.int32, windows, elements=st.integers(0, subjects - 1)))
    return labels, steps / 8, who


def pairs_in_order(labels, score) -> float:
    """Every AF window against every SR window."""
    pairs = [
        1.0 if af > sr else 0.5 if af == sr else 0.0
        for af, its in zip(score.tolist(), labels.tolist(), strict=True)
        for sr, other in zip(score.tolist(), labels.tolist(), strict=True)
        if its == 1 and other == 0
    ]
    return sum(pairs) / len(pairs)


def test_the_table_of_the_paper():
    found = score_confusion(PAPER_COUNTS, list(PAPER))
    for scores in found.classes:
        precision, recall, f1, windows = PAPER[scores.name]
        assert scores.windows == windows
        assert [round(x, 3) for x in (scores.precision, scores.recall, scores.f1)] == [
            precision,
            recall,
            f1,
        ]
    assert round(found.accuracy, 3) == PAPER_ACCURACY


def test_by_hand():
    found = measure_detection(
        labels=np.array([0, 0, 1, 1, 0, 1, 1]),
        probability=np.array([0.1, 0.6, 0.5, 0.9, 0.2, 0.4, 0.8]),
        subjects=np.array([2, 2, 2, 2, 0, 0, 1]),
        names=["ann", "bob", "cid"],
        class_names=["SR", "AF"],
    )
    # AF 0.5 loses against SR 0.6, and so does 0.4: 10 of 12 pairs
    assert found.auroc == 10 / 12
    assert found.of_class("SR") == ClassScores("SR", 2 / 3, 2 / 3, 4 / 6, 3, auroc=10 / 12)
    assert found.of_class("AF") == ClassScores("AF", 3 / 4, 3 / 4, 6 / 8, 4, auroc=10 / 12)
    assert found.confusion == ((2, 1), (1, 3))
    assert found.accuracy == 5 / 7
    assert found.balanced_accuracy == (2 / 3 + 3 / 4) / 2
    assert found.macro_f1 == (4 / 6 + 6 / 8) / 2
    assert (found.sensitivity, found.specificity) == (3 / 4, 2 / 3)
    assert found.per_subject == (
        SubjectDetection("ann", (1, 1), 1.0, 0.5, 0.5, (1.0, 0.0)),
        SubjectDetection("bob", (0, 1), None, 1.0, 1.0, (None, 1.0)),
        SubjectDetection("cid", (2, 2), 0.75, 0.75, 0.75, (0.5, 1.0)),
    )
    assert found.balanced_accuracy_subject_mean == 0.75
    assert found.balanced_accuracy_worst_tenth == 0.5
    assert (found.auroc_subjects, found.auroc_subject_mean) == (2, 0.875)
    assert found.auroc_worst_tenth == 0.75


def test_a_tie_counts_half_and_the_threshold_belongs_to_af():
    labels, probability = np.array([0, 1]), np.array([0.3, 0.3])
    assert measure_auroc(labels, probability) == 0.5
    found = measure_detection(labels, probability, np.array([0, 0]), threshold=0.3)
    assert (found.sensitivity, found.specificity) == (1.0, 0.0)
    assert found.threshold == 0.3


def test_a_rhythm_never_predicted_has_no_precision():
    found = score_confusion([[5, 0], [3, 0]])
    assert found.classes[1] == ClassScores("1", precision=None, recall=0.0, f1=0.0, windows=3)
    absent = score_confusion([[5, 0], [0, 0]])
    assert absent.classes[1] == ClassScores("1", precision=None, recall=None, f1=None, windows=0)
    assert (absent.balanced_accuracy, absent.macro_f1) == (1.0, 1.0)


@given(scored())
@settings(max_examples=150, derandomize=True, deadline=None)
def test_against_slow_pairs_and_sklearn(case):
    labels, probability, who = case
    found = measure_detection(labels, probability, who)
    assert found.auroc == pytest.approx(pairs_in_order(labels, probability), abs=1e-12)
    assert found.auroc == pytest.approx(roc_auc_score(labels, probability), abs=1e-12)
    predicted = probability >= 0.5
    oracle = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0.0)
    for at, one in enumerate(found.classes):
        mine = [one.precision or 0.0, one.recall, one.f1, one.windows]
        assert mine == pytest.approx([column[at] for column in oracle], abs=1e-12)
    assert found.accuracy == pytest.approx(accuracy_score(labels, predicted), abs=1e-12)
    assert found.calibration == measure_calibration(labels, probability)
    assert len(found.per_subject) == len(set(who.tolist()))
    for one in found.per_subject:
        rows = who == int(one.subject)
        assert one.windows == (sum(labels[rows] == 0), sum(labels[rows] == 1))
        assert one.accuracy == pytest.approx(np.mean(predicted[rows] == labels[rows]))
        if all(one.windows):
            assert one.auroc == pytest.approx(pairs_in_order(labels[rows], probability[rows]))
        else:
            assert one.auroc is None
        for recall, count in zip(one.recalls, one.windows, strict=True):
            assert (recall is None) == (count == 0)


def test_auroc_equals_sklearn_on_many_windows():
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, 20_000)
    score = np.round(generator.normal(size=20_000) + labels, 2).astype(np.float32)
    assert measure_auroc(labels, score) == pytest.approx(roc_auc_score(labels, score), abs=1e-12)


@given(scored(), st.randoms(use_true_random=False))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_order_of_windows_does_not_matter(case, random):
    labels, probability, who = case
    order = list(range(labels.size))
    random.shuffle(order)
    one = measure_detection(labels, probability, who)
    other = measure_detection(labels[order], probability[order], who[order])
    assert dataclasses.replace(other, calibration=one.calibration) == one


@given(scored())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_only_the_order_of_scores_enters_auroc(case):
    labels, probability, _ = case
    found = measure_auroc(labels, probability)
    assert measure_auroc(labels, np.exp(3 * probability) - 7) == found
    assert measure_auroc(labels, -probability) == pytest.approx(1 - found, abs=1e-15)
    assert measure_auroc(1 - labels, probability) == pytest.approx(1 - found, abs=1e-15)


@given(scored())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_subjects_may_be_called_anything(case):
    labels, probability, who = case
    one = measure_detection(labels, probability, who, ["a", "b", "c", "d"])
    turned = measure_detection(labels, probability, 3 - who, ["d", "c", "b", "a"])
    assert turned.per_subject == one.per_subject[::-1]
    assert dataclasses.replace(turned, per_subject=one.per_subject) == one
    # numbers with gaps, one of them far away, are as good
    apart = measure_detection(labels, probability, who * 1_000_000)
    assert apart.auroc_subject_mean == one.auroc_subject_mean


@pytest.mark.parametrize(("subjects", "worst"), [(1, 1), (10, 1), (11, 2), (24, 3), (30, 3)])
def test_the_worst_tenth_is_rounded_up_to_whole_subjects(subjects, worst):
    # Subject k has one AF window, which beats k of the subject's 40 SR windows.
    labels = np.tile([1] + [0] * 40, subjects)
    probability = np.concatenate(
        [[0.5] + [0.4] * beaten + [0.6] * (40 - beaten) for beaten in range(subjects)]
    )
    who = np.repeat(np.arange(subjects)[::-1].copy(), 41)
    found = measure_detection(labels, probability, who)
    assert found.auroc_subjects == subjects
    assert found.auroc_worst_tenth == pytest.approx(np.mean(np.arange(worst)) / 40)
    assert found.auroc_subject_mean == pytest.approx(np.mean(np.arange(subjects)) / 40)


def test_no_subject_with_both_rhythms():
    found = measure_detection(np.array([0, 1]), np.array([0.2, 0.7]), np.array([0, 1]))
    assert found.auroc == 1.0
    assert (found.auroc_subjects, found.auroc_subject_mean) == (0, None)
    assert found.auroc_worst_tenth is None


@given(scored())
@settings(max_examples=50, derandomize=True, deadline=None)
def test_json_takes_it_all(case):
    found = dataclasses.asdict(measure_detection(*case))
    assert json.loads(json.dumps(found, allow_nan=False)) == json.loads(json.dumps(found))
    kinds = {type(value) for value in found.values()}
    assert kinds <= {float, int, dict, tuple, type(None)}


def test_a_float32_probability_does_not_round_the_threshold():
    probability = np.array([0.3, 0.3], dtype=np.float32)  # a little above 0.3
    found = measure_detection(np.array([0, 1]), probability, np.array([0, 0]), threshold=0.3)
    above = math.nextafter(float(np.float32(0.3)), 1.0)
    other = measure_detection(np.array([0, 1]), probability, np.array([0, 0]), threshold=above)
    assert (found.sensitivity, other.sensitivity) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("changed", "facts"),
    [
        ({"labels": np.array([0, 0])}, (2,)),
        ({"labels": np.array([1, 1])}, (2,)),
        ({"labels": np.array([0, 2])}, (1, 2)),
        ({"probability": np.array([0.1, 1.1])}, ("[0, 1]", 1, 1.1)),
        ({"probability": np.array([0.1, math.nan])}, (1, "nan")),
        ({"probability": np.array([0.1])}, (2, 1)),
        ({"subjects": np.array([0])}, (2, 1)),
        ({"names": ["ann"]}, (1, 0)),
        ({"subjects": np.array([0, -1]), "names": ["ann"]}, (1, "-1")),
        ({"threshold": 1.5}, (1.5, "probability", 0, 1)),
        ({"threshold": math.nan}, ("nan",)),
    ],
)
def test_what_cannot_be_measured(changed, facts):
    given_ = {
        "labels": np.array([0, 1]),
        "probability": np.array([0.1, 0.9]),
        "subjects": np.array([0, 1]),
    }
    unchecked = getattr(measure_detection, "__wrapped__", measure_detection)
    with refused(EvaluationError, *facts):
        unchecked(**{**given_, **changed})


@pytest.mark.parametrize(
    ("labels", "score", "facts"),
    [
        ([1, 1], [0.1, 0.2], (2, 0)),
        ([0, 1, 2], [0.1, 0.2, 0.3], (3, 1)),
        ([0, 1], [0.1, math.nan], ("NaN",)),
    ],
)
def test_auroc_of_what_has_none(labels, score, facts):
    with refused(EvaluationError, *facts):
        measure_auroc(np.array(labels), np.array(score))


@pytest.mark.parametrize(
    "counts", [[[0, 0], [0, 0]], [[1, 2], [-3, 4]], [[1, 2, 3], [4, 5, 6]], [1, 2]]
)
def test_a_confusion_table_that_is_none(counts):
    with refused(EvaluationError, "confusion"):
        getattr(score_confusion, "__wrapped__", score_confusion)(counts)
