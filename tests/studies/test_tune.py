"""A search tries settings, keeps the best, and goes on from wherever it was stopped."""

import csv
import json
import tomllib
from dataclasses import replace
from functools import cache

import optuna
import pytest

from pacl.cli.config import settle
from pacl.errors import PaclError
from pacl.studies import Plan, RunError
from pacl.studies.errors import TuningError
from pacl.studies.tuning import SPACES, Range, WindowsAsCut, best_so_far, space, study, tune
from pacl.studies.tuning.attempt import Attempt
from pacl.training import SamplerError
from support.refusals import refused
from support.reports import reporting
from support.small_runs import PLAN, place, plan, small_run, small_windows


def search(target, base=PLAN, **options):
    return tune(WindowsAsCut(small_windows()), target, base, **{"device": "cpu"} | options)


@cache
def usual():
    """A search as nobody interrupts it; not to be changed."""
    return search(place() / "tuned", trials=11)


def timeless(outcome):
    """Trials without how long they took."""
    return [replace(trial, seconds=0.0) for trial in outcome.tried]


def rows_of(folder):
    return list(csv.DictReader((folder / "trials.csv").read_text().splitlines()))


def test_the_first_trial_is_the_run_of_the_base_settings_to_the_bit():
    first = usual().tried[0]
    assert first.settings == {"train.lr": PLAN.train.lr, "objective.temperature": 0.05}
    scores = [epoch["score"] for epoch in small_run().history()]
    assert first.value == max(scores)
    assert (first.number, first.ended, first.epochs) == (1, "finished", 3)


def test_what_is_tried_lies_in_the_space_and_nothing_twice():
    for trial in usual().tried:
        for dimension in SPACES["fair"]:
            assert dimension.low <= trial.settings[dimension.key] <= dimension.high
    assert len({trial.settings["train.lr"] for trial in usual().tried}) == 11


def test_the_best_is_kept_as_settings_that_training_takes(tmp_path):
    best = usual().best
    values = [trial.value for trial in usual().tried if trial.ended == "finished"]
    assert best.value == max(values) >= values[0]
    kept = place() / "tuned" / "best.toml"
    chosen = settle(Plan, kept, None)
    assert chosen == replace(
        PLAN,
        objective=replace(PLAN.objective, temperature=best.settings["objective.temperature"]),
        train=replace(PLAN.train, lr=best.settings["train.lr"]),
    )
    assert kept.read_text().startswith("# subject-aware, best of 11 trials in the fair space: ")
    assert not (kept.parent / "prepare.toml").exists()


def test_every_trial_is_a_row():
    tried = usual().tried
    rows = rows_of(place() / "tuned")
    assert [int(row["trial"]) for row in rows] == list(range(1, 12))
    for row, trial in zip(rows, tried, strict=True):
        assert row["ended"] == trial.ended
        assert row["validation_auroc"] == ("" if trial.value is None else repr(trial.value))
        assert float(row["train.lr"]) == trial.settings["train.lr"]
        assert int(row["epochs"]) == trial.epochs
        assert row["reason"] == trial.reason


def test_importances_are_shares_of_what_finished():
    assert set(usual().importances) == {"train.lr", "objective.temperature"}
    assert sum(usual().importances.values()) == pytest.approx(1)
    assert list(usual().importances.values()) == sorted(usual().importances.values(), reverse=True)


def test_the_best_so_far_never_falls():
    so_far = best_so_far(usual().tried)
    assert so_far == sorted(so_far)
    assert so_far[-1] == usual().best.value


def test_a_search_goes_on_up_to_so_many_trials_in_all(tmp_path):
    told = []
    report = reporting(on_trial=lambda trial, outcome: told.append(trial.number))
    search(tmp_path, trials=4, report=report)
    outcome = search(tmp_path, trials=11, report=report)
    assert told == list(range(1, 12))
    assert timeless(outcome) == timeless(usual())
    for file in ("best.toml", "study.json"):
        assert (tmp_path / file).read_bytes() == (place() / "tuned" / file).read_bytes()
    again = search(tmp_path, trials=11, report=report)
    assert len(told) == 11
    assert again == outcome


