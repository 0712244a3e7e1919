"""Runs trained as a fleet leave the folders they would leave alone, however often interrupted."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from pacl.atomic_write import TargetError
from pacl.objectives import ObjectiveError
from pacl.rr import RRAugmentationSettings, RRWindowSet
from pacl.settings import NoAugmentation
from pacl.studies import ObjectiveSettings, RunError, RunFolder, SamplerSettings, train_run
from pacl.studies.fleet import train_fleet
from pacl.studies.gpus import Job, shares, train_fleets
from pacl.studies.progress import SILENT
from pacl.studies.scheduler import train_runs
from pacl.training import TrainingError, load_checkpoint
from pacl.window_sets import divide_folds
from support.refusals import refused
from support.reports import reporting
from support.small_runs import (
    PLAN,
    files_of,
    place,
    plan,
    rewritten,
    same_but_for_time,
    small_run,
    small_windows,
    timeless,
)

PLANS = {
    "aware-1": PLAN,
    "supcon-2": plan(seed=2, loss="supcon", epochs=2),
    "bce-on-z": replace(
        plan(seed=4, loss="bce"), objective=ObjectiveSettings(head_on="pooled_raw")
    ),
}


def train(target, plans=PLANS, *, windows=None, **options):
    return train_fleet(windows or small_windows(), target, plans, device="cpu", **options)


@cache
def usual():
    """The fleet as nobody interrupts it; not to be changed."""
    return train(place() / "fleet")


def stop_after(epochs):
    def tell(logs):
        if max(log.epoch for log in logs.values()) == epochs:
            raise KeyboardInterrupt

    return tell


def numbers(values, prefix=""):
    """Every number in nested JSON, by where it is."""
    if isinstance(values, dict | list):
        inner = values.items() if isinstance(values, dict) else enumerate(values)
        return {k: v for key, value in inner for k, v in numbers(value, f"{prefix}/{key}").items()}
    return {prefix: values}


def close(found, expected, within):
    mine, theirs = numbers(found), numbers(expected)
    assert mine.keys() == theirs.keys()
    for key, value in theirs.items():
        if isinstance(value, float) and value is not None:
            assert mine[key] == pytest.approx(value, rel=within, abs=within, nan_ok=True), key
        else:
            assert mine[key] == value, key


def check_like(run, alone, within=1e-3):
    """The same files; settings to the bit, numbers as near as single precision stays.

    Weights are not compared: normalisation takes away what a convolution's bias adds, so that its
    gradient is nothing but rounding, which AdamW makes large. tests/training compares them in
    double precision.
    """
    mine, theirs = files_of(run.path), files_of(alone.path)
    assert mine.keys() == theirs.keys()
    for name in ("config.json", "windows.json"):
        assert mine[name] == theirs[name]
    close(timeless(run.history()), timeless(alone.history()), within)
    assert run.encoder().config == alone.encoder().config
    close(run.probe().to_dict(), alone.probe().to_dict(), 10 * within)
    assert run.evaluations().keys() == alone.evaluations().keys()
    for part in alone.evaluations():
        judged, expected = run.evaluated(part), alone.evaluated(part)
        assert np.array_equal(judged.embeddings.labels, expected.embeddings.labels)
        for name in ("pooled", "projected"):
            ours, others = (getattr(x.embeddings, name) for x in (judged, expected))
            assert np.allclose(ours, others, rtol=0, atol=10 * within)
        assert np.allclose(judged.probability, expected.probability, rtol=0, atol=within)


def check_bits(run, expected):
    """The same to the bit, but for times, and for spreads: their sums depend on the row a run has.

    It is told and never used, and differs in the last bit.
    """
    mine, theirs = files_of(run.path), files_of(expected.path)
    assert mine.keys() == theirs.keys()
    assert [n for n in mine if mine[n] != theirs[n] and n != "metrics.jsonl"] == []
    spreads = ("pooled_spread", "projected_spread")
    for epoch, other in zip(timeless(run.history()), timeless(expected.history()), strict=True):
        assert [epoch.pop(name) for name in spreads] == pytest.approx(
            [other.pop(name) for name in spreads], rel=1e-6
        )
        assert epoch == other


def test_each_run_leaves_the_folder_it_would_leave_alone():
    assert list(usual()) == list(PLANS)
    for name, run in usual().items():
        assert run.path == place() / "fleet" / name
        assert run.finished
        assert run.plan == PLANS[name]
        target = place() / f"alone-{name}"
        check_like(run, train_run(small_windows(), target, PLANS[name], device="cpu"))
    assert [len(run.history()) for run in usual().values()] == [3, 2, 3]


def test_a_fleet_of_one_is_a_run(tmp_path):
    runs = train(tmp_path, {"only": PLAN})
    check_like(runs["only"], small_run())


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_a_fleet_stopped_between_epochs_goes_on_to_the_bit(tmp_path, epochs):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, save_every_s=0.0, on_epoch=stop_after(epochs))
    begun = RunFolder.open(tmp_path / "aware-1")
    assert not begun.finished
    assert [epoch["epoch"] for epoch in begun.history()] == list(range(1, epochs + 1))
    assert len(RunFolder.open(tmp_path / "supcon-2").history()) == min(epochs, 2)
    told = []
    runs = train(tmp_path, resume=True, on_epoch=told.append)
    assert len(told) == 3 - epochs
    for name, run in runs.items():
        assert run.finished
        check_bits(run, usual()[name])


def test_what_was_not_saved_is_trained_again_to_the_bit(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, save_every_s=1e9, on_epoch=stop_after(2))
    assert not (tmp_path / "aware-1" / "checkpoint.pt").exists()
    for name, run in train(tmp_path, resume=True).items():
        assert same_but_for_time(run.path, usual()[name].path)


@pytest.mark.parametrize(("step", "at"), [("write_model", 0), ("write_evaluated", 2)])
def test_a_fleet_stopped_while_it_is_judged_goes_on_to_the_bit(tmp_path, monkeypatch, step, at):
    usual_step, stopped = getattr(RunFolder, step), list(PLANS)[at]

    def stopping(self, *args, **more):
        if self.path.name == stopped:
            raise KeyboardInterrupt
        return usual_step(self, *args, **more)

    with monkeypatch.context() as patched:
        patched.setattr(RunFolder, step, stopping)
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path)
    assert [RunFolder.open(tmp_path / n).finished for n in PLANS] == [n < at for n in range(3)]
    told = []
    runs = train(tmp_path, resume=True, on_epoch=told.append)
    assert told == []
    for name, run in runs.items():
        assert same_but_for_time(run.path, usual()[name].path)


def test_each_save_leaves_all_that_a_run_needs(tmp_path):
    seen = []

    def tell(logs):
        for name in PLANS:
            state = load_checkpoint(tmp_path / name / "checkpoint.pt")
            history = RunFolder.open(tmp_path / name).history()
            assert [epoch["epoch"] for epoch in history] == list(range(1, len(history) + 1))
            assert state["history"] == history
            assert state["trainer"]["epoch"] == len(history)
            seen.append((name, len(history)))

    train(tmp_path, save_every_s=0.0, on_epoch=tell)
    assert ("aware-1", 3) in seen
    assert ("aware-1", 1) in seen
    assert not list(tmp_path.glob("*/checkpoint.pt"))


def test_a_run_of_the_fleet_can_go_on_alone(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, save_every_s=0.0, on_epoch=stop_after(1))
    for name, chosen in PLANS.items():
        run = train_run(small_windows(), tmp_path / name, chosen, device="cpu", resume=True)
        assert run.finished
        check_like(run, usual()[name])


def test_runs_begun_alone_can_go_on_in_a_fleet(tmp_path):
    def stop(log, trainer):
        if log.epoch == 1:
            raise KeyboardInterrupt

    for name in ("aware-1", "bce-on-z"):
        with pytest.raises(KeyboardInterrupt):
            train_run(small_windows(), tmp_path / name, PLANS[name], device="cpu", on_epoch=stop)
    told = []
    for name, run in train(tmp_path, resume=True, on_epoch=told.append).items():
        check_like(run, usual()[name])
    assert told[0]["aware-1"].epoch == 2
    assert told[0]["supcon-2"].epoch == 1


def test_finished_runs_are_left_alone(tmp_path):
    first = train_run(small_windows(), tmp_path / "aware-1", PLAN, device="cpu")
    before = files_of(first.path)
    times = {name: (first.path / name).stat().st_mtime_ns for name in before}
    told = []
    runs = train(tmp_path, resume=True, on_epoch=told.append)
    assert all("aware-1" not in logs for logs in told)
    assert runs["aware-1"] == first
    assert {name: (first.path / name).stat().st_mtime_ns for name in before} == times
    check_like(runs["bce-on-z"], usual()["bce-on-z"])
    told.clear()
    again = train(tmp_path, resume=True, on_epoch=told.append)
    assert told == []
    assert again == runs
    assert files_of(first.path) == before


def test_other_settings_and_other_windows_are_refused(tmp_path):
    plans = {"run": PLAN}
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, plans, save_every_s=0.0, on_epoch=stop_after(1))
    with refused(RunError, tmp_path / "run", "seed 1 / 7"):
        train(tmp_path, {"run": plan(seed=7)}, resume=True)
    with refused(RunError, tmp_path / "run", "windows "):
        train(tmp_path, plans, windows=small_windows(split=2), resume=True)


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "aware-1").mkdir()
    (tmp_path / "aware-1" / "thesis.txt").write_text("mine")
    with refused(TargetError, "aware-1"):
        train(tmp_path)
    assert files_of(tmp_path) == {"aware-1/thesis.txt": b"mine"}


def test_plans_that_cannot_share_a_program_are_refused(tmp_path):
    other = replace(PLAN, encoder=replace(PLAN.encoder, pooled_features=16))
    with refused(TrainingError, "one", "other", "encoder"):
        train(tmp_path, {"one": PLAN, "other": other})
    assert files_of(tmp_path) == {}
    with refused(RunError, tmp_path):
        train(tmp_path, {"../one": PLAN})


def test_a_run_that_diverges_is_named(tmp_path):
    none = replace(PLAN.encoder, norm="none")
    plans = {
        "calm": replace(PLAN, encoder=none),
        "wild": replace(plan(lr=1e30), encoder=none),
    }
    with refused(RunError, "1 of 2", "wild", "epoch 1"):
        train(tmp_path, plans)
    assert RunFolder.open(tmp_path / "calm").finished  # nobody suffers for another
    assert not RunFolder.open(tmp_path / "wild").trained


def test_windows_that_cannot_be_judged_on_are_refused_before_anything_is_written(tmp_path):
    windows = rewritten(
        small_windows(),
        tmp_path / "windows",
        lambda w: w.select(~(w.table.split.is_("test") & (w.table.rhythm == 1))),
    )
    with refused(RunError, "test", "no AF"):
        train(tmp_path / "runs", windows=windows)
    assert not (tmp_path / "runs").exists()


def test_test_patients_never_reach_the_training(tmp_path):
    def other_labels(windows):
        table, rows = windows.table, windows.table.split.is_("test")
        turned = np.where(rows, 1 - table.rhythm, table.rhythm).astype(np.int8)
        scale = np.where(rows, 1e-3, table.scale_ms).astype(np.float32)
        return replace(windows, table=replace(table, rhythm=turned, scale_ms=scale))

    windows = rewritten(small_windows(), tmp_path / "windows", other_labels)
    assert len(RRWindowSet.open(windows)) == len(RRWindowSet.open(small_windows()))
    for name, run in train(tmp_path / "runs", windows=windows).items():
        expected = usual()[name]
        for file in ("model.safetensors", "probe.json", "validation/evaluation.json"):
            assert (run.path / file).read_bytes() == (expected.path / file).read_bytes()
        assert timeless(run.history()) == timeless(expected.history())


def test_the_same_fleet_gives_the_same_bits_and_tells_each_epoch_by_name(tmp_path):
    np.random.seed(5)  # noqa: NPY002 - it is what others may have done
    torch.manual_seed(5)
    states = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    told = []
    for name, run in train(tmp_path, on_epoch=told.append).items():
        assert same_but_for_time(run.path, usual()[name].path)
        scores = [logs[name].score for logs in told if name in logs]
        assert scores == [epoch["score"] for epoch in run.history()]
    assert [list(logs) for logs in told] == [list(PLANS)] * 2 + [["aware-1", "bce-on-z"]]
    assert np.array_equal(np.random.get_state()[1], states[0][1])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), states[1])


def test_folds_train_in_one_fleet_each_on_its_own_windows(tmp_path):
    folds = divide_folds(small_windows(), tmp_path / "folds", folds=3, seed=5)
    plans = {f"fold-{fold}": PLAN for fold in folds}
    windows = {f"fold-{fold}": path for fold, path in folds.items()}
    judged = []
    runs = train(tmp_path / "fleet", plans, windows=windows, on_finished=judged.append)
    assert judged == list(plans)
    for name, run in runs.items():
        alone = train_run(windows[name], tmp_path / "alone" / name, PLAN, device="cpu")
        check_like(run, alone)
        assert run.origin.path == str(windows[name].resolve())
    tested = [run.evaluated("test").embeddings.table.subject.present() for run in runs.values()]
    assert len(set().union(*tested)) == sum(map(len, tested))


def test_a_run_without_windows_is_named(tmp_path):
    with refused(RunError, "aware-1, bce-on-z"):
        train(tmp_path / "fleet", windows={"supcon-2": small_windows()})
    assert not (tmp_path / "fleet").exists()


# ---------------------------------------------------------------- nothing chosen, and faults

KEPT = replace(
    PLAN,
    sampler=SamplerSettings(subjects=2, windows=4, one_class=True, turns=3),
    encoder=replace(PLAN.encoder, view="relative"),
    augmentation=RRAugmentationSettings(faults=0.5),
    train=replace(PLAN.train, keep="last"),
)
LAST = {
    "aware": KEPT,
    "supcon": replace(KEPT, seed=2, loss="supcon", train=replace(KEPT.train, epochs=2)),
}


def windows_in_ms(*lacking):
    """The small windows, scaled by nobody and without some parts."""

    def unscaled(windows):
        kept = [~windows.table.split.is_(part) for part in lacking]
        windows = windows.select(np.all([np.ones(len(windows), dtype=bool), *kept], axis=0))
        nothing = np.zeros(len(windows), np.float32)
        table = replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1)
        return replace(windows, table=table)

    path = place() / "-".join(["fleet-windows-in-ms", *lacking])
    return path if path.exists() else rewritten(small_windows(), path, unscaled)


@cache
def last():
    """A fleet whose runs keep their last weights, without validation; not to be changed."""
    return train(place() / "last-fleet", LAST, windows=windows_in_ms("validation"))


def test_runs_that_keep_their_last_weights_leave_the_folders_they_would_alone(tmp_path):
    for name, run in last().items():
        assert run.finished
        assert [epoch["score"] for epoch in run.history()] == [None] * LAST[name].train.epochs
        assert list(run.evaluations()) == ["test"]
        windows = windows_in_ms("validation")
        check_like(run, train_run(windows, tmp_path / name, LAST[name], device="cpu"))


def test_a_fleet_without_anybody_to_judge_on_is_finished(tmp_path):
    for name, run in train(tmp_path, LAST, windows=windows_in_ms("validation", "test")).items():
        assert run.finished
        assert run.evaluations() == {}
        for file in ("model.safetensors", "probe.json"):
            assert (run.path / file).read_bytes() == (last()[name].path / file).read_bytes()


def test_a_fleet_with_faults_goes_on_to_the_bit(tmp_path):
    windows = windows_in_ms("validation")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, LAST, windows=windows, save_every_s=0.0, on_epoch=stop_after(1))
    told = []
    runs = train(tmp_path, LAST, windows=windows, resume=True, on_epoch=told.append)
    assert [log.score for logs in told for log in logs.values()] == [None] * 3
    for name, run in runs.items():
        check_bits(run, last()[name])


def test_runs_that_are_chosen_and_runs_that_are_not_make_no_fleet(tmp_path):
    best = replace(KEPT, train=replace(KEPT.train, keep="best"))
    with refused(TrainingError, "one", "other", "score"):
        train(tmp_path / "runs", {"one": KEPT, "other": best}, windows=windows_in_ms())
    fewer = replace(KEPT, augmentation=RRAugmentationSettings(faults=0.1))
    with refused(TrainingError, "one", "other", "augmentation"):
        train(tmp_path / "runs", {"one": KEPT, "other": fewer}, windows=windows_in_ms())
    assert not (tmp_path / "runs").exists()


def test_without_validation_only_last_weights_can_be_kept(tmp_path):
    best = replace(KEPT, train=replace(KEPT.train, keep="best"))
    with refused(RunError, "validation", "no SR", "no AF"):
        train(tmp_path / "runs", {"one": best}, windows=windows_in_ms("validation"))
    assert not (tmp_path / "runs").exists()


def test_many_runs_that_keep_their_last_weights(tmp_path):
    windows, told, judged = windows_in_ms("validation"), [], []
    jobs = {name: Job(windows, chosen) for name, chosen in LAST.items()}
    runs = train_runs(
        jobs,
        tmp_path / "many",
        device="cpu",
        processes=2,
        report=reporting(
            on_epoch=lambda name, log: told.append((name, log.epoch, log.score)),
            on_finished=judged.append,
        ),
    )
    assert sorted(told) == [
        *(("aware", epoch, None) for epoch in (1, 2, 3)),
        *(("supcon", epoch, None) for epoch in (1, 2)),
    ]
    assert sorted(judged) == ["aware", "supcon"]
    for name, run in runs.items():
        alone = train_run(windows, tmp_path / name, LAST[name], device="cpu")
        assert same_but_for_time(run.path, alone.path)
    judged.clear()
    train_runs(jobs, tmp_path / "many", device="cpu", report=reporting(on_finished=judged.append))
    assert judged == ["aware", "supcon"]  # they were there


def test_many_runs_that_cannot_share_a_program_go_into_fleets_of_their_own(tmp_path, monkeypatch):
    """As on a GPU; the fleets themselves are trained here."""
    fleets = []

    def train_here(windows, target, plans, **options):
        fleets.append(sorted(plans))
        return train_fleet(windows, target, plans, **options | {"device": "cpu"})

    monkeypatch.setattr("pacl.studies.scheduler.usable_device", lambda device: torch.device("cuda"))
    monkeypatch.setattr("pacl.studies.scheduler.gpus_of", lambda device: ("cuda:0",))
    monkeypatch.setattr("pacl.studies.gpus.train_fleet", train_here)
    once = replace(KEPT, train=replace(KEPT.train, epochs=1))
    plans = {
        "last": once,
        "again": replace(once, seed=2),
        "best": replace(once, train=replace(once.train, keep="best")),
        "without": replace(once, augmentation=NoAugmentation()),
        "remembers": replace(once, objective=ObjectiveSettings(memory=30)),
    }
    alone = []

    def train_apart(windows, target, plan, **options):
        alone.append(target.name)
        return train_run(windows, target, plan, **options | {"device": "cpu"})

    monkeypatch.setattr("pacl.studies.scheduler.train_run", train_apart)
    jobs = {name: Job(windows_in_ms(), chosen) for name, chosen in plans.items()}
    runs = train_runs(jobs, tmp_path)
    assert all(run.finished for run in runs.values())
    assert sorted(fleets) == [["again", "last"], ["best"], ["without"]]
    assert alone == ["remembers"]


def test_runs_are_divided_among_gpus_and_are_as_in_one_fleet(tmp_path):
    """Two processes, each with a fleet, as with two GPUs."""
    plans = {f"seed-{seed}": plan(seed=seed) for seed in (1, 2, 3)}
    jobs = {name: Job(small_windows(), each) for name, each in plans.items()}
    assert [list(one.jobs) for one in shares(jobs, ("a", "b"))] == [
        ["seed-1", "seed-3"],
        ["seed-2"],
    ]
    assert [one.device for one in shares(jobs, tuple("abcdefgh"))] == ["a", "b", "c"]
    finished, epochs = [], []
    told = reporting(on_finished=finished.append, on_epoch=lambda name, log: epochs.append(name))
    train_fleets(jobs, tmp_path / "two", ("cpu", "cpu"), told)
    assert sorted(finished) == sorted(set(epochs)) == sorted(plans)
    train_fleets(jobs, tmp_path / "one", ("cpu",), SILENT)
    for name in plans:
        two, one = (RunFolder.open(tmp_path / where / name) for where in ("two", "one"))
        assert len(two.history()) == len(one.history())
        np.testing.assert_allclose(
            two.evaluated("test").score, one.evaluated("test").score, atol=1e-4
        )


def test_a_fleet_refuses_runs_that_remember_before_anything_is_made(tmp_path):
    plans = {"one": PLAN, "two": replace(PLAN, objective=ObjectiveSettings(memory=30))}
    with refused(ObjectiveError, "memory"):
        train(tmp_path / "runs", plans)
    assert not (tmp_path / "runs").exists()


def test_runs_are_scored_on_their_samples_as_alone(tmp_path):
    plans = {name: plan(seed=2, score_windows=most) for name, most in (("few", 20), ("all", 0))}
    runs = train(tmp_path / "fleet", plans)
    for name, each in plans.items():
        alone = train_run(small_windows(), tmp_path / name, each, device="cpu").history()
        scores, expected = ([e["score"] for e in one] for one in (runs[name].history(), alone))
        assert scores == pytest.approx(expected, abs=1e-3)
        assert [e["best"] for e in runs[name].history()] == [e["best"] for e in alone]
    assert runs["few"].history()[0]["score"] != runs["all"].history()[0]["score"]
