"""A classifier that learns a subject: the same bits without one, better with one."""

import json
import pickle
from dataclasses import astuple, replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from pacl import AdaptiveClassifier, SubjectBaseline, SubjectContrastiveClassifier
from pacl.adaptation import LIMIT, AdaptationError, Correction, Evidence, Unlabelled
from pacl.estimators.baseline import MOST_CORRECTIONS
from pacl.estimators.out_of_subject import out_of_subject, prior_of
from pacl.settings import ResidualSettings
from support.refusals import refused

NAMES = np.array(["rest", "fist", "wave"])


def make_data(*, classes=3, subjects=16, each=24, spread=1.0, seed=0):
    """Features of windows; where rest lies differs from subject to subject, the rest does not."""
    rng = np.random.default_rng(seed)
    kind = np.tile(np.repeat(np.arange(classes), each), subjects)
    who = np.repeat([f"person {n:02d}" for n in range(subjects)], classes * each)
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 2.5]])[kind]
    own = np.repeat(rng.normal(0, spread, subjects), classes * each) * (kind == 0)
    x = rng.normal(centres, 0.7)
    x[:, 0] += own
    return x, NAMES[kind], who


def make_classifier(estimator=None, **settings):
    stated = {"reference": "rest"} | settings
    return AdaptiveClassifier(estimator or LogisticRegression(), **stated)


@pytest.fixture(scope="module")
def fitted():
    x, y, who = make_data()
    return make_classifier().fit(x, y, subjects=who)


def new_subject(own, *, each=40, seed=9):
    rng = np.random.default_rng(seed)
    kind = np.repeat([0, 1, 2], each)
    x = rng.normal(np.array([[own, 0.0], [4.0, 0.0], [4.0, 2.5]])[kind], 0.7)
    return x, NAMES[kind]


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearDiscriminantAnalysis()])
def test_without_a_subject_it_is_the_estimator_to_the_bit(estimator):
    x, y, who = make_data()
    found, own = make_classifier(estimator).fit(x, y, subjects=who), clone(estimator).fit(x, y)
    nothing = (None, found.adapt(), found.adapt(x[:0]), found.adapt(corrections=(x[:0], y[:0])))
    for subject in (*nothing, found.adapt(corrections=([], []), baseline=found.adapt())):
        probability = found.predict_proba(x, subject=subject)
        assert probability.tobytes() == own.predict_proba(x).tobytes()
        assert (found.predict(x, subject=subject) == own.predict(x)).all()
    assert found.score(x, y) == own.score(x, y)


@pytest.mark.parametrize("own", [-1.5, 1.8])
def test_a_subject_who_differs_is_judged_better(fitted, own):
    x, y = new_subject(own)
    eva = fitted.adapt(x[:10])
    assert eva.known.amount == 10
    later, truth = x[10:], y[10:]
    before, after = fitted.predict_proba(later), fitted.predict_proba(later, subject=eva)
    assert log_loss(truth, after, labels=fitted.classes_) < log_loss(
        truth, before, labels=fitted.classes_
    )
    assert np.allclose(after.sum(axis=1), 1)
    called = fitted.predict(later, subject=eva)
    assert (called == fitted.classes_[after.argmax(axis=1)]).all()
    assert (called == truth).mean() >= (fitted.predict(later) == truth).mean()


def test_other_classes_keep_their_proportion(fitted):
    x, _ = new_subject(1.8)
    before = fitted.predict_proba(x)
    after = fitted.predict_proba(x, subject=fitted.adapt(x[:10]))
    others = fitted.classes_ != "rest"
    ratio = after[:, others] / after[:, others].sum(axis=1, keepdims=True)
    assert np.allclose(ratio, before[:, others] / before[:, others].sum(axis=1, keepdims=True))
    order = np.argsort(before[:, ~others].ravel(), kind="stable")
    assert (np.diff(after[order, ~others]) > -1e-12).all()


def test_certain_probabilities_stay_numbers():
    class Certain(LogisticRegression):
        def predict_proba(self, x):
            return super().predict_proba(x).round(3)  # zeros and ones among them

    x, y, who = make_data()
    found = make_classifier(Certain()).fit(x, y, subjects=who)
    eva = found.adapt(np.full((5, 2), 1.5))
    probability = found.predict_proba(np.array([[-50.0, 0.0], [50.0, 0.0]]), subject=eva)
    assert np.isfinite(probability).all()
    assert probability.sum(axis=1) == pytest.approx(np.ones(2))


