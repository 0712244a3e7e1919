"""The estimators: whose window it is, who is held out, and what `pacl train` would give."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import sklearn
import torch
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from torch import nn

from pacl import SubjectContrastiveClassifier, SubjectContrastiveEncoder, WindowSet
from pacl.estimators.fitting import TRAIN, VALIDATION, divided
from pacl.settings import Plan, ResidualSettings, SettingsError
from pacl.studies import train_run
from pacl.training import SamplerError, TrainingError
from support.refusals import refused

SMALL = ResidualSettings(width=8, blocks=(1,), kernel=3, pooled_features=16, projected_features=16)


def make_data(*, classes=2, channels=2, subjects=6, each=8, length=24, seed=0):
    """Windows whose mean differs by class, around a mean of each subject's own."""
    rng = np.random.default_rng(seed)
    y = np.tile(np.repeat(np.arange(classes), each), subjects)
    who = np.repeat([f"person {n}" for n in range(subjects)], classes * each)
    own = np.repeat(rng.normal(size=subjects), classes * each)
    x = rng.normal(size=(len(y), channels, length)) + (own + 2.0 * y)[:, None, None]
    return x.astype(np.float32), np.array(["rest", "fist", "wave", "point"])[y], who


def make_classifier(**settings):
    stated = {"encoder": SMALL, "epochs": 3, "lr": 1e-2, "random_state": 0, "device": "cpu"}
    return SubjectContrastiveClassifier(**stated | settings)


@pytest.mark.parametrize("classes", [2, 3])
def test_people_never_seen_are_classified(classes):
    x, y, who = make_data(classes=classes, subjects=8)
    known = who < "person 6"
    found = make_classifier(epochs=6).fit(x[known], y[known], subjects=who[known])
    assert found.classes_.tolist() == sorted(set(y))
    assert found.score(x[~known], y[~known]) > 1.3 / classes
    probability = found.predict_proba(x[~known])
    assert probability.shape == ((~known).sum(), classes)
    assert np.allclose(probability.sum(axis=1), 1)
    assert (found.predict(x) == found.classes_[found.predict_proba(x).argmax(axis=1)]).all()
    assert found.decision_function(x).shape == ((len(x),) if classes == 2 else (len(x), classes))


def test_embeddings_have_unit_length_and_are_those_of_the_network():
    x, y, who = make_data()
    found = SubjectContrastiveEncoder(encoder=SMALL, epochs=1, random_state=0)
    pooled = found.fit(x, y, subjects=who).transform(x)
    assert pooled.shape == (len(x), 16)
    assert np.allclose(np.linalg.norm(pooled, axis=1), 1, atol=1e-6)
    with torch.no_grad():
        assert np.array_equal(pooled, found.network_(torch.from_numpy(x)).pooled.numpy())
    assert found.get_feature_names_out()[-1] == "subjectcontrastiveencoder15"


def test_held_out_subjects_are_whole_and_choose_the_epoch():
    x, y, who = make_data(subjects=10)
    found = make_classifier(validation=0.3, epochs=4).fit(x, y, subjects=who)
    assert len(found.validation_subjects_) == 3
    assert set(found.validation_subjects_) < set(who)
    assert all(log.score is not None for log in found.history_)
    everybody = make_classifier(validation=0.0).fit(x, y, subjects=who)
    assert everybody.validation_subjects_ == ()
    assert [log.score for log in everybody.history_] == [None] * 3


def test_few_subjects_are_all_learned_from():
    x, y, who = make_data(subjects=3)
    assert make_classifier(epochs=1).fit(x, y, subjects=who).validation_subjects_ == ()


def test_without_subjects_there_is_a_warning():
    x, y, _ = make_data(subjects=2)
    with pytest.warns(UserWarning, match="subjects="):
        make_classifier(epochs=1).fit(x, y)


@pytest.mark.parametrize("kind", [SubjectContrastiveEncoder, SubjectContrastiveClassifier])
def test_embeddings_that_are_all_the_same_are_told(kind):
    x, y, who = make_data(subjects=3)
    made = kind(encoder=SMALL, epochs=1, random_state=0, device="cpu")
    with pytest.warns(UserWarning, match="collapsed.*lr"):
        made.fit(np.ones_like(x), y, subjects=who)


def test_classes_that_are_not_recognised_while_training_are_told():
    x, y, who = make_data(subjects=3)
    y[0] = 2  # a class of one window
    with pytest.warns(UserWarning, match="of 3 classes"):
        make_classifier(loss="cross-entropy", epochs=1, windows_per_class=1).fit(x, y, subjects=who)


