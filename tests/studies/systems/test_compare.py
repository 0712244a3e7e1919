import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from pacl.report.systems import what_holds, write_systems
from pacl.settings import SettingsError
from pacl.studies import RunError
from pacl.studies.progress import StudyReport
from pacl.studies.systems import (
    SystemsStudy,
    all_fits,
    compare_on_signals,
    differences_of,
    pictured,
    scores_of,
)
from pacl.studies.systems.result import FitResult, SystemFit
from pacl.windows import CohortError, WindowSet
from support.refusals import refused
from support.signals import CHANNELS, CLASSES, LENGTH, ring_of_sensors, settings

FEW = settings(systems=["subject-aware", "cross-entropy", "lda"])


class Heard(StudyReport):
    """Keeps what it is told."""

    def __init__(self, stop_after: int | None = None):
        self.finished, self.epochs, self.total, self.stop_after = [], [], 0, stop_after

    def on_runs(self, total):
        self.total = total

    def on_epoch(self, name, log):
        self.epochs.append((name, log.epoch))

    def on_finished(self, name):
        self.finished.append(name)
        if len(self.finished) == self.stop_after:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    path = tmp_path_factory.mktemp("signals") / "windows"
    ring_of_sensors(turned=True).write(path)
    return path


@pytest.fixture(scope="module")
def study(windows, tmp_path_factory):
    target, heard = tmp_path_factory.mktemp("signals") / "study", Heard()
    chosen = replace(FEW, input=settings(input={"ring": True, "envelope": 8}).input)
    compare_on_signals(windows, target, chosen, device="cpu", report=heard)
    return target, chosen, heard


def test_every_window_is_tested_once_for_each_seed(study, windows):
    target, chosen, heard = study
    fits = all_fits(chosen)
    assert len(fits) == heard.total == len(heard.finished) == 3 * (2 + 2 + 1)
    assert len(heard.epochs) == 2 * 12
    found = WindowSet.open(windows)
    for name, seeds in (("subject-aware", 2), ("cross-entropy", 2), ("lda", 1)):
        table = pq.read_table(target / "predictions" / f"{name}.parquet").to_pydict()
        assert len(table["label"]) == seeds * len(found)
        assert table["subject"] == found.table.subject.to_list() * seeds
        assert table["label"] == found.table.labels.tolist() * seeds
        total = sum(np.array(table[f"probability_{at}"]) for at in range(len(CLASSES)))
        assert total == pytest.approx(1, abs=1e-5)
        of_subject = set(zip(table["subject"], table["fold"], strict=True))
        assert len(of_subject) == 6  # all windows of a subject are in one fold


def test_scores_are_those_of_each_subject(study):
    target, chosen, _ = study
    found = SystemsStudy.read(target)
    assert found.settings == chosen
    assert (found.summary.channels, found.summary.length) == (CHANNELS, LENGTH)
    table = pq.read_table(target / "predictions" / "lda.parquet").to_pandas()
    own = table[table.subject == "subject-2"]
    recalls = [(own[own.label == at].predicted == at).mean() for at in range(3)]
    value = found.values("lda", "balanced_accuracy")
    assert value.shape == (2, 6)
    assert value[:, 2] == pytest.approx(np.mean(recalls))
    confusion = np.array(found.system("lda").confusion)
    assert np.trace(confusion) == (table.label == table.predicted).sum()
    assert confusion.sum() == len(table)


def test_differences_are_paired_over_subjects(study):
    found = SystemsStudy.read(study[0])
    first, second = (found.values(name, "macro_f1") for name in ("cross-entropy", "lda"))
    less = {one.system: one for one in differences_of(found, "lda", "macro_f1")}
    assert set(less) == {"subject-aware", "cross-entropy"}
    assert less["cross-entropy"].estimate == pytest.approx((first - second).mean())
    scores = {one.system: one for one in scores_of(found, "macro_f1")}
    assert scores["cross-entropy"].mean == pytest.approx(first.mean())
    assert np.isnan(scores["lda"].seed_sd)
    cohesion = scores_of(found, "cohesion")
    assert [one.system for one in cohesion] == ["subject-aware", "cross-entropy"]


def test_the_ring_is_turned_for_each_new_subject(study):
    turns = SystemsStudy.read(study[0]).summary.turns
    assert sorted(turns) == [f"subject-{at}" for at in range(6)]


def test_the_page_names_systems_and_says_what_is_inconclusive(study, tmp_path):
    page = write_systems(study[0], tmp_path / "report", "made-up ring")
    text = page.read_text("utf-8")
    assert "made-up ring" in text
    for fact in ("LDA on features", "Cross-entropy", "unlabelled windows", *CLASSES):
        assert fact in text
    assert {one.stem for one in (tmp_path / "report" / "figures").glob("*.svg")} >= {
        "sphere",
        "confusion",
        "differences-lda",
        "differences-subject-aware",
    }
    assert "inconclusive" in what_holds(SystemsStudy.read(study[0])) or "ahead" in text


def test_pictured_windows_are_of_subjects_learned_from_and_never_seen(study):
    shown = pictured(SystemsStudy.read(study[0]))
    assert [one.system for one in shown] == ["subject-aware", "cross-entropy"]
    for one in shown:
        assert len(one.embedded) == len(one.labels) == 6 * 3 * 12
        assert one.unseen.sum() == 2 * 3 * 12  # two of six subjects


