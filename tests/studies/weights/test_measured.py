"""Figures of weights, against numbers worked out by hand and by loops."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pacl.evaluation import (
    EvaluationError,
    Predictions,
    auroc_interval,
    count_pairs,
    mean_interval,
    measure_auroc,
)
from pacl.evaluation.calibration import measure_calibration
from pacl.evaluation.intervals import interval_over_subjects
from pacl.studies.weights import CohortFigures, Estimate, measure_weights
from pacl.windows import Names
from support.refusals import refused

BY_HAND = [
    # patient, AF, logit, seconds, pure
    ("a", 0, -1.0, 10.0, True),
    ("b", 0, -3.0, 40.0, False),
    ("a", 0, 0.5, 30.0, True),
    ("a", 1, 2.0, 20.0, True),
    ("c", 1, 0.3, 50.0, True),
    ("a", 1, -0.2, 20.0, True),
    ("b", 1, 1.0, 10.0, True),
    ("b", 0, 0.4, 20.0, True),
]


def judged_of(rows) -> Predictions:
    patient, labels, logit, seconds, pure = zip(*rows, strict=True)
    names = tuple(sorted(set(patient)))[::-1]  # the order of names is nobody's business
    codes = np.array([names.index(who) for who in patient], dtype=np.int32)
    return Predictions(
        scale="logit",
        labels=np.array(labels, dtype=np.int64),
        score=np.array(logit),
        subject=Names(codes, names),
        seconds=np.array(seconds),
        pure=np.array(pure),
    )


def drawn(seed=0, windows=600, patients=8) -> Predictions:
    """Patients of one rhythm and of both; bigeminy in some."""
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, patients, windows).astype(np.int32)
    labels = (generator.random(windows) < codes / patients).astype(np.int64)  # the first has no AF
    level = generator.normal(0, 0.7, patients)[codes]
    return Predictions(
        scale="logit",
        labels=labels,
        score=2.0 * labels - 1 + level + generator.normal(0, 1.5, windows),
        subject=Names(codes, tuple(f"p{code}" for code in range(patients))),
        seconds=generator.uniform(20, 60, windows),
        pure=(generator.random(windows) < 0.8) | (labels == 1),
    )


def numbers(figure: Estimate) -> tuple[float | None, ...]:
    return figure.estimate, figure.low, figure.high


def test_by_hand():
    found = measure_weights(judged_of(BY_HAND))
    assert (found.windows, found.patients) == (8, 3)
    assert found.not_af_h == pytest.approx(100 / 3600)
    assert found.af_h == pytest.approx(100 / 3600)
    assert found.sensitivity.estimate == pytest.approx((20 + 50 + 10) / 100)
    assert found.specificity.estimate == pytest.approx((10 + 40) / 100)
    assert found.false_af_h.estimate == pytest.approx(24 * (30 + 20) / 100)
    assert found.false_af_h_others.estimate == 0.0
    # of 16 pairs AF loses: 0.3 to 0.5 and 0.4, -0.2 to both as well
    assert found.auroc.estimate == 12 / 16
    # without the -3: of 12 pairs the same are lost
    assert found.auroc_pure.estimate == 8 / 12
    assert found.auroc_patient.estimate == (3 / 4 + 2 / 2) / 2
    assert [(one.patient, one.auroc, one.not_af, one.af) for one in found.worst] == [
        ("a", 0.75, 2, 2),
        ("b", 1.0, 2, 1),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_shares_of_time_by_a_loop(seed):
    judged, found = drawn(seed), measure_weights(drawn(seed))
    hit = {"af": 0.0, "not": 0.0, "others": 0.0}
    all_of = dict(hit)
    for at in range(len(judged.labels)):
        kinds = ["af"] if judged.labels[at] else ["not"]
        kinds += [] if judged.labels[at] or judged.pure[at] else ["others"]
        for kind in kinds:
            all_of[kind] += judged.seconds[at]
            hit[kind] += judged.seconds[at] * (judged.logit[at] > 0)
    assert found.sensitivity.estimate == pytest.approx(hit["af"] / all_of["af"])
    assert found.specificity.estimate == pytest.approx(1 - hit["not"] / all_of["not"])
    assert found.false_af_h.estimate == pytest.approx(24 * hit["not"] / all_of["not"])
    assert found.false_af_h_others.estimate == pytest.approx(24 * hit["others"] / all_of["others"])
    assert found.af_h == pytest.approx(all_of["af"] / 3600)
    assert found.not_af_h == pytest.approx(all_of["not"] / 3600)


@pytest.mark.parametrize("seed", range(4))
def test_auroc_is_that_of_the_metrics(seed):
    judged, found = drawn(seed), measure_weights(drawn(seed))
    pure = judged.select(judged.pure)
    assert found.auroc.estimate == pytest.approx(measure_auroc(judged.labels, judged.logit))
    assert found.auroc_pure.estimate == pytest.approx(measure_auroc(pure.labels, pure.logit))
    own = {}
    for code, name in enumerate(judged.subject.names):
        one = judged.select(judged.subject.codes == code)
        if set(one.labels.tolist()) == {0, 1}:
            own[name] = measure_auroc(one.labels, one.logit)
    assert 2 <= len(own) < 8
    assert found.auroc_patient.estimate == pytest.approx(np.mean(list(own.values())))
    worst = sorted(own, key=own.__getitem__)[:5]
    assert [one.patient for one in found.worst] == worst
    for one in found.worst:
        rows = judged.labels[judged.subject.is_(one.patient)]
        assert one.auroc == pytest.approx(own[one.patient])
        assert (one.not_af, one.af) == (int((rows == 0).sum()), int((rows == 1).sum()))


@pytest.mark.parametrize("seed", range(4))
def test_the_calibration_error_is_that_of_both_classes_made_equally_common(seed):
    judged = drawn(seed)
    af = judged.labels == 1
    probability = 1 / (1 + np.exp(-judged.logit))
    gaps = 0.0
    for low in range(10):
        inside = (probability >= low / 10) & (probability < (low + 1) / 10)
        said = sum(probability[inside & af]) / af.sum() + sum(probability[inside & ~af]) / sum(~af)
        gaps += abs(said - np.count_nonzero(inside & af) / af.sum()) / 2
    found = measure_weights(judged).expected_error
    assert found == pytest.approx(gaps, abs=1e-12)
    more = np.repeat(np.arange(af.size), np.where(af, (~af).sum(), af.sum()))
    repeated = measure_calibration(judged.labels[more], probability[more])
    assert found == pytest.approx(repeated.expected_error, abs=1e-9)


def test_probabilities_that_are_right_have_no_calibration_error():
    rows = [
        (who, af, np.log(3) if said else -np.log(3), 9.0, True)
        for who in "ab"
        for af, said in [(1, 1)] * 3 + [(1, 0)] + [(0, 0)] * 3 + [(0, 1)]
    ]
    assert measure_weights(judged_of(rows)).expected_error == pytest.approx(0.0, abs=1e-12)
    sure = [(who, 1 - af, 50.0 * (2 * af - 1), 9.0, True) for who in "ab" for af in (0, 1)]
    assert measure_weights(judged_of(sure)).expected_error == pytest.approx(1.0, abs=1e-12)


def test_intervals_are_those_over_patients():
    judged, found = drawn(), measure_weights(drawn())
    who = judged.subject
    pairs = count_pairs(judged.labels, judged.logit, who.codes, who.names)
    assert found.auroc == Estimate.of(auroc_interval([pairs]))
    own = pairs.own[pairs.both]
    assert found.auroc_patient == Estimate.of(mean_interval(own, quantity="subject AUROC"))
    said, af = judged.logit > 0, judged.labels == 1
    cases = {
        "sensitivity": (said, af, 1.0),
        "specificity": (~said, ~af, 1.0),
        "false_af_h": (said, ~af, 24.0),
        "false_af_h_others": (said, ~af & ~judged.pure, 24.0),
    }
    for name, (hit, among, whole) in cases.items():
        having = np.unique(who.codes[among]).tolist()

        def share(weights, hit=hit, among=among, whole=whole, having=having):
            out = []
            for row in weights:
                top = bottom = 0.0
                for weight, code in zip(row, having, strict=True):
                    rows = among & (who.codes == code)
                    bottom += weight * judged.seconds[rows].sum()
                    top += weight * judged.seconds[rows & hit].sum()
                out.append(whole * top / bottom)
            return np.array(out)

        expected = interval_over_subjects(share, len(having), bounds=(0.0, whole))
        figure = getattr(found, name)
        assert numbers(figure) == pytest.approx(numbers(Estimate.of(expected)), rel=1e-9)
        assert 0 <= figure.low <= figure.estimate <= figure.high <= whole


def test_windows_may_come_in_any_order():
    judged, order = drawn(), np.random.default_rng(9).permutation(600)
    turned = judged.select(order)
    one, other = measure_weights(judged), measure_weights(turned)
    assert other.worst == one.worst
    for name in ("auroc", "auroc_pure", "auroc_patient", "sensitivity", "false_af_h"):
        assert numbers(getattr(other, name)) == pytest.approx(numbers(getattr(one, name)))


def test_one_patient_alone_has_figures_without_limits():
    found = measure_weights(judged_of([row for row in BY_HAND if row[0] == "a"]))
    assert found.patients == 1
    assert numbers(found.auroc) == (0.75, None, None)
    assert numbers(found.auroc_pure) == (0.75, None, None)
    assert numbers(found.auroc_patient) == (0.75, None, None)
    assert numbers(found.sensitivity) == (0.5, None, None)
    assert numbers(found.specificity) == (0.25, None, None)
    assert numbers(found.false_af_h) == (18.0, None, None)
    assert found.false_af_h_others is None
    assert len(found.worst) == 1


def test_patients_who_do_not_differ_have_figures_without_limits():
    rows = [(who, af, 4.0 * af - 2, 9.0, True) for who in "abc" for af in (0, 1)]
    found = measure_weights(judged_of(rows))
    assert numbers(found.sensitivity) == (1.0, None, None)
    assert numbers(found.false_af_h) == (0.0, None, None)
    assert numbers(found.auroc) == (1.0, None, None)


def test_patients_of_one_rhythm_each_are_measured():
    """Nobody has an AUROC of their own, as where one database has AF and another has none."""
    rows = [
        (who, int(who > "b"), at + "abcd".index(who), 9.0, True)
        for who in "abcd"
        for at in (-1.0, 0.5, 1.5)
    ]
    found = measure_weights(judged_of(rows))
    assert found.worst == ()
    assert found.auroc.low is not None
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("label", [0, 1])
def test_one_rhythm_alone_cannot_be_measured(label):
    with refused(EvaluationError, "classes"):
        measure_weights(judged_of([row for row in BY_HAND if row[1] == label]))


def test_without_other_rhythms_there_is_no_figure_of_them():
    all_pure = replace(drawn(), pure=np.ones(600, dtype=bool))
    found = measure_weights(all_pure)
    assert found.false_af_h_others is None
    assert found.auroc_pure == found.auroc


def test_windows_of_af_are_no_false_af_whatever_else_they_hold():
    judged = drawn()
    impure = replace(judged, pure=judged.pure & ~((judged.labels == 1) & (judged.seconds < 40)))
    assert impure.pure.sum() < judged.pure.sum()
    found = measure_weights(impure)
    assert found.false_af_h_others == measure_weights(judged).false_af_h_others


def test_at_most_five_patients_are_named():
    assert len(measure_weights(drawn(patients=12)).worst) == 5


def test_plain_values():
    found = measure_weights(drawn())
    assert isinstance(found, CohortFigures)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["auroc"] == {
        "estimate": found.auroc.estimate,
        "low": found.auroc.low,
        "high": found.auroc.high,
        "coverage": found.auroc.coverage,
    }
    assert plain["worst"][0]["patient"] == found.worst[0].patient
    assert plain["windows"] == 600


def test_how_a_figure_is_told():
    assert Estimate(0.99851, 0.99612, 0.99944).text() == "0.9985 [0.9961, 0.9994]"
    assert Estimate(1.2345, 1.0, 2.0).text(2) == "1.23 [1.00, 2.00]"
    assert Estimate(0.5).text(1) == "0.5"
    assert Estimate(0.9, 0.8, 1.0, 0.87).text(1) == "0.9 [0.8, 1.0], covers 87%"