def test_unlabelled_windows_are_learned_from(fitted):
    x, y = new_subject(1.2)
    eva = fitted.adapt(unlabelled=x[::2])
    assert (eva.known.amount, eva.unlabelled.amount) == (0, 60)
    assert 0 < eva.unlabelled.sure.amount <= 20
    assert eva.posterior(fitted.prior_).changes
    gestures = fitted.adapt(unlabelled=x[y != "rest"])
    assert not gestures.posterior(fitted.prior_).changes
    both = fitted.adapt(x[:5], unlabelled=x[::2])
    assert both.posterior(fitted.prior_).place_sd < min(
        one.posterior(fitted.prior_).place_sd for one in (eva, fitted.adapt(x[:5]))
    )


def test_learning_in_steps_is_learning_at_once(fitted):
    x, y = new_subject(1.8)
    wrong = np.flatnonzero(fitted.predict(x) != y)
    assert wrong.size >= 4
    at_once = fitted.adapt(x[:10], unlabelled=x[10:], corrections=(x[wrong], y[wrong]))
    eva = fitted.adapt(x[:4])
    eva = fitted.adapt(unlabelled=x[10:70], baseline=eva)
    eva = fitted.adapt(corrections=(x[wrong[:2]], y[wrong[:2]]), baseline=eva)
    eva = SubjectBaseline.from_dict(json.loads(json.dumps(eva.to_dict())))  # kept meanwhile
    eva = fitted.adapt(x[4:10], unlabelled=x[70:], baseline=eva)
    eva = fitted.adapt(corrections=(x[wrong[2:]], y[wrong[2:]]), baseline=eva)
    assert (eva.known.amount, eva.unlabelled.amount) == (10, 110)
    assert eva.unlabelled.sure.amount == at_once.unlabelled.sure.amount > 0
    assert eva.corrections == at_once.corrections
    assert astuple(eva.posterior(fitted.prior_)) == pytest.approx(
        astuple(at_once.posterior(fitted.prior_)), abs=1e-9
    )
    learned = fitted.predict_proba(x, subject=eva)
    assert learned == pytest.approx(fitted.predict_proba(x, subject=at_once), abs=1e-9)
    assert fitted.adapt(baseline=eva) == eva


def test_what_is_of_no_use_at_first_may_be_later(fitted):
    x, y = new_subject(1.2)
    eva = fitted.adapt(unlabelled=x[y != "rest"][:20])
    assert not eva.posterior(fitted.prior_).changes
    eva = fitted.adapt(unlabelled=x[y == "rest"], baseline=eva)
    assert eva.unlabelled.share > 0.2
    assert eva.posterior(fitted.prior_).changes


@pytest.mark.parametrize("true", ["rest", "fist", "wave"])
def test_corrections_make_the_true_class_more_probable(fitted, true):
    x = np.array([[2.2, 0.3], [2.4, 0.5], [2.0, 0.4]])  # between the classes
    before = fitted.predict_proba(x)
    eva = fitted.adapt(corrections=(x, [true] * 3))
    after = fitted.predict_proba(x, subject=eva)
    own = fitted.classes_.tolist().index(true)
    assert (after[:, own] > before[:, own]).all()
    rest = fitted.classes_.tolist().index("rest")
    assert ((after[:, rest] > before[:, rest]) == (true == "rest")).all()
    found = eva.posterior(fitted.prior_)
    assert found.place == fitted.prior_.reference  # corrections alone shift all log odds
    more = fitted.adapt(corrections=(x, [true] * 3), baseline=eva).posterior(fitted.prior_)
    assert abs(more.shift) > abs(found.shift) > 0
    called = -np.log(before[:, rest] / (1 - before[:, rest]))
    assert [one.target for one in eva.corrections] == [true != "rest"] * 3
    assert [one.log_odds for one in eva.corrections] == pytest.approx(called, abs=1e-4)


def test_corrections_are_of_what_is_said_without_a_subject(fitted):
    x, y = new_subject(1.8)
    eva = fitted.adapt(x[:10])
    after = fitted.adapt(corrections=(x[60:70], y[60:70]), baseline=eva)
    assert after.corrections == fitted.adapt(corrections=(x[60:70], y[60:70])).corrections
    assert after.known == eva.known


