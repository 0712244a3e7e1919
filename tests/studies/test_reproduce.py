"""A study trains every loss with every seed, goes on after an interruption, and adds up."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest

from pacl.cohort import PooledProtocol
from pacl.evaluation import measure_auroc, read_evaluation
from pacl.rr import Cut, RRWindowSet
from pacl.studies import ObjectiveSettings, RunError, RunFolder, train_run
from pacl.studies.gpus import Job
from pacl.studies.inputs import as_windows
from pacl.studies.outcomes import Outcome, Outcomes
from pacl.studies.paper_study import Study, run_name
from pacl.studies.reproduce import run_study
from pacl.studies.scheduler import train_runs
from pacl.windows import split_units
from support.refusals import refused
from support.reports import reporting
from support.sessions import wait_for_nobody
from support.small_runs import (
    PLAN,
    cohort,
    place,
    plan,
    same_but_for_time,
    small_run,
    small_windows,
)

STUDY = Study.of(PLAN, seeds=(1, 2))
OTHER = "other"


def other_windows():
    return small_windows(seed=8, patients=6, split=2)


def usual():
    """A study that nobody interrupts; not to be changed."""
    return run_study(
        small_windows(),
        place() / "study",
        STUDY,
        elsewhere={OTHER: other_windows()},
        device="cpu",
    )


def folded():
    study = Study.of(PLAN, losses=("patient-aware", "bce"), seeds=(1, 2), folds=3)
    return run_study(small_windows(), place() / "folded", study, device="cpu", processes=2)


def test_every_loss_and_seed_is_judged_on_its_own_test_patients_and_elsewhere():
    own, elsewhere = usual()
    assert (own.on, elsewhere.on) == ("test", OTHER)
    assert own.losses == ("patient-aware", "supcon", "bce")
    assert own.seeds == (1, 2)
    for outcomes in (own, elsewhere):
        for one in outcomes.each:
            (run,) = one.runs
            assert (run.plan.loss, run.plan.seed) == (one.loss, one.seed)
            assert one.measured == read_evaluation(run.evaluated_where(outcomes.on))
    table = RRWindowSet.open(small_windows()).table
    assert own.patients == table.patient[table.split.is_("test")].present()
    assert elsewhere.patients == RRWindowSet.open(other_windows()).table.patient.present()


def test_a_run_of_a_study_is_the_run_it_would_be_alone(tmp_path):
    usual()
    alone = train_run(small_windows(), tmp_path / "alone", plan(seed=2), device="cpu")
    made = place() / "study" / "runs" / run_name("patient-aware", 2)
    for name in ("model.safetensors", "probe.json", "test/pooled.npy", "test/evaluation.json"):
        assert (made / name).read_bytes() == (alone.path / name).read_bytes(), name


def test_values_by_seed_and_by_patient_are_those_of_the_runs():
    own, _ = usual()
    runs = [RunFolder.open(place() / "study" / "runs" / f"bce-{seed}") for seed in (1, 2)]
    measured = [read_evaluation(run.evaluated_where("test")) for run in runs]
    expected = [one.detection.auroc for one in measured]
    assert own.values("bce", "detection.auroc").tolist() == expected
    matrix = own.by_patient("bce", "pooled", "cohesion.0")
    assert matrix.shape == (2, len(own.patients))
    for row, one in zip(matrix, measured, strict=True):
        for who, value in zip(own.patients, row, strict=True):
            (stated,) = [e.cohesion[0] for e in one.pooled.per_subject if e.subject == who]
            assert np.isnan(value) if stated is None else value == stated


def test_over_folds_everybody_is_predicted_once_by_a_run_that_never_saw_them():
    (outcomes,) = folded()
    assert outcomes.folds == 3
    assert outcomes.patients == RRWindowSet.open(small_windows()).table.patient.present()
    one = outcomes.of("bce")[1]
    found = one.predictions
    assert found.labels.size == len(RRWindowSet.open(small_windows()))
    assert one.value("detection.auroc") == measure_auroc(found.labels, found.probability)
    for run in one.runs:
        windows = RRWindowSet.open(run.origin.path)
        tested = set(run.evaluated("test").embeddings.table.subject.present())
        assert tested.isdisjoint(windows.part("train").table.patient.present())


def test_over_folds_patients_are_averaged_over_all_and_spaces_over_folds():
    (outcomes,) = folded()
    one = outcomes.of("patient-aware")[0]
    each = [read_evaluation(run.evaluated_where("test")) for run in one.runs]
    rows = [row for fold in each for row in fold.pooled.per_subject]
    cohesions = [row.cohesion[0] for row in rows if row.cohesion[0] is not None]
    assert one.value("pooled.classes.0.cohesion") == pytest.approx(np.mean(cohesions))
    distances = [fold.pooled.centroid_distance for fold in each]
    assert one.value("pooled.centroid_distance") == pytest.approx(np.mean(distances))
    counts = [fold.pooled.classes[0].windows for fold in each]
    assert one.measured.pooled.classes[0].windows == sum(counts)
    assert one.measured.pooled.per_subject == tuple(rows)


def test_the_same_study_again_trains_nothing_and_gives_the_same(monkeypatch):
    before = usual()
    times = {p: p.stat().st_mtime_ns for p in (place() / "study" / "runs").rglob("*")}
    told = []
    again = run_study(
        small_windows(),
        place() / "study",
        STUDY,
        elsewhere={OTHER: other_windows()},
        device="cpu",
        report=reporting(on_epoch=lambda name, log: told.append(name)),
    )
    assert told == []
    assert {p: p.stat().st_mtime_ns for p in (place() / "study" / "runs").rglob("*")} == times
    for one, other in zip(before, again, strict=True):
        assert [a.measured for a in one.each] == [b.measured for b in other.each]


@pytest.mark.parametrize(
    ("study", "what"),
    [
        (replace(STUDY, seeds=(1, 3)), "seeds [1, 2] / [1, 3]"),
        (replace(STUDY, folds=3), "folds 0 / 3"),
        (Study.of(plan(epochs=2), seeds=(1, 2)), "plans.bce.train.epochs 3 / 2"),
    ],
)
def test_another_study_in_the_same_folder_is_refused(study, what):
    usual()
    with refused(RunError, place() / "study", what):
        run_study(small_windows(), place() / "study", study, device="cpu")


def test_a_study_from_before_there_was_a_memory_goes_on(tmp_path):
    usual()
    shutil.copytree(place() / "study", tmp_path / "study")
    path = tmp_path / "study" / "study.json"
    stated = json.loads(path.read_text("utf-8"))
    for chosen in stated["plans"].values():
        del chosen["objective"]["memory"]
    path.write_text(json.dumps(stated))
    told = []
    run_study(
        small_windows(),
        tmp_path / "study",
        STUDY,
        device="cpu",
        report=reporting(on_epoch=lambda name, log: told.append(name)),
    )
    assert told == []
    path.write_text(json.dumps(stated | {"plans": {"bce": {"loss": "bce", "taste": "sweet"}}}))
    with refused(RunError, path, "taste"):
        run_study(small_windows(), tmp_path / "study", STUDY, device="cpu")


def test_a_memory_for_bce_is_refused_at_once():
    remembers = replace(PLAN, objective=ObjectiveSettings(memory=30))
    with refused(RunError, "objective.memory 30", "bce"):
        Study.of(remembers)
    Study.of(remembers, losses=("patient-aware", "supcon"))


def test_other_windows_in_the_same_folder_are_refused():
    usual()
    with refused(RunError, place() / "study", "windows "):
        run_study(small_windows(split=4), place() / "study", STUDY, device="cpu")


def test_folds_and_another_cohort_do_not_go_together(tmp_path):
    with refused(RunError, 3, "other", "--folds"):
        run_study(
            small_windows(),
            tmp_path / "s",
            replace(STUDY, folds=3),
            elsewhere={OTHER: other_windows()},
        )
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"seeds": (1, 1)}, "(1, 1)"),
        ({"seeds": ()}, "seeds ()"),
        ({"plans": {}}, "losses none"),
        ({"folds": 1}, "1 folds"),
    ],
)
def test_studies_that_make_no_sense_are_refused(change, fact):
    with refused(RunError, fact):
        replace(STUDY, **change)


def test_a_missing_outcome_is_told():
    run = small_run()
    each = [Outcome("a", 1, (run,), "test"), Outcome("a", 2, (run,), "test")]
    with refused(RunError, 3, "2 losses", "2 seeds"):
        Outcomes("x", "test", (*each, Outcome("b", 1, (run,), "test")))


def test_a_run_that_fails_is_named_and_the_others_are_finished(tmp_path):
    jobs = {
        "good": Job(small_windows(), PLAN),
        "bad": Job(small_windows(), plan(lr=1e30)),
    }
    with refused(RunError, tmp_path, "1 of 2", "bad"):
        train_runs(jobs, tmp_path, device="cpu", processes=2)
    assert RunFolder.open(tmp_path / "good").finished


def test_a_study_from_before_there_were_samples_goes_on_with_all_windows(tmp_path):
    study = Study.of(plan(epochs=1), ("bce",), seeds=(1,))
    run_study(small_windows(), tmp_path, study, device="cpu")
    for path in (tmp_path / "study.json", tmp_path / "runs" / "bce-1" / "config.json"):
        text, changes = re.subn(r',\s*"score_windows": 0', "", path.read_text())
        assert changes == 1
        path.write_text(text)
    told = []
    report = reporting(on_epoch=lambda *log: told.append(log))
    for _ in range(2):  # the first time, the file is written as this version writes it
        (outcomes,) = run_study(small_windows(), tmp_path, study, device="cpu", report=report)
    assert told == []
    assert outcomes.each[0].runs[0].plan.train.score_windows == 0
    with refused(RunError, "train.score_windows 0 / 20"):
        other = Study.of(plan(epochs=1, score_windows=20), ("bce",), seeds=(1,))
        run_study(small_windows(), tmp_path, other, device="cpu")


@pytest.mark.slow
def test_killed_and_started_again_it_comes_out_the_same(tmp_path):
    target = tmp_path / "killed"
    script = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {os.fspath(place().parent)!r})
        from pathlib import Path
        from pacl.studies import BranchesSettings, Plan, SamplerSettings, TrainSettings
        from pacl.studies import Study, StudyReport, run_study

        class Printing(StudyReport):
            def on_epoch(self, name, log):
                print(name, flush=True)

        if __name__ == "__main__":
            plan = Plan(
                sampler=SamplerSettings(subjects=2, windows=4),
                encoder=BranchesSettings(
                    channels=(8, 8, 8), pooled_features=8, projected_features=8
                ),
                train=TrainSettings(epochs=3, lr=3e-3),
            )
            run_study(
                Path({os.fspath(small_windows())!r}), Path({os.fspath(target)!r}),
                Study.of(plan, seeds=(1, 2)), device="cpu", processes=2,
                report=Printing(),
            )
        """
    )
    path = tmp_path / "study.py"
    path.write_text(script)
    with subprocess.Popen(
        [sys.executable, path], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        for _ in range(4):
            assert child.stdout.readline()
        child.kill()
    wait_for_nobody(child.pid)
    run_study(small_windows(), target, STUDY, device="cpu", processes=2)
    usual()
    for one in STUDY.jobs({None: small_windows()}):
        whole = place() / "study" / "runs" / one
        for name in ("model.safetensors", "test/evaluation.json", "validation/pooled.npy"):
            assert (target / "runs" / one / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.slow
def test_runs_in_processes_are_the_same_however_many(tmp_path):
    jobs = {"one": Job(small_windows(), PLAN), "two": Job(small_windows(), plan(seed=2))}
    for processes in (1, 2):
        train_runs(jobs, tmp_path / str(processes), device="cpu", processes=processes)
    for name in jobs:
        assert same_but_for_time(tmp_path / "1" / name, tmp_path / "2" / name)


def test_windows_cut_from_another_folder_of_the_same_name_are_not_taken(tmp_path):
    def all_test(strata, patients):
        return split_units(strata, seed=0, counts=(0, 0, 1))

    for place_, seed in (("a", 3), ("b", 8)):
        shutil.copytree(cohort(seed, 6), tmp_path / place_ / "others")
    options = {"divide": all_test, "protocol": PooledProtocol(), "cut": Cut(40, 2500)}
    first = as_windows(tmp_path / "a" / "others", tmp_path / "cut", **options)
    assert as_windows(tmp_path / "a" / "others", tmp_path / "cut", **options) == first
    (tmp_path / "a" / "others" / "cohort.toml").write_text("name = 'X'")
    assert as_windows(tmp_path / "a" / "others", tmp_path / "cut", **options) == first
    (tmp_path / "a" / "others" / "cohort.toml").write_text("[patients]\nrecord_000 = 'anna'")
    with refused(RunError, tmp_path / "cut", "cohort.toml"):
        as_windows(tmp_path / "a" / "others", tmp_path / "cut", **options)
    with refused(RunError, tmp_path / "a" / "others", tmp_path / "b" / "others"):
        as_windows(tmp_path / "b" / "others", tmp_path / "cut", **options)