def test_an_interrupted_study_is_resumed_and_gives_the_same(windows, tmp_path):
    chosen = settings(systems=["supcon", "lda"], seeds=[1], folds=2)
    with pytest.raises(KeyboardInterrupt):
        compare_on_signals(windows, tmp_path / "b", chosen, device="cpu", report=Heard(2))
    heard = Heard()
    compare_on_signals(windows, tmp_path / "b", chosen, device="cpu", report=heard)
    assert len(heard.finished) == heard.total == 4
    assert {name for name, _ in heard.epochs} <= {"supcon, seed 1, fold 1"}  # the other was kept
    compare_on_signals(windows, tmp_path / "a", chosen, device="cpu")
    for fit in all_fits(chosen):
        one, other = (FitResult.read(tmp_path / name / fit.path) for name in "ab")
        assert np.array_equal(one.probability, other.probability)


def test_systems_and_seeds_can_be_added_but_nothing_else_changed(windows, tmp_path):
    chosen = settings(systems=["lda"], seeds=[1], folds=2)
    compare_on_signals(windows, tmp_path, chosen, device="cpu")
    more = replace(chosen, systems=("lda", "supcon"))
    compare_on_signals(windows, tmp_path, more, device="cpu")
    assert len(SystemsStudy.read(tmp_path).systems) == 2
    with refused(RunError, "folds", "2", "3"):
        compare_on_signals(windows, tmp_path, replace(chosen, folds=3), device="cpu")


def test_a_study_from_before_there_were_samples_goes_on_with_all_windows(windows, tmp_path):
    chosen = settings(systems=["lda"], seeds=[1], folds=2)
    compare_on_signals(windows, tmp_path, chosen, device="cpu")
    path = tmp_path / "study.json"
    stated = json.loads(path.read_text())
    assert stated["train"].pop("score_windows") == 0
    path.write_text(json.dumps(stated))
    for _ in range(2):  # the first time, the file is written as this version writes it
        compare_on_signals(windows, tmp_path, chosen, device="cpu")
    assert SystemsStudy.read(tmp_path).settings == chosen
    asked = replace(chosen, train=replace(chosen.train, score_windows=20))
    with refused(RunError, "train.score_windows 0 / 20"):
        compare_on_signals(windows, tmp_path, asked, device="cpu")


def test_validation_subjects_are_held_out_of_training_alone(windows, tmp_path):
    chosen = settings(systems=["supcon", "lda"], seeds=[1], folds=2, validation=0.4)
    best = replace(chosen, train=replace(chosen.train, keep="best"), sampler=chosen.sampler)
    best = replace(best, sampler=replace(best.sampler, subjects=2))
    compare_on_signals(windows, tmp_path, best, device="cpu")
    held, whole = (
        FitResult.read(tmp_path / SystemFit(name, 1, 0).path).about for name in ("supcon", "lda")
    )
    assert (held.subjects, whole.subjects) == (2, 3)


def test_wrong_settings_are_told_at_once():
    with refused(SettingsError, "gru", "seeds", "twice"):
        settings(systems=["lda", "gru"], seeds=[1, 1])
    with refused(SettingsError, "keep", "validation"):
        settings(validation=0.0, train={"keep": "best"})


def test_more_folds_than_subjects(windows, tmp_path):
    with refused(CohortError, "7 folds", "6 subjects"):
        compare_on_signals(windows, tmp_path / "study", settings(folds=7), device="cpu")
    assert not (tmp_path / "study").exists()


def test_folds_with_fewer_subjects_than_a_batch_are_refused_before_any_fit(windows, tmp_path):
    many = settings(sampler=replace(settings().sampler, subjects=50))
    with refused(RunError, windows, "50", "--sampler.subjects"):
        compare_on_signals(windows, tmp_path / "study", many, device="cpu")
    assert not (tmp_path / "study").exists()


def test_a_class_that_only_tested_subjects_have(tmp_path):
    found = ring_of_sensors(subjects=4)
    lone = found.table.subject.is_("subject-0") | (found.table.labels != 2)
    found.select(lone).write(tmp_path / "windows")
    with refused(RunError, "wave", "fold"):
        compare_on_signals(tmp_path / "windows", tmp_path / "study", settings(folds=4))


def test_labels_of_samples(tmp_path):
    found = ring_of_sensors()
    samples = np.repeat(found.table.labels[:, None], LENGTH, axis=1)
    WindowSet.from_arrays(found.take(), samples, found.table.subject.to_list()).write(
        tmp_path / "windows"
    )
    with refused(RunError, "label for each sample", "mixed"):
        compare_on_signals(tmp_path / "windows", tmp_path / "study", settings())


def test_a_damaged_result_is_named(windows, tmp_path):
    chosen = settings(systems=["lda"], seeds=[1], folds=2)
    compare_on_signals(windows, tmp_path, chosen, device="cpu")
    damaged = tmp_path / SystemFit("lda", 1, 1).path
    damaged.write_bytes(damaged.read_bytes()[:100])
    with refused(RunError, damaged.name, "remove"):
        compare_on_signals(windows, tmp_path, chosen, device="cpu")


def test_an_unfinished_study_has_no_report(windows, tmp_path):
    chosen = settings(systems=["lda"], seeds=[1], folds=2)
    compare_on_signals(windows, tmp_path, chosen, device="cpu")
    (tmp_path / "summary.json").unlink()
    with refused(RunError, "summary.json", "finished"):
        SystemsStudy.read(tmp_path)
    stated = json.loads((tmp_path / "study.json").read_text())
    (tmp_path / "study.json").write_text(json.dumps({**stated, "kind": "rivals"}))
    with refused(RunError, "pacl systems"):
        SystemsStudy.read(tmp_path)