def test_corrections_that_cannot_be_used_are_refused(fitted):
    x, y = new_subject(1.8)
    with refused(AdaptationError, "corrections", "true classes"):
        fitted.adapt(corrections=x)
    with refused(AdaptationError, "corrections", "pair"):
        fitted.adapt(corrections=(x, y, y))
    with refused(AdaptationError, "corrections", 3, 2):
        fitted.adapt(corrections=(x[:3], y[:2]))
    with refused(AdaptationError, "corrections", 2):
        fitted.adapt(corrections=(x[:2], x[:2]))
    with refused(AdaptationError, "corrections", "'sleep'", "'rest'", "'fist'"):
        fitted.adapt(corrections=(x[:2], ["rest", "sleep"]))


def test_corrections_are_bounded(fitted):
    many = np.zeros((MOST_CORRECTIONS, 2)), ["rest"] * MOST_CORRECTIONS
    eva = fitted.adapt(corrections=many)
    assert len(json.dumps(eva.to_dict())) < 50 * MOST_CORRECTIONS
    assert SubjectBaseline.from_dict(eva.to_dict()) == eva
    with refused(AdaptationError, "corrections", MOST_CORRECTIONS, MOST_CORRECTIONS + 1, "fit"):
        fitted.adapt(corrections=([[0.0, 0.0]], ["rest"]), baseline=eva)


def test_nobody_is_judged_by_a_classifier_that_has_seen_them():
    seen = []

    class Remembers(LogisticRegression):
        def fit(self, x, y):
            self.known_ = {tuple(row) for row in x.tolist()}
            return super().fit(x, y)

        def predict_proba(self, x):
            seen.append(any(tuple(row) in self.known_ for row in x.tolist()))
            return super().predict_proba(x)

    x, y, who = make_data(subjects=7)
    found = out_of_subject(Remembers(), x, y, who, 4)
    assert seen == [False] * 4
    assert np.isfinite(found).all()


def test_the_prior_is_that_of_the_subjects(fitted):
    x, y, who = make_data()
    probability = out_of_subject(LogisticRegression(), x, y, who, 5)
    rest = probability[:, fitted.classes_.tolist().index("rest")]
    log_odds = np.clip(np.log(1 - rest) - np.log(rest), -LIMIT, LIMIT)
    found = prior_of(log_odds, y != "rest", who)
    assert found.reference == pytest.approx(fitted.prior_.reference, abs=1e-3)
    assert fitted.prior_.subjects == 16
    assert fitted.prior_.known.amounts == (1.0, 4.0)  # each has 24 windows of rest
    places = [log_odds[(who == one) & (y == "rest")].mean() for one in np.unique(who)]
    assert fitted.prior_.reference_sd == pytest.approx(np.std(places, ddof=1), abs=1e-3)


def test_subjects_are_given_to_an_estimator_that_takes_them():
    small = ResidualSettings(width=8, blocks=(1,), kernel=3, groups=4, dropout=0.0)
    inner = SubjectContrastiveClassifier(encoder=small, epochs=2, random_state=0, device="cpu")
    rng = np.random.default_rng(0)
    y, who = np.tile(["rest", "fist"], 60), np.repeat(np.arange(6), 20)
    x = (rng.normal(size=(120, 1, 16)) + 2.0 * (y == "fist")[:, None, None]).astype(np.float32)
    found = make_classifier(inner, folds=2).fit(x, y, subjects=who)  # or there is a warning
    assert found.estimator_.validation_subjects_
    assert found.adapt(x[y == "rest"][:5]).known.amount == 5


def test_tables_pipelines_and_whole_numbers():
    x, y, who = make_data(classes=2)
    table, labels = pd.DataFrame(x, columns=["one", "other"]), (y == "rest").astype(int) * 7
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    found = make_classifier(inner, reference=np.int64(7)).fit(table, labels, subjects=who)
    eva = found.adapt(table[:5])
    assert eva.reference == 7
    assert eva.classes == (0, 7)
    assert SubjectBaseline.from_dict(json.loads(json.dumps(eva.to_dict()))) == eva
    assert set(found.predict(table, subject=eva)) == {0, 7}