@pytest.mark.parametrize(("at", "at_once"), [(2, 4)])
@pytest.mark.slow
def test_a_search_stopped_in_mid_trial_tries_the_same_again(tmp_path, monkeypatch, at, at_once):
    whole = usual() if at_once == 1 else search(tmp_path / "whole", trials=8, at_once=4)
    note, begun = Attempt.note, set()

    def stopping(self, run, log):
        begun.add(self.trial.number)
        if len(begun) > at and log.epoch == 2:
            raise KeyboardInterrupt
        note(self, run, log)

    with monkeypatch.context() as patched:
        patched.setattr(Attempt, "note", stopping)
        with pytest.raises(KeyboardInterrupt):
            search(tmp_path / "stopped", trials=len(whole.tried), at_once=at_once)
    assert [path.name for path in (tmp_path / "stopped").glob(".*.worker")] == []
    outcome = search(tmp_path / "stopped", trials=len(whole.tried), at_once=at_once)
    assert timeless(outcome) == timeless(whole)


@pytest.mark.slow
def test_trials_side_by_side_are_what_they_are_alone(tmp_path):
    outcome = search(tmp_path, trials=6, at_once=3)
    for trial, alone in zip(outcome.tried, usual().tried, strict=False):
        assert trial.settings == alone.settings  # the first ten are drawn at random
        assert trial.ended == alone.ended
        assert trial.value == pytest.approx(alone.value, abs=2e-3)


def test_of_several_seeds_the_mean_counts(tmp_path):
    outcome = search(tmp_path / "both", trials=2, seeds=2)
    alone = [
        search(tmp_path / str(seed), plan(seed=seed), trials=1).tried[0].value for seed in (1, 2)
    ]
    assert outcome.tried[0].value == pytest.approx(sum(alone) / 2, abs=2e-3)
    [kept] = optuna.get_all_study_names(storage_of(tmp_path / "both"))
    trial = optuna.load_study(study_name=kept, storage=storage_of(tmp_path / "both")).trials[0]
    assert trial.user_attrs["scores"] == pytest.approx(alone, abs=2e-3)
    assert tomllib.loads((tmp_path / "both" / "best.toml").read_text())["seed"] == 1


def storage_of(folder):
    from pacl.studies.tuning.journal import open_journal

    return open_journal(folder / "journal.log")


@pytest.mark.parametrize("at_once", [1, 3])
def test_trials_that_run_away_are_worth_nothing_and_say_why(tmp_path, monkeypatch, at_once):
    wild = Range("train.lr", 1e29, 1e30)
    monkeypatch.setattr(space, "SPACES", {"fair": (wild,)})
    base = replace(PLAN, encoder=replace(PLAN.encoder, norm="none"))
    outcome = search(tmp_path, base, trials=3, at_once=at_once)
    assert outcome.count() == {"finished": 0, "pruned": 0, "failed": 3}
    assert outcome.best is None
    assert outcome.importances == {}
    for row in rows_of(tmp_path):
        assert row["validation_auroc"] == ""
        assert "lower the learning rate (it was" in row["reason"]
    assert not (tmp_path / "best.toml").exists()
    [name] = optuna.get_all_study_names(storage_of(tmp_path))
    assert [
        t.value for t in optuna.load_study(study_name=name, storage=storage_of(tmp_path)).trials
    ] == [0.0] * 3


def test_trials_that_collapse_are_worth_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.training.epoch_log.COLLAPSED", 2.0)  # any embeddings are a point
    [trial] = search(tmp_path / "again", trials=1).tried
    assert (trial.ended, trial.value) == ("failed", None)
    assert trial.reason.endswith(": pooled and projected embeddings collapsed")
    [trial] = search(tmp_path / "bce", plan(loss="bce"), trials=1).tried
    assert trial.reason.endswith(": pooled embeddings collapsed")


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_trial_that_others_are_better_than_is_pruned(tmp_path, monkeypatch, at_once):
    def after_two(name):
        return optuna.pruners.ThresholdPruner(lower=2.0, n_warmup_steps=2)

    monkeypatch.setattr(study, "_pruner", after_two)
    outcome = search(tmp_path, trials=2, at_once=at_once)
    assert [(trial.ended, trial.epochs) for trial in outcome.tried] == [("pruned", 2)] * 2
    assert all(trial.value is not None for trial in outcome.tried)
    assert outcome.best is None


