"""More than two classes: by hand, against scikit-learn and loops, and what must hold."""

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

from pacl.evaluation import (
    EvaluationError,
    Predictions,
    Probe,
    auroc_interval,
    compare_auroc,
    compare_subjects,
    count_class_pairs,
    fit_probe,
    mean_interval,
    measure_auroc,
    measure_detection,
    measure_geometry,
    measure_spread,
    predicted_classes,
    score_confusion,
    sum_interval,
    sum_score,
)
from pacl.evaluation.calibration import measure_calibration
from pacl.windows import Names
from support.refusals import refused

NAMES = ("rest", "fist", "open")


def judged(seed=0, windows=240, classes=3, subjects=8):
    """Labels, probabilities that tell something, and subjects, some of whom lack a class."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, classes, windows)
    who = generator.integers(0, subjects, windows)
    labels[who == 0] %= 2
    labels[who == 1] = 0
    logit = generator.normal(size=(windows, classes)) + 1.2 * np.eye(classes)[labels]
    likely = np.exp(logit)
    return labels, likely / likely.sum(axis=1, keepdims=True), who


def unit(seed=0, windows=90, classes=3, subjects=5, features=4):
    generator = np.random.default_rng(seed)
    labels, who = generator.integers(0, classes, windows), generator.integers(0, subjects, windows)
    labels[who == 0] = 1
    labels[who == 1] %= 2
    embedded = generator.normal(size=(windows, features)) + np.eye(classes, features)[labels]
    return embedded / np.linalg.norm(embedded, axis=1, keepdims=True), labels, who


def test_a_confusion_table_by_hand():
    found = score_confusion([[2, 1, 0], [0, 3, 1], [1, 0, 0]], NAMES)
    rest, fist, opened = found.classes
    assert (rest.precision, rest.recall, rest.f1, rest.windows) == (2 / 3, 2 / 3, 4 / 6, 3)
    assert (fist.precision, fist.recall, fist.f1, fist.windows) == (3 / 4, 3 / 4, 6 / 8, 4)
    assert (opened.precision, opened.recall, opened.f1, opened.windows) == (0, 0, 0, 1)
    assert found.accuracy == 5 / 8
    assert found.balanced_accuracy == pytest.approx((2 / 3 + 3 / 4) / 3)
    assert found.macro_f1 == pytest.approx((4 / 6 + 6 / 8) / 3)


@pytest.mark.parametrize("seed", range(3))
def test_detection_against_sklearn(seed):
    labels, probability, who = judged(seed)
    found = measure_detection(labels, probability, who, class_names=NAMES)
    predicted = probability.argmax(axis=1)
    assert predicted_classes(probability).tolist() == predicted.tolist()
    assert np.array_equal(found.confusion, metrics.confusion_matrix(labels, predicted))
    expected = metrics.precision_recall_fscore_support(labels, predicted, zero_division=0.0)
    for at, one in enumerate(found.classes):
        mine = [one.precision, one.recall, one.f1, one.windows]
        assert mine == pytest.approx([column[at] for column in expected])
        assert one.auroc == pytest.approx(
            metrics.roc_auc_score(labels == at, probability[:, at]), abs=1e-12
        )
    macro = metrics.roc_auc_score(labels, probability, multi_class="ovr")
    assert found.auroc == measure_auroc(labels, probability) == pytest.approx(macro, abs=1e-12)
    assert found.accuracy == metrics.accuracy_score(labels, predicted)
    assert found.balanced_accuracy == pytest.approx(
        metrics.balanced_accuracy_score(labels, predicted)
    )
    assert found.macro_f1 == pytest.approx(metrics.f1_score(labels, predicted, average="macro"))
    assert found.calibration.log_loss == pytest.approx(metrics.log_loss(labels, probability))
    brier = metrics.brier_score_loss(labels, probability, scale_by_half=False)
    assert found.calibration.brier == pytest.approx(brier)
    assert found.threshold is None
    json.dumps(dataclasses.asdict(found), allow_nan=False)


def test_subjects_against_loops():
    labels, probability, who = judged()
    found = measure_detection(labels, probability, who)
    for one in found.per_subject:
        rows = who == int(one.subject)
        own, predicted = labels[rows], probability[rows].argmax(axis=1)
        assert one.windows == tuple(np.bincount(own, minlength=3).tolist())
        assert one.balanced_accuracy == pytest.approx(
            np.mean([np.mean(predicted[own == at] == at) for at in set(own.tolist())])
        )
        each = [
            metrics.roc_auc_score(own == at, probability[rows][:, at])
            for at in sorted(set(own.tolist()))
            if len(set(own.tolist())) > 1
        ]
        assert one.auroc == (pytest.approx(np.mean(each)) if each else None)
    assert found.per_subject[1].recalls[1:] == (None, None)
    assert found.auroc_subjects == 7
    balanced = [one.balanced_accuracy for one in found.per_subject]
    assert found.balanced_accuracy_subject_mean == pytest.approx(np.mean(balanced))
    assert found.balanced_accuracy_worst_tenth == min(balanced)


def test_a_class_that_nobody_has_is_there_without_numbers():
    labels, probability, who = judged()
    kept = labels != 2
    found = measure_detection(labels[kept], probability[kept], who[kept], class_names=NAMES)
    absent = found.of_class("open")
    assert (absent.recall, absent.auroc, absent.windows) == (None, None, 0)
    assert found.balanced_accuracy == pytest.approx(
        np.mean([one.recall for one in found.classes[:2]])
    )
    embedded, labels, who = unit()
    geometry = measure_geometry(
        *(x[labels != 2] for x in (embedded, labels, who)), class_names=NAMES
    )
    assert geometry.of_class("open").cohesion is None
    assert geometry.of_pair("rest", "open").centroid_distance is None
    assert geometry.centroid_distance == geometry.of_pair("fist", "rest").centroid_distance


def test_calibration_by_hand():
    probability = np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]])
    found = measure_calibration(np.array([0, 1]), probability)
    assert found.brier == (0.25 + 2 / 16 + 0.25 + 9 / 16 + 1 / 16) / 2
    assert found.expected_error == 0.0  # half of those at 0.5 are right
    assert found.log_loss == pytest.approx(math.log(2) + math.log(4) - 1.5 * math.log(2))
    assert (found.slope, found.bins[5].share, found.bins[5].windows) == (None, 0.5, 2)


def test_two_columns_are_the_probability_of_the_second():
    labels, probability, who = judged(classes=2)
    both = measure_detection(labels, probability, who)
    assert both == measure_detection(labels, probability[:, 1].copy(), who)
    assert both.threshold == 0.5


def test_the_probe_is_that_of_sklearn_and_kept_as_json():
    embedded, labels, _ = unit(windows=300)
    probe = fit_probe(embedded, labels)
    oracle = LogisticRegression(tol=1e-10, max_iter=10_000).fit(embedded, labels)
    expected = oracle.predict_proba(embedded)
    np.testing.assert_allclose(probe.probability(embedded), expected, atol=1e-6)
    again = Probe.from_dict(json.loads(json.dumps(probe.to_dict())))
    assert np.array_equal(again.logit(embedded), probe.logit(embedded))
    assert (probe.classes, probe.features) == (3, 4)
    with refused(EvaluationError, 3, "two"):
        probe.of_two_classes()


@pytest.mark.parametrize(
    "stated",
    [
        {"weight": [[1.0, 2.0], [3.0]], "bias": [0.0, 0.0]},
        {"weight": [[1.0], [2.0]], "bias": [0.0, 0.0, 0.0]},
        {"weight": [1.0, 2.0], "bias": [0.0, 0.0]},
        {"weight": [[1.0], ["a"], [0.0]], "bias": [0.0, 0.0, 0.0]},
    ],
)
def test_a_probe_that_is_none_is_refused(stated):
    with refused(EvaluationError, "weight"):
        Probe.from_dict(stated)


def test_pooled_auroc_and_its_interval_over_subjects():
    labels, probability, who = judged()
    pairs = count_class_pairs(labels, probability, who, class_names=NAMES)
    assert pairs.auroc == pytest.approx(measure_auroc(labels, probability), abs=1e-12)
    found = measure_detection(labels, probability, who)
    own = [math.nan if one.auroc is None else one.auroc for one in found.per_subject]
    np.testing.assert_allclose(pairs.own, own, atol=1e-12)
    assert pairs.both.tolist() == [not math.isnan(value) for value in own]
    interval = auroc_interval([pairs])
    assert interval.estimate == pytest.approx(pairs.auroc)
    assert interval.low < interval.estimate < interval.high
    weights = np.arange(1.0, 9.0)[None]
    rows = np.repeat(np.arange(labels.size), who + 1)
    assert pairs.pooled(weights)[0] == pytest.approx(measure_auroc(labels[rows], probability[rows]))


def test_two_systems_compared_by_macro_auroc_and_by_balanced_accuracy():
    labels, good, who = judged()
    generator = np.random.default_rng(9)
    bad = (good + generator.dirichlet(np.ones(3), labels.size)) / 2
    found = compare_auroc(labels, good[None], bad[None], who, generator)
    expected = measure_auroc(labels, good) - measure_auroc(labels, bad)
    assert found.difference == pytest.approx(expected, abs=1e-12)
    turned = compare_auroc(labels, bad[None], good[None], who, np.random.default_rng(9))
    assert turned.difference == pytest.approx(-found.difference)
    each = [
        np.array([one.balanced_accuracy for one in measure_detection(labels, p, who).per_subject])
        for p in (good, bad)
    ]
    assert compare_subjects(each[0][None], each[1][None]).subjects == 8
    assert mean_interval(each[0]).estimate == pytest.approx(each[0].mean())


@pytest.mark.parametrize(
    "key",
    [
        "accuracy",
        "balanced_accuracy",
        "macro_f1",
        "classes.2.precision",
        "classes.2.recall",
        "classes.1.f1",
        "calibration.brier",
        "calibration.expected_error",
    ],
)
def test_sums_give_what_is_measured(key):
    labels, probability, who = judged()
    score = sum_score(f"detection.{key}")
    stated = measure_detection(labels, probability, who)
    for part in key.split("."):
        stated = stated[int(part)] if part.isdigit() else getattr(stated, part)
    interval = sum_interval([score.by_subject(labels, probability, who, 8)], score)
    assert interval.estimate == pytest.approx(stated, abs=1e-12)


def test_a_pair_has_the_geometry_of_its_two_classes_alone():
    embedded, labels, who = unit()
    found = measure_geometry(embedded, labels, who, class_names=NAMES)
    assert [(one.first, one.second) for one in found.pairs] == [*itertools.combinations(NAMES, 2)]
    for first, second in itertools.combinations(range(3), 2):
        rows = (labels == first) | (labels == second)
        alone = measure_geometry(embedded[rows], (labels[rows] == second).astype(int), who[rows])
        pair = found.of_pair(NAMES[first], NAMES[second])
        for key in ("centroid_distance", "centroid_similarity", "compactness"):
            assert getattr(pair, key) == pytest.approx(getattr(alone, key), abs=1e-12)
        assert pair.subject_compactness == pytest.approx(alone.subject_compactness)
        assert pair.subjects_with_both == alone.pairs[0].subjects_with_both
        for at, one in zip((first, second), alone.classes, strict=True):
            mine = dataclasses.asdict(found.classes[at]) | {"name": one.name}
            assert mine == pytest.approx(dataclasses.asdict(one))
    for key in ("centroid_distance", "centroid_similarity", "compactness"):
        each = [getattr(pair, key) for pair in found.pairs]
        assert getattr(found, key) == pytest.approx(np.mean(each))
    several = [row.compactness for row in found.per_subject if row.compactness is not None]
    assert found.subject_compactness == pytest.approx(np.mean(several))
    assert found.subjects_with_several == 4


def test_alignment_of_each_class_against_a_loop():
    embedded, labels, who = unit(windows=40)
    found = measure_spread(embedded, labels, who, np.random.default_rng(0), class_names=NAMES)
    for at, of_class in enumerate(found.classes):
        squared = {"same_class": [], "other_class": []}
        for i, j in itertools.permutations(range(40), 2):
            if labels[i] == at and who[i] != who[j]:
                kind = "same_class" if labels[j] == at else "other_class"
                squared[kind].append(float(np.sum((embedded[i] - embedded[j]) ** 2)))
        for kind, values in squared.items():
            one = getattr(of_class.pooled, f"other_subject_{kind}")
            assert one.alignment == pytest.approx(np.mean(values))
    assert {row.class_name for row in found.per_subject} == set(NAMES)


def test_predictions_of_three_classes():
    labels, probability, who = judged()
    subject = Names(who.astype(np.int32), tuple("abcdefgh"))
    found = Predictions(labels, probability, subject, class_names=NAMES)
    assert found.detected().of_class("fist").windows == int(np.sum(labels == 1))
    logit = Predictions(labels, np.log(probability) + 3, subject, scale="logit", class_names=NAMES)
    np.testing.assert_allclose(logit.probability, probability)
    assert logit.class_pairs.auroc == pytest.approx(found.class_pairs.auroc)
    half = found.select(np.arange(labels.size) % 2 == 0)
    other = found.select(np.arange(labels.size) % 2 == 1)
    assert Predictions.concat([half, other]).class_names == NAMES
    with refused(EvaluationError, 3, "two"):
        _ = found.pairs
    with refused(EvaluationError, "rest", "a"):
        Predictions.concat([half, dataclasses.replace(other, class_names=("a", "b", "c"))])


@pytest.mark.parametrize(
    ("changed", "facts"),
    [
        ({"labels": np.array([0, 3])}, (1, 3, "open")),
        ({"labels": np.array([0, 0])}, ("fist", "open")),
        ({"probability": np.array([[0.5, 0.2, 0.2], [1, 0, 0]])}, (1, 2, 0.9)),
        ({"probability": np.array([[0.5, 0.2, 0.3], [2, -1, 0]])}, ("[0, 1]", 1)),
        ({"class_names": ("a", "b")}, (3, "a, b")),
        ({"class_names": ("a", "b", "a")}, (3,)),
    ],
)
def test_what_cannot_be_measured(changed, facts):
    right = {
        "labels": np.array([0, 1]),
        "probability": np.array([[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]]),
        "subjects": np.array([0, 1]),
        "class_names": NAMES,
    }
    with refused(EvaluationError, *facts):
        measure_detection(**{**right, **changed})