def test_a_baseline_is_kept_as_json(fitted):
    x, y = new_subject(1.8)
    eva = fitted.adapt(x[:10], unlabelled=x, corrections=(x[:3], y[:3]))
    again = SubjectBaseline.from_dict(json.loads(json.dumps(eva.to_dict())))
    assert again == eva
    assert len(json.dumps(eva.to_dict())) < 500
    same = fitted.predict_proba(x, subject=again)
    assert same.tobytes() == fitted.predict_proba(x, subject=eva).tobytes()


def test_a_baseline_may_leave_out_what_is_empty(fitted):
    nobody = fitted.adapt()
    stated = {key: nobody.to_dict()[key] for key in ("reference", "classes", "classifier")}
    assert SubjectBaseline.from_dict(stated) == nobody


CHANGES = [
    ("known.amount", -5),
    ("known.amount", 1e300),
    ("known.amount", float("nan")),
    ("known.amount", "ten"),
    ("known.mean", LIMIT + 0.1),
    ("known.mean", -1e300),
    ("known.mean", float("nan")),
    ("known", None),
    ("known", {}),
    ("known.later", 1),
    ("known.mean", 10**400),
    ("unlabelled.amount", -1),
    ("unlabelled.amount", 2),  # 3 of them are surely rest
    ("unlabelled.sure.amount", -1),
    ("unlabelled.sure.amount", 6),  # of 5
    ("unlabelled.sure.mean", -LIMIT - 0.1),
    ("corrections", [{"target": True, "log_odds": 0.0}] * (MOST_CORRECTIONS + 1)),
    ("corrections", [{"target": 1, "log_odds": 0.0}]),
    ("corrections", [{"target": True, "log_odds": 1e300}]),
    ("corrections", [{"target": True, "log_odds": float("nan")}]),
    ("corrections", [{"target": True}]),
    ("corrections", 3),
    ("reference", "sleep"),
    ("classes", [[1], [2]]),
    ("classes", ["rest"]),
    ("classifier", 3),
    ("posterior", {}),  # of an earlier version
]


@pytest.mark.parametrize(("key", "value"), CHANGES, ids=lambda one: f"{one}"[:30])
def test_what_is_no_baseline_is_refused(fitted, key, value):
    stated = {
        **fitted.adapt().to_dict(),
        "known": {"amount": 4.0, "mean": -5.0},
        "unlabelled": {"amount": 5.0, "sure": {"amount": 3.0, "mean": -5.0}},
    }
    assert SubjectBaseline.from_dict(stated).known.amount == 4
    *outer, last = key.split(".")
    changed = stated
    for one in outer:
        changed = changed[one]
    changed[last] = value
    with refused(AdaptationError, "known" if value == 10**400 else key, "adapt"):
        SubjectBaseline.from_dict(stated)


@pytest.mark.parametrize("key", ["reference", "classes", "classifier"])
def test_what_a_baseline_needs(fitted, key):
    stated = fitted.adapt().to_dict()
    del stated[key]
    with refused(AdaptationError, key, "to_dict"):
        SubjectBaseline.from_dict(stated)


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"known": Evidence(2.0, 99.0)}, "known.mean"),
        ({"unlabelled": Unlabelled(1.0, Evidence(2.0, -5.0))}, "unlabelled.sure.amount"),
        ({"unlabelled": Unlabelled(-1.0)}, "unlabelled.amount"),
        ({"corrections": (Correction(True, np.inf),)}, "corrections.0.log_odds"),
        ({"corrections": (Correction(True, 0.0),) * 1001}, "corrections"),
        ({"reference": "sleep"}, "reference"),
    ],
)
def test_a_baseline_cannot_be_made_of_what_cannot_be(fitted, change, fact):
    with refused(AdaptationError, fact):
        replace(fitted.adapt(), **change)


def test_clone_and_pickle(fitted):
    x, _ = new_subject(1.8)
    eva = fitted.adapt(x[:10])
    again, baseline = pickle.loads(pickle.dumps((fitted, eva)))
    assert np.array_equal(again.predict_proba(x, baseline), fitted.predict_proba(x, eva))
    assert not hasattr(clone(fitted), "estimator_")
    assert clone(fitted).get_params().keys() == fitted.get_params().keys()
    assert clone(fitted).set_params(estimator__C=2.0, folds=3).get_params()["estimator__C"] == 2.0
    assert is_classifier(fitted)
    assert "reference='rest'" in repr(fitted)