@pytest.mark.parametrize("name", ["median", "halving", "none"])
def test_every_pruner_can_be_asked_for(tmp_path, name):
    outcome = search(tmp_path, plan(epochs=3), trials=3, pruner=name)
    assert len(outcome.tried) == 3
    if name == "none":
        assert outcome.count()["pruned"] == 0


def test_a_trial_that_cannot_begin_has_failed_and_the_next_is_tried(tmp_path, monkeypatch):
    crowd = space.Choice("sampler.subjects", (2, 100))
    monkeypatch.setattr(space, "SPACES", {"full": (crowd,)})
    monkeypatch.setattr(space, "replace", lambda dimension, **changes: dimension)
    outcome = search(tmp_path, trials=6, space="full")
    assert {t.settings["sampler.subjects"]: t.ended for t in outcome.tried} == {
        2: "finished",
        100: "failed",
    }
    failed = next(trial for trial in outcome.tried if trial.ended == "failed")
    assert "a batch needs 100" in failed.reason
    assert failed.epochs == 0


def test_base_settings_that_cannot_be_trained_are_refused_at_once(tmp_path):
    base = replace(PLAN, sampler=replace(PLAN.sampler, subjects=50))
    with refused(SamplerError, 50):
        search(tmp_path / "study", base)
    assert not (tmp_path / "study").exists()


def test_another_search_in_the_same_folder_is_refused(tmp_path):
    search(tmp_path, trials=1)
    with refused(RunError, tmp_path, "space fair / full", "train.epochs 3 / 4"):
        search(tmp_path, plan(epochs=4), trials=1, space="full")
    (tmp_path / "study.json").write_text("[]")
    with refused(RunError, tmp_path / "study.json"):
        search(tmp_path, trials=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"space": "wide"}, "'wide'"),
        ({"trials": 0}, "trials is 0"),
        ({"seeds": 0}, "seeds is 0"),
        ({"at_once": 0}, "at_once is 0"),
        ({"storage": "nosuchdb://x"}, "nosuchdb://x"),
        ({"device": "tpu9"}, "tpu9"),
    ],
)
def test_what_cannot_be_asked_for_is_told(tmp_path, options, message):
    with refused(PaclError, message):
        search(tmp_path, **options)


def test_without_optuna_its_absence_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with refused(TuningError, "Optuna", "pacl[train]"):
        search(tmp_path)


def test_no_trial_begins_after_the_time_is_up(tmp_path):
    outcome = search(tmp_path, trials=3, timeout_s=0.0)
    assert outcome.tried == ()
    assert rows_of(tmp_path) == []


@pytest.mark.slow
def test_workers_elsewhere_share_a_study_by_its_url(tmp_path):
    url = f"sqlite:///{tmp_path / 'study.db'}"
    search(tmp_path / "here", trials=2, storage=url)
    outcome = search(tmp_path / "there", trials=4, storage=url)
    assert timeless(outcome) == timeless(usual())[:4]
    assert not (tmp_path / "here" / "journal.log").exists()
    other = search(tmp_path / "other", plan(epochs=2), trials=1, storage=url)
    assert len(other.tried) == 1  # a study of its own


def test_of_cross_entropy_only_the_rate_is_tuned(tmp_path):
    outcome = search(tmp_path, plan(loss="bce"), trials=2)
    assert [set(trial.settings) for trial in outcome.tried] == [{"train.lr"}] * 2


def test_the_full_space_changes_the_encoder_and_the_batch(tmp_path):
    base = replace(plan(epochs=1), encoder=Plan().encoder)
    outcome = search(tmp_path, base, trials=5, space="full", at_once=2)
    assert len(outcome.tried) == 5
    for trial in outcome.tried:
        assert not [key for key in trial.settings if key.startswith("window.")]
        assert trial.settings["sampler.subjects"] <= 6
    assert len({trial.settings["encoder.channels"] for trial in outcome.tried}) > 1
    chosen = settle(Plan, tmp_path / "best.toml", None)
    assert chosen.encoder.channels == outcome.best.settings["encoder.channels"]


def test_what_the_study_is_about_is_kept(tmp_path):
    loss = usual().loss
    about = json.loads((place() / "tuned" / "study.json").read_text())
    assert loss == about["loss"] == "subject-aware"
    assert (about["seeds"], about["train.epochs"], about["window.window_beats"]) == (1, 3, 40)
