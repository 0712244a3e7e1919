"""Scores by sums over subjects: the same numbers as `measure_detection`, and their intervals."""

import numpy as np
import pytest

from pacl.evaluation import EvaluationError, NoIntervalError, measure_detection
from pacl.evaluation.subject_sums import compare_sums, sum_interval, sum_score
from pacl.studies.metric import number_at
from support.refusals import refused

KEYS = [
    *(f"classes.{at}.{name}" for at in (0, 1) for name in ("precision", "recall", "f1")),
    *("accuracy", "balanced_accuracy", "macro_f1", "calibration.brier"),
    "calibration.expected_error",
]
SUM_SCORES = {f"detection.{key}": sum_score(f"detection.{key}") for key in KEYS}
RECALL = SUM_SCORES["detection.classes.1.recall"]


def predictions(seed, subjects=8, each=30, shift=1.0):
    generator = np.random.default_rng(seed)
    who = np.repeat(np.arange(subjects), each)
    labels = generator.integers(0, 2, who.size)
    own = generator.normal(0, 0.7, subjects)[who]
    logit = shift * (2 * labels - 1) + own + generator.normal(0, 1, who.size)
    return labels, 1 / (1 + np.exp(-logit)), who


@pytest.mark.parametrize("key", SUM_SCORES)
def test_all_subjects_together_have_the_measured_score(key):
    labels, probability, who = predictions(1)
    found = measure_detection(labels, probability, who)
    measured = number_at(found, key.removeprefix("detection."))
    sums = SUM_SCORES[key].by_subject(labels, probability, who, 8)
    interval = sum_interval([sums], SUM_SCORES[key])
    assert interval.estimate == pytest.approx(measured, abs=1e-12)
    assert 0 <= interval.low < interval.estimate < interval.high <= 1
    assert interval.subjects == 8


@pytest.mark.parametrize("key", SUM_SCORES)
def test_a_difference_is_that_of_the_scores_and_turns_with_the_order(key):
    score = SUM_SCORES[key]
    labels, good, who = predictions(1, shift=3.0)
    bad = np.where(np.arange(labels.size) % 3 == 0, 1 - good, good)
    first, second = (score.by_subject(labels, p, who, 8)[None] for p in (good, bad))
    found, turned = compare_sums(first, second, score), compare_sums(second, first, score)
    wanted = sum_interval([*first], score).estimate - sum_interval([*second], score).estimate
    assert found.difference == pytest.approx(wanted, abs=1e-12)
    assert turned.over_subjects.low == pytest.approx(-found.over_subjects.high)
    assert found.flips.p_value == turned.flips.p_value < 0.05
    assert 0.0 not in found.over_subjects


def test_seeds_are_averaged_and_add_to_the_interval():
    labels, probability, who = predictions(2)
    generator = np.random.default_rng(3)
    noisy = [np.clip(probability + generator.normal(0, 0.2, who.size), 0, 1) for _ in range(6)]
    sums = np.stack([RECALL.by_subject(labels, one, who, 8) for one in noisy])
    found = compare_sums(sums[:3], sums[3:], RECALL)
    each = [sum_interval([one], RECALL).estimate for one in sums]
    assert found.difference == pytest.approx(np.mean(each[:3]) - np.mean(each[3:]))
    assert found.seeds == 3
    assert found.over_both is not None


def test_nothing_told_apart_has_no_interval():
    labels, probability, who = predictions(1)
    sums = RECALL.by_subject(labels, probability, who, 8)
    with pytest.raises(NoIntervalError):
        compare_sums(sums[None], sums[None], RECALL)
    perfect = RECALL.by_subject(labels, labels.astype(float), who, 8)
    with pytest.raises(NoIntervalError):
        sum_interval([perfect], RECALL)


def test_sums_of_other_subjects_are_refused():
    labels, probability, who = predictions(1)
    sums = RECALL.by_subject(labels, probability, who, 8)[None]
    with refused(EvaluationError, "seeds"):
        compare_sums(sums, sums[:, :5], RECALL)