def test_cross_validation_and_metadata_routing():
    x, y, who = make_data()
    scores = cross_val_score(
        make_classifier(), x, y, groups=who, cv=GroupKFold(2), params={"subjects": who}
    )
    assert scores.shape == (2,)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_val_score(
            make_classifier().set_fit_request(subjects=True),
            x,
            y,
            cv=GroupKFold(2),
            params={"subjects": who, "groups": who},
        )
    assert np.array_equal(scores, routed)


def test_it_must_be_fitted():
    x, y, _ = make_data(subjects=2)
    for call in ("predict", "predict_proba", "adapt"):
        with pytest.raises(NotFittedError):
            getattr(make_classifier(), call)(x)
    broken = make_classifier()
    with pytest.raises(AdaptationError):
        broken.fit(x, y)
    with pytest.raises(NotFittedError):
        broken.predict(x)


def test_what_cannot_be_fitted_is_said():
    x, y, who = make_data(subjects=8)
    with refused(AdaptationError, "'sleep'", "'rest'", "'fist'"):
        make_classifier(reference="sleep").fit(x, y, subjects=who)
    with refused(AdaptationError, "None"):
        make_classifier(reference=None).fit(x, y, subjects=who)
    with refused(AdaptationError, "'rest'", "another"):
        make_classifier().fit(x, np.full(len(x), "rest"), subjects=who)
    with refused(AdaptationError, "subjects="):
        make_classifier().fit(x, y)
    with refused(AdaptationError, 4, 5):
        make_classifier().fit(*(one[who < "person 04"] for one in (x, y, who)))
    with refused(AdaptationError, 8, 9):
        make_classifier(folds=9).fit(x, y, subjects=who)
    for folds in ("x", 2.5, 1, True, None):
        with refused(AdaptationError, "folds", repr(folds), 2):
            make_classifier(folds=folds).fit(x, y, subjects=who)
    with refused(AdaptationError, "predict_proba"):
        make_classifier(LinearSVC()).fit(x, y, subjects=who)
    with refused(ValueError, "inconsistent"):
        make_classifier().fit(x, y, subjects=who[1:])
    only = (y != "wave") | (who == "person 00")
    with refused(AdaptationError, "'wave'", "fold"):
        make_classifier().fit(*(one[only] for one in (x, y, who)))
    without = (y != "rest") | (who < "person 04")
    with refused(AdaptationError, 4, "reference"):
        make_classifier().fit(*(one[without] for one in (x, y, who)))


def test_unlabelled_windows_are_refused_where_nothing_is_sure():
    rng = np.random.default_rng(0)
    x, y, who = make_data(subjects=8)
    found = make_classifier().fit(0.1 * x + rng.normal(size=x.shape), y, subjects=who)
    assert found.prior_.unlabelled is None
    with refused(AdaptationError, "unlabelled", "'rest'"):
        found.adapt(unlabelled=x)
    assert found.adapt(x[:5]).posterior(found.prior_).changes


def test_a_baseline_of_another_classifier_is_refused(fitted):
    x, y, who = make_data(seed=1)
    others = make_classifier().fit(x, y, subjects=who)
    weaker = make_classifier(LogisticRegression(C=0.1)).fit(*make_data()[:2], make_data()[2])
    for other in (others, weaker):
        eva = other.adapt(x[:5])
        with refused(AdaptationError, "subject", "log odds", "adapt"):
            fitted.predict(x, subject=eva)
        with refused(AdaptationError, "baseline", "log odds", "adapt"):
            fitted.adapt(x[:5], baseline=eva)
        with refused(AdaptationError, "subject"):
            fitted.predict_proba(x, subject=other.adapt())  # empty, and still of another
    eva = fitted.adapt(x[:5])
    for wrong in (replace(eva, reference="fist"), replace(eva, classes=("fist", "rest"))):
        with refused(AdaptationError, "'wave'", "against 'rest'", "adapt"):
            fitted.predict_proba(x, subject=wrong)
        with refused(AdaptationError, "'wave'", "against 'rest'", "adapt"):
            fitted.adapt(baseline=wrong)


def test_the_same_fit_takes_the_baseline(fitted):
    x, y, who = make_data()
    again = make_classifier().fit(x, y, subjects=who)
    eva = fitted.adapt(x[:5])
    assert again.predict_proba(x, eva) == pytest.approx(fitted.predict_proba(x, eva), abs=1e-9)