def test_it_gives_what_train_gives(tmp_path):
    x, y, who = make_data(classes=3, channels=3, subjects=8)
    settings = {"subjects_per_batch": 3, "windows_per_class": 4, "weight_decay": 1e-2, "lr": 3e-3}
    seed = int(np.random.RandomState(7).randint(2**31 - 1))
    mine = make_classifier(random_state=7, **settings).fit(x, y, subjects=who)
    windows = divided(x, y, who, 0.2, seed)
    windows.write(tmp_path / "windows")
    plan = Plan.from_dict({"encoder": {"name": "residual"}, "seed": seed})
    plan = replace(
        plan,
        encoder=SMALL,
        sampler=replace(plan.sampler, subjects=3, windows=4, one_class=True),
        train=replace(plan.train, lr=3e-3, weight_decay=1e-2, epochs=3),
    )
    run = train_run(tmp_path / "windows", tmp_path / "run", plan, device="cpu")
    theirs = run.encoder(torch.device("cpu")).state_dict()
    for name, tensor in mine.network_.state_dict().items():
        assert torch.equal(tensor, theirs[name]), name
    known = windows.part(TRAIN)
    theirs = run.probe().probability(mine.transform(known.take()))
    assert np.allclose(mine.predict_proba(known.take()), theirs, atol=1e-6)
    assert windows.part(VALIDATION).table.subject.present() == mine.validation_subjects_


def test_the_seed_decides():
    x, y, who = make_data()
    one, same, other = (
        make_classifier(random_state=seed, epochs=1).fit(x, y, subjects=who).transform(x)
        for seed in (0, 0, 1)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_clone_and_pickle():
    x, y, who = make_data()
    found = make_classifier(epochs=1).fit(x, y, subjects=who)
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.predict_proba(x), found.predict_proba(x))
    assert not hasattr(clone(found), "network_")
    assert clone(found).get_params() == found.get_params()


def test_cross_validation_by_subject_in_two_processes():
    x, y, who = make_data(subjects=6)
    scores = cross_val_score(
        make_classifier(epochs=1),
        x,
        y,
        groups=who,
        cv=GroupKFold(3),
        params={"subjects": who},
        n_jobs=2,
    )
    assert scores.shape == (3,)


def test_metadata_routing_in_a_pipeline_and_a_search():
    x, y, who = make_data(subjects=6)
    with sklearn.config_context(enable_metadata_routing=True):
        encoder = SubjectContrastiveEncoder(encoder=SMALL, epochs=1, random_state=0)
        pipeline = make_pipeline(encoder.set_fit_request(subjects=True), LogisticRegression())
        scores = cross_val_score(
            pipeline, x, y, cv=GroupKFold(2), params={"subjects": who, "groups": who}
        )
        search = GridSearchCV(
            make_classifier(epochs=1).set_fit_request(subjects=True),
            {"lr": [1e-3, 1e-2]},
            cv=GroupKFold(2),
        ).fit(x, y, subjects=who, groups=who)
    assert scores.shape == (2,)
    assert search.best_params_["lr"] in (1e-3, 1e-2)


def test_any_module_is_an_encoder():
    def make(channels: int) -> nn.Module:
        return nn.Sequential(
            nn.Conv1d(channels, 12, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten()
        )

    x, y, who = make_data()
    found = make_classifier(encoder=make, epochs=1).fit(x, y, subjects=who)
    assert found.transform(x).shape == (len(x), 12)
    again = make_classifier(encoder=make, epochs=1).fit(x, y, subjects=who)
    assert np.array_equal(again.transform(x), found.transform(x))


@pytest.mark.parametrize("loss", ["supcon", "cross-entropy"])
def test_other_losses(loss):
    x, y, who = make_data(classes=3)
    assert make_classifier(loss=loss, epochs=1).fit(x, y, subjects=who).score(x, y) > 0


def test_windows_of_another_shape_are_refused():
    x, y, who = make_data()
    found = make_classifier(epochs=1).fit(x, y, subjects=who)
    with refused(ValueError, "2 channels x 20 samples", "2 x 24"):
        found.transform(x[..., :20])
    with refused(ValueError, "4 axes"):
        make_classifier().fit(x[..., None], y, subjects=who)


def test_what_cannot_be_fitted_is_said():
    x, y, who = make_data()
    with refused(ValueError, "1 class", "rest"):
        make_classifier().fit(x, np.full(len(x), "rest"), subjects=who)
    with refused(ValueError, "inconsistent"):
        make_classifier().fit(x, y, subjects=who[1:])
    with refused(ValueError, "validation", 1.5):
        make_classifier(validation=1.5).fit(x, y, subjects=who)
    for wrong in ({"epochs": 0}, {"lr": -1.0}):
        with refused(SettingsError, *wrong):
            make_classifier(**wrong).fit(x, y, subjects=who)
    with refused(SamplerError, "a batch needs 50"):
        make_classifier(subjects_per_batch=50).fit(x, y, subjects=who)
    with refused(TrainingError, "nowhere"):
        make_classifier(device="nowhere").fit(x, y, subjects=who)


def test_subjects_may_be_numbers():
    x, y, who = make_data()
    numbers = np.unique(who, return_inverse=True)[1]
    found = make_classifier(epochs=1).fit(x, y, subjects=numbers)
    assert isinstance(WindowSet.from_arrays(x, y, numbers), WindowSet)
    assert set(found.validation_subjects_) <= set(map(str, range(6)))
